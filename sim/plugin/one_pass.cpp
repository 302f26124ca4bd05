#include "sim/plugin/one_pass.h"

#include <regex>
#include <set>
#include <sstream>

#include "sim/plugin/statements.h"

namespace waferloom::plugin {
namespace {

// A definition `NAME(...) {...}` in a file.
struct Definition {
  std::string file;
  size_t open = 0;   // of the brace
  size_t close = 0;
};

size_t matching(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string::npos;
}

// All functions of the root class's kind, by name.
std::multimap<std::string, Definition> definitions(const std::map<std::string, std::string>& files, const std::string& root) {
  std::multimap<std::string, Definition> out;
  for (const auto& [file, text] : files) {
    for (size_t at = text.find(root + "___"); at != std::string::npos; at = text.find(root + "___", at + 1)) {
      if (at > 0 && is_name(text[at - 1])) continue;
      size_t end = at;
      while (end < text.size() && is_name(text[end])) ++end;
      if (end >= text.size() || text[end] != '(') continue;
      const size_t paren = text.find(')', end);
      if (paren == std::string::npos) continue;
      const size_t brace = text.find_first_not_of(" \n", paren + 1);
      if (brace == std::string::npos || text[brace] != '{') continue;
      const size_t close = matching(text, brace);
      if (close == std::string::npos) continue;
      out.emplace(text.substr(at, end - at), Definition{file, brace, close});
      at = close;
    }
  }
  return out;
}

// The member's name in its own module.
std::string own_name(const std::string& member) {
  const size_t dot = member.rfind("__DOT__");
  return dot == std::string::npos ? member : member.substr(dot + 7);
}

bool is_split(const std::string& member) { return own_name(member).compare(0, 6, "split_") == 0; }

// Scalars and wide words of the root class that are no registers.
std::vector<Member> read_members(const std::string& header) {
  static const std::regex declaration("^\\s*((?:[CSIQ]Data|VlWide<(\\d+)>)/\\*\\d+:\\d+\\*/) (\\w+);$");
  std::vector<Member> out;
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, declaration)) continue;
    const std::string own = own_name(match[3]);
    if ((own.size() > 2 && own.compare(own.size() - 2, 2, "_q") == 0) || is_split(match[3])) continue;
    out.push_back({match[3], match[1], match[2].matched ? static_cast<unsigned>(std::stoul(match[2])) : 1u, line + "\n"});
  }
  return out;
}

// What stands between the preamble and the end of a function: declarations of its own and statements.
std::string inside(const std::string& text, const Definition& d) {
  const std::string body = text.substr(d.open + 1, d.close - d.open - 1);
  size_t at = body.find("// Init");
  if (at == std::string::npos) at = body.find("// Body");
  return at == std::string::npos ? "" : body.substr(at);
}

// Removes the statements of a function that mention a name of the set.
std::string without_statements(const std::string& text, const std::set<std::string>& names) {
  std::string out;
  size_t from = 0;
  Mention m{};
  for (size_t at = 0; next_mention(text, at, &m);) {
    const size_t end = text.find(';', m.end);
    at = m.end;
    if (names.count(text.substr(m.name, m.end - m.name)) == 0 || end == std::string::npos) continue;
    const size_t begin = text.find_last_of(";{}\n", m.start);
    out.append(text, from, begin + 1 - from);
    from = at = end + 1;
  }
  return out.append(text, from, std::string::npos);
}

size_t count_of(const std::string& text, const char* part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// The signals named split_* that a statement assigns.
void splits_of(const Statement& s, std::set<std::string>* out) {
  if (s.kind == Statement::Kind::kSimple) {
    const Target t = target_of(s.text);
    if (t.found && t.member && is_split(t.name)) out->insert(t.name);
  }
  for (const Statements* list : {&s.body, &s.otherwise}) {
    for (const Statement& inner : *list) splits_of(inner, out);
  }
}

// Writes blocks one after the other, the later ones inside the earlier ones; behind the statement that assigns a signal named split_* all
// that follows is written twice, once for each value, up to `splits` times one inside the other.
std::string written(const Statements& blocks, size_t block, size_t from, unsigned splits) {
  std::string out;
  if (block == blocks.size()) return out;
  const Statements& list = blocks[block].body;
  for (size_t k = from; k < list.size(); ++k) {
    write_statements({list[k]}, &out);
    std::set<std::string> names;
    if (splits > 0) splits_of(list[k], &names);
    if (names.empty()) continue;
    const std::string rest = written(blocks, block, k + 1, splits - 1);
    return out + "if (vlSelf->" + *names.begin() + ") {\n" + rest + "} else {\n" + rest + "}\n";
  }
  return out + "{\n" + written(blocks, block + 1, 0, splits) + "}\n";
}

bool never(const std::string&) { return false; }

}  // namespace

