#include "host/cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>

namespace waferloom::cli {
namespace {

// The one mutable global of the program: a signal handler can reach nothing else.
std::atomic<int> g_stop{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must be able to set it");

void say(const char* text) {
  const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(ignored);
}

extern "C" void on_stop(int signal) {
  int expected = 0;
  if (g_stop.compare_exchange_strong(expected, signal)) {
    say(signal == SIGINT ? "\nwaferloom: interrupted; keeping what is finished (again to stop at once)\n"
                         : "\nwaferloom: asked to end; keeping what is finished\n");
    return;
  }
  ::_exit(128 + signal);
}

extern "C" void on_fault(int signal) {
  switch (signal) {
    case SIGSEGV:
      say("waferloom: internal error: invalid memory access (SIGSEGV)\n");
      break;
    case SIGBUS:
      say("waferloom: internal error: a mapped file or memory went away (SIGBUS)\n");
      break;
    case SIGFPE:
      say("waferloom: internal error: arithmetic fault (SIGFPE)\n");
      break;
    case SIGILL:
      say("waferloom: internal error: illegal instruction (SIGILL); was this built for another processor?\n");
      break;
    default:
      say("waferloom: internal error: aborted\n");
      break;
  }
  say("  hint: this is a mistake of the program, not yours; WAFERLOOM_CORE=1 leaves a core dump for a debugger\n");
  ::_exit(1);
}

[[noreturn]] void on_terminate() {
  const std::exception_ptr current = std::current_exception();
  if (current) {
    try {
      std::rethrow_exception(current);
    } catch (const std::exception& error) {
      say("waferloom: internal error: ");
      say(error.what());
      say("\n");
    } catch (...) {
      say("waferloom: internal error: unknown exception\n");
    }
  } else {
    say("waferloom: internal error: terminated\n");
  }
  ::_exit(1);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

// A stack overflow leaves no stack for its own handler.
void use_alternate_stack() {
  static char memory[65536];
  stack_t stack;
  std::memset(&stack, 0, sizeof stack);
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  sigaltstack(&stack, nullptr);
}

}  // namespace

const std::atomic<int>& stop_signal() { return g_stop; }

void leave_stopping_to_rank_0() {
  handle(SIGINT, SIG_IGN);
  handle(SIGTERM, SIG_IGN);
}

int final_code(int code) {
  handle(SIGINT, SIG_IGN);
  handle(SIGTERM, SIG_IGN);
  return code == 0 && g_stop.load() != 0 ? 128 + g_stop.load() : code;
}

void install_signal_handlers() {
  use_alternate_stack();
  handle(SIGINT, on_stop);
  handle(SIGTERM, on_stop);
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
  const char* core = std::getenv("WAFERLOOM_CORE");
  if (core != nullptr && std::strcmp(core, "1") == 0) return;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) handle(signal, on_fault);
  std::set_terminate(on_terminate);
}

}  // namespace waferloom::cli
