#include "firmware/assembler/session.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

namespace waferloom::assembler {
namespace {

constexpr uint64_t kMaxStatements = 1000000;
constexpr size_t kMaxLineLength = 10000;
constexpr int kMaxRepeats = 65536;

// The directive that a line starts with, or "". Blocks are found by it.
std::string_view directive_of(std::string_view line) {
  const size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || line[start] != '.') return {};
  size_t end = start + 1;
  while (end < line.size() && line[end] >= 'a' && line[end] <= 'z') ++end;
  return line.substr(start, end - start);
}

bool read_file(const std::string& path, std::string& text) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream all;
  all << stream.rdbuf();
  text = all.str();
  return !stream.bad();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  size_t best = std::max<size_t>(1, word.size() / 3) + 1;
  std::string found;
  std::vector<size_t> before;  // three rows of the distance table: two characters swapped count once
  std::vector<size_t> above;
  std::vector<size_t> row;
  for (const std::string_view candidate : candidates) {
    before.assign(candidate.size() + 1, 0);
    row.assign(candidate.size() + 1, 0);
    above.resize(candidate.size() + 1);
    for (size_t j = 0; j < above.size(); ++j) above[j] = j;
    for (size_t i = 1; i <= word.size(); ++i) {
      row[0] = i;
      for (size_t j = 1; j < row.size(); ++j) {
        row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (word[i - 1] == candidate[j - 1] ? 0 : 1)});
        if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
      }
      std::swap(before, above);
      std::swap(above, row);
    }
    if (above.back() < best) {
      best = above.back();
      found = candidate;
    }
  }
  return found;
}

Session::Session(const Assembler& setup)
    : setup_(setup), sram_bytes_(setup.sram_bytes_ != 0 ? setup.sram_bytes_ : spec::kSramBytes) {
  here_ = spec::kTaskTableBase + static_cast<uint32_t>(spec::kTaskCount) * spec::kTaskEntryBytes;
  symbols_.reserve(512);
  for (const spec::BuiltIn& row : spec::kBuiltIns) {
    Entry entry;
    entry.kind = EntryKind::kBuiltIn;
    entry.value = Value::of(row.value);
    symbols_.emplace(row.name, entry);
  }
  for (const auto& [name, given] : setup.given_) {
    Entry entry;
    entry.kind = EntryKind::kGiven;
    entry.value = given.real ? Value::of_real(given.number) : Value::of(given.value);
    symbols_[name] = entry;
  }
}

uint32_t Session::add_source(std::string name, std::string text) {
  program_.sources.push_back({std::move(name), std::make_shared<const std::string>(std::move(text))});
  return static_cast<uint32_t>(program_.sources.size() - 1);
}

void Session::run_file(const std::string& path) {
  std::string text;
  if (!read_file(path, text)) {
    Error error;
    error.where.file = path;
    error.message = "the file cannot be read";
    error.unreadable = true;
    errors_.push_back(error);
    return;
  }
  run_text(path, std::move(text));
}

void Session::run_text(const std::string& name, std::string text) {
  including_.push_back(name);
  run_source(add_source(name, std::move(text)));
  including_.pop_back();
}

void Session::run_source(uint32_t file) {
  const std::string_view text = *program_.sources[file].text;
  std::vector<Line> lines;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    lines.push_back({file, static_cast<int>(lines.size()) + 1, text.substr(at, end - at)});
    at = end + 1;
  }
  run_lines(lines, 0, lines.size());
}

void Session::run_lines(const std::vector<Line>& lines, size_t first, size_t last) {
  for (size_t i = first; i < last && !stopped_; ++i) {
    const std::string_view word = directive_of(lines[i].text);
    if (word == ".if") {
      i = run_condition(lines, i, last);
    } else if (word == ".rept") {
      i = run_repeat(lines, i, last);
    } else {
      load(lines[i]);
      if (word == ".else" || word == ".elif" || word == ".endif" || word == ".endr") {
        fail(tokens_[0], std::string(word) + " closes nothing", word == ".endr" ? "a block starts with .rept" : "a block starts with .if");
      } else {
        statement();
      }
    }
  }
}

