// What this program is, for --version and for the manifest of a result.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace waferloom::report {

std::string project_version();  // "0.1.0"
std::string project_commit();   // full hash, with "+changes" when the tree had uncommitted edits at build time;
                                // "unknown" outside a repository

// "waferloom 0.1.0 (commit abcdef012345)".
std::string version_text();

// Compiler and libraries this program was built with, by name. The caller adds Verilator's, which is chosen at run
// time.
std::vector<std::pair<std::string, std::string>> tool_versions();

}  // namespace waferloom::report
