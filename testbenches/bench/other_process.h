#pragma once
// A second process that does the same piece of work whenever it is told to: what a machine gives to two that share nothing.
//
// Ownership: the child and two pipes; the destructor ends it. Threads: one, and make it before the process has others. Errors: std::runtime_error.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>

namespace waferloom::bench {

class OtherProcess {
 public:
  using Work = std::function<void()>;

  // `prepare` runs in the child and returns its work. Comes back when that is ready.
  explicit OtherProcess(const std::function<Work()>& prepare) {
    std::fflush(stdout);
    int to[2], from[2];
    if (::pipe(to) != 0 || ::pipe(from) != 0) throw std::runtime_error("no pipe to another process");
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("no other process");
    if (child_ == 0) {
      ::close(to[1]);
      ::close(from[0]);
      serve(prepare, to[0], from[1]);
    }
    ::close(to[0]);
    ::close(from[1]);
    tell_ = to[1];
    hear_ = from[0];
    end();
  }
  ~OtherProcess() {
    ::close(tell_);  // the child reads the end
    ::close(hear_);
    ::waitpid(child_, nullptr, 0);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  // The work begins; it has ended.
  void begin() {
    if (::write(tell_, "w", 1) != 1) throw std::runtime_error("the other process is gone");
  }
  void end() {
    char word = 0;
    if (::read(hear_, &word, 1) != 1) throw std::runtime_error("the other process has failed");
  }

 private:
  [[noreturn]] static void serve(const std::function<Work()>& prepare, int hear, int tell) {
    try {
      const Work work = prepare();
      char word = 0;
      while (::write(tell, "d", 1) == 1 && ::read(hear, &word, 1) == 1) work();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "error: the other process: %s\n", e.what());
      ::_exit(1);
    }
    ::_exit(0);
  }

  pid_t child_ = -1;
  int tell_ = -1, hear_ = -1;
};

}  // namespace waferloom::bench
