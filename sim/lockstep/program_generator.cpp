#include "sim/lockstep/program_generator.h"

#include <cassert>
#include <iterator>

#include "sim/generated/isa.h"
#include "sim/golden/descriptor.h"
#include "sim/lockstep/operand_maker.h"

namespace waferloom::lockstep {
namespace {

using golden::Descriptor;
using golden::Kind;
using golden::Type;
using spec::FieldId;
using spec::Opcode;

class Generator : private OperandMaker {
 public:
  Generator(uint64_t seed, const GeneratorOptions& options) : OperandMaker(seed, options) {}

  RandomProgram run() {
    begin();
    for (uint32_t t = 0; t < options_.tasks; ++t) {
      entry(t == 0 ? spec::kBootTask : kChain + static_cast<int>(t) - 1);
      if (t == 0) prologue();
      for (uint32_t k = 0; k < options_.blocks / options_.tasks && fits(); ++k) block(0);
      if (t + 1 < options_.tasks) {
        op(Opcode::kAct, {{FieldId::kTask, kChain + static_cast<int>(t)}});
        op(Opcode::kYield);
      }
    }
    for (int ut = 0; ut < 8; ++ut) op(Opcode::kWaitu, {{FieldId::kUt, ut}});
    op(Opcode::kHalt);
    return finish();
  }

  RandomProgram run_trap() {
    begin();
    entry(spec::kBootTask);
    prologue();
    for (uint32_t k = 0; k < options_.blocks / 4 && fits(); ++k) block(0);
    fault();
    for (int k = 0; k < 4; ++k) op(Opcode::kNop);
    op(Opcode::kHalt);
    return finish();
  }

 private:
  void put16(uint32_t address, uint32_t value) {
    auto& bytes = out_.program.bytes;
    if (bytes.size() < address + 2) bytes.resize(address + 2);
    bytes[address] = static_cast<uint8_t>(value);
    bytes[address + 1] = static_cast<uint8_t>(value >> 8);
  }
  void put32(uint32_t address, uint32_t value) {
    put16(address, value & 0xffffu);
    put16(address + 2, value >> 16);
  }
  void entry(int id) { put16(static_cast<uint32_t>(2 * id), next_); }
  void word(uint32_t w) {
    if (next_ + 4 == kIndices) jump_over_data();
    put32(next_, w);
    next_ += 4;
  }
  // Code flows around the data area.
  void jump_over_data() {
    // Requires that the last instruction was no branch over this place: blocks call reserve() first.
    const uint32_t target = kData + kDataBytes + kReach;
    put32(next_, static_cast<uint32_t>(Opcode::kJal) | spec::field(FieldId::kRel).put((target - next_) / 4));
    next_ = target;
  }
  // The next `count` instructions lie in one piece.
  void reserve(uint32_t count) {
    if (next_ < kIndices && next_ + 4 * count + 4 > kIndices) jump_over_data();
  }
  void op(Opcode opcode, std::initializer_list<std::pair<FieldId, int64_t>> fields = {}) {
    uint32_t w = static_cast<uint32_t>(opcode);
    for (const auto& [id, value] : fields) w |= spec::field(id).put(static_cast<uint32_t>(value));
    word(w);
  }
  void load_immediate(int r, uint32_t value) {
    op(Opcode::kLi, {{FieldId::kAReg, r}, {FieldId::kImm, static_cast<int16_t>(value)}});
    if (static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(value))) != value) {
      op(Opcode::kLih, {{FieldId::kAReg, r}, {FieldId::kUimm, value >> 16}});
    }
  }
  int any_reg() { return draws_.between(0, 11); }
  int free_reg() { return draws_.between(3, 11); }

