#include "sim/plugin/statements.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace waferloom::plugin {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}
  bool run(Statements* out) {
    list(out);
    return understood_ && at_ == text_.size();
  }

 private:
  void skip() {
    for (;;) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      if (text_.compare(at_, 2, "//") == 0) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.compare(at_, 2, "/*") == 0) {
        const size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }
  bool word(const char* w) const {
    const size_t n = std::char_traits<char>::length(w);
    return text_.compare(at_, n, w) == 0 && (at_ + n >= text_.size() || !is_name(text_[at_ + n]));
  }
  void fail() {
    understood_ = false;
    at_ = text_.size();
  }
  void list(Statements* out) {
    for (skip(); at_ < text_.size() && text_[at_] != '}'; skip()) {
      out->emplace_back();
      statement(&out->back());
    }
  }
  void block(Statements* out) {
    skip();
    if (at_ >= text_.size() || text_[at_] != '{') return fail();
    ++at_;
    list(out);
    if (at_ >= text_.size()) return fail();
    ++at_;
  }
  // From `begin` to the parenthesis that closes the first one.
  void head(size_t begin, std::string* out) {
    skip();
    if (at_ >= text_.size() || text_[at_] != '(') return fail();
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')' && --depth == 0) break;
    }
    if (at_ >= text_.size()) return fail();
    ++at_;
    *out = text_.substr(begin, at_ - begin);
  }
  void statement(Statement* s) {
    for (const char* w : {"goto", "switch", "do", "return", "break", "continue", "case"}) {
      if (word(w)) return fail();
    }
    const size_t begin = at_;
    if (text_[at_] == '{') {
      s->kind = Statement::Kind::kBlock;
      return block(&s->body);
    }
    if (word("if")) {
      s->kind = Statement::Kind::kIf;
      at_ += 2;
      head(begin, &s->text);
      block(&s->body);
      skip();
      if (!word("else")) return;
      at_ += 4;
      skip();
      if (!word("if")) return block(&s->otherwise);
      s->otherwise.emplace_back();
      return statement(&s->otherwise.back());
    }
    if (word("for") || word("while")) {
      s->kind = Statement::Kind::kLoop;
      at_ += word("for") ? 3 : 5;
      head(begin, &s->text);
      return block(&s->body);
    }
    bool quoted = false;
    int depth = 0;  // newer Verilators put function literals into expressions
    for (; at_ < text_.size() && (quoted || depth > 0 || text_[at_] != ';'); ++at_) {
      if (text_[at_] == '\\') ++at_;
      else if (text_[at_] == '"') quoted = !quoted;
      else if (quoted) continue;
      else if (text_[at_] == '(') ++depth;
      else if (text_[at_] == ')') --depth;
      else if (depth == 0 && (text_[at_] == '{' || text_[at_] == '}')) return fail();
    }
    if (at_ >= text_.size()) return fail();
    ++at_;
    s->text = text_.substr(begin, at_ - begin);
  }

  const std::string& text_;
  size_t at_ = 0;
  bool understood_ = true;
};

class Definite {
 public:
  explicit Definite(const std::vector<Member>& members) : members_(members) {
    size_t word = 0;
    for (size_t k = 0; k < members.size(); ++k) {
      index_[members[k].name] = k;
      first_word_.push_back(word);
      word += members[k].words;
    }
    assigned_.assign(word, false);
    bad_.assign(members.size(), false);
    seen_.assign(members.size(), false);
  }
  void walk(const Statements& list) {
    for (const Statement& s : list) {
      switch (s.kind) {
        case Statement::Kind::kSimple: simple(s.text); break;
        case Statement::Kind::kBlock: walk(s.body); break;
        case Statement::Kind::kLoop: {
          uses(s.text, 0);
          const std::vector<bool> before = assigned_;
          walk(s.body);
          assigned_ = before;
          break;
        }
        case Statement::Kind::kIf: {
          uses(s.text, 0);
          const std::vector<bool> before = assigned_;
          walk(s.body);
          const std::vector<bool> then = assigned_;
          assigned_ = before;
          walk(s.otherwise);
          for (size_t k = 0; k < assigned_.size(); ++k) assigned_[k] = assigned_[k] && then[k];
          break;
        }
      }
    }
  }
  std::vector<bool> result() const {
    std::vector<bool> out(members_.size());
    for (size_t k = 0; k < out.size(); ++k) out[k] = seen_[k] && !bad_[k];
    return out;
  }

