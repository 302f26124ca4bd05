#include "sim/plugin/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

namespace waferloom::plugin {
namespace {

constexpr int kPollMilliseconds = 100;

bool asked(const std::function<bool()>& interrupted) { return interrupted && interrupted(); }

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& directory, const std::function<bool()>& interrupted) {
  ProcessResult result;
  if (asked(interrupted)) {
    result.interrupted = true;
    return result;
  }
  // Everything is allocated before fork: the child of a threaded process may only make system calls.
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    if (std::strncmp(*at, "LC_", 3) != 0 && std::strncmp(*at, "LANG", 4) != 0) variables.push_back(*at);
  }
  char locale[] = "LC_ALL=C";
  variables.push_back(locale);
  variables.push_back(nullptr);
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    result.output = std::string("pipe: ") + std::strerror(errno);
    return result;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    result.output = std::string("fork: ") + std::strerror(errno);
    close(fds[0]);
    close(fds[1]);
    return result;
  }
  if (child == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);  // it died before the line above
    dup2(fds[1], 1);
    dup2(fds[1], 2);
    const int null_fd = open("/dev/null", O_RDONLY);
    if (null_fd >= 0) dup2(null_fd, 0);
    if (directory.empty() || chdir(directory.c_str()) == 0) execvpe(argv[0], argv.data(), variables.data());
    _exit(127);
  }
  close(fds[1]);
  setpgid(child, child);  // whichever of the two comes first
  char buffer[4096];
  for (;;) {
    if (asked(interrupted)) {
      result.interrupted = true;
      kill(-child, SIGKILL);
      break;
    }
    pollfd ready{fds[0], POLLIN, 0};
    if (poll(&ready, 1, kPollMilliseconds) <= 0) continue;
    const ssize_t n = read(fds[0], buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    result.output.append(buffer, static_cast<size_t>(n));
  }
  close(fds[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (result.exit_code == 127 && result.output.empty()) {
    result.exit_code = -1;
    result.output = arguments[0] + ": cannot be started (is it installed?)";
  }
  return result;
}

std::vector<ProcessResult> run_processes(const std::vector<std::vector<std::string>>& list, const std::string& directory, unsigned jobs,
                                         const std::function<bool()>& interrupted) {
  std::vector<ProcessResult> results(list.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < list.size(); i = next++) results[i] = run_process(list[i], directory, interrupted);
  };
  std::vector<std::thread> workers;
  for (unsigned k = 1; k < jobs && k < list.size(); ++k) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  return results;
}

}  // namespace waferloom::plugin
