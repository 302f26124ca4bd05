#pragma once
// Turns (RTL sources, parameters, tool version) into a plug-in (unit_abi.h), cached by content hash.
//
// A file of the cache is complete or absent: builds happen in a directory of their own and are renamed into place, under
// a lock per unit, so any number of processes may ask for the same unit at once. A failed build leaves nothing behind.
// Opening a cached unit runs no program and takes milliseconds.
// Threads: build_unit may be called from several threads.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/plugin/sources.h"

namespace waferloom::plugin {

// How a tick evaluates. kAuto calls the next-state function directly if the generated code is understood, else it runs the
// whole loop; the other two force what an unknown version of Verilator gets, slower and with the same result.
enum class Evaluation { kAuto, kLoop, kBothEdges };

struct UnitSpec {
  std::string top;
  std::vector<std::pair<std::string, std::string>> params;  // value as a Verilog literal: "2", "8'h3f", "\"text\""
  View view = View::kFast;
  std::vector<std::string> rtl_roots;  // searched recursively; empty: the project's rtl/
  std::string macro_root;              // fast views; empty: the project's sim/macros
  std::vector<std::string> attached;   // simulation-only modules of rtl_roots that attach themselves with `bind`
  bool trace = false;                  // the traced twin: same behaviour, open_trace works, slower
  bool assertions = false;             // immediate assertions of the RTL are checked
  Evaluation evaluation = Evaluation::kAuto;
  int optimise = 2;                    // -O of the C++ compiler for the hot code
  // For models too large for one translation unit (an array as one module): 0, or the number of statements at which generated files and
  // functions are split. The files are compiled in parallel; the unit behaves the same, and is slower where one unit is small.
  unsigned split = 0;
  std::string cache_directory;         // empty: $WAFERLOOM_CACHE, $XDG_CACHE_HOME/waferloom or ~/.cache/waferloom
  std::function<bool()> interrupted;   // asked every tenth of a second, by several threads; true ends the build. Empty: never
};

enum class BuildFault {
  kNone,
  kSources,      // sources that do not compile, a tool that is missing
  kInputOutput,  // the cache cannot be written, the disk is full
  kInterrupted,  // spec.interrupted said so
};

struct BuildResult {
  BuildFault fault = BuildFault::kNone;
  std::string error;  // "" or what failed, with the compilers' messages: `file:line:column` in the user's own paths
  std::string library_path;
  std::string source_hash;  // of sources and parameters
  std::string build_hash;   // of source_hash, options, tool versions and this interface
  bool from_cache = false;
  double seconds = 0;
  bool ok() const { return error.empty(); }
};

// Requires Verilator and a C++ compiler (c++, or $CXX) when the unit is not in the cache.
BuildResult build_unit(const UnitSpec& spec);

// Only the content hash of sources and parameters: what calibrations are keyed by. "" and *error on failure.
std::string unit_source_hash(const UnitSpec& spec, std::string* error);

std::string default_cache_directory();
// "Verilator 5.006 2023-01-22 ..." and "g++ (Debian ...) ...", as the programs on PATH print them.
std::string tool_version();

}  // namespace waferloom::plugin
