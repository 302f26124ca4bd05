#include "firmware/assembler/disassembler.h"

#include <fmt/format.h>

#include <map>

#include "firmware/generated/isa_table.h"

namespace waferloom::assembler {
namespace {

using spec::FieldId;
using spec::FieldKind;

uint32_t word_at(const std::vector<uint8_t>& image, uint32_t address) {
  uint32_t word = 0;
  for (uint32_t i = 0; i < 4; ++i) word |= static_cast<uint32_t>(image[address + i]) << (8 * i);
  return word;
}

std::string operand(const spec::Field& field, uint32_t word, uint32_t address, const LabelOf& label_of) {
  switch (field.kind) {
    case FieldKind::kReg: return fmt::format("r{}", field.get(word));
    case FieldKind::kDsr: return fmt::format("d{}", field.get(word));
    case FieldKind::kRel: {
      const int32_t bytes = 4 * field.value(word);
      const std::string label = label_of ? label_of(address + static_cast<uint32_t>(bytes)) : std::string();
      return label.empty() ? fmt::format(".{:+}", bytes) : label;
    }
    default: return fmt::format("{}", field.value(word));
  }
}

// Bytes that are instructions: what can be reached from the tasks' entries.
std::vector<bool> reachable(const std::vector<uint8_t>& image, std::map<uint32_t, std::string>& labels) {
  std::vector<bool> code(image.size() / 4, false);
  std::vector<uint32_t> open;
  const uint32_t table = spec::kTaskTableBase;
  for (int id = 0; id < spec::kTaskCount; ++id) {
    const uint32_t slot = table + static_cast<uint32_t>(id) * spec::kTaskEntryBytes;
    if (slot + 2 > image.size()) break;
    const uint32_t entry = static_cast<uint32_t>(image[slot]) | static_cast<uint32_t>(image[slot + 1]) << 8;
    if (entry == 0 || entry % 4 != 0 || entry + 4 > image.size()) continue;
    labels.emplace(entry, fmt::format("task{}", id));
    open.push_back(entry);
  }
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    while (at + 4 <= image.size() && !code[at / 4]) {
      const uint32_t word = word_at(image, at);
      if (!spec::is_legal(word)) break;
      code[at / 4] = true;
      const spec::Decoded d = spec::decode(word);
      const spec::Opcode op = d.instruction->opcode;
      const spec::FormatId format = d.instruction->format;
      if (format == spec::FormatId::kB || format == spec::FormatId::kJ) {
        const uint32_t target = at + static_cast<uint32_t>(4 * d.rel);
        if (target + 4 <= image.size()) {
          labels.emplace(target, fmt::format("l{:04x}", target));
          open.push_back(target);
        }
      }
      const bool leaves = op == spec::Opcode::kYield || op == spec::Opcode::kHalt || op == spec::Opcode::kTrap || (op == spec::Opcode::kJal && d.a == 0) || (op == spec::Opcode::kJalr && d.a == 0);
      if (leaves) break;
      at += 4;
    }
  }
  return code;
}

}  // namespace

std::string disassemble(uint32_t word) { return disassemble(word, 0, {}); }

std::string disassemble(uint32_t word, uint32_t address, const LabelOf& label_of) {
  if (!spec::is_legal(word)) return fmt::format(".word {:#010x}", word);
  const spec::Decoded d = spec::decode(word);
  const spec::Instruction& row = *d.instruction;
  const spec::Format& format = row.layout();
  std::string text = row.name;
  if (row.fn != spec::EnumId::kNone) text += fmt::format(".{}", row.names().values[d.fn]);
  if (format.vector && d.async) text += fmt::format(".async({})", d.ut);
  if (format.vector && d.shalf) text += ".h";
  const auto part = [&](FieldId id) { return operand(spec::field(id), word, address, label_of); };
  if (format.address) return fmt::format("{} {}, {}({})", text, part(format.operands[0]), part(format.operands[1]), part(format.operands[2]));
  bool first = true;
  const bool scalar = format.vector && d.scalar;
  const int last_source = format.operand_count - 2;  // whose place an optional scalar takes
  for (int i = 0; i < format.operand_count; ++i) {
    const FieldId id = format.operands[i];
    if (id == FieldId::kSReg && !scalar) continue;
    if (scalar && row.scalar == spec::ScalarUse::kAllowed && i == last_source) continue;
    text += (first ? " " : ", ") + part(id);
    first = false;
  }
  return text;
}

std::string disassemble_image(const std::vector<uint8_t>& given) {
  std::vector<uint8_t> image = given;
  image.resize((image.size() + 3) / 4 * 4, 0);
  std::map<uint32_t, std::string> labels;
  const std::vector<bool> code = reachable(image, labels);
  // A label can only stand on a word that is printed as one.
  const uint32_t table_end = spec::kTaskTableBase + static_cast<uint32_t>(spec::kTaskCount) * spec::kTaskEntryBytes;
  for (auto it = labels.begin(); it != labels.end();) it = it->first < table_end || !code[it->first / 4] ? labels.erase(it) : std::next(it);
  const LabelOf label_of = [&](uint32_t address) {
    const auto it = labels.find(address);
    return it == labels.end() ? std::string() : it->second;
  };
  std::string out;
  for (int id = 0; id < spec::kTaskCount; ++id) {
    const uint32_t slot = spec::kTaskTableBase + static_cast<uint32_t>(id) * spec::kTaskEntryBytes;
    if (slot + 2 > image.size()) break;
    const uint32_t entry = static_cast<uint32_t>(image[slot]) | static_cast<uint32_t>(image[slot + 1]) << 8;
    if (entry == 0) continue;
    const std::string label = label_of(entry);
    out += label.empty() ? fmt::format(".org {:#06x}\n.half {:#06x}  ; task {}\n", slot, entry, id) : fmt::format(".task {}, {}\n", id, label);
  }
  bool gap = true;
  for (uint32_t at = table_end; at + 4 <= image.size(); at += 4) {
    const uint32_t word = word_at(image, at);
    if (word == 0 && !code[at / 4] && at + 4 < image.size()) {
      gap = true;
      continue;
    }
    if (gap) out += fmt::format(".org {:#06x}\n", at);
    gap = false;
    const std::string label = label_of(at);
    if (!label.empty()) out += label + ":\n";
    const std::string text = code[at / 4] ? disassemble(word, at, label_of) : fmt::format(".word {:#010x}", word);
    out += fmt::format("  {:<34} ; {:#06x}: {:08x}\n", text, at, word);
  }
  return out;
}

}  // namespace waferloom::assembler
