#include "sim/plugin/glue.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "sim/plugin/one_pass.h"
#include "sim/plugin/sources.h"

namespace waferloom::plugin {
namespace fs = std::filesystem;
namespace {

const std::string kPrefix = kModelPrefix;
const std::string kRoot = kPrefix + "___024root";

bool ends_with(const std::string& text, const std::string& tail) {
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// The body of a function definition `void NAME(...) {...}`, "" if there is none.
std::string function_body(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name + "("); at != std::string::npos; at = text.find(name + "(", at + 1)) {
    const size_t close = text.find(')', at);
    const size_t brace = text.find_first_not_of(" \n", close + 1);
    if (close == std::string::npos || brace == std::string::npos || text[brace] != '{') continue;
    int depth = 0;
    for (size_t i = brace; i < text.size(); ++i) {
      if (text[i] == '{') ++depth;
      if (text[i] == '}' && --depth == 0) return text.substr(brace + 1, i - brace - 1);
    }
  }
  return "";
}

// Scopes serve VPI, and DPI functions with context: neither is used. Without them an instance is smaller, is created
// faster and needs no table of its names. If anything else mentions a scope, all stays as it is.
void drop_scopes(const std::string& directory, const std::string& sources) {
  const std::string source_path = directory + "/" + kPrefix + "__Syms.cpp", header_path = directory + "/" + kPrefix + "__Syms.h";
  std::string source, header;
  if (!read_file(source_path, &source) || !read_file(header_path, &header)) return;
  static const std::regex setup("\n\\s*__Vscope_\\w+\\.(configure|varInsert)\\([^\n]*\\);(?=\n)");
  static const std::regex member("\n\\s*VerilatedScope __Vscope_\\w+;(?=\n)");
  const auto mentions = [](const std::string& text) {
    size_t n = 0;
    for (size_t at = text.find("__Vscope_"); at != std::string::npos; at = text.find("__Vscope_", at + 1)) ++n;
    return n;
  };
  const std::string reduced = std::regex_replace(source, setup, "");
  if (mentions(sources) != mentions(source) || mentions(reduced) != 0) return;
  const std::string smaller = std::regex_replace(header, member, "");
  if (mentions(smaller) != 0) return;
  std::ofstream(source_path) << reduced;
  std::ofstream(header_path) << smaller;
}

// What arrange() made of the root class.
struct Arranged {
  std::string first_cold;            // first of the members that lie last; "" if none was moved
  std::vector<std::string> outputs;  // that lie first, without gaps: of 64 bits, then of 32
};

// Moves the arrays and wide members of the root class, class counters apart, behind all others: what an edge nearly always reads lies
// together. Outputs of 64 and of 32 bits come first, one after the other, so that they can be compared as one block. The order of members
// means nothing to the generated code.
Arranged arrange(const std::string& path, std::string* header) {
  static const std::regex wide("^\\s*(?:VlWide<\\d+>/|VlUnpacked<)[^;{}]*\\s(\\w+);$");
  static const std::regex output("^\\s*VL_OUT(64)?\\(&?(\\w+),\\d+,\\d+\\);$");
  const bool has_start = header->find("// DESIGN SPECIFIC STATE\n") != std::string::npos;
  std::istringstream lines(*header);
  std::string kept, moved, first, long_outputs, short_outputs;
  std::vector<std::string> long_names, names;
  bool placed = false;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!placed && has_start && std::regex_match(line, match, output)) {
      (match[1].matched ? long_outputs : short_outputs) += line + "\n";
      (match[1].matched ? long_names : names).push_back(match[2]);
      continue;
    }
    if (!placed && std::regex_match(line, match, wide) && !ends_with(match[1].str(), "class_cnt_q")) {
      if (first.empty()) first = match[1];
      moved += line + "\n";
      continue;
    }
    if (!placed && line.find("// INTERNAL VARIABLES") != std::string::npos) {
      kept += moved;
      placed = true;
    }
    kept += line + "\n";
  }
  if (!placed || (first.empty() && long_names.empty() && names.empty())) return {};
  const std::string start = "// DESIGN SPECIFIC STATE\n";
  if (has_start) kept.insert(kept.find(start) + start.size(), long_outputs + short_outputs);
  std::ofstream(path) << kept;
  *header = kept;
  long_names.insert(long_names.end(), names.begin(), names.end());
  return {first, long_names};
}

// What stands after Verilator's "// Body" line.
std::string statements(const std::string& body) {
  const size_t at = body.find("// Body");
  return at == std::string::npos ? "" : body.substr(at + 7);
}

