// Instructions and pseudo-instructions: text to word.
#include <algorithm>
#include <unordered_map>

#include "firmware/assembler/session.h"

namespace waferloom::assembler {
namespace {

using spec::FieldId;
using spec::FieldKind;

constexpr int kLinkRegister = 15;  // call and ret
constexpr std::string_view kPseudo[] = {"li32", "mv", "j", "call", "ret", "bgt", "ble", "beqz", "bnez"};

const std::unordered_map<std::string_view, const spec::Instruction*>& by_name() {
  static const auto* map = [] {
    auto* m = new std::unordered_map<std::string_view, const spec::Instruction*>();
    for (const spec::Instruction& row : spec::kInstructionTable) m->emplace(row.name, &row);
    return m;
  }();
  return *map;
}

const spec::Instruction& row_of(std::string_view name) { return *by_name().at(name); }

uint32_t opcode_word(const spec::Instruction& row) { return spec::kOpcodeField.put(static_cast<uint32_t>(row.opcode)); }

uint32_t bits(FieldId id, int value) { return spec::field(id).put(static_cast<uint32_t>(value)); }

}  // namespace

std::string usage(const spec::Instruction& row) {
  std::string text = row.name;
  if (row.fn != spec::EnumId::kNone) {
    text += ".{";
    for (int i = 0; i < row.names().count; ++i) text += (i != 0 ? "," : "") + std::string(row.names().values[i]);
    text += "}";
  }
  const spec::Format& format = row.layout();
  if (format.address) {
    return text + (format.operands[0] == FieldId::kADsr ? " dA, offset(rB)" : " rA, offset(rB)");
  }
  int count = format.operand_count;
  const bool has_scalar = count > 0 && format.operands[count - 1] == FieldId::kSReg;
  if (has_scalar && row.scalar != spec::ScalarUse::kAlways) --count;
  for (int i = 0; i < count; ++i) {
    const spec::Field& f = spec::field(format.operands[i]);
    text += i == 0 ? " " : ", ";
    if (f.kind == FieldKind::kReg || f.kind == FieldKind::kDsr) {
      text += f.kind == FieldKind::kReg ? 'r' : 'd';
      text += static_cast<char>(f.name[0] - 'a' + 'A');
    } else {
      text += f.kind == FieldKind::kRel ? "label" : f.name;
    }
  }
  if (row.scalar == spec::ScalarUse::kAllowed) text += " (or rS)";
  return text;
}

// "r0" to "r15", "d0" to "d15", or an alias.
Session::Register Session::register_at(const Token& token) const {
  const std::string_view text = token.text;
  if (token.kind != TokenKind::kName && token.kind != TokenKind::kEnd) return {};
  if (text.size() >= 2 && text.size() <= 3 && (text[0] == 'r' || text[0] == 'd') && text[1] >= '0' && text[1] <= '9') {
    int index = text[1] - '0';
    if (text.size() == 3) {
      if (text[2] < '0' || text[2] > '9' || index == 0) return {};
      index = index * 10 + text[2] - '0';
    }
    if (index < 16) return {text[0] == 'r' ? RegisterKind::kScalar : RegisterKind::kDescriptor, index};
    return {};
  }
  const auto it = symbols_.find(text);
  if (it == symbols_.end() || it->second.kind != EntryKind::kAlias) return {};
  return {it->second.descriptor ? RegisterKind::kDescriptor : RegisterKind::kScalar, it->second.index};
}

bool Session::comma(const char* owner, int number, const std::string& how) {
  const Token& token = tokens_[at_];
  if (token.is(",")) {
    ++at_;
    return true;
  }
  if (token.kind == TokenKind::kBad) return fail(token, token.fault);
  if (token.kind == TokenKind::kEnd && number > 0) return fail(token, "operand " + std::to_string(number) + " of " + owner + " is missing", "written: " + how);
  return fail(token, "expected ',', found " + (token.kind == TokenKind::kEnd ? std::string("the end of the line") : "'" + std::string(token.text) + "'"), "written: " + how);
}

bool Session::register_operand(RegisterKind kind, const char* owner, int number, int& index) {
  const Token& token = tokens_[at_];
  const Register found = register_at(token);
  if (found.kind == kind) {
    index = found.index;
    ++at_;
    return true;
  }
  const std::string what = kind == RegisterKind::kScalar ? "a scalar register (r0 to r15)" : "a descriptor (d0 to d15)";
  const std::string which = "operand " + std::to_string(number) + " of " + owner;
  const auto row = by_name().find(owner);
  const std::string how = row == by_name().end() ? "" : "written: " + usage(*row->second);
  if (token.kind == TokenKind::kEnd) return fail(token, which + " is missing: " + what, how);
  if (token.kind == TokenKind::kBad) return fail(token, token.fault);
  return fail(token, which + " must be " + what + ", found '" + std::string(token.text) + "'", how);
}

bool Session::operand(const spec::Instruction& row, FieldId id, int number, uint32_t& word) {
  const spec::Field& f = spec::field(id);
  if (f.kind == FieldKind::kReg || f.kind == FieldKind::kDsr) {
    int index = 0;
    if (!register_operand(f.kind == FieldKind::kReg ? RegisterKind::kScalar : RegisterKind::kDescriptor, row.name, number, index)) return false;
    word |= bits(id, index);
    return true;
  }
  const Token& token = tokens_[at_];
  if (token.kind == TokenKind::kEnd) return fail(token, "operand " + std::to_string(number) + " of " + row.name + " is missing", "written: " + usage(row));
  const Register found = register_at(token);
  if (found.kind != RegisterKind::kNone) {
    return fail(token, "operand " + std::to_string(number) + " of " + row.name + " must be a number, found the register '" + std::string(token.text) + "'", "written: " + usage(row));
  }
  Fault fault;
  const Expression expression = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
  if (expression < 0) return fail(std::move(fault));
  add_fixup(f.kind == FieldKind::kRel ? Patch::kRelative : Patch::kField, here_, expression, row.name, id);
  return true;
}

// offset(rB); the offset may be left out.
bool Session::address_operand(const spec::Instruction& row, FieldId offset, FieldId base, uint32_t& word) {
  const std::string how = "written: " + usage(row);
  if (tokens_[at_].kind == TokenKind::kEnd) return fail(tokens_[at_], std::string("the address of ") + row.name + " is missing", how);
  const bool bare = tokens_[at_].is("(") && register_at(tokens_[at_ + 1]).kind != RegisterKind::kNone;
  if (!bare) {
    Fault fault;
    const Expression expression = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
    if (expression < 0) {
      if (fault.hint.empty()) fault.hint = how;
      return fail(std::move(fault));
    }
    add_fixup(Patch::kAddressField, here_, expression, row.name, offset);
  }
  if (!tokens_[at_].is("(")) return fail(tokens_[at_], "expected '(' and the base register", how);
  ++at_;
  int index = 0;
  if (!register_operand(RegisterKind::kScalar, row.name, 2, index)) return false;
  if (!tokens_[at_].is(")")) return fail(tokens_[at_], "expected ')'", how);
  ++at_;
  word |= bits(base, index);
  return true;
}

bool Session::operands(const spec::Instruction& row, uint32_t& word, bool half) {
  const spec::Format& format = row.layout();
  const std::string how = usage(row);
  if (format.address) {
    return operand(row, format.operands[0], 1, word) && comma(row.name, 2, how) && address_operand(row, format.operands[1], format.operands[2], word);
  }
  int count = format.operand_count;
  const bool has_scalar = count > 0 && format.operands[count - 1] == FieldId::kSReg;
  if (has_scalar && row.scalar != spec::ScalarUse::kAlways) --count;
  bool scalar = row.scalar == spec::ScalarUse::kAlways;
  for (int i = 0; i < count; ++i) {
    if (i > 0 && !comma(row.name, i + 1, how)) return false;
    const bool replaceable = row.scalar == spec::ScalarUse::kAllowed && i == count - 1;
    const Register found = replaceable ? register_at(tokens_[at_]) : Register{};
    if (found.kind == RegisterKind::kScalar) {
      word |= bits(FieldId::kSReg, found.index);
      scalar = true;
      ++at_;
    } else if (!operand(row, format.operands[i], i + 1, word)) {
      return false;
    }
  }
  if (scalar) word |= bits(FieldId::kScalar, 1);
  if (half && !scalar) return fail(tokens_[0], "the suffix .h needs a scalar register as last operand", "written: " + how);
  if (half) word |= bits(FieldId::kShalf, 1);
  return true;
}

bool Session::suffix(const spec::Instruction& row, std::string_view text, const Token& at, uint32_t& word, bool& half) {
  const std::string quoted = "'." + std::string(text) + "'";
  if (row.layout().vector && text == "h" && row.scalar != spec::ScalarUse::kNever) {
    if (half) return fail(at, quoted + " is given twice");
    half = true;
    return true;
  }
  if (row.layout().vector && text == "async") {
    if ((word & bits(FieldId::kAsync, 1)) != 0) return fail(at, quoted + " is given twice");
    if (!tokens_[at_].is("(")) return fail(at, ".async needs the microthread", "written: " + std::string(row.name) + ".async(3)");
    ++at_;
    Fault fault;
    const Expression thread = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
    if (thread < 0) return fail(std::move(fault));
    if (!tokens_[at_].is(")")) return fail(tokens_[at_], "expected ')'");
    ++at_;
    word |= bits(FieldId::kAsync, 1);
    add_fixup(Patch::kField, here_, thread, row.name, FieldId::kUt);
    return true;
  }
  const spec::EnumNames& names = row.names();
  std::vector<std::string_view> candidates;
  for (int i = 0; i < names.count; ++i) {
    candidates.emplace_back(names.values[i]);
    if (text == names.values[i]) {
      word |= bits(FieldId::kFn, i);
      return true;
    }
  }
  if (row.layout().vector) candidates.emplace_back("async");
  if (row.layout().vector && row.scalar != spec::ScalarUse::kNever) candidates.emplace_back("h");
  const std::string near = nearest(text, candidates);
  return fail(at, quoted + " is not a suffix of " + row.name, near.empty() ? "written: " + usage(row) : "did you mean '." + near + "'?");
}

// What follows the mnemonic: the function, .async(N), .h.
bool Session::suffixes(const spec::Instruction& row, std::string_view rest, const Token& name, uint32_t& word, bool& half) {
  bool function = row.fn == spec::EnumId::kNone;
  while (true) {
    while (!rest.empty()) {  // rest starts with '.'
      const size_t end = std::min(rest.find('.', 1), rest.size());
      const std::string_view part = rest.substr(1, end - 1);
      if (part != "async" && part != "h") {
        if (function && row.fn != spec::EnumId::kNone) return fail(name, std::string(row.name) + " has two functions");
        function = true;
      }
      if (!suffix(row, part, name, word, half)) return false;
      rest = rest.substr(end);
    }
    const Token& next = tokens_[at_];
    if (next.kind != TokenKind::kName || !next.glued || next.text.front() != '.' || !tokens_[at_ - 1].is(")")) break;
    rest = next.text;
    ++at_;
  }
  return function || fail(name, std::string(row.name) + " needs a function", "written: " + usage(row));
}

void Session::emit_instruction(uint32_t word) {
  const uint32_t address = here_;
  if (reserve(4, 4, true)) put(address, 4, word);
}

void Session::instruction(const Token& name) {
  const size_t dot = std::min(name.text.find('.'), name.text.size());
  const std::string_view mnemonic = name.text.substr(0, dot);
  const size_t fixups = fixups_.size();
  const auto found = by_name().find(mnemonic);
  if (found == by_name().end()) {
    if (dot == name.text.size() && pseudo(mnemonic, name)) return;
    std::vector<std::string_view> names(std::begin(kPseudo), std::end(kPseudo));
    for (const spec::Instruction& row : spec::kInstructionTable) names.emplace_back(row.name);
    const std::string near = nearest(mnemonic, names);
    fail(name, "unknown instruction '" + std::string(mnemonic) + "'", near.empty() ? "the instructions are in docs/reference/isa.md" : "did you mean '" + near + "'?");
    return;
  }
  const spec::Instruction& row = *found->second;
  uint32_t word = opcode_word(row);
  bool half = false;
  if (suffixes(row, name.text.substr(dot), name, word, half) && operands(row, word, half) && end_of_statement(usage(row))) {
    emit_instruction(word);
  } else {
    fixups_.resize(fixups);  // nothing of a broken statement is filled in
  }
}

// True if `mnemonic` is a pseudo-instruction (also when its operands are wrong: that is reported).
bool Session::pseudo(std::string_view mnemonic, const Token& name) {
  bool is_pseudo = false;
  for (const std::string_view p : kPseudo) is_pseudo |= p == mnemonic;
  if (!is_pseudo) return false;
  const std::string owner(name.text);
  const char* text = owner.c_str();
  const size_t fixups = fixups_.size();
  int a = 0;
  int b = 0;
  uint32_t word = 0;
  bool good = false;
  const auto scalar = [&](int number, int& index) { return register_operand(RegisterKind::kScalar, text, number, index); };
  const auto target = [&](const spec::Instruction& row, int number) {
    word |= opcode_word(row);
    return operand(row, FieldId::kRel, number, word);
  };
  if (mnemonic == "li32") {
    const std::string how = "li32 rA, value";
    Fault fault;
    Expression value = -1;
    if (scalar(1, a) && comma(text, 2, how)) {
      value = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
      good = value >= 0 ? end_of_statement(how) : fail(std::move(fault));
    }
    const uint32_t address = here_;
    if (good && reserve(8, 4, true)) {
      put(address, 4, opcode_word(row_of("li")) | bits(FieldId::kAReg, a));
      put(address + 4, 4, opcode_word(row_of("lih")) | bits(FieldId::kAReg, a));
      add_fixup(Patch::kLow16, address, value, "li32", FieldId::kImm);
      add_fixup(Patch::kHigh16, address + 4, value, "li32", FieldId::kUimm);
    }
    return true;
  }
  if (mnemonic == "mv") {
    good = scalar(1, a) && comma(text, 2, "mv rA, rB") && scalar(2, b) && end_of_statement("mv rA, rB");
    word = opcode_word(row_of("addi")) | bits(FieldId::kAReg, a) | bits(FieldId::kBReg, b);
  } else if (mnemonic == "j") {
    good = target(row_of("jal"), 1) && end_of_statement("j label");
  } else if (mnemonic == "call") {  // call label, or call rA, label: the return address in rA
    a = kLinkRegister;
    const bool other = register_at(tokens_[at_]).kind == RegisterKind::kScalar;
    good = (!other || (scalar(1, a) && comma(text, 2, "call rA, label"))) && target(row_of("jal"), other ? 2 : 1) && end_of_statement("call label");
    word |= bits(FieldId::kAReg, a);
  } else if (mnemonic == "ret") {  // ret, or ret rA
    b = kLinkRegister;
    good = (tokens_[at_].kind == TokenKind::kEnd || scalar(1, b)) && end_of_statement("ret");
    word = opcode_word(row_of("jalr")) | bits(FieldId::kBReg, b);
  } else if (mnemonic == "bgt" || mnemonic == "ble") {  // a > b is b < a
    const std::string how = owner + " rA, rB, label";
    const spec::Instruction& row = row_of(mnemonic == "bgt" ? "blt" : "bge");
    good = scalar(1, a) && comma(text, 2, how) && scalar(2, b) && comma(text, 3, how) && target(row, 3) && end_of_statement(how);
    word |= bits(FieldId::kAReg, b) | bits(FieldId::kBReg, a);
  } else {
    const std::string how = owner + " rA, label";
    good = scalar(1, a) && comma(text, 2, how) && target(row_of(mnemonic == "beqz" ? "beq" : "bne"), 2) && end_of_statement(how);
    word |= bits(FieldId::kAReg, a);
  }
  if (good) {
    emit_instruction(word);
  } else {
    fixups_.resize(fixups);
  }
  return true;
}

}  // namespace waferloom::assembler