  void begin() {
    out_.colours = {0, 1, 2, 3, 4, 5};
    for (uint32_t k = 0; k < kDataBytes + kReach; k += 4) put32(kData + k, k % 8 == 0 ? random_single(draws_) : random_half(draws_) | (uint32_t{random_half(draws_)} << 16));
    for (uint32_t k = 0; k < kIndexCount; ++k) put16(kIndices + 2 * k, 4 * draws_.below(8));
    if (draws_.chance(60)) out_.colours.push_back(kTaskColour);
    small_tasks();
  }
  void bind(uint32_t queue, uint32_t colour, bool tasks) {
    load_immediate(kScratch, 0x80u | (tasks ? 0x40u : 0u) | colour);
    op(Opcode::kSw, {{FieldId::kAReg, kScratch}, {FieldId::kBReg, kMmio}, {FieldId::kImm, spec::kMmioQueueBind + 4 * queue}});
  }
  RandomProgram finish() {
    assert(small() ? next_ <= kIndices - 16 * descriptors_ : next_ < kDescriptors && kDescriptors + 16 * descriptors_ < 0x8000);
    return out_;
  }
  // In a small SRAM code stays below the data, and the descriptors grow from there towards it.
  bool small() const { return options_.sram_bytes < kDescriptors; }
  // Room for another block, the end of the program included.
  bool fits() const { return !small() || next_ + kBlockBytes + 16 * descriptors_ < kIndices; }
  void prologue() {
    load_immediate(kWindow, spec::kWindowBase);
    load_immediate(kMmio, spec::kMmioBase);
    for (uint32_t q = 0; q < 6; ++q) bind(q, q, false);
    bind(kTaskQueue, kTaskColour, true);
    for (int r = 3; r <= 11; ++r) load_immediate(r, draws_.chance(50) ? random_single(draws_) : static_cast<uint32_t>(draws_.between(-40, 40)));
  }
  // Tasks that come in between: they use descriptors 12 to 15 and never activate anything.
  void small_tasks() {
    in_small_task_ = true;
    std::vector<int> ids{kTaskColour};
    for (int k = 0; k < 4; ++k) {
      ids.push_back(kLocal + k);
      ids.push_back(kControl + k);
    }
    for (const int id : ids) {
      entry(id);
      for (int k = draws_.between(1, 3); k > 0; --k) scalar_op();
      if (draws_.chance(40) && fits()) vector_block();
      op(Opcode::kYield);
    }
    in_small_task_ = false;
  }

  void block(int depth) {
    const uint32_t kind = draws_.below(100);
    if (kind < 62) {
      vector_block();
    } else if (kind < 90) {
      for (int k = draws_.between(2, 6); k > 0; --k) scalar_op();
    } else if (kind < 95 && depth == 0) {
      loop();
    } else {
      forward_branch();
    }
  }
  void loop() {
    reserve(200);
    load_immediate(kLoop, static_cast<uint32_t>(draws_.between(2, 4)));
    const uint32_t top = next_;
    for (int k = draws_.between(1, 3); k > 0; --k) block(1);
    op(Opcode::kAddi, {{FieldId::kAReg, kLoop}, {FieldId::kBReg, kLoop}, {FieldId::kImm, -1}});
    op(Opcode::kBne, {{FieldId::kAReg, kLoop}, {FieldId::kBReg, 0}, {FieldId::kRel, (static_cast<int64_t>(top) - next_) / 4}});
  }
  void forward_branch() {
    reserve(24);
    static constexpr Opcode kBranches[] = {Opcode::kBeq, Opcode::kBne, Opcode::kBlt, Opcode::kBge};
    const int skip = draws_.between(1, 3);
    const uint32_t kind = draws_.below(6);
    if (kind < 4) {
      op(kBranches[kind], {{FieldId::kAReg, any_reg()}, {FieldId::kBReg, any_reg()}, {FieldId::kRel, skip + 1}});
    } else if (kind == 4) {
      op(Opcode::kJal, {{FieldId::kAReg, free_reg()}, {FieldId::kRel, skip + 1}});
    } else {
      const int r = free_reg();
      op(Opcode::kLi, {{FieldId::kAReg, r}, {FieldId::kImm, next_}});
      op(Opcode::kJalr, {{FieldId::kAReg, free_reg()}, {FieldId::kBReg, r}, {FieldId::kImm, 4 * (skip + 2)}});
    }
    for (int k = 0; k < skip; ++k) simple_op();
  }