bool one_pass(const std::map<std::string, std::string>& files, const std::string& root, const std::vector<std::string>& settle,
              const std::vector<std::string>& edge, const std::vector<std::string>& dead, OnePass* out) {
  const auto header = files.find(root + ".h");
  if (header == files.end() || settle.empty() || edge.empty()) return false;
  const std::multimap<std::string, Definition> all = definitions(files, root);
  const auto read = [&](const std::string& name, Statements* blocks, std::string* text) {
    if (all.count(name) != 1) return false;
    const Definition& d = all.find(name)->second;
    const std::string body = inside(files.at(d.file), d);
    *text += body;
    blocks->emplace_back();
    blocks->back().kind = Statement::Kind::kBlock;
    return !body.empty() && parse_statements(body, &blocks->back().body);
  };
  Statements settle_blocks, edge_blocks;
  std::string settle_text, edge_text;
  for (const std::string& name : settle) {
    if (!read(name, &settle_blocks, &settle_text)) return false;
  }
  for (const std::string& name : edge) {
    if (!read(name, &edge_blocks, &edge_text)) return false;
  }
  // Signals are worked out twice in an edge, before it and (those of outputs) after it: nothing that has an effect may be among them, but the
  // message of an assertion that stops.
  if (settle_text.find("Vdpiimwrap") != std::string::npos || count_of(settle_text, "VL_WRITEF") != count_of(settle_text, "VL_STOP_MT")) return false;

  // Members that only these functions use.
  const std::string reset = root + "___ctor_var_reset";
  std::set<std::string> ours(settle.begin(), settle.end());
  ours.insert(edge.begin(), edge.end());
  ours.insert(dead.begin(), dead.end());
  std::set<std::string> others;
  for (const auto& [name, definition] : all) {
    if (ours.count(name) != 0 || name == reset) continue;
    const std::string& text = files.at(definition.file);
    others.merge(mentioned_members(text.substr(definition.open, definition.close - definition.open)));
  }
  std::vector<Member> members;
  for (const Member& member : read_members(header->second)) {
    if (others.count(member.name) == 0) members.push_back(member);
  }

  Statements blocks = settle_blocks;
  blocks.insert(blocks.end(), edge_blocks.begin(), edge_blocks.end());
  const std::vector<bool> edge_local = assigned_before_use(blocks, members), settle_local = assigned_before_use(settle_blocks, members);
  const std::set<std::string> in_settle = mentioned_members(settle_text);
  std::set<std::string> locals;
  std::string edge_locals, settle_locals, header_text = header->second;
  for (size_t k = 0; k < members.size(); ++k) {
    const Member& m = members[k];
    if (!edge_local[k] || (in_settle.count(m.name) != 0 && !settle_local[k])) continue;
    const size_t at = header_text.find(m.line);
    if (at == std::string::npos) return false;
    header_text.erase(at, m.line.size());
    locals.insert(m.name);
    edge_locals += m.type + " " + m.name + ";\n";
    if (in_settle.count(m.name) != 0) settle_locals += m.type + " " + m.name + ";\n";
  }

  // A split's signal serves where it is worked out first.
  for (Statement& block : edge_blocks) drop_assignments(&block.body, is_split);
  blocks = settle_blocks;
  blocks.insert(blocks.end(), edge_blocks.begin(), edge_blocks.end());
  make_local(&blocks, locals);
  gather_flags(&blocks, &edge_locals);
  drop_unused(&blocks, never);
  make_local(&settle_blocks, locals);
  drop_unused(&settle_blocks, is_split);
  // Assertions are for benches, where a short build matters more; arrays and arithmetic as logic are too large to be written several times.
  constexpr size_t kMostSplits = 3, kMostBytes = 1u << 20;
  std::set<std::string> split_names;
  for (const Statement& block : blocks) splits_of(block, &split_names);
  std::string statements = written(blocks, 0, 0, 0);
  if (!split_names.empty() && split_names.size() <= kMostSplits && statements.size() <= kMostBytes &&
      settle_text.find("VL_STOP_MT") == std::string::npos) {
    statements = written(blocks, 0, 0, kMostSplits);
  }
  out->edge = edge_locals + statements;
  out->settle = settle_locals + written(settle_blocks, 0, 0, 0);
  out->files = files;
  out->files[root + ".h"] = header_text;

  // Later functions first, so that places stay valid.
  std::map<std::string, std::map<size_t, std::pair<std::string, Definition>>> by_file;
  for (const auto& [name, definition] : all) by_file[definition.file][definition.open] = {name, definition};
  for (auto& [file, functions] : by_file) {
    std::string& text = out->files[file];
    for (auto it = functions.rbegin(); it != functions.rend(); ++it) {
      const auto& [name, d] = it->second;
      if (ours.count(name) != 0) text.replace(d.open, d.close + 1 - d.open, "{}");
      else if (name == reset) text.replace(d.open, d.close + 1 - d.open, without_statements(text.substr(d.open, d.close + 1 - d.open), locals));
    }
    std::istringstream lines(files.at(file));
    for (std::string line; std::getline(lines, line);) {
      if (line.compare(0, 13, "extern const ") == 0) out->externs += line + "\n";
    }
  }
  return true;
}

}  // namespace waferloom::plugin