// .if, .elif, .else, .endif: runs the first branch whose condition is not zero. Returns the line of .endif.
size_t Session::run_condition(const std::vector<Line>& lines, size_t at, size_t last) {
  std::vector<size_t> heads{at};
  int depth = 0;
  size_t i = at + 1;
  for (; i < last; ++i) {
    const std::string_view word = directive_of(lines[i].text);
    if (word == ".if") ++depth;
    if (word == ".endif" && depth-- == 0) break;
    if (depth == 0 && (word == ".elif" || word == ".else")) heads.push_back(i);
  }
  load(lines[at]);
  if (i == last) {
    fail(tokens_[0], ".if is never closed", "add .endif");
    return last;
  }
  heads.push_back(i);
  for (size_t branch = 0; branch + 1 < heads.size(); ++branch) {
    load(lines[heads[branch]]);
    const bool otherwise = tokens_[0].text == ".else";
    if (otherwise && branch + 2 != heads.size()) {
      fail(tokens_[0], ".else must be the last branch");
      break;
    }
    int64_t value = 1;
    at_ = 1;
    if (!otherwise && !known_integer(value, INT64_MIN, INT64_MAX, "the condition")) break;
    if (!end_of_statement("")) break;
    if (value != 0) {
      run_lines(lines, heads[branch] + 1, heads[branch + 1]);
      break;
    }
  }
  return i;
}

// .rept count [, variable] ... .endr; the variable is 0, 1, 2, ... Returns the line of .endr.
size_t Session::run_repeat(const std::vector<Line>& lines, size_t at, size_t last) {
  int depth = 0;
  size_t i = at + 1;
  for (; i < last; ++i) {
    const std::string_view word = directive_of(lines[i].text);
    if (word == ".rept") ++depth;
    if (word == ".endr" && depth-- == 0) break;
  }
  load(lines[at]);
  if (i == last) {
    fail(tokens_[0], ".rept is never closed", "add .endr");
    return last;
  }
  at_ = 1;
  int64_t count = 0;
  if (!known_integer(count, 0, kMaxRepeats, "the number of repetitions")) return i;
  std::string_view variable;
  if (tokens_[at_].is(",")) {
    ++at_;
    if (tokens_[at_].kind != TokenKind::kName) {
      fail(tokens_[at_], "expected the name of the loop's variable");
      return i;
    }
    variable = tokens_[at_++].text;
  }
  if (!end_of_statement(".rept count, variable")) return i;
  for (int64_t k = 0; k < count && !stopped_; ++k) {
    if (!variable.empty()) loop_variables_.emplace_back(variable, k);
    run_lines(lines, at + 1, i);
    if (!variable.empty()) loop_variables_.pop_back();
  }
  return i;
}

// Makes `line` the current one.
void Session::load(const Line& line) {
  line_ = line;
  tokens_.clear();
  at_ = 0;
  tokenize(line.text.substr(0, std::min(line.text.size(), kMaxLineLength)), tokens_);
  for (Token& token : tokens_) {
    if (token.kind != TokenKind::kName) continue;
    for (size_t k = loop_variables_.size(); k-- > 0;) {
      if (loop_variables_[k].first == token.text) {
        token.kind = TokenKind::kInteger;
        token.integer = loop_variables_[k].second;
        token.real = static_cast<double>(token.integer);
        break;
      }
    }
  }
}

void Session::statement() {
  if (line_.text.size() > kMaxLineLength) {
    fail(tokens_[0], "the line is longer than " + std::to_string(kMaxLineLength) + " characters");
    return;
  }
  if (++statements_ > kMaxStatements) {
    fail(tokens_[0], "the program is longer than " + std::to_string(kMaxStatements) + " statements");
    stopped_ = true;
    return;
  }
  while (tokens_[at_].kind == TokenKind::kName && tokens_[at_ + 1].is(":")) {
    define_label(tokens_[at_]);
    at_ += 2;
  }
  const Token first = tokens_[at_];
  if (first.kind == TokenKind::kEnd) return;
  if (first.kind == TokenKind::kBad) {
    fail(first, first.fault);
    return;
  }
  if (first.kind != TokenKind::kName) {
    fail(first, "expected a label, a directive or an instruction, found '" + std::string(first.text) + "'");
    return;
  }
  ++at_;
  if (tokens_[at_].is("=")) {
    ++at_;
    Fault fault;
    const Expression expression = expressions_.parse(tokens_, at_, line_.file, line_.number, here_, fault);
    if (expression < 0) {
      fail(std::move(fault));
    } else if (end_of_statement("name = expression")) {
      define_constant(first, expression);
    }
  } else if (first.text.front() == '.') {
    directive(first);
  } else {
    instruction(first);
  }
}

