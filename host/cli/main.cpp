// The `waferloom` program.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>

#include "host/cli/application.h"
#include "host/cli/interrupt.h"
#include "host/cli/output.h"

int main(int argc, char** argv) {
  using namespace waferloom::cli;
  install_signal_handlers();
  FileDescriptorBuffer out_buffer(STDOUT_FILENO);
  FileDescriptorBuffer err_buffer(STDERR_FILENO);
  std::ostream out(&out_buffer);
  std::ostream err(&err_buffer);
  err << std::unitbuf;
  Context context{out, err, ::isatty(STDERR_FILENO) == 1, stop_signal()};
  int code = run_application(std::vector<std::string>(argv + 1, argv + argc), context);
  out.flush();
  // A reader that has seen enough (`| head`) is no fault; a disk that is full is.
  if (out_buffer.error() != 0 && out_buffer.error() != EPIPE) {
    err << "waferloom: error: cannot write to standard output: " << std::strerror(out_buffer.error()) << '\n';
    if (code == kDone) code = kInputOutput;
  }
  return code;
}
