// How an instruction gets its meaning: one entry, by opcode, in the table of its group's file (op_*.cpp). A row of the ISA without
// an entry is reported by `missing_meanings`, and a test fails.
#pragma once
#include <cstdint>
#include <string>

#include "sim/generated/isa.h"
#include "sim/golden/descriptor.h"
#include "sim/macros/arith_group.h"

namespace waferloom::golden {

class Pe;

// What a scalar instruction sees. It may set `next_pc`; a fault is raised with pe.raise and leaves no other effect.
struct ScalarStep {
  Pe& pe;
  const spec::Decoded& ins;
  uint16_t pc;
  uint16_t next_pc;
};

// One element of a vector instruction: raw bits of the operands in their types.
struct ElementInputs {
  Type src0 = Type::kF16;
  Type src1 = Type::kF16;
  Type dest = Type::kF16;
  uint32_t a = 0;     // source 0
  uint32_t b = 0;     // source 1 (or the scalar)
  Type third = Type::kF16;
  uint32_t c = 0;     // vfma: the destination before; vmacs: the scalar
  uint8_t fn = 0;
};

enum class Shape : uint8_t {
  kScalar,       // executes in the main thread
  kElementwise,  // dest[k] = element(...)
  kReduce,       // dest[0] = reduction over k
  kSaxpy,
  kSdot,
};
// kAlike: all float or all integer. kConvert: fn 0 makes float from integer, 1 integer from float.
enum class TypeRule : uint8_t { kFloat, kInteger, kAlike, kConvert };

struct Meaning {
  spec::Opcode opcode;
  Shape shape;
  void (*execute)(ScalarStep&);                                // kScalar
  macros::Result (*element)(const ElementInputs&);             // kElementwise
  macros::AccOp (*reduction)(uint8_t fn);                      // kReduce
  TypeRule types;
  uint8_t sources;        // 1 or 2: descriptors or scalar
  bool reads_destination;
  bool counts_macs;
};

// The meaning of an opcode; null if it has none.
const Meaning* meaning_of(spec::Opcode opcode);
// Names of the rows of the ISA that have no meaning here, empty in a sound build.
std::string missing_meanings();

// The groups' tables, each ended by no_meaning().
extern const Meaning kIntegerMeanings[];
extern const Meaning kMemoryMeanings[];
extern const Meaning kBranchMeanings[];
extern const Meaning kFloatMeanings[];
extern const Meaning kVectorMeanings[];
extern const Meaning kReductionMeanings[];
extern const Meaning kStreamMeanings[];
extern const Meaning kDescriptorMeanings[];
extern const Meaning kTaskMeanings[];
extern const Meaning kMiscMeanings[];

constexpr Meaning scalar_meaning(spec::Opcode opcode, void (*execute)(ScalarStep&)) {
  return {opcode, Shape::kScalar, execute, nullptr, nullptr, TypeRule::kInteger, 0, false, false};
}
constexpr Meaning element_meaning(spec::Opcode opcode, macros::Result (*element)(const ElementInputs&), TypeRule types,
                                  uint8_t sources) {
  return {opcode, Shape::kElementwise, nullptr, element, nullptr, types, sources, false, false};
}
constexpr Meaning no_meaning() { return scalar_meaning(spec::Opcode{}, nullptr); }

}  // namespace waferloom::golden