bool Session::add_symbol(const Token& name, Entry entry) {
  if (register_at(name).kind != RegisterKind::kNone && symbols_.find(name.text) == symbols_.end()) {
    return fail(name, "'" + std::string(name.text) + "' is a register and cannot be a symbol");
  }
  if (name.text.front() == '.') return fail(name, "a symbol cannot start with '.'");
  entry.place = place_of(name);
  const auto [it, added] = symbols_.emplace(name.text, entry);
  if (added) return true;
  const Entry& old = it->second;
  std::string message = "'" + std::string(name.text) + "' is already defined";
  if (old.kind == EntryKind::kBuiltIn) return fail(name, message + " (it is built in)");
  if (old.kind == EntryKind::kGiven) return fail(name, message + " (it is given from outside)", ".param NAME, DEFAULT takes a given value or the default");
  const Location there = locate(old.place);
  return fail(name, message + " in " + there.file + ":" + std::to_string(there.line));
}

void Session::define_label(const Token& name) {
  Entry entry;
  entry.kind = EntryKind::kLabel;
  entry.value = Value::of(here_);
  add_symbol(name, entry);
}

void Session::define_constant(const Token& name, Expression expression) {
  Entry entry;
  entry.kind = EntryKind::kConstant;
  entry.state = Entry::State::kPending;
  entry.expression = expression;
  add_symbol(name, entry);
}

bool Session::lookup(std::string_view name, const Place& place, Value& value, Fault& fault, bool first_pass) {
  const auto it = symbols_.find(name);
  const std::string quoted = "'" + std::string(name) + "'";
  if (it == symbols_.end()) {
    Token token;
    token.text = name;
    if (register_at(token).kind != RegisterKind::kNone) {
      fault = {place, quoted + " is a register; a number is needed here", {}};
    } else if (first_pass) {
      fault = {place, quoted + " is not known here", "this place needs a value at once: define it above"};
    } else {
      const std::string near = nearest_symbol(name);
      fault = {place, "unknown symbol " + quoted, near.empty() ? "" : "did you mean '" + near + "'?"};
    }
    return false;
  }
  Entry& entry = it->second;
  if (entry.kind == EntryKind::kAlias) {
    fault = {place, quoted + " is a register; a number is needed here", {}};
    return false;
  }
  if (entry.state == Entry::State::kBusy) {
    fault = {place, quoted + " is defined by itself", {}};
    return false;
  }
  if (entry.state == Entry::State::kPending) {
    entry.state = Entry::State::kBusy;
    const Expression expression = entry.expression;
    Value result;
    const bool good = expressions_.evaluate(
        expression, [&](std::string_view n, const Place& p, Value& v, Fault& f) { return lookup(n, p, v, f, first_pass); }, result, fault);
    Entry& again = symbols_.find(name)->second;
    again.state = good ? Entry::State::kDone : Entry::State::kPending;
    if (!good) return false;
    again.value = result;
  }
  value = symbols_.find(name)->second.value;
  return true;
}

bool Session::evaluate(Expression expression, Value& value, bool first_pass) {
  Fault fault;
  const bool good = expressions_.evaluate(
      expression, [&](std::string_view n, const Place& p, Value& v, Fault& f) { return lookup(n, p, v, f, first_pass); }, value, fault);
  if (!good) fail(std::move(fault));
  return good;
}

std::string Session::nearest_symbol(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const auto& [symbol, entry] : symbols_) names.push_back(symbol);
  std::sort(names.begin(), names.end());
  return nearest(name, names);
}

Place Session::place_of(const Token& token) const { return {line_.file, line_.number, token.column, token.length()}; }

Location Session::locate(const Place& place) const { return {program_.sources[place.file].name, place.line, place.column, place.length}; }

