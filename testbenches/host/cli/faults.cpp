// A program with the signal handling of `waferloom` that goes wrong on request, for program_test.py.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "host/cli/command.h"
#include "host/cli/interrupt.h"

namespace {

int overflow(int depth) {
  volatile char block[4096];
  block[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + block[0];
}

}  // namespace

int main(int argc, char** argv) {
  using namespace waferloom::cli;
  const std::string what = argc > 1 ? argv[1] : "";
  install_signal_handlers();
  if (what == "wait") {  // a long job that polls, as `run` does
    std::cout << "ready" << std::endl;
    while (stop_signal().load() == 0) ::usleep(20000);
    const Context context{std::cout, std::cerr, false, stop_signal()};
    return interrupted_code(context);
  }
  if (what == "late") {  // one that has finished when the signal comes
    std::cout << "ready" << std::endl;
    while (stop_signal().load() == 0) ::usleep(20000);
    return final_code(0);
  }
  if (what == "failed") {  // the same, and what it did was wrong
    std::cout << "ready" << std::endl;
    while (stop_signal().load() == 0) ::usleep(20000);
    return final_code(1);
  }
  if (what == "over") {  // one that has said its last word
    const int code = final_code(0);
    std::cout << "ready" << std::endl;
    std::cin.get();
    return code;
  }
  if (what == "deaf") {  // one that does not
    std::cout << "ready" << std::endl;
    for (;;) ::usleep(20000);
  }
  if (what == "segv") ::raise(SIGSEGV);
  if (what == "abort") std::abort();
  if (what == "throw") throw std::runtime_error("on purpose");
  if (what == "stack") return overflow(0);
  return 9;
}
