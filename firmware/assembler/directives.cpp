// Directives: data, symbols, placement, tasks, descriptors.
#include <algorithm>

#include "firmware/assembler/session.h"

namespace waferloom::assembler {

void Session::directive(const Token& name) {
  struct Row {
    std::string_view text;
    void (*run)(Session&, const Token&);
  };
  static constexpr Row kRows[] = {
      {".word", [](Session& s, const Token& n) { s.data(Patch::kWord, 4, n); }},
      {".half", [](Session& s, const Token& n) { s.data(Patch::kHalf, 2, n); }},
      {".f16", [](Session& s, const Token& n) { s.data(Patch::kFloat16, 2, n); }},
      {".f32", [](Session& s, const Token& n) { s.data(Patch::kFloat32, 4, n); }},
      {".equ", [](Session& s, const Token&) { s.equ(); }},
      {".alias", [](Session& s, const Token&) { s.alias(); }},
      {".param", [](Session& s, const Token& n) { s.param(n); }},
      {".org", [](Session& s, const Token&) { s.org(); }},
      {".align", [](Session& s, const Token&) { s.align(); }},
      {".space", [](Session& s, const Token&) { s.space(); }},
      {".section", [](Session& s, const Token&) { s.section(); }},
      {".task", [](Session& s, const Token&) { s.task(); }},
      {".desc", [](Session& s, const Token&) { s.descriptor(); }},
      {".include", [](Session& s, const Token&) { s.include(); }},
      {".assert", [](Session& s, const Token& n) { s.check(n); }},
  };
  for (const Row& row : kRows) {
    if (row.text == name.text) {
      row.run(*this, name);
      return;
    }
  }
  std::vector<std::string_view> names{".if", ".elif", ".else", ".endif", ".rept", ".endr"};
  for (const Row& row : kRows) names.push_back(row.text);
  const std::string near = nearest(name.text, names);
  fail(name, "unknown directive '" + std::string(name.text) + "'", near.empty() ? "" : "did you mean '" + near + "'?");
}

// An expression whose value is needed at once; reports what is wrong and returns false.
bool Session::known_integer(int64_t& value, int64_t low, int64_t high, const char* what) {
  Fault fault;
  const Expression expression = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
  if (expression < 0) return fail(std::move(fault));
  Value result;
  if (!evaluate(expression, result, true)) return false;
  const Place& place = expressions_.place(expression);
  if (result.real) return fail(place, std::string(what) + " must be an integer");
  value = result.integer;
  if (value < low || value > high) {
    return fail(place, std::string(what) + " must be " + std::to_string(low) + " to " + std::to_string(high) + ", got " + std::to_string(value));
  }
  return true;
}

bool Session::end_of_statement(const std::string& how) {
  const Token& token = tokens_[at_];
  if (token.kind == TokenKind::kEnd) return true;
  if (token.kind == TokenKind::kBad) return fail(token, token.fault);
  return fail(token, "unexpected '" + std::string(token.text) + "' at the end of the statement", how.empty() ? "" : "written: " + how);
}

// .word, .half, .f16, .f32: expression, expression, ...
void Session::data(Patch kind, uint32_t bytes, const Token& name) {
  std::vector<Expression> values;
  while (true) {
    Fault fault;
    const Expression expression = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
    if (expression < 0) {
      fail(std::move(fault));
      return;
    }
    values.push_back(expression);
    if (!tokens_[at_].is(",")) break;
    ++at_;
  }
  if (!end_of_statement(std::string(name.text) + " value, value, ...")) return;
  const uint32_t address = here_;
  if (!reserve(static_cast<uint32_t>(values.size()) * bytes, bytes, false)) return;
  for (size_t i = 0; i < values.size(); ++i) add_fixup(kind, address + static_cast<uint32_t>(i) * bytes, values[i], bytes == 4 ? "a word" : "a half word");
}

// .equ NAME, expression
void Session::equ() {
  const Token name = tokens_[at_];
  if (name.kind != TokenKind::kName) {
    fail(name, "expected a name", "written: .equ NAME, expression");
    return;
  }
  ++at_;
  if (!comma(".equ", 2, ".equ NAME, expression")) return;
  Fault fault;
  const Expression expression = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
  if (expression < 0) {
    fail(std::move(fault));
  } else if (end_of_statement(".equ NAME, expression")) {
    define_constant(name, expression);
  }
}

// .alias NAME rN, or with a comma: from here on NAME is that register
void Session::alias() {
  const Token name = tokens_[at_];
  if (name.kind != TokenKind::kName) {
    fail(name, "expected a name", "written: .alias NAME d3");
    return;
  }
  ++at_;
  if (tokens_[at_].is(",")) ++at_;
  const Register target = register_at(tokens_[at_]);
  if (target.kind == RegisterKind::kNone) {
    fail(tokens_[at_], "expected a register (r0 to r15, d0 to d15)", "written: .alias NAME d3");
    return;
  }
  ++at_;
  if (!end_of_statement(".alias NAME d3")) return;
  Entry entry;
  entry.kind = EntryKind::kAlias;
  entry.descriptor = target.kind == RegisterKind::kDescriptor;
  entry.index = target.index;
  const auto old = symbols_.find(name.text);
  if (old != symbols_.end() && old->second.kind == EntryKind::kAlias) {  // a new name for another register, from here on
    entry.place = place_of(name);
    old->second = entry;
  } else {
    add_symbol(name, entry);
  }
}

// .param NAME [, default]: a value that may be given from outside, and must be without a default
void Session::param(const Token& name) {
  const Token symbol = tokens_[at_];
  if (symbol.kind != TokenKind::kName) {
    fail(symbol, "expected a name", "written: .param NAME, default");
    return;
  }
  ++at_;
  const auto given = symbols_.find(symbol.text);
  const bool is_given = given != symbols_.end() && given->second.kind == EntryKind::kGiven;
  if (!tokens_[at_].is(",")) {
    if (end_of_statement(".param NAME, default") && !is_given) fail(name, "the parameter '" + std::string(symbol.text) + "' is not given and has no default");
    return;
  }
  ++at_;
  Fault fault;
  const Expression expression = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
  if (expression < 0) {
    fail(std::move(fault));
  } else if (end_of_statement(".param NAME, default") && !is_given) {
    define_constant(symbol, expression);
  }
}

void Session::org() {
  int64_t address = 0;
  if (known_integer(address, 0, 0xffff, "the address") && end_of_statement(".org address")) here_ = static_cast<uint32_t>(address);
}

void Session::align() {
  const Token& at = tokens_[at_];
  int64_t bytes = 0;
  if (!known_integer(bytes, 1, 4096, "the alignment") || !end_of_statement(".align bytes")) return;
  if ((bytes & (bytes - 1)) != 0) {
    fail(at, "the alignment must be a power of two, got " + std::to_string(bytes));
    return;
  }
  here_ = (here_ + static_cast<uint32_t>(bytes) - 1) / static_cast<uint32_t>(bytes) * static_cast<uint32_t>(bytes);
}

// .space bytes: zeros that belong to the program
void Session::space() {
  int64_t bytes = 0;
  if (known_integer(bytes, 0, 0x10000, "the size") && end_of_statement(".space bytes") && bytes > 0) reserve(static_cast<uint32_t>(bytes), 1, false);
}

// .section NAME [, address]: leaves the current section where it is and goes on in another
void Session::section() {
  const Token name = tokens_[at_];
  if (name.kind != TokenKind::kName) {
    fail(name, "expected a name", "written: .section NAME, address");
    return;
  }
  ++at_;
  const std::string wanted(name.text);
  sections_[section_] = here_;
  const auto known = sections_.find(wanted);
  int64_t address = 0;
  if (tokens_[at_].is(",")) {
    ++at_;
    const Token& at = tokens_[at_];
    if (!known_integer(address, 0, 0xffff, "the address") || !end_of_statement(".section NAME, address")) return;
    if (known != sections_.end()) {
      fail(at, "the section '" + wanted + "' has an address already", "only the first .section of a name states it");
      return;
    }
  } else {
    if (!end_of_statement(".section NAME, address")) return;
    if (known == sections_.end()) {
      fail(name, "the section '" + wanted + "' is new and needs an address", "written: .section " + wanted + ", 0x2000");
      return;
    }
    address = known->second;
  }
  section_ = wanted;
  here_ = static_cast<uint32_t>(address);
}

// .task ID, entry
void Session::task() {
  int64_t id = 0;
  if (!known_integer(id, 0, spec::kTaskCount - 1, "the task") || !comma(".task", 2, ".task ID, label")) return;
  Fault fault;
  const Expression entry = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
  if (entry < 0) {
    fail(std::move(fault));
    return;
  }
  if (!end_of_statement(".task ID, label")) return;
  const uint32_t address = spec::kTaskTableBase + static_cast<uint32_t>(id) * spec::kTaskEntryBytes;
  if (reserve_at(address, spec::kTaskEntryBytes, false)) add_fixup(Patch::kTaskEntry, address, entry);
}

// .desc NAME field=value, ...: 16 bytes, aligned to 8; fields not named are zero
void Session::descriptor() {
  const Token name = tokens_[at_];
  if (name.kind != TokenKind::kName || tokens_[at_ + 1].is("=")) {
    fail(name, "expected the descriptor's name", "written: .desc NAME kind=mem1d, base=..., len0=...");
    return;
  }
  ++at_;
  here_ = (here_ + 7) & ~7u;
  const uint32_t address = here_;
  Entry entry;
  entry.kind = EntryKind::kDescriptor;
  entry.value = Value::of(address);
  add_symbol(name, entry);
  if (!reserve(16, 8, false)) return;
  if (tokens_[at_].is(",")) ++at_;
  uint32_t seen = 0;
  while (tokens_[at_].kind != TokenKind::kEnd) {
    const Token field = tokens_[at_];
    std::vector<std::string_view> names;
    int index = -1;
    for (int i = 0; i < spec::kDescriptorFieldCount; ++i) {
      names.emplace_back(spec::kDescriptorFields[i].name);
      if (names.back() == field.text) index = i;
    }
    if (field.kind != TokenKind::kName || index < 0) {
      const std::string near = nearest(field.text, names);
      fail(field, "unknown descriptor field '" + std::string(field.text) + "'", near.empty() ? "the fields are in docs/reference/registers.md" : "did you mean '" + near + "'?");
      return;
    }
    if ((seen >> index & 1u) != 0) {
      fail(field, "the field '" + std::string(field.text) + "' is given twice");
      return;
    }
    seen |= 1u << index;
    ++at_;
    if (!tokens_[at_].is("=")) {
      fail(tokens_[at_], "expected '=' after '" + std::string(field.text) + "'");
      return;
    }
    ++at_;
    if (!descriptor_value(spec::kDescriptorFields[index], address, static_cast<uint8_t>(index))) return;
    if (tokens_[at_].kind == TokenKind::kEnd) break;
    if (!comma(".desc", 0, ".desc NAME field=value, field=value, ...")) return;
    if (tokens_[at_].kind == TokenKind::kEnd) {
      fail(tokens_[at_], "a field is missing after the comma");
      return;
    }
  }
}

bool Session::descriptor_value(const spec::DescriptorField& row, uint32_t address, uint8_t index) {
  const Token token = tokens_[at_];
  std::vector<std::string_view> names;
  for (const char* name : row.names) {
    if (name != nullptr) names.emplace_back(name);
  }
  if (token.kind == TokenKind::kName) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == token.text) {
        ++at_;
        add_fixup(Patch::kDescriptorField, address, expressions_.literal(static_cast<int64_t>(i), place_of(token)), row.name, spec::FieldId::kImm, index);
        return true;
      }
    }
    if (!names.empty() && symbols_.find(token.text) == symbols_.end()) {
      std::string all;
      for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
      const std::string near = nearest(token.text, names);
      return fail(token, "'" + std::string(token.text) + "' is not a value of " + row.name, near.empty() ? "one of " + all : "did you mean '" + near + "'?");
    }
  }
  Fault fault;
  const Expression expression = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
  if (expression < 0) return fail(std::move(fault));
  add_fixup(Patch::kDescriptorField, address, expression, row.name, spec::FieldId::kImm, index);
  return true;
}

// .assert condition [, "text"]: for parameters that a program cannot work with
void Session::check(const Token& name) {
  int64_t value = 0;
  if (!known_integer(value, INT64_MIN, INT64_MAX, "the condition")) return;
  std::string text = "the program's condition does not hold";
  if (tokens_[at_].is(",")) {
    ++at_;
    if (tokens_[at_].kind != TokenKind::kString) {
      fail(tokens_[at_], "expected a text in quotes");
      return;
    }
    text = std::string(tokens_[at_++].text);
  }
  if (end_of_statement(".assert condition, \"text\"") && value == 0) fail(name, text);
}

}  // namespace waferloom::assembler
