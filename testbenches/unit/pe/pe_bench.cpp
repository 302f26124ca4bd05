#include "testbenches/unit/pe/pe_bench.h"

#include <cmath>
#include <cstring>

namespace waferloom::pe {

Params Machine::params() const {
  return {{"Lanes", std::to_string(lanes)},     {"SramBytes", std::to_string(sram_bytes)}, {"WindowBytes", std::to_string(window_bytes)},
          {"Colours", std::to_string(colours)}, {"InDepthA", "8"},                         {"InDepthB", "4"},
          {"OutDepth", "4"}};
}

uint32_t f32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float as_f32(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t f16(float value) {
  const uint32_t bits = f32(value);
  if ((bits & 0x7fffffffu) == 0) return bits >> 16;
  const uint32_t exponent = ((bits >> 23) & 255u) - 112u;
  return ((bits >> 16) & 0x8000u) | exponent << 10 | ((bits >> 13) & 0x3ffu);
}

float as_f16(uint32_t bits) {
  const int exponent = static_cast<int>((bits >> 10) & 31u);
  const float fraction = static_cast<float>(bits & 1023u);
  const float magnitude = exponent != 0 ? std::ldexp(1024.0f + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

PeBench::PeBench(const Machine& machine, uint32_t reset, bool skip, const BenchOptions& options)
    : bench("wl_pe", machine.params(), reset, options), skip_(skip) {
  ramp_i_ = bench.port("ramp_i");
  ramp_ready_o_ = bench.port("ramp_ready_o");
  ramp_o_ = bench.port("ramp_o");
  ramp_ready_i_ = bench.port("ramp_ready_i");
  cfg_ = bench.port("cfg_o");
  quiet_ = bench.port("quiet_o");
  class_ = bench.port("class_o");
  trap_ = bench.port("trap_o");
  time_ = bench.port("time_i");
  bench.set("coord_i", 0x00020001);
  bench.set("dims_i", 0x00040003);
  bench.reset();
}

void PeBench::word(uint32_t address, uint32_t value) { bench.set_memory("u_mem.u_sram", address / 4, value); }
uint32_t PeBench::word(uint32_t address) { return static_cast<uint32_t>(bench.memory("u_mem.u_sram", address / 4)); }
void PeBench::half(uint32_t address, uint32_t value) {
  const uint32_t shift = 8 * (address & 2u);
  word(address, (word(address) & ~(0xffffu << shift)) | (value & 0xffffu) << shift);
}
uint32_t PeBench::half(uint32_t address) { return (word(address) >> (8 * (address & 2u))) & 0xffffu; }
void PeBench::words(uint32_t address, const std::vector<uint32_t>& values) {
  for (size_t k = 0; k < values.size(); ++k) word(address + 4 * static_cast<uint32_t>(k), values[k]);
}

void PeBench::boot(const std::vector<uint32_t>& code) {
  words(0x100, code);
  entry(24, 0x100);
  bench.set_reg("u_tasks.task_act_q", 1ull << 24);
  was_quiet_ = false;
  fresh_ = 2;  // what hangs on the register follows at the next edge only
}

void PeBench::cycle() {
  uint64_t next = 0;
  if (!to_pe.empty() && now_ >= send_from) {
    const uint32_t colour = static_cast<uint32_t>(to_pe.front() >> 32) & 31u;
    if ((ramp_ready_o_.get() >> colour) & 1u) {
      next = to_pe.front();
      to_pe.pop_front();
    }
  }
  ramp_ready_i_ = sink_ready;
  const bool changed = ramp_i_.get() != last_ramp_ || sink_ready != last_ready_;
  last_ramp_ = ramp_i_.get();
  last_ready_ = sink_ready;
  if (skip_ && was_quiet_ && !changed && fresh_ == 0) {
    ++skipped_[class_.get() & 15u];
  } else {
    time_ = now_;
    edge(bench);
    ++evaluated_;
    if (fresh_ > 0) --fresh_;
    was_quiet_ = quiet_.get() != 0;
  }
  ++now_;
  ramp_i_ = next;
  if (next != 0 && first_sent_cycle == 0) first_sent_cycle = now_;
  if (ramp_o_.get() >> 38) {
    from_pe.push_back(ramp_o_.get());
    from_pe_cycle.push_back(now_);
  }
  if (cfg_.get() >> 40) configs.push_back(cfg_.get());
}

bool PeBench::run(uint64_t most) {
  for (uint64_t k = 0; k < most; ++k) {
    cycle();
    if ((halted() || trap() != 0) && quiet()) return true;
  }
  return false;
}

uint64_t PeBench::count(ClassId c) { return bench.reg("u_mmio.class_cnt_q", c) + skipped_[c]; }

uint64_t PeBench::total() {
  uint64_t sum = 0;
  for (int c = 0; c < 16; ++c) sum += count(static_cast<ClassId>(c));
  return sum;
}

}  // namespace waferloom::pe
