#include "sim/trace/pe_trace.h"

namespace waferloom::trace {
namespace {

golden::Wavelet wavelet(uint64_t word) {
  return {static_cast<uint32_t>(word), static_cast<uint8_t>((word >> 32) & 31u), ((word >> 37) & 1u) != 0};
}

// Takes the fields of a packed word from the lowest bit up.
class Fields {
 public:
  explicit Fields(uint64_t word) : word_(word) {}
  uint32_t take(uint32_t bits) {
    const uint32_t value = static_cast<uint32_t>(word_ & ((uint64_t{1} << bits) - 1));
    word_ >>= bits;
    return value;
  }
  bool flag() { return take(1) != 0; }

 private:
  uint64_t word_;
};

}  // namespace

plugin::UnitSpec traced(plugin::UnitSpec base, const std::string& source_root) {
  if (base.rtl_roots.empty()) base.rtl_roots.push_back(source_root + "/rtl");
  base.rtl_roots.push_back(source_root + "/sim/trace");
  base.attached.push_back("wl_pe_trace_sim");
  return base;
}

std::string PeTrace::open(const plugin::Unit& unit) {
  static const char* const kNames[kSlots] = {"serial_q", "what_q", "where_q", "arrival_q", "push_q", "ramp_q", "config_q", "values_q", "late_q", "start_q", "data0_q", "data1_q"};
  for (int k = 0; k < kSlots; ++k) {
    const std::string name = std::string("u_trace.") + kNames[k];
    const WlRegister* r = unit.reg(name);
    if (r == nullptr) return "the unit has no register " + name + ": it was built without the tracer";
    offset_[k] = r->offset;
    bytes_[k] = r->element_bytes;
  }
  return "";
}

void PeTrace::read(const void* state, lockstep::EdgeTrace* e) const {
  const uint64_t cycle = e->cycle;
  *e = lockstep::EdgeTrace{};
  e->cycle = cycle;
  Fields what(get(state, kWhat));
  e->started = what.flag();
  e->start_local = !what.flag();
  e->start_control = what.flag();
  e->start_queue = static_cast<uint8_t>(what.take(3));
  e->start_task = static_cast<uint8_t>(what.take(6));
  e->scalar = what.flag();
  e->context_event = what.flag();
  e->context = static_cast<uint8_t>(what.take(4));
  e->kind = static_cast<lockstep::ContextEvent>(what.take(3));
  e->group = static_cast<uint8_t>(what.take(4));
  e->complete = what.flag();
  e->arrived = what.flag();
  e->integer.valid = what.flag();
  e->integer.reg = static_cast<uint8_t>(what.take(4));
  e->load.valid = what.flag();
  e->load.reg = static_cast<uint8_t>(what.take(4));
  e->late.reg = static_cast<uint8_t>(what.take(4));
  e->late.valid = e->late.reg != 0;
  e->memory_write = what.flag();
  what.take(1);
  e->pushed = what.flag();
  e->push_queue = static_cast<uint8_t>(what.take(2));
  e->sent = what.flag();
  e->configured = what.flag();
  e->trapped = what.flag();

  Fields where(get(state, kWhere));
  e->pc = static_cast<uint16_t>(where.take(16));
  e->trap_pc = static_cast<uint16_t>(where.take(16));
  e->trap_cause = static_cast<uint8_t>(where.take(8));
  e->memory_address = 8 * where.take(13);
  e->memory_mask = static_cast<uint8_t>(where.take(8));

  e->arrival = wavelet(get(state, kArrival));
  e->push = wavelet(get(state, kPush));
  e->ramp = wavelet(get(state, kRamp));
  const uint64_t config = get(state, kConfig);
  e->config_data = static_cast<uint32_t>(config);
  e->config_address = static_cast<uint8_t>(config >> 32);
  const uint64_t values = get(state, kValues);
  e->integer.value = static_cast<uint32_t>(values);
  e->load.value = static_cast<uint32_t>(values >> 32);
  e->late.value = static_cast<uint32_t>(get(state, kLate));
  e->start_r1 = static_cast<uint32_t>(get(state, kStart));
  e->start_r2 = static_cast<uint32_t>(get(state, kStart) >> 32);
  e->memory_data[0] = get(state, kData0);
  e->memory_data[1] = get(state, kData1);
}

}  // namespace waferloom::trace