 private:
  void simple(const std::string& text) {
    const Target t = target_of(text);
    const auto found = t.found && t.member ? index_.find(t.name) : index_.end();
    if (found == index_.end() || (!t.whole && t.word >= members_[found->second].words)) return uses(text, 0);
    uses(text, t.uses_from);
    seen_[found->second] = true;
    const size_t first = first_word_[found->second];
    if (!t.whole) {
      assigned_[first + t.word] = true;
    } else {
      for (size_t k = 0; k < members_[found->second].words; ++k) assigned_[first + k] = true;
    }
  }
  void uses(const std::string& text, size_t from) {
    Mention m{};
    for (size_t at = from; next_mention(text, at, &m); at = m.end) {
      const auto found = index_.find(text.substr(m.name, m.end - m.name));
      if (found == index_.end()) continue;
      seen_[found->second] = true;
      for (size_t k = 0; k < members_[found->second].words; ++k) {
        if (!assigned_[first_word_[found->second] + k]) bad_[found->second] = true;
      }
    }
  }

  const std::vector<Member>& members_;
  std::unordered_map<std::string, size_t> index_;
  std::vector<size_t> first_word_;
  std::vector<bool> assigned_, bad_, seen_;
};

template <typename F>
void each_name(const std::string& text, size_t from, const F& f) {
  for (size_t at = from; at < text.size();) {
    if (!is_name(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    if (!std::isdigit(static_cast<unsigned char>(text[at]))) f(text.substr(at, end - at));
    at = end;
  }
}

template <typename F>
void each_text(Statements* list, const F& f) {
  for (Statement& s : *list) {
    f(&s.text);
    each_text(&s.body, f);
    each_text(&s.otherwise, f);
  }
}

// The name that a declaration without a value introduces ("CData/*3:0*/ x;"), or "".
std::string declared(const std::string& text) {
  size_t end = text.size() - 1;
  size_t begin = end;
  while (begin > 0 && is_name(text[begin - 1])) --begin;
  if (begin == 0 || begin == end || text[begin - 1] != ' ') return "";
  for (const char* type : {"CData", "SData", "IData", "QData", "VlWide"}) {
    if (text.compare(0, std::char_traits<char>::length(type), type) == 0) return text.substr(begin, end - begin);
  }
  return "";
}

class Unused {
 public:
  explicit Unused(bool (*dead_member)(const std::string& name)) : dead_member_(dead_member) {}
  void walk(Statements* list) {
    Statements kept;
    for (size_t k = list->size(); k-- > 0;) {
      if (keep(&(*list)[k])) kept.push_back(std::move((*list)[k]));
    }
    list->assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

 private:
  void use(const std::string& text, size_t from) {
    each_name(text, from, [this](const std::string& name) { used_.insert(name); });
  }
  void use_all(Statements* list) {
    each_text(list, [this](std::string* text) { use(*text, 0); });
  }
  bool keep(Statement* s) {
    if (s->kind == Statement::Kind::kBlock) {
      walk(&s->body);
      return !s->body.empty();
    }
    if (s->kind == Statement::Kind::kLoop) {  // what it uses it may use again
      use(s->text, 0);
      use_all(&s->body);
      return true;
    }
    if (s->kind == Statement::Kind::kIf) {
      walk(&s->otherwise);
      walk(&s->body);
      if (s->body.empty() && s->otherwise.empty() && !has_literal(s->text)) return false;
      use(s->text, 0);
      return true;
    }
    const std::string name = declared(s->text);
    if (!name.empty()) return used_.count(name) != 0;
    const Target t = target_of(s->text);
    const bool dead = t.found && (t.member ? dead_member_(t.name) : used_.count(t.name) == 0);
    if (dead && !has_literal(s->text)) return false;
    use(s->text, t.found ? t.uses_from : 0);
    return true;
  }

  // A function literal assigns too.
  static bool has_literal(const std::string& text) { return text.find("[&]") != std::string::npos; }

  bool (*dead_member_)(const std::string& name);
  std::unordered_set<std::string> used_;
};

bool begins(const std::string& text, const char* head) { return text.compare(0, std::char_traits<char>::length(head), head) == 0; }
// Verilator 5.006 and 5.032 name the parts of a delayed assignment to an array: its flag; its value and place.
bool is_flag(const std::string& name) { return begins(name, "__Vdlyvset__") || begins(name, "__VdlySet__"); }
bool is_behind_flag(const std::string& name) {
  for (const char* head : {"__Vdlyvval__", "__Vdlyvdim", "__Vdlyvlsb__", "__VdlyVal__", "__VdlyDim", "__VdlyLsb__"}) {
    if (begins(name, head)) return true;
  }
  return false;
}

}  // namespace

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool parse_statements(const std::string& text, Statements* out) { return Parser(text).run(out); }

void write_statements(const Statements& statements, std::string* out) {
  for (const Statement& s : statements) {
    if (s.kind == Statement::Kind::kSimple) {
      *out += s.text + "\n";
      continue;
    }
    *out += s.text + " {\n";
    write_statements(s.body, out);
    *out += "}\n";
    if (s.otherwise.empty()) continue;
    *out += "else {\n";
    write_statements(s.otherwise, out);
    *out += "}\n";
  }
}

bool next_mention(const std::string& text, size_t from, Mention* out) {
  for (size_t at = text.find("vlSelf", from); at != std::string::npos; at = text.find("vlSelf", at + 6)) {
    if (at > 0 && is_name(text[at - 1])) continue;
    size_t name = at + 6;
    if (text.compare(name, 2, "->") == 0) name += 2;
    else if (text.compare(name, 4, "Ref.") == 0) name += 4;
    else continue;
    size_t end = name;
    while (end < text.size() && is_name(text[end])) ++end;
    *out = {at, name, end};
    return true;
  }
  return false;
}

std::set<std::string> mentioned_members(const std::string& text) {
  std::set<std::string> out;
  Mention m{};
  for (size_t at = 0; next_mention(text, at, &m); at = m.end) out.insert(text.substr(m.name, m.end - m.name));
  return out;
}

Target target_of(const std::string& text) {
  Target t;
  size_t at = 0;
  bool macro = false;
  for (const char* name : {"VL_ASSIGN_W(", "VL_ZERO_W(", "VL_ZERO_RESET_W("}) {
    const size_t n = std::char_traits<char>::length(name);
    if (text.compare(0, n, name) != 0) continue;
    const size_t comma = text.find(',', n);
    if (comma == std::string::npos) return t;
    at = text.find_first_not_of(" \n", comma + 1);
    macro = true;
  }
  if (at == std::string::npos) return t;
  Mention m{};
  size_t end = at;
  if (next_mention(text, at, &m) && m.start == at) {
    t.member = true;
    at = m.name;
    end = m.end;
  } else {
    while (end < text.size() && is_name(text[end])) ++end;
  }
  if (end == at) return t;
  t.name = text.substr(at, end - at);
  size_t after = text.find_first_not_of(" \n", end);
  if (macro) {
    t.found = after != std::string::npos && (text[after] == ',' || text[after] == ')');
    t.uses_from = end;
    return t;
  }
  if (after != std::string::npos && text[after] == '[') {  // x[2U] = ...
    char* rest = nullptr;
    t.word = static_cast<unsigned>(std::strtoul(text.c_str() + after + 1, &rest, 10));
    const size_t digits_end = static_cast<size_t>(rest - text.c_str());
    if (digits_end == after + 1 || text.compare(digits_end, 2, "U]") != 0) return t;
    t.whole = false;
    after = text.find_first_not_of(" \n", digits_end + 2);
  }
  t.found = after != std::string::npos && after + 1 < text.size() && text[after] == '=' && text[after + 1] != '=';
  t.uses_from = after == std::string::npos ? 0 : after + 1;
  return t;
}

std::vector<bool> assigned_before_use(const Statements& statements, const std::vector<Member>& members) {
  Definite walk(members);
  walk.walk(statements);
  return walk.result();
}

void make_local(Statements* statements, const std::set<std::string>& names) {
  each_text(statements, [&names](std::string* text) {
    std::string out;
    size_t from = 0;
    Mention m{};
    for (size_t at = 0; next_mention(*text, at, &m); at = m.end) {
      if (names.count(text->substr(m.name, m.end - m.name)) == 0) continue;
      out.append(*text, from, m.start - from);
      from = m.name;
    }
    if (from != 0) *text = out.append(*text, from, std::string::npos);
  });
}

void drop_assignments(Statements* statements, bool (*which)(const std::string& name)) {
  Statements kept;
  for (Statement& s : *statements) {
    drop_assignments(&s.body, which);
    drop_assignments(&s.otherwise, which);
    const Target t = s.kind == Statement::Kind::kSimple ? target_of(s.text) : Target{};
    if (!t.found || !t.member || !which(t.name)) kept.push_back(std::move(s));
  }
  *statements = std::move(kept);
}

void drop_unused(Statements* statements, bool (*dead_member)(const std::string& name)) { Unused(dead_member).walk(statements); }

void gather_flags(Statements* statements, std::string* declarations) {
  // How often each flag is named, and in how many places of the forms that are understood.
  std::map<std::string, int> named, understood;
  each_text(statements, [&](std::string* text) {
    each_name(*text, 0, [&](const std::string& name) {
      if (is_flag(name)) ++named[name];
    });
    const std::string name = declared(*text);
    const Target t = target_of(*text);
    if (is_flag(name)) ++understood[name];
    if (t.found && !t.member && is_flag(t.name)) {
      const std::string value = text->substr(text->find_first_not_of(" \n", t.uses_from));
      if (value == "0;" || value == "0U;" || value == "1U;") ++understood[t.name];
    }
  });
  const auto tested = [&](const Statement& s) {
    if (s.kind != Statement::Kind::kIf || !s.otherwise.empty() || s.text.size() < 6 || !is_flag(s.text.substr(4))) return std::string();
    const std::string name = s.text.substr(4, s.text.size() - 5);
    for (const char c : name) {
      if (!is_name(c)) return std::string();
    }
    return named[name] == understood[name] + 1 ? name : std::string();
  };
  constexpr unsigned kMost = 8;
  std::map<std::string, std::pair<std::string, std::string>> place;  // flag to variable and bit
  unsigned variables = 0;
  const auto gather = [&](Statements* list) {
    Statements out;
    for (size_t k = 0; k < list->size();) {
      Statement group;
      group.kind = Statement::Kind::kIf;
      const std::string variable = "wl_set" + std::to_string(variables);
      for (; k < list->size() && group.body.size() < kMost; ++k) {
        const std::string name = tested((*list)[k]);
        if (name.empty()) break;
        const std::string bit = std::to_string(1u << group.body.size()) + "U";
        place[name] = {variable, bit};
        (*list)[k].text = "if (" + variable + " & " + bit + ")";
        group.body.push_back(std::move((*list)[k]));
      }
      if (group.body.empty()) {
        out.push_back(std::move((*list)[k++]));
        continue;
      }
      *declarations += "uint32_t " + variable + " = 0;\n";
      ++variables;
      group.text = "if (" + variable + ")";
      out.push_back(std::move(group));
    }
    *list = std::move(out);
  };
  for (Statement& s : *statements) {
    if (s.kind == Statement::Kind::kBlock) gather(&s.body);
  }
  // Values and places of delayed assignments are looked at only behind their flag: they need no start value.
  const auto undefined = [](const Target& t, const std::string& text) {
    return t.found && !t.member && is_behind_flag(t.name) && text.compare(t.uses_from, 3, " 0;") == 0;
  };
  each_text(statements, [&](std::string* text) {
    const std::string name = declared(*text);
    if (undefined(target_of(*text), *text)) {
      *text = ";";
      return;
    }
    if (place.count(name) != 0) {
      *text = ";";
      return;
    }
    const Target t = target_of(*text);
    if (!t.found || t.member || place.count(t.name) == 0) return;
    const auto& [variable, bit] = place[t.name];
    *text = text->find("1U", t.uses_from) != std::string::npos ? variable + " |= " + bit + ";" : ";";
  });
}

}  // namespace waferloom::plugin