// If the body is one guarded block of calls `NAME(vlSelf);`, gives those names.
bool guarded_calls(const std::string& body, std::vector<std::string>* calls) {
  static const std::regex block("\\s*if \\([^{}]*\\) \\{([^{}]*)\\}\\s*");
  std::smatch match;
  const std::string text = statements(body);
  if (text.find_first_not_of(" \n") == std::string::npos) return true;
  if (!std::regex_match(text, match, block)) return false;
  std::stringstream list(match[1].str());
  static const std::regex call("\\s*(" + kRoot + "___\\w+)\\(vlSelf\\)\\s*");
  for (std::string statement; std::getline(list, statement, ';');) {
    if (statement.find_first_not_of(" \n") == std::string::npos) continue;
    std::smatch name;
    if (!std::regex_match(statement, name, call)) return false;
    calls->push_back(name[1]);
  }
  return true;
}

struct Understood {
  bool direct = false;
  std::string clock_memory;  // member that remembers the clock, "" if not recognised
  std::vector<std::string> combinational;
  std::vector<std::string> edge;
  std::vector<std::string> settle;  // functions that work out everything from registers and inputs; empty if not recognised
  bool has_combinational = false;
  bool one_pass = false;            // an edge is one function (one_pass.h)
};

Understood understand(const std::string& text, const std::string& header, bool has_clock) {
  Understood out;
  std::smatch match;
  static const std::regex remembered("\\b(__Vtrig\\w*TOP__clk_i\\w*);");
  if (std::regex_search(header, match, remembered)) out.clock_memory = match[1];
  out.has_combinational = text.find(kRoot + "___eval_ico(") != std::string::npos;
  bool known = true;
  if (out.has_combinational) known = guarded_calls(function_body(text, kRoot + "___eval_ico"), &out.combinational);
  if (!has_clock) return out;
  const std::string triggers = function_body(text, kRoot + "___eval_triggers__act");
  static const std::regex rising("clk_i\\)\\s*&\\s*\\(~");
  const bool one_trigger = std::regex_search(header, std::regex("VlTriggerVec<1>\\s+__VactTriggered;"));
  known = known && one_trigger && std::regex_search(triggers, rising);
  known = known && guarded_calls(function_body(text, kRoot + "___eval_nba"), &out.edge) && !out.edge.empty();
  std::vector<std::string> active;
  known = known && guarded_calls(function_body(text, kRoot + "___eval_act"), &active) && active.empty();
  out.direct = known;
  if (!guarded_calls(function_body(text, kRoot + "___eval_stl"), &out.settle)) out.settle.clear();
  return out;
}

// Beyond this many bytes of statements one function takes the compiler too long.
constexpr size_t kOnePassBytes = 3u << 20;

// Rewrites Verilator's files for one function per edge. Gives that function, and for the cold source the one that settles.
bool rewrite(const GlueInput& input, const Understood& evaluation, std::string* edge, std::string* settle) {
  std::map<std::string, std::string> files;
  std::error_code code;
  size_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(input.directory, code)) {
    const std::string name = entry.path().filename().string();
    if (name.compare(0, kRoot.size(), kRoot) != 0 || (entry.path().extension() != ".cpp" && entry.path().extension() != ".h")) continue;
    read_file(entry.path().string(), &files[name]);
    bytes += files[name].size();
  }
  OnePass made;
  if (bytes > kOnePassBytes) return false;
  if (!one_pass(files, kRoot, evaluation.settle, evaluation.edge, evaluation.combinational, &made)) return false;
  for (const auto& [name, content] : made.files) std::ofstream(input.directory + "/" + name) << content;
  const std::string head = "(" + kRoot + "* vlSelf) {\n" + kPrefix + "__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;\n" +
                           kRoot + "& vlSelfRef VL_ATTR_UNUSED = *vlSelf;\n";
  *edge = made.externs + "static inline void wl_one_edge" + head + made.edge + "}\nvoid wl_settle_only(" + kRoot + "* vlSelf);\n";
  *settle = "void wl_settle_only" + head + made.settle + "}\n";
  return true;
}

unsigned bytes_for(unsigned width) {
  if (width <= 8) return 1;
  if (width <= 16) return 2;
  if (width <= 32) return 4;
  if (width <= 64) return 8;
  return (width + 31) / 32 * 4;
}

