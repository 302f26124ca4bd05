#pragma once
// Runs a program without a shell (paths may hold spaces and quotes), in a process group of its own, so that it can be ended with all that it started.
// Its locale is C, whatever the user's is: what it says is read here.
// Threads: all functions may be called from several threads; `interrupted` is then called from several too.
#include <functional>
#include <string>
#include <vector>

namespace waferloom::plugin {

struct ProcessResult {
  int exit_code = -1;  // -1: could not be started, or ended by a signal
  bool interrupted = false;  // ended (or never started) because `interrupted` said so; the group is gone
  std::string output;  // standard output and error, in the order written
};

// Waits for the end. `directory` is the working directory, "" for the present one. `interrupted` is asked every tenth of a second; true kills the
// program and whatever it started. Empty: never. The program ends with the thread that waits for it, however that ends.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& directory, const std::function<bool()>& interrupted = {});

// Runs several programs, at most `jobs` at a time; results in the same order.
std::vector<ProcessResult> run_processes(const std::vector<std::vector<std::string>>& list, const std::string& directory, unsigned jobs,
                                         const std::function<bool()>& interrupted = {});

}  // namespace waferloom::plugin
