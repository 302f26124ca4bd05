// The table of commands. To add one: write command_<name>.cpp, declare its make function in command.h, list both here
// and in CMakeLists.txt.
#include "host/cli/command.h"

namespace waferloom::cli {

std::vector<std::unique_ptr<Command>> make_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_run_command());
  commands.push_back(make_report_command());
  commands.push_back(make_calibrate_command());
  commands.push_back(make_compare_command());
  commands.push_back(make_check_command());
  commands.push_back(make_list_command());
  commands.push_back(make_tile_command());
  commands.push_back(make_asm_command());
  commands.push_back(make_disasm_command());
  return commands;
}

}  // namespace waferloom::cli