// Which bits of a change mask stand for which output. Those that lie first in the root have a bit for each 32-bit word, the others one each.
struct ChangeBits {
  std::map<std::string, uint32_t> of;
  std::string block, last;  // first and last output of those that lie first
  unsigned words = 0;       // of 32 bits, of all of them
  // What an edge does to quiet_o and class_o is read where they are.
  static bool counts(const ModelMember& m) { return m.is_port && m.is_output && m.member != "quiet_o" && m.member != "class_o"; }
  // `first` lie first, in this order; `members` are in the root's order.
  ChangeBits(const std::vector<ModelMember>& members, const std::vector<std::string>& first) {
    constexpr unsigned kBits = 30;
    const std::set<std::string> leading(first.begin(), first.end());
    unsigned others = 0;
    for (const ModelMember& m : members) {
      if (!counts(m)) continue;
      if (leading.count(m.member) != 0) words += m.element_bytes / 4;
      else ++others;
    }
    if (words + others > kBits) words = 0;
    unsigned next = 0;
    for (const ModelMember& m : members) {
      if (!counts(m)) continue;
      const unsigned bits = words != 0 && leading.count(m.member) != 0 ? m.element_bytes / 4 : 1;
      of[m.member] = ((1u << bits) - 1) << std::min(next, kBits);
      next += bits;
      if (words == 0 || leading.count(m.member) == 0) continue;
      if (block.empty()) block = m.member;
      last = m.member;
    }
  }
};

void write_tables(std::ostream& os, const GlueInput& input, const std::vector<ModelMember>& members, const ChangeBits& bits) {
  os << "const WlPort kPorts[] = {\n";
  unsigned ports = 0;
  int clock = -1, time = -1;
  for (const ModelMember& m : members) {
    if (!m.is_port) continue;
    if (m.member == "clk_i") clock = static_cast<int>(ports);
    if (m.member == "time_i") time = static_cast<int>(ports);
    os << "  {" << quoted(source_name(m.member, "")) << ", " << m.width << ", " << (m.is_output ? 1 : 0) << ", "
       << m.element_bytes << ", offsetof(Root, " << m.member << "), " << (ChangeBits::counts(m) ? bits.of.at(m.member) : 0u) << "u},\n";
    ++ports;
  }
  os << "};\nconst uint32_t kPortCount = " << ports << ";\nconst int32_t kClockPort = " << clock
     << ";\nconst int32_t kTimePort = " << time << ";\nconst WlRegister kRegisters[] = {\n";
  unsigned registers = 0;
  for (const ModelMember& m : members) {
    if (m.is_port) continue;
    const std::string name = source_name(m.member, input.top);
    const std::string last = name.substr(name.rfind('.') + 1);
    unsigned flags = ends_with(last, "_q") ? 1u : 0u;
    if (ends_with(last, "_cnt_q")) flags |= 2u;
    if (last == "inst_q") flags = 4u;
    if (last == "mem_q" && m.elements > 1) flags |= 8u;
    if (last == "quiet_q" || last == "class_q") flags |= 16u;
    os << "  {" << quoted(name) << ", " << m.width << ", " << m.elements << ", " << m.element_bytes << ", offsetof(Root, "
       << m.member << "), " << flags << "},\n";
    ++registers;
  }
  os << "  {nullptr, 0, 0, 0, 0, 0}};\nconst uint32_t kRegisterCount = " << registers << ";\nconst WlParam kParams[] = {\n";
  for (const auto& [name, value] : input.params) os << "  {" << quoted(name) << ", " << quoted(value) << "},\n";
  os << "  {nullptr, nullptr}};\nconst uint32_t kParamCount = " << input.params.size() << ";\n";
}

