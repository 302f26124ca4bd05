// One command of the `waferloom` program. Each lives in a file of its own, command_<name>.cpp, and is listed in
// commands.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"
#include "sim/fabric/transport.h"

namespace waferloom::cli {

// What the program returns to the shell.
enum ExitCode : int {
  kDone = 0,
  kCheckFailed = 1,    // mismatch, divergence, trap in a tile, NaN loss
  kUsage = 2,          // bad usage or configuration
  kWatchdog = 3,       // deadlock, cycle limit
  kInputOutput = 4,    // unreadable, unwritable, disk full
  kInterrupted = 130,  // SIGINT
  kTerminated = 143,   // SIGTERM
};

struct Context {
  std::ostream& out;      // results
  std::ostream& err;      // errors, and progress when `progress`
  bool progress = false;  // err is a terminal
  // 0, or the signal that asked to stop. Long jobs poll it at least every tenth of a second, keep what is finished and
  // return interrupted_code(context).
  const std::atomic<int>& stop_signal;
  // The other processes of this mpirun, null if there are none. This one is rank 0.
  fabric::Transport* ranks = nullptr;
};

// kInterrupted or kTerminated, by the signal that arrived.
int interrupted_code(const Context& context);

// Prints the errors and returns the exit code they stand for.
int fail(const Context& context, config::Diagnostics errors);

// Checks of an option's text: a name or path that is not empty; a whole number of cycles, at least 1.
CLI::Validator not_empty();
CLI::Validator cycles();

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;  // one line for --help
  // Declares options and arguments; they are bound to members of the command.
  virtual void declare(CLI::App& app) = 0;
  // Returns an ExitCode. May throw only for what is our own mistake.
  virtual int run(Context& context) = 0;
};

// Every command that this program has, in the order of --help.
std::vector<std::unique_ptr<Command>> make_commands();

std::unique_ptr<Command> make_asm_command();
std::unique_ptr<Command> make_calibrate_command();
std::unique_ptr<Command> make_check_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_disasm_command();
std::unique_ptr<Command> make_list_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_tile_command();

}  // namespace waferloom::cli
