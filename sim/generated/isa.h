// Generated from configs/spec/isa.yaml by scripts/gen; do not edit.
// The instruction set: fields, formats, instructions, legality, decoding.
#pragma once

#include <cstdint>

namespace waferloom::spec {

enum class FieldKind : uint8_t {
  kReg = 0,  // r0 to r15, r0 reads zero
  kDsr = 1,  // d0 to d15
  kUint = 2,
  kSint = 3,
  kRel = 4,  // signed words relative to the instruction
  kFlag = 5,
  kEnum = 6,  // value of the instruction's enum
};

struct Field {
  const char* name;
  uint8_t lsb;
  uint8_t width;
  FieldKind kind;

  constexpr uint32_t mask() const { return ((width == 32 ? 0u : 1u << width) - 1u) << lsb; }
  constexpr uint32_t get(uint32_t word) const { return (word & mask()) >> lsb; }
  constexpr uint32_t put(uint32_t value) const { return (value << lsb) & mask(); }
  // The field's value with its sign (sint, rel), else as it stands.
  constexpr int32_t value(uint32_t word) const {
    const uint32_t raw = get(word);
    const bool negative = (kind == FieldKind::kSint || kind == FieldKind::kRel) && (raw >> (width - 1)) != 0;
    return static_cast<int32_t>(negative ? raw | ~(mask() >> lsb) : raw);
  }
};

enum class FieldId : uint8_t {
  kAReg = 0,
  kBReg = 1,
  kCReg = 2,
  kSReg = 3,
  kADsr = 4,
  kBDsr = 5,
  kCDsr = 6,
  kSDsr = 7,
  kImm = 8,
  kUimm = 9,
  kRel = 10,
  kTask = 11,
  kWord = 12,
  kUt = 13,
  kAsync = 14,
  kFn = 15,
  kShalf = 16,
  kScalar = 17,
};
inline constexpr int kFieldCount = 18;
inline constexpr Field kFields[kFieldCount] = {
    {"a_reg", 7, 4, FieldKind::kReg},
    {"b_reg", 11, 4, FieldKind::kReg},
    {"c_reg", 15, 4, FieldKind::kReg},
    {"s_reg", 19, 4, FieldKind::kReg},
    {"a_dsr", 7, 4, FieldKind::kDsr},
    {"b_dsr", 11, 4, FieldKind::kDsr},
    {"c_dsr", 15, 4, FieldKind::kDsr},
    {"s_dsr", 19, 4, FieldKind::kDsr},
    {"imm", 16, 16, FieldKind::kSint},
    {"uimm", 16, 16, FieldKind::kUint},
    {"rel", 16, 16, FieldKind::kRel},
    {"task", 16, 6, FieldKind::kUint},
    {"word", 16, 2, FieldKind::kUint},
    {"ut", 23, 3, FieldKind::kUint},
    {"async", 26, 1, FieldKind::kFlag},
    {"fn", 27, 3, FieldKind::kEnum},
    {"shalf", 30, 1, FieldKind::kFlag},
    {"scalar", 31, 1, FieldKind::kFlag},
};
constexpr const Field& field(FieldId id) { return kFields[static_cast<int>(id)]; }
inline constexpr Field kOpcodeField{"opcode", 0, 7, FieldKind::kUint};

enum class FormatId : uint8_t {
  kN = 0,
  kR3 = 1,
  kR2F = 2,
  kI = 3,
  kLI = 4,
  kLU = 5,
  kM = 6,
  kB = 7,
  kJ = 8,
  kV1 = 9,
  kV2 = 10,
  kVS = 11,
  kVD = 12,
  kDL = 13,
  kDS = 14,
  kDG = 15,
  kT = 16,
  kU = 17,
  kX = 18,
};
struct Format {
  const char* name;
  uint8_t operand_count;
  FieldId operands[4];  // in the order they are written
  bool vector;          // carries ut, async, fn, shalf, scalar
  bool address;         // written "a, imm(b)"
};
inline constexpr Format kFormats[19] = {
    {"N", 0, {FieldId::kAReg}, false, false},
    {"R3", 3, {FieldId::kAReg, FieldId::kBReg, FieldId::kCReg}, false, false},
    {"R2F", 2, {FieldId::kAReg, FieldId::kBReg}, false, false},
    {"I", 3, {FieldId::kAReg, FieldId::kBReg, FieldId::kImm}, false, false},
    {"LI", 2, {FieldId::kAReg, FieldId::kImm}, false, false},
    {"LU", 2, {FieldId::kAReg, FieldId::kUimm}, false, false},
    {"M", 3, {FieldId::kAReg, FieldId::kImm, FieldId::kBReg}, false, true},
    {"B", 3, {FieldId::kAReg, FieldId::kBReg, FieldId::kRel}, false, false},
    {"J", 2, {FieldId::kAReg, FieldId::kRel}, false, false},
    {"V1", 3, {FieldId::kADsr, FieldId::kBDsr, FieldId::kSReg}, true, false},
    {"V2", 4, {FieldId::kADsr, FieldId::kBDsr, FieldId::kCDsr, FieldId::kSReg}, true, false},
    {"VS", 3, {FieldId::kADsr, FieldId::kBDsr, FieldId::kCDsr}, true, false},
    {"VD", 4, {FieldId::kADsr, FieldId::kBDsr, FieldId::kCDsr, FieldId::kSDsr}, true, false},
    {"DL", 3, {FieldId::kADsr, FieldId::kImm, FieldId::kBReg}, false, true},
    {"DS", 3, {FieldId::kADsr, FieldId::kWord, FieldId::kBReg}, false, false},
    {"DG", 3, {FieldId::kAReg, FieldId::kBDsr, FieldId::kWord}, false, false},
    {"T", 2, {FieldId::kBReg, FieldId::kTask}, false, false},
    {"U", 1, {FieldId::kUt}, false, false},
    {"X", 1, {FieldId::kUimm}, false, false},
};

enum class Group : uint8_t {
  kInteger = 0,
  kMemory = 1,
  kBranch = 2,
  kFloat = 3,
  kVector = 4,
  kStream = 5,
  kDescriptor = 6,
  kTask = 7,
  kMisc = 8,
};
enum class ScalarUse : uint8_t {
  kNone = 0,  // not a vector instruction
  kNever = 1,
  kAllowed = 2,  // with the scalar bit, in place of the second source (vmov: of the source)
  kAlways = 3,  // the scalar bit is set; a third operand
};
// Which names the field fn has.
enum class EnumId : uint8_t {
  kNone = 0,
  kFcvt = 1,
  kSfu = 2,
  kVcvt = 3,
  kShift = 4,
  kRed = 5,
};
struct EnumNames {
  const char* name;
  uint8_t count;
  const char* values[8];
};
inline constexpr EnumNames kEnums[6] = {
    {"none", 0, {}},
    {"fcvt", 4, {"f32_f16", "f16_f32", "f32_i32", "i32_f32"}},
    {"sfu", 4, {"exp2", "log2", "rcp", "rsqrt"}},
    {"vcvt", 2, {"float", "int"}},
    {"shift", 3, {"sll", "srl", "sra"}},
    {"red", 3, {"sum", "max", "min"}},
};
enum class FnFcvt : uint8_t {
  kF32F16 = 0,
  kF16F32 = 1,
  kF32I32 = 2,
  kI32F32 = 3,
};
enum class FnSfu : uint8_t {
  kExp2 = 0,
  kLog2 = 1,
  kRcp = 2,
  kRsqrt = 3,
};
enum class FnVcvt : uint8_t {
  kFloat = 0,
  kInt = 1,
};
enum class FnShift : uint8_t {
  kSll = 0,
  kSrl = 1,
  kSra = 2,
};
enum class FnRed : uint8_t {
  kSum = 0,
  kMax = 1,
  kMin = 2,
};

enum class Opcode : uint8_t {
  kAdd = 0x01,  // a = b + c
  kSub = 0x02,  // a = b - c
  kAnd = 0x03,  // a = b & c
  kOr = 0x04,  // a = b | c
  kXor = 0x05,  // a = b ^ c
  kSll = 0x06,  // a = b << (c & 31)
  kSrl = 0x07,  // a = b >> (c & 31), zeros enter
  kSra = 0x08,  // a = b >> (c & 31), the sign enters
  kSlt = 0x09,  // a = signed b < signed c
  kSltu = 0x0a,  // a = unsigned b < unsigned c
  kAddi = 0x0b,  // a = b + imm
  kLi = 0x0c,  // a = imm, sign-extended
  kLih = 0x0d,  // a = (imm << 16) | (a & 0xffff)
  kLw = 0x10,  // a = mem32[b + imm]
  kLhu = 0x11,  // a = mem16[b + imm], zero-extended
  kSw = 0x12,  // mem32[b + imm] = a
  kSh = 0x13,  // mem16[b + imm] = low half of a
  kBeq = 0x14,  // if a == b: pc = pc + 4 rel
  kBne = 0x15,  // if a != b: pc = pc + 4 rel
  kBlt = 0x16,  // if signed a < signed b: pc = pc + 4 rel
  kBge = 0x17,  // if signed a >= signed b: pc = pc + 4 rel
  kJal = 0x18,  // a = pc + 4; pc = pc + 4 rel
  kJalr = 0x19,  // t = b + imm; a = pc + 4; pc = t (a multiple of 4, else trap)
  kFadd = 0x20,  // a = b + c
  kFsub = 0x21,  // a = b - c
  kFmul = 0x22,  // a = b * c
  kFmadd = 0x23,  // a = b * c + a, fused
  kFlt = 0x24,  // a = b < c (0 if either is NaN)
  kFcvt = 0x25,  // a = convert(b); to integer toward zero, saturating, NaN gives 0
  kFsfu = 0x26,  // a = special(b)
  kVmov = 0x30,  // dest = src0 (or the scalar), converted to dest's type
  kVadd = 0x31,  // dest = src0 + src1
  kVsub = 0x32,  // dest = src0 - src1
  kVmul = 0x33,  // dest = src0 * src1
  kVmacs = 0x34,  // dest = src0 + s * src1, fused
  kVfma = 0x35,  // dest = src0 * src1 + dest, fused; reads the destination
  kVmax = 0x36,  // dest = maximum(src0, src1)
  kVmin = 0x37,  // dest = minimum(src0, src1)
  kVsel = 0x38,  // dest = src0 > 0 ? src1 : +0
  kVcvt = 0x39,  // dest = convert(src0) between integer and floating point
  kVsfu = 0x3a,  // dest = special(src0), computed in binary32
  kViadd = 0x3b,  // dest = src0 + src1, integers of dest's width, wrapping
  kVshift = 0x3c,  // dest = src0 shifted by src1 (modulo the width)
  kVdot = 0x3d,  // dest[0] = sum of src0[k] * src1[k] in binary32 lanes
  kVred = 0x3e,  // dest[0] = sum, max or min over src0[k] in binary32 lanes
  kSaxpy = 0x40,  // for each wavelet (w, index): dest[k] = dest[k] + w * slab[index + k], k over dest's length
  kSdot = 0x41,  // for each index: dest[i++] = sum over k of vector[k] * slab[index + k], k over vector's length
  kLdd = 0x48,  // the four words of d = mem32[b + imm ...], 8-byte aligned
  kDset = 0x49,  // word of d = b
  kDget = 0x4a,  // a = word of d
  kAct = 0x50,  // set the activated flag
  kBlk = 0x51,  // set the blocked flag
  kUnb = 0x52,  // clear the blocked flag
  kYield = 0x53,  // end the task
  kWaitu = 0x54,  // wait until microthread ut is idle
  kNop = 0x58,  // nothing
  kHalt = 0x59,  // stop the PE for good once its microthreads are done (not a trap)
  kTrap = 0x5a,  // trap 6; imm is shown
};

struct Instruction {
  const char* name;
  Opcode opcode;
  FormatId format;
  Group group;
  ScalarUse scalar;
  EnumId fn;
  // What makes a word legal:
  uint32_t zero;                // bits that are zero
  uint32_t set;                 // bits that are set
  uint32_t zero_unless_async;   // bits zero when async is clear
  uint32_t zero_if_scalar;      // bits zero when scalar is set
  uint32_t zero_unless_scalar;  // bits zero when scalar is clear
  const char* does;

