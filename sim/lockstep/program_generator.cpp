#include "sim/lockstep/program_generator.h"

#include <cassert>
#include <iterator>

#include "sim/generated/isa.h"
#include "sim/golden/descriptor.h"

namespace waferloom::lockstep {
namespace {

using golden::Descriptor;
using golden::Kind;
using golden::Type;
using spec::FieldId;
using spec::Opcode;

// Where things are. The data area is small on purpose.
constexpr uint32_t kCode = 0x100;
constexpr uint32_t kDescriptors = 0x7000;  // read only
constexpr uint32_t kIndices = 0x0c00;      // read only: multiples of 4 for sdot
constexpr uint32_t kIndexCount = 32;
constexpr uint32_t kData = 0x0d00;
constexpr uint32_t kDataBytes = 0x200;
constexpr uint32_t kReach = 0x100;  // behind the data area, for slabs: readable, never written

// Registers with a purpose; the others are anybody's.
constexpr int kLoop = 12;
constexpr int kWindow = 13;  // 0xC000
constexpr int kMmio = 14;    // 0xF000
constexpr int kScratch = 15;
// r3 to r11 are anybody's; r1 and r2 may change at any task start and are only read.

// Tasks.
constexpr int kChain = 25;         // 25, 26, ...: the program proper
constexpr int kLocal = 50;         // 50 to 53: small, activated at random
constexpr int kControl = 40;       // 40 to 43: small, started by control wavelets
constexpr uint8_t kTaskColour = 7; // data task 7
constexpr int kTaskQueue = 6;

uint16_t random_half(Draws& d) {
  static constexpr uint16_t kSpecial[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3555};
  if (d.chance(25)) return kSpecial[d.below(static_cast<uint32_t>(std::size(kSpecial)))];
  if (d.chance(30)) return static_cast<uint16_t>(d.next());
  return static_cast<uint16_t>((d.next() & 0x83ffu) | (static_cast<uint32_t>(d.between(10, 20)) << 10));
}
uint32_t random_single(Draws& d) {
  static constexpr uint32_t kSpecial[] = {0x00000000, 0x80000000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x33800000, 0x477fefff, 0x477ff000};
  if (d.chance(20)) return kSpecial[d.below(static_cast<uint32_t>(std::size(kSpecial)))];
  if (d.chance(20)) return static_cast<uint32_t>(d.next());
  return (static_cast<uint32_t>(d.next()) & 0x807fffffu) | (static_cast<uint32_t>(d.between(110, 145)) << 23);
}

enum class Access : uint8_t { kRead, kWrite };

class Generator {
 public:
  Generator(uint64_t seed, const GeneratorOptions& options) : draws_(seed, 0x9706), options_(options) {}