// Copies of the outputs, to find out what an edge changed.
void write_outputs(std::ostream& os, const std::vector<ModelMember>& members, const ChangeBits& bits) {
  std::ostringstream fields, load, diff;
  unsigned index = 0;
  bool quiet = false;
  if (bits.words != 0) {
    fields << "  wl_glue::Block<" << bits.words << "> block;\n";
    load << "    block.load(&r->" << bits.block << ");\n";
    diff << "    mask |= block.diff(&r->" << bits.block << ");\n";
  }
  for (const ModelMember& m : members) {
    if (!m.is_port || !m.is_output) continue;
    const std::string field = "f" + std::to_string(index++);
    if (m.member == "quiet_o") quiet = true;
    if (!ChangeBits::counts(m)) continue;
    const uint32_t bit = bits.of.at(m.member);
    if ((bit & ((uint64_t{1} << bits.words) - 1)) != 0) continue;  // in the block
    if (m.width > 64) {
      fields << "  uint32_t " << field << "[" << m.element_bytes / 4 << "];\n";
      load << "    std::memcpy(" << field << ", &r->" << m.member << "[0], " << m.element_bytes << ");\n";
      diff << "    mask |= uint32_t(std::memcmp(" << field << ", &r->" << m.member << "[0], " << m.element_bytes
           << ") != 0) * " << bit << "u;\n";
    } else {
      fields << "  decltype(Root::" << m.member << ") " << field << ";\n";
      load << "    " << field << " = r->" << m.member << ";\n";
      diff << "    mask |= uint32_t(" << field << " != r->" << m.member << ") * " << bit << "u;\n";
    }
  }
  if (bits.words != 0) {
    os << "static_assert(offsetof(Root, " << bits.last << ") + sizeof(Root::" << bits.last << ") - offsetof(Root, " << bits.block << ") == "
       << 4 * bits.words << ", \"outputs without gaps\");\n";
  }
  os << "struct Outputs {\n"
     << fields.str() << "  void load(const Root* r) {\n    (void)r;\n"
     << load.str() << "  }\n  uint32_t diff(const Root* r) const {\n    (void)r;\n    uint32_t mask = 0;\n"
     << diff.str() << "    return mask;\n  }\n};\n"
     << "inline bool quiet(const Root* r) {\n  (void)r;\n  return " << (quiet ? "r->quiet_o != 0" : "false") << ";\n}\n";
}

void write_crediting(std::ostream& os, const GlueInput& input, const std::vector<ModelMember>& members) {
  const ModelMember* counter = nullptr;
  bool has_class = false, has_time = false;
  for (const ModelMember& m : members) {
    const std::string name = source_name(m.member, input.top);
    if (!m.is_port && name.substr(name.rfind('.') + 1) == "class_cnt_q") counter = &m;
    if (m.is_port && m.member == "class_o") has_class = true;
    if (m.is_port && m.member == "time_i") has_time = true;
  }
  os << "inline void credit(Root* r, uint64_t cycles) {\n  (void)r;\n  (void)cycles;\n";
  if (counter && has_class && counter->width <= 64) {
    os << "  auto& count = r->" << counter->member << "[r->class_o < " << counter->elements << " ? r->class_o : 0];\n"
       << "  count = (count + cycles) & (~uint64_t(0) >> " << 64 - counter->width << ");\n";
  }
  os << "}\ninline void set_time(Root* r, uint64_t cycle) {\n  (void)r;\n  (void)cycle;\n";
  if (has_time) os << "  r->time_i = cycle & 0xffffffffffffull;\n";
  os << "}\n";
}

void write_evaluation(std::ostream& os, const Understood& evaluation, const std::vector<ModelMember>& members) {
  bool has_clock = false;
  os << "inline void clear_inputs(Root* r) {\n  (void)r;\n";
  for (const ModelMember& m : members) {
    if (!m.is_port || m.is_output) continue;
    has_clock = has_clock || m.member == "clk_i";
    os << "  std::memset(&r->" << m.member << ", 0, " << m.element_bytes << ");\n";
  }
  const std::string settle = evaluation.one_pass ? "wl_settle_only" : kRoot + "___eval_settle";
  os << "}\ninline void set_clock(Root* r, int level) {\n  (void)r;\n  (void)level;\n";
  if (has_clock) os << "  r->clk_i = static_cast<CData>(level);\n";
  os << "}\ninline void init(Root* r) {\n  " << kRoot << "___eval_static(r);\n  " << kRoot << "___eval_initial(r);\n  "
     << settle << "(r);\n}\n";
  os << "inline void resettle(Root* r) { " << settle << "(r); }\n";
  os << "inline void comb(Root* r) {\n  (void)r;\n";
  if (evaluation.one_pass) {
    os << "  wl_settle_only(r);\n";
  } else if (evaluation.direct) {
    for (const std::string& call : evaluation.combinational) os << "  " << call << "(r);\n";
  } else {
    if (has_clock) os << "  set_clock(r, 0);\n";
    os << "  " << kRoot << "___eval(r);\n";
  }
  os << "}\ninline void edge(Root* r) {\n";
  if (evaluation.one_pass) {
    os << "  wl_one_edge(r);\n";
  } else if (evaluation.direct) {
    for (const std::string& call : evaluation.combinational) os << "  " << call << "(r);\n";
    for (const std::string& call : evaluation.edge) os << "  " << call << "(r);\n";
  } else if (!evaluation.clock_memory.empty()) {
    os << "  r->" << evaluation.clock_memory << " = 0;\n  r->clk_i = 1;\n  " << kRoot << "___eval(r);\n";
  } else {
    os << "  comb(r);\n  set_clock(r, 1);\n  " << kRoot << "___eval(r);\n";
  }
  os << "}\n";
}

}  // namespace

