// The `waferloom` program.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>

#include "host/cli/application.h"
#include "host/cli/interrupt.h"
#include "host/cli/output.h"
#include "sim/fabric/serve.h"
#include "sim/ranks/launch.h"

int main(int argc, char** argv) {
  using namespace waferloom::cli;
  install_signal_handlers();
  FileDescriptorBuffer out_buffer(STDOUT_FILENO);
  FileDescriptorBuffer err_buffer(STDERR_FILENO);
  std::ostream out(&out_buffer);
  std::ostream err(&err_buffer);
  err << std::unitbuf;
  std::unique_ptr<waferloom::ranks::Launch> launch;
  if (waferloom::ranks::launched_together()) {
    std::string error;
    launch = waferloom::ranks::join(&error);
    if (launch == nullptr) {
      err << "waferloom: error: " << error << "\n  hint: mpirun is for a program with MPI; without it, --threads shares the wafer\n";
      return kUsage;
    }
    if (launch->transport().rank() != 0) {
      leave_stopping_to_rank_0();
      waferloom::fabric::serve(&launch->transport());
      launch->finish(kInputOutput);
      return kDone;
    }
  }
  Context context{out, err, ::isatty(STDERR_FILENO) == 1, stop_signal(), launch != nullptr ? &launch->transport() : nullptr};
  int code = run_application(std::vector<std::string>(argv + 1, argv + argc), context);
  out.flush();
  // A reader that has seen enough (`| head`) is no fault; a disk that is full is.
  if (out_buffer.error() != 0 && out_buffer.error() != EPIPE) {
    err << "waferloom: error: cannot write to standard output: " << std::strerror(out_buffer.error()) << '\n';
    if (code == kDone) code = kInputOutput;
  }
  code = final_code(code);
  if (launch != nullptr) {
    waferloom::fabric::end_service(&launch->transport());
    launch->finish(code);
  }
  return code;
}
