// Vector and streamed instructions of wl_pe on small programs, against sums worked out here.
//
// State space: every kind of operand, groups that straddle lines, the window, several contexts on one accumulator, streams with zeros. Parameter space: 2, 4, 8
// lanes; register values before reset 0, 1, random. Left out: random programs of every instruction (testbenches/lockstep) and
// arithmetic corner cases (testbenches/unit/macros).
#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/snippets.h"

using namespace waferloom;
using namespace waferloom::pe;

TEST_CASE("elementwise: mixed types, odd alignments, every lane count") {
  for (int lanes : {2, 4, 8}) {
    for (uint32_t reset : kAllResets) {
      for (uint32_t shift : {0u, 2u, 4u, 6u}) {
        INFO("lanes " << lanes << " reset " << reset << " shift " << shift);
        Machine machine;
        machine.lanes = lanes;
        PeBench b(machine, reset);
        const uint32_t n = 13;
        auto code = load_descs(b, {mem(kF32, 0x1000 + 4 * (shift / 2), n), mem(kF16, 0x2000 + shift, n), mem(kF16, 0x3000, n),
                                   mem(kF16, 0x4000 + shift, n), mem(kF16, 0x5000, n)});
        append(&code, {vec(Opcode::kVadd, 1, 2, 3), vec(Opcode::kVmul, 4, 2, 3), li(1, 0), lih(1, 0x4000),
                       vec(Opcode::kVmacs, 5, 3, 2) | scalar(1), vec(Opcode::kVfma, 1, 2, 3), plain(Opcode::kHalt)});
        for (uint32_t k = 0; k < n; ++k) {
          b.half(0x2000 + shift + 2 * k, f16(static_cast<float>(k)));
          b.half(0x3000 + 2 * k, f16(0.5f * static_cast<float>(k) - 2));
        }
        b.boot(code);
        REQUIRE(b.run());
        REQUIRE(b.trap() == 0);
        for (uint32_t k = 0; k < n; ++k) {
          const float x = static_cast<float>(k), y = 0.5f * x - 2;
          CHECK(as_f32(b.word(0x1000 + 4 * (shift / 2) + 4 * k)) == x + y + x * y);
          CHECK(as_f16(b.half(0x4000 + shift + 2 * k)) == x * y);
          CHECK(as_f16(b.half(0x5000 + 2 * k)) == y + 2 * x);
        }
        CHECK(b.total() == b.now());
      }
    }
  }
}

TEST_CASE("elementwise: conversions, selection, shifts, special functions, reductions") {
  for (int lanes : {2, 4, 8}) {
    INFO("lanes " << lanes);
    Machine machine;
    machine.lanes = lanes;
    PeBench b(machine);
    const uint32_t n = 9;
    Desc iota;
    iota.kind = kIota;
    iota.base = 0xfffd;
    iota.stride0 = 1;
    iota.len0 = n;
    auto code = load_descs(b, {mem(kI32, 0x1000, n), iota, mem(kF16, 0x2000, n), mem(kF16, 0x2400, n), mem(kF32, 0x3000, n), mem(kF32, 0x3400, 1),
                               mem(kF16, 0x3500, 1), mem(kF32, 0x3600, n), mem(kI16, 0x3800, n)});
    append(&code, {vec(Opcode::kVmov, 1, 2), vec(Opcode::kVcvt, 3, 2), vec(Opcode::kVsel, 4, 3, 3), vec(Opcode::kVsfu, 5, 4) | fn(0),
                   vec(Opcode::kVred, 6, 3) | fn(1), vec(Opcode::kVdot, 7, 3, 3), vec(Opcode::kVmax, 8, 3, 5), li(3, 2),
                   vec(Opcode::kVshift, 9, 2) | fn(0) | scalar(3, true), plain(Opcode::kHalt)});
    b.boot(code);
    REQUIRE(b.run());
    REQUIRE(b.trap() == 0);
    float dot = 0;
    for (uint32_t k = 0; k < n; ++k) {
      const int v = static_cast<int>(k) - 3;
      CHECK(static_cast<int32_t>(b.word(0x1000 + 4 * k)) == v);
      CHECK(as_f16(b.half(0x2000 + 2 * k)) == static_cast<float>(v));
      CHECK(as_f16(b.half(0x2400 + 2 * k)) == static_cast<float>(v > 0 ? v : 0));
      CHECK(as_f32(b.word(0x3000 + 4 * k)) == static_cast<float>(1 << (v > 0 ? v : 0)));
      CHECK(as_f32(b.word(0x3600 + 4 * k)) == static_cast<float>(1 << (v > 0 ? v : 0)));
      CHECK(static_cast<int16_t>(b.half(0x3800 + 2 * k)) == 4 * v);
      dot += static_cast<float>(v * v);
    }
    CHECK(as_f32(b.word(0x3400)) == 5.0f);
    CHECK(as_f16(b.half(0x3500)) == dot);
  }
}