std::string source_name(const std::string& member, const std::string& top) {
  std::string name = member;
  const std::string lead = top + "__DOT__";
  if (!top.empty() && name.compare(0, lead.size(), lead) == 0) name = name.substr(lead.size());
  const std::pair<const char*, const char*> codes[] = {{"__BRA__", "["}, {"__KET__", "]"}, {"__DOT__", "."}};
  for (const auto& [code, text] : codes) {
    for (size_t at = name.find(code); at != std::string::npos; at = name.find(code)) name.replace(at, 7, text);
  }
  // __0hh is the character with that code.
  for (size_t at = name.find("__0"); at != std::string::npos && at + 5 <= name.size(); at = name.find("__0", at + 1)) {
    const std::string hex = name.substr(at + 3, 2);
    if (!std::isxdigit(static_cast<unsigned char>(hex[0])) || !std::isxdigit(static_cast<unsigned char>(hex[1]))) continue;
    name.replace(at, 5, std::string(1, static_cast<char>(std::stoi(hex, nullptr, 16))));
  }
  return name;
}

std::vector<ModelMember> parse_members(const std::string& header) {
  std::vector<ModelMember> out;
  static const std::regex port("^\\s*VL_(IN|OUT|INOUT)(8|16|64|W)?\\(\\(?&?(\\w+)\\)?,\\s*(\\d+),\\s*(\\d+)(?:,\\s*\\d+)?\\);");
  static const std::regex scalar("^\\s*(?:[CSIQ]Data|VlWide<\\d+>)/\\*(\\d+):(\\d+)\\*/ (\\w+);");
  static const std::regex array("^\\s*((?:VlUnpacked<)+)(?:[CSIQ]Data|VlWide<\\d+>)/\\*(\\d+):(\\d+)\\*/((?:, \\d+>)+) (\\w+);");
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    ModelMember m;
    if (std::regex_search(line, match, port)) {
      m.is_port = true;
      m.is_output = match[1] != "IN";
      m.member = match[3];
      m.width = static_cast<unsigned>(std::stoi(match[4]) - std::stoi(match[5]) + 1);
    } else if (std::regex_search(line, match, scalar)) {
      m.member = match[3];
      m.width = static_cast<unsigned>(std::stoi(match[1]) - std::stoi(match[2]) + 1);
    } else if (std::regex_search(line, match, array)) {
      m.member = match[5];
      m.width = static_cast<unsigned>(std::stoi(match[2]) - std::stoi(match[3]) + 1);
      std::istringstream sizes(match[4]);
      for (std::string part; std::getline(sizes, part, '>');) {
        if (part.size() > 2) m.elements *= static_cast<unsigned>(std::stoi(part.substr(2)));
      }
    } else {
      continue;
    }
    const size_t dot = m.member.rfind("__DOT__");
    const std::string last = dot == std::string::npos ? m.member : m.member.substr(dot + 7);
    const bool internal = last.compare(0, 3, "__V") == 0 || m.member.find("unnamedblk") != std::string::npos;
    if (internal || (!m.is_port && dot == std::string::npos)) continue;
    m.element_bytes = bytes_for(m.width);
    out.push_back(m);
  }
  return out;
}