// Always false, so that a parser can return it.
bool Session::fail(const Place& place, std::string message, std::string hint) {
  if (errors_.size() >= static_cast<size_t>(kMaxErrors)) {
    stopped_ = true;
    return false;
  }
  Error error;
  error.where = locate(place);
  error.message = std::move(message);
  error.hint = std::move(hint);
  const std::string_view text = *program_.sources[place.file].text;
  size_t start = 0;
  for (int line = 1; line < place.line && start != std::string_view::npos; ++line) {
    start = text.find('\n', start);
    if (start != std::string_view::npos) ++start;
  }
  if (start != std::string_view::npos) error.source_line = std::string(text.substr(start, text.find('\n', start) - start));
  errors_.push_back(std::move(error));
  return false;
}

Outcome Session::finish() {
  for (const Fixup& fixup : fixups_) {
    if (stopped_) break;
    apply(fixup);
  }
  for (auto& [name, entry] : symbols_) {
    if (entry.kind == EntryKind::kBuiltIn || entry.kind == EntryKind::kAlias) continue;
    if (entry.state != Entry::State::kDone) {
      Value value;
      if (stopped_ || !errors_.empty()) break;
      if (!evaluate(entry.expression, value, false)) continue;
      entry.value = value;
      entry.state = Entry::State::kDone;
    }
    static constexpr Symbol::Kind kKinds[] = {Symbol::Kind::kLabel, Symbol::Kind::kConstant, Symbol::Kind::kDescriptor, Symbol::Kind::kGiven};
    const Value& v = entry.value;
    program_.symbols[std::string(name)] = {kKinds[static_cast<int>(entry.kind)], v.real ? static_cast<int64_t>(v.number) : v.integer, v.number};
  }
  Outcome outcome;
  if (errors_.empty()) {
    program_.image.resize((program_.image.size() + 7) / 8 * 8, 0);
    outcome.program = std::move(program_);
  } else {
    std::stable_sort(errors_.begin(), errors_.end(), [](const Error& a, const Error& b) { return std::tie(a.where.file, a.where.line) < std::tie(b.where.file, b.where.line); });
    outcome.errors = std::move(errors_);
  }
  return outcome;
}

void Assembler::define(std::string_view name, int64_t value) { given_[std::string(name)] = {false, value, static_cast<double>(value)}; }
void Assembler::define_real(std::string_view name, double value) { given_[std::string(name)] = {true, 0, value}; }
void Assembler::add_include_folder(std::string folder) { include_folders_.push_back(std::move(folder)); }
void Assembler::set_sram_bytes(uint32_t bytes) { sram_bytes_ = bytes; }

Outcome Assembler::assemble_file(const std::string& path) const {
  Session session(*this);
  session.run_file(path);
  return session.finish();
}

Outcome Assembler::assemble_text(const std::string& name, std::string text) const {
  Session session(*this);
  session.run_text(name, std::move(text));
  return session.finish();
}

// .include "file"
void Session::include() {
  const Token name = tokens_[at_];
  if (name.kind != TokenKind::kString) {
    fail(name, "expected a file name in quotes");
    return;
  }
  ++at_;
  if (!end_of_statement(".include \"file\"")) return;
  namespace fs = std::filesystem;
  const fs::path wanted{std::string(name.text)};
  std::vector<fs::path> tries{wanted.is_absolute() ? wanted : fs::path(program_.sources[line_.file].name).parent_path() / wanted};
  if (!wanted.is_absolute()) {
    for (const std::string& folder : setup_.include_folders_) tries.push_back(fs::path(folder) / wanted);
  }
  for (const fs::path& path : tries) {
    const std::string full = path.lexically_normal().string();
    std::string text;
    if (std::find(including_.begin(), including_.end(), full) != including_.end()) {
      fail(name, "'" + full + "' includes itself");
      return;
    }
    if (!read_file(full, text)) continue;
    const Line line = line_;
    run_text(full, std::move(text));
    line_ = line;
    return;
  }
  fail(name, "the file '" + std::string(name.text) + "' cannot be read");
  if (!errors_.empty()) errors_.back().unreadable = true;
}

}  // namespace waferloom::assembler