  constexpr const Format& layout() const { return kFormats[static_cast<int>(format)]; }
  constexpr const EnumNames& names() const { return kEnums[static_cast<int>(fn)]; }
};

inline constexpr int kInstructionCount = 58;
inline constexpr Instruction kInstructionTable[kInstructionCount] = {
    {"add", Opcode::kAdd, FormatId::kR3, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b + c"},
    {"sub", Opcode::kSub, FormatId::kR3, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b - c"},
    {"and", Opcode::kAnd, FormatId::kR3, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b & c"},
    {"or", Opcode::kOr, FormatId::kR3, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b | c"},
    {"xor", Opcode::kXor, FormatId::kR3, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b ^ c"},
    {"sll", Opcode::kSll, FormatId::kR3, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b << (c & 31)"},
    {"srl", Opcode::kSrl, FormatId::kR3, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b >> (c & 31), zeros enter"},
    {"sra", Opcode::kSra, FormatId::kR3, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b >> (c & 31), the sign enters"},
    {"slt", Opcode::kSlt, FormatId::kR3, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = signed b < signed c"},
    {"sltu", Opcode::kSltu, FormatId::kR3, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = unsigned b < unsigned c"},
    {"addi", Opcode::kAddi, FormatId::kI, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b + imm"},
    {"li", Opcode::kLi, FormatId::kLI, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0x0000f800, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = imm, sign-extended"},
    {"lih", Opcode::kLih, FormatId::kLU, Group::kInteger, ScalarUse::kNone, EnumId::kNone,
     0x0000f800, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = (imm << 16) | (a & 0xffff)"},
    {"lw", Opcode::kLw, FormatId::kM, Group::kMemory, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = mem32[b + imm]"},
    {"lhu", Opcode::kLhu, FormatId::kM, Group::kMemory, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = mem16[b + imm], zero-extended"},
    {"sw", Opcode::kSw, FormatId::kM, Group::kMemory, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "mem32[b + imm] = a"},
    {"sh", Opcode::kSh, FormatId::kM, Group::kMemory, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "mem16[b + imm] = low half of a"},
    {"beq", Opcode::kBeq, FormatId::kB, Group::kBranch, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "if a == b: pc = pc + 4 rel"},
    {"bne", Opcode::kBne, FormatId::kB, Group::kBranch, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "if a != b: pc = pc + 4 rel"},
    {"blt", Opcode::kBlt, FormatId::kB, Group::kBranch, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "if signed a < signed b: pc = pc + 4 rel"},
    {"bge", Opcode::kBge, FormatId::kB, Group::kBranch, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "if signed a >= signed b: pc = pc + 4 rel"},
    {"jal", Opcode::kJal, FormatId::kJ, Group::kBranch, ScalarUse::kNone, EnumId::kNone,
     0x0000f800, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = pc + 4; pc = pc + 4 rel"},
    {"jalr", Opcode::kJalr, FormatId::kI, Group::kBranch, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "t = b + imm; a = pc + 4; pc = t (a multiple of 4, else trap)"},
    {"fadd", Opcode::kFadd, FormatId::kR3, Group::kFloat, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b + c"},
    {"fsub", Opcode::kFsub, FormatId::kR3, Group::kFloat, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b - c"},
    {"fmul", Opcode::kFmul, FormatId::kR3, Group::kFloat, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b * c"},
    {"fmadd", Opcode::kFmadd, FormatId::kR3, Group::kFloat, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b * c + a, fused"},
    {"flt", Opcode::kFlt, FormatId::kR3, Group::kFloat, ScalarUse::kNone, EnumId::kNone,
     0xfff80000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = b < c (0 if either is NaN)"},
    {"fcvt", Opcode::kFcvt, FormatId::kR2F, Group::kFloat, ScalarUse::kNone, EnumId::kFcvt,
     0xc7ff8000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = convert(b); to integer toward zero, saturating, NaN gives 0"},
    {"fsfu", Opcode::kFsfu, FormatId::kR2F, Group::kFloat, ScalarUse::kNone, EnumId::kSfu,
     0xc7ff8000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = special(b)"},
    {"vmov", Opcode::kVmov, FormatId::kV1, Group::kVector, ScalarUse::kAllowed, EnumId::kNone,
     0x38078000, 0x00000000, 0x03800000, 0x00007800, 0x40780000, "dest = src0 (or the scalar), converted to dest's type"},
    {"vadd", Opcode::kVadd, FormatId::kV2, Group::kVector, ScalarUse::kAllowed, EnumId::kNone,
     0x38000000, 0x00000000, 0x03800000, 0x00078000, 0x40780000, "dest = src0 + src1"},
    {"vsub", Opcode::kVsub, FormatId::kV2, Group::kVector, ScalarUse::kAllowed, EnumId::kNone,
     0x38000000, 0x00000000, 0x03800000, 0x00078000, 0x40780000, "dest = src0 - src1"},
    {"vmul", Opcode::kVmul, FormatId::kV2, Group::kVector, ScalarUse::kAllowed, EnumId::kNone,
     0x38000000, 0x00000000, 0x03800000, 0x00078000, 0x40780000, "dest = src0 * src1"},
    {"vmacs", Opcode::kVmacs, FormatId::kV2, Group::kVector, ScalarUse::kAlways, EnumId::kNone,
     0x38000000, 0x80000000, 0x03800000, 0x00000000, 0x00000000, "dest = src0 + s * src1, fused"},
    {"vfma", Opcode::kVfma, FormatId::kV2, Group::kVector, ScalarUse::kAllowed, EnumId::kNone,
     0x38000000, 0x00000000, 0x03800000, 0x00078000, 0x40780000, "dest = src0 * src1 + dest, fused; reads the destination"},
    {"vmax", Opcode::kVmax, FormatId::kV2, Group::kVector, ScalarUse::kAllowed, EnumId::kNone,
     0x38000000, 0x00000000, 0x03800000, 0x00078000, 0x40780000, "dest = maximum(src0, src1)"},
    {"vmin", Opcode::kVmin, FormatId::kV2, Group::kVector, ScalarUse::kAllowed, EnumId::kNone,
     0x38000000, 0x00000000, 0x03800000, 0x00078000, 0x40780000, "dest = minimum(src0, src1)"},
    {"vsel", Opcode::kVsel, FormatId::kV2, Group::kVector, ScalarUse::kAllowed, EnumId::kNone,
     0x38000000, 0x00000000, 0x03800000, 0x00078000, 0x40780000, "dest = src0 > 0 ? src1 : +0"},
    {"vcvt", Opcode::kVcvt, FormatId::kV1, Group::kVector, ScalarUse::kNever, EnumId::kVcvt,
     0xc07f8000, 0x00000000, 0x03800000, 0x00000000, 0x00000000, "dest = convert(src0) between integer and floating point"},
    {"vsfu", Opcode::kVsfu, FormatId::kV1, Group::kVector, ScalarUse::kNever, EnumId::kSfu,
     0xc07f8000, 0x00000000, 0x03800000, 0x00000000, 0x00000000, "dest = special(src0), computed in binary32"},
    {"viadd", Opcode::kViadd, FormatId::kV2, Group::kVector, ScalarUse::kAllowed, EnumId::kNone,
     0x38000000, 0x00000000, 0x03800000, 0x00078000, 0x40780000, "dest = src0 + src1, integers of dest's width, wrapping"},
    {"vshift", Opcode::kVshift, FormatId::kV2, Group::kVector, ScalarUse::kAllowed, EnumId::kShift,
     0x00000000, 0x00000000, 0x03800000, 0x00078000, 0x40780000, "dest = src0 shifted by src1 (modulo the width)"},
    {"vdot", Opcode::kVdot, FormatId::kV2, Group::kVector, ScalarUse::kNever, EnumId::kNone,
     0xf8780000, 0x00000000, 0x03800000, 0x00000000, 0x00000000, "dest[0] = sum of src0[k] * src1[k] in binary32 lanes"},
    {"vred", Opcode::kVred, FormatId::kV1, Group::kVector, ScalarUse::kNever, EnumId::kRed,
     0xc07f8000, 0x00000000, 0x03800000, 0x00000000, 0x00000000, "dest[0] = sum, max or min over src0[k] in binary32 lanes"},
    {"saxpy", Opcode::kSaxpy, FormatId::kVS, Group::kStream, ScalarUse::kNever, EnumId::kNone,
     0xf8780000, 0x00000000, 0x03800000, 0x00000000, 0x00000000, "for each wavelet (w, index): dest[k] = dest[k] + w * slab[index + k], k over dest's length"},
    {"sdot", Opcode::kSdot, FormatId::kVD, Group::kStream, ScalarUse::kNever, EnumId::kNone,
     0xf8000000, 0x00000000, 0x03800000, 0x00000000, 0x00000000, "for each index: dest[i++] = sum over k of vector[k] * slab[index + k], k over vector's length"},
    {"ldd", Opcode::kLdd, FormatId::kDL, Group::kDescriptor, ScalarUse::kNone, EnumId::kNone,
     0x00008000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "the four words of d = mem32[b + imm ...], 8-byte aligned"},
    {"dset", Opcode::kDset, FormatId::kDS, Group::kDescriptor, ScalarUse::kNone, EnumId::kNone,
     0xfffc8000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "word of d = b"},
    {"dget", Opcode::kDget, FormatId::kDG, Group::kDescriptor, ScalarUse::kNone, EnumId::kNone,
     0xfffc8000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "a = word of d"},
    {"act", Opcode::kAct, FormatId::kT, Group::kTask, ScalarUse::kNone, EnumId::kNone,
     0xffc08780, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "set the activated flag"},
    {"blk", Opcode::kBlk, FormatId::kT, Group::kTask, ScalarUse::kNone, EnumId::kNone,
     0xffc08780, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "set the blocked flag"},
    {"unb", Opcode::kUnb, FormatId::kT, Group::kTask, ScalarUse::kNone, EnumId::kNone,
     0xffc08780, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "clear the blocked flag"},
    {"yield", Opcode::kYield, FormatId::kN, Group::kTask, ScalarUse::kNone, EnumId::kNone,
     0xffffff80, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "end the task"},
    {"waitu", Opcode::kWaitu, FormatId::kU, Group::kTask, ScalarUse::kNone, EnumId::kNone,
     0xfc7fff80, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "wait until microthread ut is idle"},
    {"nop", Opcode::kNop, FormatId::kN, Group::kMisc, ScalarUse::kNone, EnumId::kNone,
     0xffffff80, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "nothing"},
    {"halt", Opcode::kHalt, FormatId::kN, Group::kMisc, ScalarUse::kNone, EnumId::kNone,
     0xffffff80, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "stop the PE for good once its microthreads are done (not a trap)"},
    {"trap", Opcode::kTrap, FormatId::kX, Group::kMisc, ScalarUse::kNone, EnumId::kNone,
     0x0000ff80, 0x00000000, 0x00000000, 0x00000000, 0x00000000, "trap 6; imm is shown"},
};

// Index into kInstructionTable by opcode; -1: no instruction.
inline constexpr int16_t kByOpcode[128] = {
    -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -1, -1,
    13, 14, 15, 16, 17, 18, 19, 20, 21, 22, -1, -1, -1, -1, -1, -1,
    23, 24, 25, 26, 27, 28, 29, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, -1,
    45, 46, -1, -1, -1, -1, -1, -1, 47, 48, 49, -1, -1, -1, -1, -1,
    50, 51, 52, 53, 54, -1, -1, -1, 55, 56, 57, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
};

// The instruction of this word's opcode, or null. The word's other bits may still be illegal.
constexpr const Instruction* find(uint32_t word) {
  const int index = kByOpcode[kOpcodeField.get(word)];
  return index < 0 ? nullptr : &kInstructionTable[index];
}

constexpr bool is_vector(const Instruction& i) { return i.layout().vector; }

// True for a word that the machine executes; any other traps (illegal_instruction).
constexpr bool is_legal(uint32_t word) {
  const Instruction* i = find(word);
  if (i == nullptr) return false;
  if ((word & i->zero) != 0 || (word & i->set) != i->set) return false;
  if ((word & 0x4000000u) == 0 && (word & i->zero_unless_async) != 0) return false;
  const bool scalar = (word & 0x80000000u) != 0;
  if ((word & (scalar ? i->zero_if_scalar : i->zero_unless_scalar)) != 0) return false;
  return i->fn == EnumId::kNone || ((word >> 27) & 7u) < i->names().count;
}

// All fields of a word at once. Registers and descriptors share a place (a_reg, a_dsr: a), and so do the immediates.
struct Decoded {
  const Instruction* instruction = nullptr;  // null: no such opcode
  bool legal = false;
  uint8_t a = 0;
  uint8_t b = 0;
  uint8_t c = 0;
  uint8_t s = 0;
  int32_t imm = 0;
  uint32_t uimm = 0;
  int32_t rel = 0;
  uint8_t task = 0;
  uint8_t word = 0;
  uint8_t ut = 0;
  bool async = false;
  uint8_t fn = 0;
  bool shalf = false;
  bool scalar = false;
};

constexpr Decoded decode(uint32_t word) {
  Decoded d;
  d.instruction = find(word);
  d.legal = is_legal(word);
  d.a = static_cast<uint8_t>(field(FieldId::kAReg).get(word));
  d.b = static_cast<uint8_t>(field(FieldId::kBReg).get(word));
  d.c = static_cast<uint8_t>(field(FieldId::kCReg).get(word));
  d.s = static_cast<uint8_t>(field(FieldId::kSReg).get(word));
  d.imm = field(FieldId::kImm).value(word);
  d.uimm = field(FieldId::kUimm).get(word);
  d.rel = field(FieldId::kRel).value(word);
  d.task = static_cast<uint8_t>(field(FieldId::kTask).get(word));
  d.word = static_cast<uint8_t>(field(FieldId::kWord).get(word));
  d.ut = static_cast<uint8_t>(field(FieldId::kUt).get(word));
  d.async = field(FieldId::kAsync).get(word) != 0;
  d.fn = static_cast<uint8_t>(field(FieldId::kFn).get(word));
  d.shalf = field(FieldId::kShalf).get(word) != 0;
  d.scalar = field(FieldId::kScalar).get(word) != 0;
  return d;
}

}  // namespace waferloom::spec