std::string generate_glue(const GlueInput& input, GlueOutput* output) {
  std::string header;
  const std::string header_path = input.directory + "/" + kRoot + ".h";
  if (!read_file(header_path, &header)) return header_path + ": Verilator did not write this file";
  std::vector<std::string> hot, cold;
  std::string text;
  bool own_syms = header.find("vlSymsp;") == std::string::npos;  // the model looks for itself in its Syms
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(input.directory, code)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".cpp") continue;
    std::string content;
    read_file(entry.path().string(), &content);
    text += content;
    if (name != kPrefix + ".cpp" && content.find("vlSymsp->TOP") != std::string::npos) own_syms = true;
    const bool slow = ends_with(name, "Slow.cpp") || name.find("__Syms") != std::string::npos ||
                      name.find("__ConstPool") != std::string::npos || name.find("__Dpi.cpp") != std::string::npos ||
                      name.find("__Trace") != std::string::npos || name == kPrefix + ".cpp";
    if (name == kPrefix + ".cpp" && !input.traced) continue;  // the class for users; the glue makes instances itself
    (slow ? cold : hot).push_back(name);
  }
  std::sort(hot.begin(), hot.end());
  std::sort(cold.begin(), cold.end());

  std::vector<ModelMember> members = parse_members(header);
  const bool has_clock = std::any_of(members.begin(), members.end(), [](const ModelMember& m) { return m.is_port && m.member == "clk_i"; });
  Understood evaluation = understand(text, header, has_clock);
  if (!input.allow_direct) evaluation.direct = false;
  if (!input.allow_clock_memory) evaluation.clock_memory.clear();
  std::string one_edge, settle_only;
  if (has_clock && evaluation.direct && !input.traced && !input.apart) evaluation.one_pass = rewrite(input, evaluation, &one_edge, &settle_only);
  if (evaluation.one_pass && !read_file(header_path, &header)) return header_path + ": cannot be read";
  const Arranged arranged = input.traced ? Arranged{} : arrange(header_path, &header);
  members = parse_members(header);

  std::ostringstream os;
  os << "#define WL_TRACED " << (input.traced ? 1 : 0) << "\n#include <cstddef>\n#include <cstring>\n";
  if (!input.apart) {
    for (const std::string& name : hot) os << "#include \"" << name << "\"\n";
  }
  os << "#include \"" << kPrefix << "__Syms.h\"\n#include \"" << kPrefix << ".h\"\n#include \"sim/plugin/unit_abi.h\"\n#include \"sim/plugin/unit_block.h\"\n";
  for (const char* phase : {"eval_static", "eval_initial", "eval_settle", "eval"}) {
    os << "void " << kRoot << "___" << phase << "(" << kRoot << "* vlSelf);\n";
  }
  if (input.apart && evaluation.direct) {
    for (const auto* calls : {&evaluation.combinational, &evaluation.edge}) {
      for (const std::string& call : *calls) os << "void " << call << "(" << kRoot << "* vlSelf);\n";
    }
  }
  os << one_edge << "namespace wl_gen {\nusing Root = " << kRoot << ";\nusing Syms = " << kPrefix << "__Syms;\n";
  if (input.traced) os << "using Model = " << kPrefix << ";\n";
  os << "const char* const kTop = " << quoted(input.top) << ";\nconst char* const kView = " << quoted(input.view)
     << ";\nconst char* const kSourceHash = " << quoted(input.source_hash) << ";\nconst char* const kBuildHash = "
     << quoted(input.build_hash) << ";\nconst char* const kTool = " << quoted(input.tool)
     << ";\nconst uint32_t kDirect = " << (evaluation.direct && !input.traced ? 1 : 0) << ";\n";
  // Members that own memory or point at each other.
  static const std::regex alive("std::(string|vector|map|unique_ptr|shared_ptr)|Vl(Queue|AssocArray|ClassRef|Event|MTask|Fork|Coroutine|Process|TimingProcess|Delay)");
  const bool plain = header.find("vlSymsp;") != std::string::npos && !std::regex_search(header, alive);
  os << "constexpr bool kCopyable = " << (plain ? "true" : "false") << ";\nconstexpr bool kShareable = "
     << (plain && !own_syms && !input.traced ? "true" : "false") << ";\nconstexpr size_t kStateEnd = "
     << (plain ? "offsetof(Root, vlSymsp)" : "0") << ";\nconstexpr uint32_t kHotBytes = "
     << (arranged.first_cold.empty() ? "sizeof(Root)" : "offsetof(Root, " + arranged.first_cold + ")") << ";\n";
  const ChangeBits bits(members, arranged.outputs);
  write_tables(os, input, members, bits);
  write_outputs(os, members, bits);
  write_crediting(os, input, members);
  write_evaluation(os, evaluation, members);
  os << "}  // namespace wl_gen\n#include \"sim/plugin/unit_glue.h\"\n";
  output->hot_source = os.str();

  drop_scopes(input.directory, text);
  if (input.apart) {
    output->hot_files = hot;
    output->cold_files = cold;
    return "";
  }
  std::ostringstream rest;
  for (const std::string& name : cold) rest << "#include \"" << name << "\"\n";
  rest << settle_only;
  output->cold_source = rest.str();
  return "";
}

}  // namespace waferloom::plugin