TEST_CASE("overlapping operands: each element sees what elements before it wrote") {
  for (int lanes : {2, 4, 8}) {
    for (uint32_t at : {0x1000u, 0xc000u}) {
      INFO("lanes " << lanes << " at " << at);
      Machine machine;
      machine.lanes = lanes;
      PeBench b(machine);
      const uint32_t n = 15;
      // x[k + 1] = x[k] + 1, one element apart, in binary16 and in 32-bit integers; then the sums are copied to where they can be read.
      auto code = load_descs(b, {mem(kF16, at + 2, n), mem(kF16, at, n), mem(kI32, at + 0x44, n), mem(kI32, at + 0x40, n), mem(kF16, 0x3000, n + 1),
                                 mem(kI32, 0x3100, n + 1), mem(kF16, at, n + 1), mem(kI32, at + 0x40, n + 1)});
      append(&code, {li(2, 1), li(1, 0), lih(1, 0x3f80), vec(Opcode::kVmov, 2, 0) | scalar(1), vec(Opcode::kVadd, 1, 2) | scalar(1),
                     vec(Opcode::kVmov, 4, 0) | scalar(2), vec(Opcode::kViadd, 3, 4) | scalar(2), vec(Opcode::kVmov, 5, 7), vec(Opcode::kVmov, 6, 8),
                     plain(Opcode::kHalt)});
      b.boot(code);
      REQUIRE(b.run());
      REQUIRE(b.trap() == 0);
      for (uint32_t k = 0; k <= n; ++k) {
        CHECK(as_f16(b.half(0x3000 + 2 * k)) == static_cast<float>(k + 1));
        CHECK(b.word(0x3100 + 4 * k) == k + 1);
      }
    }
  }
}

TEST_CASE("microthreads: a stencil of four on one accumulator, the main thread running") {
  for (int lanes : {2, 4, 8}) {
    for (bool window : {false, true}) {
      INFO("lanes " << lanes << " window " << window);
      Machine machine;
      machine.lanes = lanes;
      PeBench b(machine);
      const uint32_t n = 23;
      const uint32_t at = window ? 0xc000 : 0x1000;
      auto code = load_descs(b, {mem(kF32, at, n), mem(kF32, 0x2000, n), mem(kF32, 0x2004, n), mem(kF32, 0x2008, n), mem(kF32, 0x200c, n),
                                 mem(kF32, 0x3000, n)});
      append(&code, {li(1, 0), lih(1, 0x3f80), vec(Opcode::kVmov, 1, 0) | scalar(1), lih(1, 0x4000)});
      for (int t = 0; t < 4; ++t) code.push_back(vec(Opcode::kVmacs, 1, 1, 2 + t) | scalar(1) | async(t));
      append(&code, {li(6, 40), li(7, 0), ri(Opcode::kAddi, 7, 7, 1), ri(Opcode::kBne, 7, 6, -1)});
      for (int t = 0; t < 4; ++t) code.push_back(waitu(t));
      append(&code, {vec(Opcode::kVmov, 6, 1), plain(Opcode::kHalt)});
      for (uint32_t k = 0; k < n + 4; ++k) b.word(0x2000 + 4 * k, f32(static_cast<float>(k * k)));
      b.boot(code);
      REQUIRE(b.run());
      REQUIRE(b.trap() == 0);
      for (uint32_t k = 0; k < n; ++k) {
        float want = 1;
        for (uint32_t t = 0; t < 4; ++t) want += 2.0f * static_cast<float>((k + t) * (k + t));
        CHECK(as_f32(b.word(0x3000 + 4 * k)) == want);
      }
      CHECK(b.reg(7) == 40);
    }
  }
}

