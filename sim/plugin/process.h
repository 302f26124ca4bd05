#pragma once
// Runs a program without a shell (paths may hold spaces and quotes).
#include <string>
#include <vector>

namespace waferloom::plugin {

struct ProcessResult {
  int exit_code = -1;  // -1: could not be started, or ended by a signal
  std::string output;  // standard output and error, in the order written
};

// Waits for the end. `directory` is the working directory, "" for the present one.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& directory);

// Runs several programs, at most `jobs` at a time; results in the same order.
std::vector<ProcessResult> run_processes(const std::vector<std::vector<std::string>>& list, const std::string& directory,
                                         unsigned jobs);

}  // namespace waferloom::plugin