  RandomProgram run() {
    begin();
    for (uint32_t t = 0; t < options_.tasks; ++t) {
      entry(t == 0 ? spec::kBootTask : kChain + static_cast<int>(t) - 1);
      if (t == 0) prologue();
      for (uint32_t k = 0; k < options_.blocks / options_.tasks; ++k) block(0);
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
    for (uint32_t k = 0; k < options_.blocks / 4; ++k) block(0);
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
    assert(next_ < kDescriptors && kDescriptors + 16 * descriptors_ < 0x8000);
    return out_;
  }
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
      if (draws_.chance(40)) vector_block();
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

  // ---- descriptors ----
  bool reachable(uint32_t address, uint32_t bytes, Access access) const {
    if (address >= spec::kWindowBase) return address + bytes <= spec::kWindowBase + options_.window_bytes;
    return address >= kData && address + bytes <= kData + kDataBytes + (access == Access::kRead ? kReach : 0);
  }
  // Whether `count` elements from the descriptor (offset added to its base) stay where they may.
  bool stays(const Descriptor& d, uint32_t count, uint32_t offset, Access access) const {
    golden::Cursor c;
    c.start(d, static_cast<uint16_t>(offset));
    const uint32_t bytes = golden::type_bytes(d.type());
    for (uint32_t k = 0; k < count; ++k, c.next()) {
      if (c.address() % bytes != 0 || !reachable(c.address(), bytes, access)) return false;
    }
    return true;
  }
  // A memory operand. `exact`: it spans exactly `count` elements; else any row length will do. `reach`: largest offset added to its base.
  Descriptor memory(Type type, uint32_t count, bool exact, Access access, uint32_t reach = 0) {
    const int32_t bytes = static_cast<int32_t>(golden::type_bytes(type));
    for (;;) {
      Descriptor d;
      d.set_type(type);
      const uint32_t shape = draws_.below(10);
      d.set_kind(shape < 6 ? Kind::kMem1d : shape < 9 ? Kind::kMem2d : Kind::kCircular);
      const bool window = options_.window_bytes > 0 && draws_.chance(30);
      const uint32_t place = draws_.below((window ? options_.window_bytes : kDataBytes) / static_cast<uint32_t>(bytes));
      d.set_base((window ? spec::kWindowBase : kData) + place * static_cast<uint32_t>(bytes));
      d.set_stride0(draws_.chance(70) ? bytes : bytes * draws_.between(-2, 3));
      d.set_len0(exact ? count : draws_.chance(60) ? count : static_cast<uint32_t>(draws_.between(0, 9)));
      if (d.kind() != Kind::kMem1d) {
        uint32_t rows = 1;
        for (uint32_t r = static_cast<uint32_t>(draws_.between(2, 4)); r > 1; --r) {
          if (count % r == 0) {
            rows = r;
            break;
          }
        }
        if (exact) d.set_len0(count / rows);
        d.set_len1(exact ? rows : draws_.below(4));
        d.set_stride1(bytes * draws_.between(-8, 12));
        if (d.kind() == Kind::kCircular) d.set_wrap_log2(static_cast<uint32_t>(draws_.between(3, 7)));
      } else if (draws_.chance(20)) {
        d.set_len1(draws_.below(5));
        d.set_stride1(draws_.between(-9, 9));
      }
      if (stays(d, count, 0, access) && (reach == 0 || (stays(d, count, reach, access) && stays(d, count, reach / 2 & ~3u, access) && every_offset(d, count, reach)))) {
        d.set_save(saves_ && draws_.chance(25));
        return d;
      }
    }
  }
  bool every_offset(const Descriptor& d, uint32_t count, uint32_t reach) const {
    for (uint32_t offset = 0; offset <= reach; offset += 4) {
      if (!stays(d, count, offset, Access::kRead)) return false;
    }
    return true;
  }
  Descriptor iota(uint32_t count) {
    Descriptor d;
    d.set_kind(Kind::kIota);
    d.set_type(Type::kI16);
    d.set_base(draws_.below(65536));
    d.set_stride0(draws_.between(-5, 5));
    d.set_len0(draws_.chance(60) ? count : static_cast<uint32_t>(draws_.between(1, 9)));
    d.set_save(saves_ && draws_.chance(20));
    return d;
  }
  Descriptor input(Type type, uint32_t count) {
    Descriptor d;
    d.set_kind(Kind::kFabricIn);
    d.set_type(type);
    d.set_queue(draws_.below(6));
    d.set_len0(count);
    d.set_pack(!golden::is_wide(type) && draws_.chance(50));
    d.set_on_control(draws_.chance(70) ? spec::OnControl::kConsume : spec::OnControl::kLeave);
    return d;
  }
  Descriptor output(Type type, uint32_t count) {
    Descriptor d;
    d.set_kind(Kind::kFabricOut);
    d.set_type(type);
    d.set_queue(draws_.below(4));
    d.set_colour(8 + draws_.below(16));
    d.set_len0(count);
    d.set_pack(!golden::is_wide(type) && draws_.chance(50));
    d.set_control(draws_.chance(10));
    return d;
  }
  void notify(Descriptor* d) {
    if (!draws_.chance(20)) return;
    d->set_on_done(!in_small_task_ && draws_.chance(50) ? spec::OnDone::kActivate : spec::OnDone::kUnblock);
    d->set_done_task(static_cast<uint32_t>(kLocal + draws_.between(0, 3)));
  }
  // Puts a descriptor into a register, by ldd or word by word.
  void set_dsr(int d, const Descriptor& descriptor) {
    if (draws_.chance(85)) {
      const uint32_t at = kDescriptors + 16 * descriptors_++;
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
  Type float_type() { return draws_.chance(60) ? Type::kF16 : Type::kF32; }
  Type integer_type() { return draws_.chance(60) ? Type::kI16 : Type::kI32; }
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
  // A destination for any number of results.
  Descriptor endless(Type type) {
    for (;;) {
      const Descriptor d = memory(type, 9, false, Access::kWrite);
      if (d.kind() == Kind::kMem1d && d.len0() != 0) return d;
    }
  }
  // A stream takes whole wavelets.
  Descriptor whole(Descriptor d) {
    d.set_pack(false);
    return d;
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

  Draws draws_;
  GeneratorOptions options_;
  RandomProgram out_;
  uint32_t next_ = kCode;
  uint32_t descriptors_ = 0;
  bool in_small_task_ = false;
  bool saves_ = false;
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
