#pragma once
// Which files a top module needs, and nothing else: so that an edit of the router does not rebuild the PE.
//
// A source tree has one module or package per file, the file named after it; a file that mentions another one's name
// (outside comments and strings) depends on it. That may take in a file too many, never one too few.
// For the fast view, a module found in `macro_root` replaces the one of the same name in the rtl tree and brings its C++.
#include <map>
#include <string>
#include <vector>

namespace waferloom::plugin {

enum class View { kFast, kRtl };
const char* to_string(View view);

struct SourceFile {
  std::string path;      // where the user has it
  std::string snapshot;  // relative path inside a build directory
  std::string content;   // as read once: what is hashed is what is compiled
};

struct SourceSet {
  std::vector<SourceFile> rtl;      // what a file needs comes before it
  std::vector<SourceFile> headers;  // Verilog and C++ includes, copied but not named to a compiler
  std::vector<SourceFile> cpp;      // compiled into the plug-in
};

struct SourceRoots {
  std::vector<std::string> rtl;  // directories, searched recursively for .sv, .v and .svh; first has priority
  std::string macros;            // fast views, "" for none
  std::string include;           // repository root: `#include "sim/..."` is relative to it
  std::vector<std::string> attached;  // further modules, which a `bind` in their own file attaches
};

// Returns "" and fills `out`, or a message that starts with the file or directory at fault.
std::string collect_sources(const std::string& top, View view, const SourceRoots& roots, SourceSet* out);

// Reads a whole file; false if it cannot be read.
bool read_file(const std::string& path, std::string* content);

}  // namespace waferloom::plugin
