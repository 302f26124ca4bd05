#include "testbenches/lockstep/pe_bench.h"

#include <cstdio>

namespace waferloom::test {
namespace {

golden::PeParameters parameters(const PeBenchOptions& o) {
  golden::PeParameters p;
  p.lanes = o.lanes;
  p.sram_bytes = o.sram_bytes;
  p.window_bytes = o.window_bytes;
  p.input_depth = 0;
  p.output_depth = 0;
  return p;
}

void mutate(const Mutation& m, lockstep::EdgeTrace* edge, uint64_t* count) {
  switch (m.kind) {
    case Mutation::Kind::kArrival:
      if (edge->arrived && (*count)++ == m.index) edge->arrived = false;
      break;
    case Mutation::Kind::kPush:
      if (edge->pushed && (*count)++ == m.index) edge->pushed = false;
      break;
    case Mutation::Kind::kRounding:
      if (edge->memory_write && (*count)++ == m.index) {
        const int half = __builtin_ctz(edge->memory_mask);
        edge->memory_data[half / 4] ^= uint64_t{1} << (16 * (half % 4));
      }
      break;
    default: break;
  }
}

constexpr const char* kSram = "u_mem.u_sram";
constexpr uint32_t kX = 3, kY = 5, kWidth = 8, kHeight = 9;

}  // namespace

PeBench::PeBench(const PeBenchOptions& options) : options_(options) {}

// A new instance: everything is as after power-up.
void PeBench::open() {
  BenchOptions o;
  o.view = options_.view;
  o.rtl_roots = {std::string(WL_SOURCE_DIR) + "/sim/trace"};
  o.attached = {"wl_pe_trace_sim"};
  bench_ = std::make_unique<Bench>("wl_pe",
                                   Params{{"Lanes", std::to_string(options_.lanes)},
                                          {"SramBytes", std::to_string(options_.sram_bytes)},
                                          {"WindowBytes", std::to_string(options_.window_bytes)},
                                          {"Colours", std::to_string(options_.colours)},
                                          {"InDepthA", std::to_string(options_.deep_queue)}},
                                   options_.reset_mode, o);
  const WlUnitApi& api = bench_->unit().api();
  for (uint32_t k = 0; k < api.memory_count(bench_->arena()); ++k) {
    const WlMemory* m = api.memory(bench_->arena(), k);
    if (std::string(m->name) == kSram) line_bytes_ = m->bits / 8;
  }
}

void PeBench::load(const golden::Program& program) {
  // Before the reset took hold a pipeline in a random state may have written a line.
  const uint32_t lines = options_.sram_bytes / line_bytes_;
  for (uint32_t line = 0; line < lines; ++line) {
    if (bench_->memory(kSram, line) != 0) bench_->set_memory(kSram, line, 0);
  }
  for (uint32_t at = 0; at < program.bytes.size(); at += line_bytes_) {
    uint64_t value = 0;
    for (uint32_t j = 0; j < line_bytes_ && at + j < program.bytes.size(); ++j) value |= static_cast<uint64_t>(program.bytes[at + j]) << (8 * j);
    bench_->set_memory(kSram, (program.base + at) / line_bytes_, value);
  }
}

// Memory, registers and descriptors when all is quiet.
std::string PeBench::compare_end(const golden::Pe& golden) {
  char text[120];
  for (uint32_t at = 0; at < options_.sram_bytes; at += 4) {
    const uint32_t expected = golden.peek(static_cast<uint16_t>(at), 4);
    const uint32_t got = static_cast<uint32_t>(bench_->memory(kSram, at / line_bytes_) >> (8 * (at % line_bytes_)));
    if (got == expected) continue;
    std::snprintf(text, sizeof text, "memory 0x%04x at the end: expected 0x%08x, got 0x%08x", at, expected, got);
    return text;
  }
  for (uint32_t r = 1; r < 16; ++r) {
    if (bench_->reg("u_scalar.regs_q", r) == golden.reg(static_cast<int>(r))) continue;
    std::snprintf(text, sizeof text, "r%u at the end: expected 0x%08x, got 0x%08llx", r, golden.reg(static_cast<int>(r)),
                  static_cast<unsigned long long>(bench_->reg("u_scalar.regs_q", r)));
    return text;
  }
  for (uint32_t e = 0; e < static_cast<uint32_t>(spec::kPeEventCount); ++e) {
    const uint64_t expected = golden.events(static_cast<golden::Event>(e));
    const uint64_t got = bench_->reg("u_mmio.event_cnt_q", e);
    if (got == expected) continue;
    std::snprintf(text, sizeof text, "event %s at the end: expected %llu, got %llu", spec::kPeEvents[e].name, static_cast<unsigned long long>(expected),
                  static_cast<unsigned long long>(got));
    return text;
  }
  return "";
}

PeRun PeBench::run(const lockstep::RandomProgram& program, uint64_t seed, uint64_t limit, const Mutation& mutation) {
  open();
  Bench& b = *bench_;
  PeRun result;
  b.set("ramp_i", 0);
  b.set("ramp_ready_i", 0);
  b.set("coord_i", kX | (kY << 16));
  b.set("dims_i", kWidth | (kHeight << 16));
  b.set("time_i", 0);
  b.reset();
  load(program.program);
  if (mutation.kind == Mutation::Kind::kInstruction) {
    const uint32_t line = mutation.address / line_bytes_;
    b.set_memory(kSram, line, b.memory(kSram, line) ^ (uint64_t{mutation.flip} << (8 * (mutation.address % line_bytes_))));
  }
  b.set_reg("u_tasks.task_act_q", uint64_t{1} << spec::kBootTask);

  golden::Pe golden(parameters(options_), kX, kY, kWidth, kHeight);
  std::string error;
  if (!golden.load(program.program, &error)) {
    result.text = error;
    return result;
  }
  golden.boot();
  lockstep::Checker checker(std::move(golden), kX, kY);
  trace::PeTrace trace;
  result.text = trace.open(b.unit());
  if (!result.text.empty()) return result;

  lockstep::Draws draws(seed, 0xbe4c);
  std::vector<lockstep::WaveletSource> sources;
  for (const uint8_t colour : program.colours) sources.emplace_back(seed, colour);
  auto ramp_i = b.port("ramp_i");
  auto ramp_ready_i = b.port("ramp_ready_i");
  auto ramp_ready_o = b.port("ramp_ready_o");
  auto time_i = b.port("time_i");
  auto class_o = b.port("class_o");
  const void* state = b.unit().api().state(b.arena(), 0);
  uint32_t serial = trace.serial(state);
  uint64_t link = 0;      // the sender's link register
  int held_colour = -1;   // left out after a control wavelet
  uint64_t count = 0;  // of what may be mutated
  uint32_t stopped_for = 0;
  uint32_t ready = 0xffffff;
  for (; result.cycles < limit && checker.ok(); ++result.cycles) {
    ramp_i = link;
    const uint32_t seen = static_cast<uint32_t>(ramp_ready_o.get());
    if (result.cycles % 4 == 0) {
      ready = 0;
      for (uint32_t c = 0; c < 24; ++c) ready |= draws.chance(options_.stall_percent) ? 0u : 1u << c;
    }
    ramp_ready_i = ready;
    time_i = result.cycles;
    b.tick();

    if (trace.serial(state) != serial) {
      serial = trace.serial(state);
      lockstep::EdgeTrace edge;
      edge.cycle = result.cycles;
      trace.read(state, &edge);
      mutate(mutation, &edge, &count);
      checker.edge(edge);
    }

    // What the sender decides on the ready of the cycle that has just ended is on its link in the one after the next edge.
    link = 0;
    if (!sources.empty() && stopped_for == 0 && draws.chance(options_.feed_percent)) {
      const size_t k = draws.below(static_cast<uint32_t>(sources.size()));
      const uint8_t colour = program.colours[k];
      if (((seen >> colour) & 1u) != 0 && colour != held_colour && checker.golden().queue_of(colour) >= 0) {
        const golden::Wavelet w = sources[k].next();
        link = golden::link_word(w);
        held_colour = w.control ? colour : -1;
      } else {
        held_colour = -1;
      }
    } else {
      held_colour = -1;
    }
    if ((b.get("trap_o") & 0xffu) != 0 || class_o.get() == static_cast<uint64_t>(spec::PeClass::kStopped)) {
      if (++stopped_for > 40) break;
    }
  }
  result.scalars = checker.scalars();
  result.elements = checker.elements();
  for (size_t k = 0; k < executed_.size(); ++k) executed_[k] += checker.executed()[k];
  result.ended = stopped_for > 40;
  if (result.ended && checker.finish(result.cycles) && checker.golden().trap().cause == golden::Trap::kNone) {
    result.text = compare_end(checker.golden());
  }
  result.ok = checker.ok() && result.ended && result.text.empty();
  if (!checker.ok()) {
    result.text = checker.finding().text();
  } else if (!result.ended) {
    std::snprintf(&(result.text = std::string(200, ' '))[0], 200, "did not end in %llu cycles: pc 0x%04x, class %llu, trap 0x%08llx", static_cast<unsigned long long>(limit),
                  checker.golden().pc(), static_cast<unsigned long long>(class_o.get()), static_cast<unsigned long long>(b.get("trap_o")));
  }
  return result;
}

}  // namespace waferloom::test
