// Work in a process of its own, for what a process can do or suffer only once: an elaboration of SystemC, a limit on the size of files.
// Not to be called while other threads run.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "testbenches/lib/catch.h"

namespace waferloom::test {

// What `work()`, a text of bytes, gave in a child. The child must end well.
template <class Work>
std::string bytes_of_child(Work work) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string bytes = work();
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = write(ends[1], bytes.data() + done, bytes.size() - done);
      if (n <= 0) _exit(1);
      done += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string bytes;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) bytes.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  return bytes;
}

// What `work()`, true or false, gave in a child whose files cannot grow beyond `most` bytes: as on a full disk.
template <class Work>
bool holds_with_files_of(rlim_t most, Work work) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status == 0;
}

}  // namespace waferloom::test
