#pragma once
// Reads the headers and sources that Verilator wrote and writes the description that sim/plugin/unit_glue.h needs.
// Verilator's names move between versions: what is not recognised makes the tick slower (the whole evaluation loop, at
// worst on both clock edges), never wrong.
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace waferloom::plugin {

// The class prefix given to Verilator; models of different plug-ins never see each other.
inline constexpr const char* kModelPrefix = "Vu";

struct GlueInput {
  std::string directory;  // where Verilator wrote
  std::string top;
  std::string view;
  std::string source_hash;
  std::string build_hash;
  std::string tool;
  std::vector<std::pair<std::string, std::string>> params;
  bool traced = false;
  bool allow_direct = true;          // false: as if the next-state function had not been recognised
  bool allow_clock_memory = true;    // false: as if the remembered clock had not been recognised
  bool apart = false;                // every generated file is a translation unit of its own
};

struct GlueOutput {
  std::string hot_source;   // one translation unit: next-state functions and glue, to be inlined together
  std::string cold_source;  // construction and settling
  std::vector<std::string> hot_files, cold_files;  // apart: what is to be compiled besides, in `directory`
};

// A member of the model's root class.
struct ModelMember {
  std::string member;  // as declared
  bool is_port = false;
  bool is_output = false;
  unsigned width = 0;
  unsigned element_bytes = 0;
  unsigned elements = 1;
};

// Public for its test. Members that are Verilator's own temporaries are left out.
std::vector<ModelMember> parse_members(const std::string& root_header);
// "wl_t__DOT__g__BRA__0__KET____DOT__a_q" with top "wl_t" -> "g[0].a_q".
std::string source_name(const std::string& member, const std::string& top);

// Returns "" or a message.
std::string generate_glue(const GlueInput& input, GlueOutput* output);

}  // namespace waferloom::plugin
