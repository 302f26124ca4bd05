#include "sim/golden/meaning.h"

#include <array>

namespace waferloom::golden {
namespace {

using Table = std::array<const Meaning*, 128>;

Table build() {
  Table table{};
  for (const Meaning* group : {kIntegerMeanings, kMemoryMeanings, kBranchMeanings, kFloatMeanings, kVectorMeanings,
                               kReductionMeanings, kStreamMeanings, kDescriptorMeanings, kTaskMeanings, kMiscMeanings}) {
    for (; group->opcode != spec::Opcode{}; ++group) table[static_cast<size_t>(group->opcode)] = group;
  }
  return table;
}

}  // namespace

const Meaning* meaning_of(spec::Opcode opcode) {
  static const Table table = build();
  return table[static_cast<size_t>(opcode)];
}

std::string missing_meanings() {
  std::string missing;
  for (const spec::Instruction& row : spec::kInstructionTable) {
    if (meaning_of(row.opcode) == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(row.name);
  }
  return missing;
}

}  // namespace waferloom::golden