TEST_CASE("packed streams: a fabric copy through halves that do not line up") {
  for (int lanes : {2, 4, 8}) {
    for (uint32_t shift : {0u, 2u}) {
      INFO("lanes " << lanes << " shift " << shift);
      Machine machine;
      machine.lanes = lanes;
      PeBench b(machine);
      const uint32_t n = 7;
      Desc in = fabric_in(kF16, 3, n), out = fabric_out(kF16, 2, 9, n);
      in.pack = true;
      out.pack = true;
      auto code = bind(3, 4);
      append(&code, load_descs(b, {out, in, mem(kF16, 0x1000 + shift, n), mem(kF16, 0x2000 + shift, n)}));
      append(&code, {vec(Opcode::kVadd, 1, 2, 3), vec(Opcode::kVadd, 4, 2, 3), plain(Opcode::kHalt)});
      for (uint32_t k = 0; k < n; ++k) b.half(0x1000 + shift + 2 * k, f16(static_cast<float>(10 * k)));
      for (uint32_t round = 0; round < 2; ++round)
        for (uint32_t k = 0; k < n; k += 2) b.to_pe.push_back(data(4, f16(static_cast<float>(k)) | f16(static_cast<float>(k + 1)) << 16));
      b.boot(code);
      REQUIRE(b.run());
      REQUIRE(b.trap() == 0);
      REQUIRE(b.from_pe.size() == 4);
      for (uint32_t k = 0; k < n; ++k) {
        const uint64_t w = b.from_pe[k / 2];
        CHECK(((w >> 32) & 31) == 9);
        CHECK(as_f16(static_cast<uint32_t>(w >> (16 * (k & 1))) & 0xffffu) == static_cast<float>(11 * k));
        CHECK(as_f16(b.half(0x2000 + shift + 2 * k)) == static_cast<float>(11 * k));
      }
      CHECK(((b.from_pe[3] >> 16) & 0xffff) == 0);
    }
  }
}

TEST_CASE("sdot: indices from the fabric and from memory") {
  for (int lanes : {2, 4, 8}) {
    for (bool fabric : {true, false}) {
      INFO("lanes " << lanes << " fabric " << fabric);
      Machine machine;
      machine.lanes = lanes;
      PeBench b(machine);
      const uint32_t n = 11, features = 12, rows = 24;
      auto code = bind(0, 1);
      append(&code, load_descs(b, {mem(kF32, 0x1000, features), fabric ? fabric_in(kF16, 0, 0, 1) : mem(kI16, 0x1800, features), mem(kF16, 0x2000, n),
                                   mem(kF16, 0x3000, n)}));
      append(&code, {vec(Opcode::kSdot, 1, 2, 3, 4), plain(Opcode::kHalt)});
      std::vector<float> want;
      for (uint32_t i = 0; i < features; ++i)
        for (uint32_t k = 0; k < n; ++k) b.half(0x2000 + rows * i + 2 * k, f16(static_cast<float>((i * 3 + k) % 7)));
      for (uint32_t k = 0; k < n; ++k) b.half(0x3000 + 2 * k, f16(static_cast<float>(k % 3)));
      for (uint32_t j = 0; j < features; ++j) {
        const uint32_t i = (j * 5) % features;
        b.half(0x1800 + 2 * j, rows * i);
        if (fabric) b.to_pe.push_back(data(1, (rows * i) << 16));
        float sum = 0;
        for (uint32_t k = 0; k < n; ++k) sum += static_cast<float>(((i * 3 + k) % 7) * (k % 3));
        want.push_back(sum);
      }
      if (fabric) b.to_pe.push_back(control(1, 0));
      b.boot(code);
      REQUIRE(b.run());
      REQUIRE(b.trap() == 0);
      for (uint32_t j = 0; j < features; ++j) CHECK(as_f32(b.word(0x1000 + 4 * j)) == want[j]);
    }
  }
}
