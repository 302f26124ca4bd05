#include "sim/golden/pe.h"

#include <algorithm>
#include <cassert>

namespace waferloom::golden {

Pe::Pe(const PeParameters& parameters, uint16_t x, uint16_t y, uint16_t width, uint16_t height)
    : parameters_(parameters), coord_(x | (uint32_t{y} << 16)), dims_(width | (uint32_t{height} << 16)) {
  assert(parameters.lanes == 2 || parameters.lanes == 4 || parameters.lanes == 8);
  assert(parameters.sram_bytes <= spec::kSramMaxBytes && parameters.window_bytes <= spec::kWindowMaxBytes);
  memory_.resize(spec::kWindowBase + parameters.window_bytes);
}

bool Pe::load(const Program& program, std::string* error) {
  for (size_t k = 0; k < program.bytes.size(); ++k) {
    const uint32_t address = program.base + static_cast<uint32_t>(k);
    if (address > 0xffff || !in_memory(static_cast<uint16_t>(address), 1)) {
      if (error != nullptr) *error = "image byte at address " + std::to_string(address) + " lies outside SRAM and window";
      return false;
    }
    memory_[address] = program.bytes[k];
  }
  for (const RegisterSetting& r : program.registers) {
    if (!write_mmio(r.address, r.value)) {
      if (error != nullptr) *error = "register address " + std::to_string(r.address) + " cannot be set";
      return false;
    }
  }
  return true;
}

void Pe::set_reg(int r, uint32_t value) {
  if (r == 0) return;
  regs_[static_cast<size_t>(r)] = value;
  log({EffectKind::kRegister, 4, fault_pc_, static_cast<uint32_t>(r), value, {}});
}

void Pe::set_dsr_word(int d, uint32_t index, uint32_t value) {
  assert(index < 4);
  dsrs_[static_cast<size_t>(d)].words[index] = value & spec::kDescriptorMask[index];
  log({EffectKind::kDescriptor, 4, fault_pc_, static_cast<uint32_t>(4 * d) + index, value & spec::kDescriptorMask[index], {}});
}

void Pe::raise(Trap cause) {
  if (trap_.cause == Trap::kNone) trap_ = {cause, fault_pc_};
}

void Pe::set_activated(uint8_t task, bool on) {
  const uint64_t bit = uint64_t{1} << (task & 63u);
  activated_ = on ? activated_ | bit : activated_ & ~bit;
}

void Pe::set_blocked(uint8_t task, bool on) {
  const uint64_t bit = uint64_t{1} << (task & 63u);
  blocked_ = on ? blocked_ | bit : blocked_ & ~bit;
}

// ---- wavelets -----------------------------------------------------------------------------------------------------

int Pe::queue_of(uint8_t colour) const {
  for (int q = 0; q < kInputQueues; ++q) {
    const uint32_t bind = binds_[static_cast<size_t>(q)];
    if ((bind & 0x80u) != 0 && (bind & 31u) == colour) return q;
  }
  return -1;
}

bool Pe::accepts(uint8_t colour) const {
  if (trap_.cause != Trap::kNone) return false;
  const int q = queue_of(colour);
  return q < 0 || parameters_.input_depth == 0 || inputs_[static_cast<size_t>(q)].size() < parameters_.input_depth;
}

void Pe::deliver(const Wavelet& w) {
  const int q = queue_of(w.colour);
  if (q < 0) {
    fault_pc_ = pc_;
    raise(Trap::kUnboundColour);
    return;
  }
  count(Event::kWaveletsIn, 1);
  inputs_[static_cast<size_t>(q)].push(w);
}

Wavelet Pe::take_output(int queue) {
  count(Event::kWaveletsOut, 1);
  return outputs_[static_cast<size_t>(queue)].pop();
}

std::vector<Pe::ConfigWrite> Pe::take_configs() {
  std::vector<ConfigWrite> taken;
  taken.swap(configs_);
  return taken;
}

// ---- tasks --------------------------------------------------------------------------------------------------------

std::vector<TaskStart> Pe::startable() const {
  std::vector<TaskStart> all;
  if (running_ || stopped()) return all;
  for (uint64_t ready = activated_ & ~blocked_; ready != 0; ready &= ready - 1) {
    all.push_back({static_cast<uint8_t>(__builtin_ctzll(ready)), TaskStart::Source::kLocal, 0});
  }
  for (int q = 0; q < kInputQueues; ++q) {
    TaskStart start;
    if (wavelet_task(q, &start) && can_start(start)) all.push_back(start);
  }
  std::stable_sort(all.begin(), all.end(), [](const TaskStart& a, const TaskStart& b) { return a.id < b.id; });
  return all;
}

bool Pe::next_task(TaskStart* start) const {
  if (running_ || stopped()) return false;
  bool found = false;
  if (const uint64_t ready = activated_ & ~blocked_; ready != 0) {
    *start = {static_cast<uint8_t>(__builtin_ctzll(ready)), TaskStart::Source::kLocal, 0};
    found = true;
  }
  for (int q = 0; q < kInputQueues; ++q) {
    TaskStart other;
    if (wavelet_task(q, &other) && (!found || other.id < start->id) && can_start(other)) {
      *start = other;
      found = true;
    }
  }
  return found;
}

// The task that the wavelet at the head of a queue asks for. False: the queue is empty.
bool Pe::wavelet_task(int queue, TaskStart* start) const {
  const Fifo<Wavelet>& in = inputs_[static_cast<size_t>(queue)];
  if (in.empty()) return false;
  const Wavelet& head = in.front();
  *start = {static_cast<uint8_t>(head.control ? spec::control_task(head.data) : head.colour),
            head.control ? TaskStart::Source::kControl : TaskStart::Source::kData, static_cast<uint8_t>(queue)};
  return true;
}

bool Pe::can_start(const TaskStart& start) const {
  if (running_ || stopped() || blocked(start.id)) return false;
  if (start.source == TaskStart::Source::kLocal) return activated(start.id);
  const uint32_t bind = binds_[start.queue];
  const Fifo<Wavelet>& in = inputs_[start.queue];
  if ((bind & 0x80u) == 0 || in.empty()) return false;
  const Wavelet& head = in.front();
  for (const Context& c : contexts_) {
    if (!c.active) continue;
    for (const Operand* o : {&c.src0, &c.src1}) {
      if (o->role == Operand::Role::kFabricIn && o->descriptor.queue() == start.queue) return false;
    }
  }
  if (start.source == TaskStart::Source::kControl) return head.control && spec::control_task(head.data) == start.id;
  return !head.control && (bind & 0x40u) != 0 && head.colour == start.id;
}

void Pe::start_task(const TaskStart& start, Effects* effects) {
  assert(can_start(start));
  effects_ = effects;
  fault_pc_ = 0;
  count(Event::kTasks, 1);
  task_ = start.id;
  if (start.source == TaskStart::Source::kLocal) {
    set_activated(start.id, false);
  } else {
    const Wavelet w = inputs_[start.queue].pop();
    set_reg(1, w.control ? spec::control_argument(w.data) : w.data);
    set_reg(2, w.colour);
  }
  const uint32_t entry = peek(static_cast<uint16_t>(spec::kTaskTableBase + spec::kTaskEntryBytes * start.id), 2);
  if (entry == 0) {
    raise(Trap::kNoTask);
  } else if ((entry & 3u) != 0) {
    fault_pc_ = static_cast<uint16_t>(entry);
    raise(Trap::kMisaligned);
  } else {
    pc_ = static_cast<uint16_t>(entry);
    running_ = true;
  }
  effects_ = nullptr;
}

// ---- main thread --------------------------------------------------------------------------------------------------

MainWait Pe::main_wait() const {
  using Why = MainWait::Kind;
  if (stopped()) return {Why::kStopped, 0};
  if (!running_) return {Why::kNoTask, 0};
  if (contexts_[kMainContext].active) return {Why::kSync, 0};
  if (!in_memory(pc_, 4)) return {};
  const uint32_t word = peek(pc_, 4);
  const spec::Decoded ins = spec::decode(word);
  if (!ins.legal) return {};
  if (ins.instruction->opcode == spec::Opcode::kWaitu) {
    return contexts_[ins.ut].active ? MainWait{Why::kWaitu, ins.ut} : MainWait{};
  }
  const Meaning* meaning = meaning_of(ins.instruction->opcode);
  if (meaning == nullptr || meaning->shape == Shape::kScalar) return {};
  Context wanted;
  wanted.ins = ins;
  wanted.meaning = meaning;
  if (bind_operands(&wanted) != Trap::kNone) return {};
  if (ins.async && contexts_[ins.ut].active) return {Why::kContext, ins.ut};
  for (const Context& c : contexts_) {
    if (!c.active) continue;
    for (const Operand* mine : {&wanted.src0, &wanted.src1}) {
      if (mine->role != Operand::Role::kFabricIn) continue;
      for (const Operand* other : {&c.src0, &c.src1}) {
        if (other->role == Operand::Role::kFabricIn && other->descriptor.queue() == mine->descriptor.queue()) {
          return {Why::kInputQueue, static_cast<uint8_t>(mine->descriptor.queue())};
        }
      }
    }
    if (wanted.dest.role == Operand::Role::kFabricOut && c.dest.role == Operand::Role::kFabricOut &&
        c.dest.descriptor.queue() == wanted.dest.descriptor.queue()) {
      return {Why::kOutputQueue, static_cast<uint8_t>(c.dest.descriptor.queue())};
    }
  }
  return {};
}

void Pe::step(Effects* effects) {
  assert(running_ && !stopped());
  effects_ = effects;
  fault_pc_ = pc_;
  if (!in_memory(pc_, 4)) {
    raise(Trap::kOutOfRange);
    effects_ = nullptr;
    return;
  }
  const spec::Decoded ins = spec::decode(peek(pc_, 4));
  const Meaning* meaning = ins.legal ? meaning_of(ins.instruction->opcode) : nullptr;
  if (meaning == nullptr) {
    raise(Trap::kIllegalInstruction);
  } else if (meaning->shape == Shape::kScalar) {
    ScalarStep s{*this, ins, pc_, static_cast<uint16_t>(pc_ + 4)};
    meaning->execute(s);
    if (trap_.cause == Trap::kNone) pc_ = s.next_pc;
  } else {
    launch(ins, *meaning);
    if (trap_.cause == Trap::kNone) pc_ = static_cast<uint16_t>(pc_ + 4);
  }
  if (trap_.cause == Trap::kNone) count(Event::kInstructions, 1);
  effects_ = nullptr;
}

}  // namespace waferloom::golden
