// Quiescence of wl_pe: evaluating it as the engine does (not while quiet and undisturbed) gives what evaluating every cycle gives.
//
// Streams with gaps, sinks that stall, tasks that wait: every wavelet out in the same cycle, memory, registers, every class and event counter equal. And
// a PE that waits for a wavelet, for room or for a task is indeed skipped. Random: gaps and stalls. Left out: equality of every
// register in every cycle (the engine's audit does that on whole runs).
#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/snippets.h"

using namespace waferloom;
using namespace waferloom::pe;

namespace {

struct Outcome {
  std::vector<uint64_t> out, out_cycle, counters;
  std::vector<uint32_t> memory;
  uint64_t cycles = 0, evaluated = 0;
};

Outcome run(bool skip, uint64_t seed, uint32_t reset, uint32_t time_offset) {
  PeBench b({}, reset, skip);
  Random random("pe quiet", seed);
  const uint32_t n = 8;
  auto code = bind(0, 1);
  append(&code, bind(1, 2));
  append(&code, bind(2, 3, true));
  append(&code, load_descs(b, {mem(kF32, 0x1000, n), fabric_in(kF16, 0, 0, 1), mem(kF16, 0x2000, n), fabric_out(kF32, 1, 5, 24),
                               fabric_in(kF32, 1, 24), mem(kF32, 0x3000, 24)}));
  append(&code, {vec(Opcode::kSaxpy, 1, 2, 3) | async(0), vec(Opcode::kVadd, 4, 5, 6) | async(1), plain(Opcode::kYield)});
  b.words(0x300, {sw(1, 0, 0x700), r3(Opcode::kFadd, 5, 5, 1), r2f(Opcode::kFsfu, 2, 6, 5), sw(6, 0, 0x704), plain(Opcode::kYield)});
  b.words(0x340, {waitu(0), waitu(1), plain(Opcode::kHalt)});
  b.entry(3, 0x300);
  b.entry(30, 0x340);
  for (uint32_t k = 0; k < 16 * n; ++k) b.half(0x2000 + 2 * k, f16(static_cast<float>(k % 9)));
  for (uint32_t k = 0; k < 24; ++k) b.word(0x3000 + 4 * k, f32(static_cast<float>(k)));
  b.boot(code);
  for (uint32_t k = 0; k < time_offset; ++k) b.cycle();
  std::deque<uint64_t> all;
  uint32_t chain = 0;
  for (uint32_t k = 0; k < 40; ++k) {
    const uint64_t pick = random.below(4);
    if (pick == 0 && chain < 24) all.push_back(data(2, f32(static_cast<float>(100 * ++chain))));
    else if (pick == 1) all.push_back(data(3, f32(1.5f)));
    else all.push_back(data(1, f16(static_cast<float>(random.below(3))) | (2 * n * static_cast<uint32_t>(random.below(16))) << 16));
  }
  while (chain < 24) all.push_back(data(2, f32(static_cast<float>(100 * ++chain))));
  all.push_back(control(1, 0));
  all.push_back(control(3, 30));
  b.send_from = 60;
  for (uint64_t k = 0; k < 4000; ++k) {
    if (!all.empty() && b.to_pe.empty() && random.chance(1, 12)) {
      for (uint64_t burst = 1 + random.below(4); burst > 0 && !all.empty(); --burst) {
        b.to_pe.push_back(all.front());
        all.pop_front();
      }
    }
    if (random.chance(1, 20)) b.sink_ready = random.chance(1, 2) ? 0xffffff : 0;
    if (k > 3000) b.sink_ready = 0xffffff;
    b.cycle();
  }
  Outcome o;
  REQUIRE(b.trap() == 0);
  REQUIRE(b.halted());
  o.out = b.from_pe;
  o.out_cycle = b.from_pe_cycle;
  for (int c = 0; c < 13; ++c) o.counters.push_back(b.count(static_cast<ClassId>(c)));
  for (int e = 0; e < 8; ++e) o.counters.push_back(b.event(static_cast<EventId>(e)));
  for (uint32_t r = 0; r < 16; ++r) o.memory.push_back(b.reg(r));
  for (uint32_t w = 0; w < 0x4000; w += 4) o.memory.push_back(b.word(w));
  o.cycles = b.now();
  o.evaluated = b.evaluated();
  REQUIRE(b.total() == b.now());
  return o;
}

}  // namespace

TEST_CASE("skipping while quiet changes nothing") {
  for (uint64_t seed = 1; seed <= scaled(12); ++seed) {
    INFO("seed " << seed);
    const Outcome full = run(false, seed, WL_RESET_RANDOM, 0), skipped = run(true, seed, seed % 2 ? WL_RESET_ZERO : WL_RESET_ONE, 0);
    CHECK(full.out == skipped.out);
    CHECK(full.out_cycle == skipped.out_cycle);
    CHECK(full.memory == skipped.memory);
    CHECK(full.counters == skipped.counters);
    CHECK(full.out.size() == 24);
    CHECK(skipped.evaluated < full.evaluated / 3);
  }
}

TEST_CASE("a PE that waits is quiet, with the class of its wait") {
  PeBench b({}, WL_RESET_RANDOM, true);
  auto code = bind(0, 1);
  append(&code, load_descs(b, {fabric_out(kF32, 0, 5, 40), fabric_in(kF32, 0, 40)}));
  append(&code, {vec(Opcode::kVmov, 1, 2) | async(0), plain(Opcode::kYield)});
  b.words(0x340, {waitu(0), plain(Opcode::kHalt)});
  b.entry(30, 0x340);
  b.boot(code);
  for (int k = 0; k < 100; ++k) b.cycle();
  CHECK(b.quiet());
  CHECK(b.bench.get("class_o") == kWaitIn);
  uint64_t evaluated = b.evaluated();
  for (int k = 0; k < 1000; ++k) b.cycle();
  CHECK(b.evaluated() == evaluated);
  // No room: the output queue fills, then nothing moves.
  b.sink_ready = 0;
  b.send_from = 0;
  for (int k = 0; k < 40; ++k) b.to_pe.push_back(data(1, f32(static_cast<float>(k))));
  for (int k = 0; k < 60; ++k) b.cycle();
  CHECK(b.quiet());
  CHECK(b.bench.get("class_o") == kWaitOut);
  evaluated = b.evaluated();
  for (int k = 0; k < 1000; ++k) b.cycle();
  CHECK(b.evaluated() == evaluated);
  // And on.
  b.sink_ready = 0xffffff;
  for (int k = 0; k < 200; ++k) b.cycle();
  CHECK(b.from_pe.size() == 40);
  CHECK(b.quiet());
  CHECK(b.bench.get("class_o") == kIdle);
  CHECK(b.total() == b.now());
}
