#include "sim/lockstep/checker.h"

#include <algorithm>
#include <cstdio>

namespace waferloom::lockstep {
namespace {

using golden::Effect;
using golden::EffectKind;
using golden::MainWait;
using golden::Stop;
using golden::TaskStart;

std::string hex(uint64_t value, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

std::string show(const golden::Wavelet& w) {
  return std::string(w.control ? "control " : "") + hex(w.data, 8) + " on colour " + std::to_string(w.colour);
}

const char* show(MainWait::Kind kind) {
  switch (kind) {
    case MainWait::Kind::kNone: return "can issue";
    case MainWait::Kind::kNoTask: return "runs no task";
    case MainWait::Kind::kSync: return "waits for its vector instruction";
    case MainWait::Kind::kContext: return "waits for a busy microthread";
    case MainWait::Kind::kInputQueue: return "waits for an input queue in use";
    case MainWait::Kind::kOutputQueue: return "waits for an output queue in use";
    case MainWait::Kind::kWaitu: return "waits for a microthread";
    case MainWait::Kind::kStopped: return "has stopped";
  }
  return "";
}

const char* show(Stop stop) {
  switch (stop) {
    case Stop::kCount: return "goes on";
    case Stop::kInput: return "waits for a wavelet";
    case Stop::kOutput: return "waits for room";
    case Stop::kResult: return "has a result due";
    case Stop::kEnd: return "is at its end";
    case Stop::kTrap: return "traps";
  }
  return "";
}

}  // namespace

std::string Finding::text() const {
  return "tile (" + std::to_string(x) + ", " + std::to_string(y) + "), cycle " + std::to_string(cycle) + ", pc " + hex(pc, 4) + " " +
         instruction + ": " + what + ": expected " + expected + ", got " + got + (operands.empty() ? "" : " [" + operands + "]");
}

std::string describe_instruction(uint32_t word) {
  const spec::Instruction* row = spec::find(word);
  if (row == nullptr) return "." + hex(word, 8);
  std::string text = row->name;
  const spec::Format& format = row->layout();
  if (format.vector) {
    if (row->fn != spec::EnumId::kNone && spec::field(spec::FieldId::kFn).get(word) < row->names().count) {
      text += std::string(".") + row->names().values[spec::field(spec::FieldId::kFn).get(word)];
    }
    if (spec::field(spec::FieldId::kAsync).get(word) != 0) {
      text += ".async(" + std::to_string(spec::field(spec::FieldId::kUt).get(word)) + ")";
    }
  }
  for (int k = 0; k < format.operand_count; ++k) {
    const spec::Field& f = spec::field(format.operands[k]);
    const char* prefix = f.kind == spec::FieldKind::kReg ? "r" : f.kind == spec::FieldKind::kDsr ? "d" : "";
    text += std::string(k == 0 ? " " : ", ") + prefix + std::to_string(f.value(word));
  }
  return text;
}

std::string describe_descriptor(const golden::Descriptor& d) {
  std::string text;
  for (const spec::DescriptorField& f : spec::kDescriptorFields) {
    const uint32_t raw = (d.words[f.word] >> f.lsb) & ((f.width == 32 ? 0u : 1u << f.width) - 1u);
    const bool named = f.names != nullptr && raw < f.name_count;
    if (raw == 0 && !(named && (f.word == 3 && f.lsb < 5))) continue;
    const bool negative = f.is_signed && (raw >> (f.width - 1)) != 0;
    text += std::string(text.empty() ? "" : " ") + f.name + "=" + (named ? f.names[raw] : f.lsb == 0 && f.word == 0 ? hex(raw, 4) : std::to_string(static_cast<int64_t>(raw) - (negative ? int64_t{1} << f.width : 0)));
  }
  return text;
}

std::string Checker::operands_at(uint16_t pc) const {
  if (!golden_.in_memory(pc, 4)) return "";
  const uint32_t word = golden_.peek(pc, 4);
  const spec::Instruction* row = spec::find(word);
  if (row == nullptr || !row->layout().vector) return "";
  std::string text;
  for (int k = 0; k < row->layout().operand_count; ++k) {
    const spec::Field& f = spec::field(row->layout().operands[k]);
    if (f.kind != spec::FieldKind::kDsr) continue;
    text += (text.empty() ? "d" : "; d") + std::to_string(f.get(word)) + ": " + describe_descriptor(golden_.dsr(static_cast<int>(f.get(word))));
  }
  return text;
}

Checker::Checker(golden::Pe golden, uint32_t x, uint32_t y) : golden_(std::move(golden)), x_(x), y_(y) {}

bool Checker::fail(uint64_t cycle, uint16_t pc, const std::string& what, const std::string& expected, const std::string& got) {
  if (!ok_) return false;
  ok_ = false;
  finding_.x = x_;
  finding_.y = y_;
  finding_.cycle = cycle;
  finding_.pc = pc;
  finding_.instruction = golden_.in_memory(pc, 4) ? disassemble_(golden_.peek(pc, 4)) : "";
  finding_.operands = operands_at(pc);
  finding_.what = what;
  finding_.expected = expected;
  finding_.got = got;
  return false;
}

// Time and counters are the hardware's own.
bool Checker::reads_unknown(uint16_t pc) const {
  if (!golden_.in_memory(pc, 4)) return false;
  const spec::Decoded ins = spec::decode(golden_.peek(pc, 4));
  if (!ins.legal || ins.instruction->opcode != spec::Opcode::kLw) return false;
  const uint32_t address = (golden_.reg(ins.b) + static_cast<uint32_t>(ins.imm)) & 0xffffu;
  if (address < spec::kMmioBase) return false;
  const uint32_t offset = address - spec::kMmioBase;
  return offset == spec::kMmioTimeLo || offset == spec::kMmioTimeHi || (offset >= spec::kMmioClassCount && offset < spec::kMmioRoute);
}

void Checker::take_effects(uint64_t cycle) {
  for (const Effect& e : effects_) {
    const Due due{e.value, e.pc, cycle, unknown_next_};
    switch (e.kind) {
      case EffectKind::kRegister: registers_[e.where].push_back(due); break;
      case EffectKind::kMemory:
        for (uint32_t half = 0; half < e.bytes / 2u; ++half) {
          memory_[(e.where + 2 * half) >> 1].push_back({(e.value >> (16 * half)) & 0xffffu, e.pc, cycle, false});
          ++memory_due_;
        }
        break;
      case EffectKind::kPush:
        pushes_[e.where].push_back({e.wavelet, e.pc, cycle});
        golden_.take_output(static_cast<int>(e.where));
        break;
      case EffectKind::kConfig: configs_.push_back({e.value, static_cast<uint16_t>(e.where), cycle, false}); break;
      case EffectKind::kDescriptor: break;
    }
  }
  effects_.clear();
  golden_.take_configs();
}

void Checker::start(const EdgeTrace& t) {
  TaskStart s;
  s.id = t.start_task;
  s.queue = t.start_queue;
  s.source = t.start_local ? TaskStart::Source::kLocal : t.start_control ? TaskStart::Source::kControl : TaskStart::Source::kData;
  if (!golden_.can_start(s)) {
    fail(t.cycle, golden_.pc(), "task start", "task " + std::to_string(t.start_task) + " cannot start",
         std::string("started ") + (t.start_local ? "as activated" : "by a wavelet in queue " + std::to_string(t.start_queue)));
    return;
  }
  golden_.start_task(s, &effects_);
  take_effects(t.cycle);
  if (t.start_local) return;
  register_write(t, {true, 1, t.start_r1});
  register_write(t, {true, 2, t.start_r2});
}

void Checker::scalar(const EdgeTrace& t) {
  const MainWait wait = golden_.main_wait();
  if (wait.kind != MainWait::Kind::kNone) {
    fail(t.cycle, t.pc, "order of issue", std::string("main thread ") + show(wait.kind), "it issued");
    return;
  }
  if (golden_.pc() != t.pc) {
    fail(t.cycle, golden_.pc(), "program counter", hex(golden_.pc(), 4), hex(t.pc, 4));
    return;
  }
  unknown_next_ = reads_unknown(t.pc);
  if (golden_.in_memory(t.pc, 4)) ++executed_[golden_.peek(t.pc, 4) & 127u];
  golden_.step(&effects_);
  ++scalars_;
  take_effects(t.cycle);
  unknown_next_ = false;
  if (golden_.trap().cause != golden::Trap::kNone) {
    fail(t.cycle, t.pc, "trap", spec::trap_name(static_cast<uint32_t>(golden_.trap().cause)), "the instruction issued");
  }
}

void Checker::context(const EdgeTrace& t) {
  const int index = t.context;
  if (!golden_.context(index).active) {
    fail(t.cycle, golden_.context(index).pc, "order of issue", "context " + std::to_string(index) + " is idle", "it issued");
    return;
  }
  const uint16_t pc = golden_.context(index).pc;
  const std::string name = "context " + std::to_string(index);
  Stop stop = Stop::kCount;
  switch (t.kind) {
    case ContextEvent::kGroup: {
      const uint32_t n = golden_.issue(index, t.group, &stop, &effects_);
      elements_ += n;
      take_effects(t.cycle);
      if (n != t.group) {
        fail(t.cycle, pc, name + " issues " + std::to_string(t.group) + " elements", std::to_string(n) + ", then it " + show(stop),
             std::to_string(t.group));
        return;
      }
      break;
    }
    case ContextEvent::kResult:
      if (!golden_.issue_result(index, &effects_)) {
        fail(t.cycle, pc, name + " result", show(golden_.state_of(index)), "a result");
        return;
      }
      take_effects(t.cycle);
      break;
    case ContextEvent::kIndex: golden_.state_of(index); break;
    default: break;  // part of what the golden model does in one go
  }
  if (!t.complete) return;
  if (!golden_.complete(index, &effects_)) {
    fail(t.cycle, pc, name + " completes", std::string("it ") + show(golden_.state_of(index)), "completed");
    return;
  }
  take_effects(t.cycle);
}

void Checker::register_write(const EdgeTrace& t, const RegisterWrite& w) {
  if (!w.valid || w.reg == 0) return;
  std::deque<Due>& due = registers_[w.reg];
  const std::string what = "register r" + std::to_string(w.reg);
  if (due.empty()) {
    fail(t.cycle, golden_.pc(), what, "no write", hex(w.value, 8));
    return;
  }
  const Due d = due.front();
  due.pop_front();
  if (d.any) {
    golden_.set_reg(w.reg, w.value);
  } else if (d.value != w.value) {
    fail(t.cycle, d.pc, what, hex(d.value, 8), hex(w.value, 8));
  }
}

void Checker::memory_write(const EdgeTrace& t) {
  for (uint32_t half = 0; half < 8 && ok_; ++half) {
    if (((t.memory_mask >> half) & 1u) == 0) continue;
    const uint32_t address = t.memory_address + 2 * half;
    const uint32_t value = static_cast<uint32_t>(t.memory_data[half / 4] >> (16 * (half % 4))) & 0xffffu;
    auto found = memory_.find(address >> 1);
    const std::string what = "memory " + hex(address, 4);
    if (found == memory_.end() || found->second.empty()) {
      fail(t.cycle, golden_.pc(), what, "no write", hex(value, 4));
      return;
    }
    const Due d = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) memory_.erase(found);
    --memory_due_;
    if (d.value != value) fail(t.cycle, d.pc, what, hex(d.value, 4), hex(value, 4));
  }
}

void Checker::push(const EdgeTrace& t) {
  auto& due = pushes_[t.push_queue];
  const std::string what = "output queue " + std::to_string(t.push_queue);
  if (due.empty()) {
    fail(t.cycle, golden_.pc(), what, "no wavelet", show(t.push));
    return;
  }
  const DueWavelet d = due.front();
  due.pop_front();
  if (d.wavelet != t.push) fail(t.cycle, d.pc, what, show(d.wavelet), show(t.push));
  queued_[t.push_queue].push_back(t.push);
}

// What leaves the PE is the head of one of its output queues.
void Checker::ramp(const EdgeTrace& t) {
  std::vector<Sent> next;
  for (const Sent& state : sent_) {
    for (size_t q = 0; q < queued_.size(); ++q) {
      if (state[q] >= queued_[q].size() || queued_[q][state[q]] != t.ramp) continue;
      Sent moved = state;
      ++moved[q];
      if (std::find(next.begin(), next.end(), moved) == next.end()) next.push_back(moved);
    }
  }
  if (next.empty()) {
    fail(t.cycle, golden_.pc(), "ramp", "the head of an output queue", show(t.ramp));
    return;
  }
  // What has left in every possibility is forgotten.
  for (size_t q = 0; q < queued_.size(); ++q) {
    uint32_t least = next[0][q];
    for (const Sent& state : next) least = std::min(least, state[q]);
    for (Sent& state : next) state[q] -= least;
    queued_[q].erase(queued_[q].begin(), queued_[q].begin() + least);
  }
  sent_ = std::move(next);
}

void Checker::trap(const EdgeTrace& t) {
  trapped_ = true;
  if (t.trap_cause == static_cast<uint8_t>(golden::Trap::kUnboundColour)) {
    if (golden_.trap().cause != golden::Trap::kUnboundColour) fail(t.cycle, t.trap_pc, "trap", "none", "unbound_colour");
    return;
  }
  // Whoever stands at that address must trap there with that cause.
  for (int index = 0; index < golden::kContexts && golden_.trap().cause == golden::Trap::kNone; ++index) {
    if (!golden_.context(index).active || golden_.context(index).pc != t.trap_pc) continue;
    Stop stop = Stop::kCount;
    golden_.issue(index, 8, &stop, &effects_);
    if (stop == Stop::kResult) golden_.issue_result(index, &effects_);
  }
  if (golden_.trap().cause == golden::Trap::kNone && golden_.main_wait().kind == MainWait::Kind::kNone && golden_.pc() == t.trap_pc) {
    golden_.step(&effects_);
  }
  effects_.clear();
  const golden::TrapRecord& mine = golden_.trap();
  if (static_cast<uint8_t>(mine.cause) != t.trap_cause || (mine.cause != golden::Trap::kNoTask && mine.pc != t.trap_pc)) {
    fail(t.cycle, t.trap_pc, "trap", std::string(spec::trap_name(static_cast<uint32_t>(mine.cause))) + " at " + hex(mine.pc, 4),
         std::string(spec::trap_name(t.trap_cause)) + " at " + hex(t.trap_pc, 4));
  }
}

bool Checker::edge(const EdgeTrace& t) {
  if (!ok_ || trapped_) return ok_;
  // What issues saw the state before this edge; what arrives is seen from the next one on.
  if (t.started) start(t);
  if (ok_ && t.scalar) scalar(t);
  if (ok_ && t.context_event) context(t);
  if (ok_) register_write(t, t.integer);
  if (ok_) register_write(t, t.load);
  if (ok_) register_write(t, t.late);
  if (ok_ && t.memory_write) memory_write(t);
  if (ok_ && t.pushed) push(t);
  if (ok_ && t.sent) ramp(t);
  if (ok_ && t.configured) {
    if (configs_.empty()) {
      fail(t.cycle, golden_.pc(), "router configuration", "none", hex(t.config_address, 2));
    } else {
      const Due d = configs_.front();
      configs_.pop_front();
      if (d.pc != t.config_address || d.value != t.config_data) {
        fail(t.cycle, golden_.pc(), "router configuration", hex(d.pc, 2) + " = " + hex(d.value, 8),
             hex(t.config_address, 2) + " = " + hex(t.config_data, 8));
      }
    }
  }
  if (ok_ && t.arrived) golden_.deliver(t.arrival);
  if (ok_ && t.trapped) trap(t);
  return ok_;
}

bool Checker::finish(uint64_t cycle) {
  if (!ok_ || trapped_) return ok_;
  for (uint32_t r = 0; r < 16; ++r) {
    if (registers_[r].empty()) continue;
    const Due& d = registers_[r].front();
    return fail(cycle, d.pc, "register r" + std::to_string(r), hex(d.value, 8) + " (issued in cycle " + std::to_string(d.cycle) + ")", "no write");
  }
  if (memory_due_ != 0) {
    const auto& first = *memory_.begin();
    const Due& d = first.second.front();
    return fail(cycle, d.pc, "memory " + hex(first.first * 2, 4), hex(d.value, 4) + " (issued in cycle " + std::to_string(d.cycle) + ")", "no write");
  }
  for (uint32_t q = 0; q < pushes_.size(); ++q) {
    if (!pushes_[q].empty()) return fail(cycle, pushes_[q].front().pc, "output queue " + std::to_string(q), show(pushes_[q].front().wavelet), "nothing");
  }
  if (!configs_.empty()) return fail(cycle, golden_.pc(), "router configuration", hex(configs_.front().value, 8), "nothing");
  return true;
}

}  // namespace waferloom::lockstep