  // One instruction word.
  void simple_op() {
    static constexpr Opcode kThree[] = {Opcode::kAdd, Opcode::kSub, Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kSll, Opcode::kSrl, Opcode::kSra,
                                        Opcode::kSlt, Opcode::kSltu, Opcode::kFadd, Opcode::kFsub, Opcode::kFmul, Opcode::kFmadd, Opcode::kFlt};
    op(kThree[draws_.below(static_cast<uint32_t>(std::size(kThree)))], {{FieldId::kAReg, free_reg()}, {FieldId::kBReg, any_reg()}, {FieldId::kCReg, any_reg()}});
  }
  void scalar_op() {
    const uint32_t kind = draws_.below(20);
    switch (kind) {
      case 0: op(Opcode::kAddi, {{FieldId::kAReg, free_reg()}, {FieldId::kBReg, any_reg()}, {FieldId::kImm, draws_.between(-300, 300)}}); break;
      case 1: load_immediate(free_reg(), random_single(draws_)); break;
      case 2: op(Opcode::kFcvt, {{FieldId::kAReg, free_reg()}, {FieldId::kBReg, any_reg()}, {FieldId::kFn, draws_.between(0, 3)}}); break;
      case 3: op(Opcode::kFsfu, {{FieldId::kAReg, free_reg()}, {FieldId::kBReg, any_reg()}, {FieldId::kFn, draws_.between(0, 3)}}); break;
      case 4: case 5: case 6: case 7: memory_op(); break;
      case 8: mmio_op(); break;
      case 9:
        if (!in_small_task_) op(Opcode::kAct, {{FieldId::kTask, kLocal + draws_.between(0, 3)}});
        break;
      case 10: op(draws_.chance(40) ? Opcode::kBlk : Opcode::kUnb, {{FieldId::kTask, kLocal + draws_.between(0, 3)}}); break;
      case 11: op(Opcode::kDget, {{FieldId::kAReg, free_reg()}, {FieldId::kBDsr, draws_.between(0, 15)}, {FieldId::kWord, draws_.between(0, 3)}}); break;
      case 12: op(Opcode::kNop); break;
      case 13:
        if (!in_small_task_) op(Opcode::kWaitu, {{FieldId::kUt, draws_.between(0, 7)}});
        break;
      default: simple_op(); break;
    }
  }
  void memory_op() {
    const bool store = draws_.chance(45);
    const bool half = draws_.chance(40);
    const Opcode opcode = store ? (half ? Opcode::kSh : Opcode::kSw) : (half ? Opcode::kLhu : Opcode::kLw);
    const uint32_t size = half ? 2 : 4;
    const bool window = options_.window_bytes > 0 && draws_.chance(35);
    const uint32_t offset = size * draws_.below((window ? options_.window_bytes : kDataBytes) / size);
    op(opcode, {{FieldId::kAReg, store ? any_reg() : free_reg()}, {FieldId::kBReg, window ? kWindow : 0}, {FieldId::kImm, window ? offset : kData + offset}});
  }
  void mmio_op() {
    static constexpr uint32_t kReadable[] = {spec::kMmioCoord, spec::kMmioDims, spec::kMmioTimeLo, spec::kMmioTimeHi, spec::kMmioTrap, spec::kMmioQueueBind + 4,
                                             spec::kMmioTaskBlocked, spec::kMmioTaskBlocked + 4, spec::kMmioEventCount + 24, spec::kMmioClassCount + 8};
    if (draws_.chance(60)) {
      op(Opcode::kLw, {{FieldId::kAReg, free_reg()}, {FieldId::kBReg, kMmio}, {FieldId::kImm, kReadable[draws_.below(static_cast<uint32_t>(std::size(kReadable)))]}});
    } else {
      op(Opcode::kSw, {{FieldId::kAReg, any_reg()}, {FieldId::kBReg, kMmio}, {FieldId::kImm, spec::kMmioRoute + 4 * draws_.below(192)}});
    }
  }

  // Puts a descriptor into a register, by ldd or word by word.
  void set_dsr(int d, const Descriptor& descriptor) {
    if (draws_.chance(85)) {
      ++descriptors_;
      const uint32_t at = small() ? kIndices - 16 * descriptors_ : kDescriptors + 16 * (descriptors_ - 1);
      for (uint32_t k = 0; k < 4; ++k) put32(at + 4 * k, descriptor.words[k]);
      op(Opcode::kLdd, {{FieldId::kADsr, d}, {FieldId::kImm, at}, {FieldId::kBReg, 0}});
      return;
    }
    for (uint32_t k = 0; k < 4; ++k) {
      load_immediate(kScratch, descriptor.words[k]);
      op(Opcode::kDset, {{FieldId::kADsr, d}, {FieldId::kWord, k}, {FieldId::kBReg, kScratch}});
    }
  }

