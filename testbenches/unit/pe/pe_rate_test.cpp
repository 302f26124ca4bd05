// Rates that contracts.md section 6 promises, measured on wl_pe and held.
//
// A rate is the slope between a short and a long stream, so that starting and stopping do not count. Parameter space: 4 and 8 lanes, binary32 and
// binary16 accumulators, in SRAM and in the window, 4 to 32 tokens, rows at every 8-byte phase of the banks. Left out: rates
// while the main thread runs beside the stream (they share the issue slot by design).
#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/snippets.h"

using namespace waferloom;
using namespace waferloom::pe;

namespace {

struct Stream {
  int lanes = 4;
  bool wide = true;    // binary32 accumulators
  bool window = false;
  uint32_t tokens = 8;
  uint32_t phase = 0;  // of the slab, in bytes, a multiple of 8
  bool dot = false;
};

// Cycles from boot to quiet for a stream of `count` weights or indices.
uint64_t cycles(const Stream& s, uint32_t count) {
  Machine machine;
  machine.lanes = s.lanes;
  machine.window_bytes = 512;
  PeBench b(machine);
  const uint32_t features = 24, row = (2 * s.tokens + 7) / 8 * 8;
  const uint32_t acc = s.window ? 0xc000 : 0x1000;
  const Type t = s.wide ? kF32 : kF16;
  auto code = bind(0, 1);
  append(&code, load_descs(b, {mem(t, s.dot ? 0x6000 : acc, s.dot ? 400 : s.tokens), fabric_in(kF16, 0, 0, 1), mem(kF16, 0x2000 + s.phase, s.tokens),
                               mem(kF16, 0x1800, s.tokens)}));
  append(&code, {s.dot ? vec(Opcode::kSdot, 1, 2, 3, 4) : vec(Opcode::kSaxpy, 1, 2, 3), plain(Opcode::kHalt)});
  for (uint32_t i = 0; i < features; ++i)
    for (uint32_t k = 0; k < s.tokens; ++k) b.half(0x2000 + s.phase + row * i + 2 * k, f16(1));
  for (uint32_t k = 0; k < s.tokens; ++k) b.half(0x1800 + 2 * k, f16(1));
  for (uint32_t j = 0; j < count; ++j) b.to_pe.push_back(data(1, f16(1) | (row * ((j * 7) % features)) << 16));
  b.to_pe.push_back(control(1, 0));
  b.boot(code);
  REQUIRE(b.run(100000));
  REQUIRE(b.trap() == 0);
  if (s.dot) {
    for (uint32_t j = 0; j < count; ++j) REQUIRE((s.wide ? as_f32(b.word(0x6000 + 4 * j)) : as_f16(b.half(0x6000 + 2 * j))) == static_cast<float>(s.tokens));
  } else if (!s.window) {
    for (uint32_t k = 0; k < s.tokens; ++k) REQUIRE((s.wide ? as_f32(b.word(acc + 4 * k)) : as_f16(b.half(acc + 2 * k))) == static_cast<float>(count));
  }
  REQUIRE(b.total() == b.now());
  return b.now();
}

double slope(const Stream& s) { return static_cast<double>(cycles(s, 160) - cycles(s, 60)) / 100; }

}  // namespace

TEST_CASE("streamed AXPY: ceil(2n/S) or ceil(n/S) cycles, at most two more between weights") {
  for (int lanes : {4, 8}) {
    for (bool wide : {true, false}) {
      for (uint32_t tokens : {4u, 8u, 16u, 32u}) {
        for (uint32_t phase : {0u, 8u, 16u, 24u}) {
          // The contract's cases: binary16 and eight lanes need the window.
          for (bool window : {true, false}) {
            if (!window && (!wide || lanes == 8)) continue;
            Stream s;
            s.lanes = lanes;
            s.wide = wide;
            s.window = window;
            s.tokens = tokens;
            s.phase = phase;
            const uint32_t l = static_cast<uint32_t>(lanes);
            const uint32_t groups = wide ? (2 * tokens + l - 1) / l : (tokens + l - 1) / l;
            const double measured = slope(s);
            INFO("lanes " << lanes << " wide " << wide << " window " << window << " tokens " << tokens << " phase " << phase << " cycles " << measured);
            CHECK(measured <= groups + 2);
            // Two groups or more hide the accumulate loop, and nothing is lost between weights.
            if (groups >= 2) CHECK(measured <= groups + (tokens < 8 ? 0.3 : 0.02));
          }
        }
      }
    }
  }
}

TEST_CASE("streamed dot: ceil(2n/S) + 8 cycles at most per index") {
  for (int lanes : {4, 8}) {
    for (bool wide : {true, false}) {
      for (uint32_t tokens : {4u, 8u, 16u, 32u}) {
        for (uint32_t phase : {0u, 8u, 16u, 24u}) {
          Stream s;
          s.lanes = lanes;
          s.wide = wide;
          s.tokens = tokens;
          s.phase = phase;
          s.dot = true;
          const double measured = slope(s);
          INFO("lanes " << lanes << " wide " << wide << " tokens " << tokens << " phase " << phase << " cycles " << measured);
          const uint32_t l = static_cast<uint32_t>(lanes);
          CHECK(measured <= (2 * tokens + l - 1) / l + 8);
        }
      }
    }
  }
}

TEST_CASE("chain step: four registers from ramp to ramp, one wavelet per cycle") {
  for (int lanes : {2, 4, 8}) {
    INFO("lanes " << lanes);
    Machine machine;
    machine.lanes = lanes;
    PeBench b(machine);
    const uint32_t n = 64;
    auto code = bind(0, 2);
    append(&code, load_descs(b, {fabric_out(kF32, 1, 5, n), fabric_in(kF32, 0, n), mem(kF32, 0x2000, n)}));
    append(&code, {vec(Opcode::kVadd, 1, 2, 3) | async(2), waitu(2), plain(Opcode::kHalt)});
    for (uint32_t k = 0; k < n; ++k) {
      b.word(0x2000 + 4 * k, f32(static_cast<float>(k)));
      b.to_pe.push_back(data(2, f32(static_cast<float>(1000 + k))));
    }
    b.boot(code);
    REQUIRE(b.run());
    REQUIRE(b.from_pe.size() == n);
    for (uint32_t k = 0; k < n; ++k) REQUIRE(b.from_pe[k] == data(5, f32(static_cast<float>(1000 + 2 * k))));
    CHECK(b.from_pe_cycle.front() - b.first_sent_cycle == 4);  // queue head, operands, result, ramp
    CHECK(b.from_pe_cycle.back() - b.from_pe_cycle.front() == n - 1);
  }
}

TEST_CASE("scalar code: one instruction per cycle, a taken branch one more") {
  PeBench b;
  std::vector<uint32_t> code = {li(1, 0), li(2, 200)};
  for (int k = 0; k < 8; ++k) code.push_back(ri(Opcode::kAddi, 3, 3, 1));
  append(&code, {ri(Opcode::kAddi, 1, 1, 1), ri(Opcode::kBne, 1, 2, -9), plain(Opcode::kHalt)});
  b.boot(code);
  REQUIRE(b.run());
  CHECK(b.reg(3) == 1600);
  CHECK(b.event(kInstructions) == 2 + 200 * 10 + 1);
  CHECK(b.now() <= 200 * 11 + 40);
}