  // ---- vector instructions ----
  // A source of a class; at most one of an instruction is fabric.
  Descriptor source(Type type, uint32_t count, bool* fabric) {
    if (!*fabric && draws_.chance(30)) {
      *fabric = true;
      return input(type, count);
    }
    if (!golden::is_float(type) && draws_.chance(15)) return iota(count);
    return memory(type, count, false, Access::kRead);
  }
  Descriptor destination(Type type, uint32_t count, bool memory_only) {
    Descriptor d = !memory_only && draws_.chance(30) ? output(type, count) : memory(type, count, true, Access::kWrite);
    notify(&d);
    return d;
  }
  void vector_block() {
    static constexpr Opcode kVectors[] = {Opcode::kVmov, Opcode::kVadd, Opcode::kVsub, Opcode::kVmul, Opcode::kVmacs, Opcode::kVfma, Opcode::kVmax, Opcode::kVmin, Opcode::kVsel,
                                          Opcode::kVcvt, Opcode::kVsfu, Opcode::kViadd, Opcode::kVshift, Opcode::kVdot, Opcode::kVred, Opcode::kSaxpy, Opcode::kSdot, Opcode::kSaxpy};
    reserve(60);
    const Opcode opcode = kVectors[draws_.below(static_cast<uint32_t>(std::size(kVectors)))];
    const int base = in_small_task_ ? 12 : 4 * draws_.between(0, 2);
    const uint32_t count = static_cast<uint32_t>(draws_.chance(10) ? draws_.between(0, 1) : draws_.between(1, 20));
    // A save that comes later than the next use of its descriptor register would make that use anything: who saves is waited for.
    const bool async = draws_.chance(45);
    saves_ = !async || draws_.chance(30);
    uint32_t w = static_cast<uint32_t>(opcode);
    const auto put = [&w](FieldId id, int value) { w |= spec::field(id).put(static_cast<uint32_t>(value)); };
    put(FieldId::kADsr, base);
    put(FieldId::kBDsr, base + 1);
    if (opcode == Opcode::kSaxpy || opcode == Opcode::kSdot) {
      stream(opcode, base);
      put(FieldId::kCDsr, base + 2);
      if (opcode == Opcode::kSdot) put(FieldId::kSDsr, base + 3);
    } else {
      const bool integer = opcode == Opcode::kViadd || opcode == Opcode::kVshift || (opcode == Opcode::kVmov && draws_.chance(40));
      const uint8_t fn = static_cast<uint8_t>(function_of(opcode));
      put(FieldId::kFn, fn);
      const spec::Instruction& row = *spec::find(static_cast<uint32_t>(opcode));
      const bool third = row.scalar == spec::ScalarUse::kAlways;
      const bool scalar = third || (row.scalar == spec::ScalarUse::kAllowed && draws_.chance(30));
      const bool one_source = row.format == spec::FormatId::kV1;
      const bool reduces = opcode == Opcode::kVdot || opcode == Opcode::kVred;
      const bool to_int = opcode == Opcode::kVcvt && fn == 1;
      const bool from_int = opcode == Opcode::kVcvt && fn == 0;
      const auto type_of = [&](bool is_int) { return is_int ? integer_type() : float_type(); };
      bool fabric = false;
      set_dsr(base, destination(type_of(integer || to_int), reduces ? 1 : count, opcode == Opcode::kVfma));
      if (!(one_source && scalar)) {
        Descriptor first = source(type_of(integer || from_int), count, &fabric);
        if (reduces) first = reduced(first.type(), count, &fabric);
        set_dsr(base + 1, first);
      } else {
        w &= ~spec::field(FieldId::kBDsr).mask();
      }
      if (!one_source && (!scalar || third)) {
        set_dsr(base + 2, source(type_of(integer), count, &fabric));
        put(FieldId::kCDsr, base + 2);
      }
      if (scalar) {
        put(FieldId::kScalar, 1);
        put(FieldId::kSReg, any_reg());
        put(FieldId::kShalf, draws_.chance(50) ? 1 : 0);
      }
    }
    const int ut = draws_.between(0, 7);
    if (async) {
      put(FieldId::kAsync, 1);
      put(FieldId::kUt, ut);
    }
    word(w);
    if (async && saves_) op(Opcode::kWaitu, {{FieldId::kUt, ut}});
  }
  // Source 0 of a reduction: it counts the elements.
  Descriptor reduced(Type type, uint32_t count, bool* fabric) {
    *fabric = draws_.chance(30);
    return *fabric ? input(type, count) : memory(type, count, true, Access::kRead);
  }
  int function_of(Opcode opcode) {
    switch (opcode) {
      case Opcode::kVcvt: return draws_.between(0, 1);
      case Opcode::kVsfu: return draws_.between(0, 3);
      case Opcode::kVshift: case Opcode::kVred: return draws_.between(0, 2);
      default: return 0;
    }
  }
  void stream(Opcode opcode, int base) {
    const uint32_t count = static_cast<uint32_t>(draws_.between(1, 18));
    constexpr uint32_t kLargestIndex = 0x3c;  // WaveletSource, index table
    if (opcode == Opcode::kSaxpy) {
      Descriptor acc = memory(float_type(), count, true, Access::kWrite);
      notify(&acc);
      set_dsr(base, acc);
      set_dsr(base + 1, whole(input(Type::kF16, 0)));
      set_dsr(base + 2, memory(Type::kF16, count, draws_.chance(70), Access::kRead, kLargestIndex));
      return;
    }
    const uint32_t indices = static_cast<uint32_t>(draws_.between(1, 5));
    const uint32_t kind = draws_.below(3);
    // From the fabric any number of results comes: to a row that starts over, or out again.
    set_dsr(base, kind == 0 ? (draws_.chance(40) ? output(float_type(), 1) : endless(float_type())) : destination(float_type(), indices, false));
    Descriptor index;
    if (kind == 0) {
      index = whole(input(Type::kI16, 0));
    } else {
      index.set_kind(kind == 1 ? Kind::kMem1d : Kind::kIota);
      index.set_type(Type::kI16);
      index.set_base(kind == 1 ? kIndices + 2 * draws_.below(kIndexCount - 5) : 4 * draws_.below(4));
      index.set_stride0(kind == 1 ? 2 : 4 * draws_.between(0, 2));
      index.set_len0(indices);
      index.set_save(saves_ && draws_.chance(20));
    }
    set_dsr(base + 1, index);
    set_dsr(base + 2, memory(float_type(), count, draws_.chance(70), Access::kRead, kLargestIndex));
    set_dsr(base + 3, memory(float_type(), count, true, Access::kRead));
  }
  // ---- one instruction that traps ----
  void fault() {
    reserve(40);
    switch (draws_.below(8)) {
      case 0: word(draws_.chance(50) ? 0x7f : 0x01 | 0x80000000u); break;
      case 1:
        op(Opcode::kLi, {{FieldId::kAReg, kScratch}, {FieldId::kImm, kData + 1}});
        op(draws_.chance(50) ? Opcode::kLw : Opcode::kSh, {{FieldId::kAReg, 3}, {FieldId::kBReg, kScratch}, {FieldId::kImm, 0}});
        break;
      case 2:
        load_immediate(kScratch, draws_.chance(50) ? 0xd000 : spec::kWindowBase + options_.window_bytes);
        op(Opcode::kSw, {{FieldId::kAReg, 3}, {FieldId::kBReg, kScratch}, {FieldId::kImm, 0}});
        break;
      case 3: op(Opcode::kTrap, {{FieldId::kUimm, draws_.below(65536)}}); break;
      case 4: op(draws_.chance(50) ? Opcode::kSw : Opcode::kLhu, {{FieldId::kAReg, 3}, {FieldId::kBReg, kMmio}, {FieldId::kImm, 0}}); break;
      case 5: vector_fault(memory(Type::kI16, 4, true, Access::kWrite), memory(Type::kF16, 4, true, Access::kRead)); break;
      case 6: {
        Descriptor d = memory(Type::kF32, 1, true, Access::kRead);
        d.set_base(d.base() + 2);
        vector_fault(memory(Type::kF32, 1, true, Access::kWrite), d);
        break;
      }
      default: {
        Descriptor d = memory(Type::kF16, 3, true, Access::kRead);
        d.set_base(0xe000);
        vector_fault(memory(Type::kF16, 3, true, Access::kWrite), d);
        break;
      }
    }
  }
  void vector_fault(const Descriptor& to, const Descriptor& from) {
    set_dsr(0, to);
    set_dsr(1, from);
    op(Opcode::kVmov, {{FieldId::kADsr, 0}, {FieldId::kBDsr, 1}});
  }

  RandomProgram out_;
  uint32_t next_ = kCode;
  uint32_t descriptors_ = 0;
};

}  // namespace

RandomProgram generate_program(uint64_t seed, const GeneratorOptions& options) { return Generator(seed, options).run(); }
RandomProgram generate_trap(uint64_t seed, const GeneratorOptions& options) { return Generator(seed, options).run_trap(); }

golden::Wavelet WaveletSource::next() {
  golden::Wavelet w;
  w.colour = colour_;
  w.control = draws_.chance(colour_ == kTaskColour ? 5 : 12);
  if (w.control) {
    w.data = spec::control_payload(static_cast<uint32_t>(kControl + draws_.between(0, 3)), spec::Command::kNone, static_cast<uint32_t>(draws_.next() & 0xffffu));
  } else {
    const uint32_t weight = draws_.chance(25) ? (draws_.chance(50) ? 0u : 0x8000u) : random_half(draws_);
    w.data = spec::weight_payload(weight, 4 * draws_.below(16));
  }
  return w;
}

}  // namespace waferloom::lockstep
