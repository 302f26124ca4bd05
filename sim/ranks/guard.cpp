#include "sim/ranks/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>

namespace waferloom::ranks {
namespace {

constexpr int kGraceMs = 3000;           // to end by itself
constexpr int kGraceInOrderMs = 20'000;
constexpr int kGraceOfRank0Ms = 60'000;  // to write a checkpoint, too
constexpr const char* kLaunchers[] = {"mpirun", "mpiexec", "orterun", "orted", "prterun", "prte", "prted", "mpiexec.hydra", "hydra_pmi_proxy", "slurmstepd"};

// Name and parent of a process; 0 if there is none.
pid_t parent_of(pid_t process, std::string* name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 4 > text.size()) return 0;
  *name = text.substr(open + 1, close - open - 1);
  return static_cast<pid_t>(std::strtol(text.c_str() + close + 4, nullptr, 10));  // ") S 123"
}

// The nearest ancestor that is one, else the parent: between the two may lie a user's own script.
pid_t find_launcher() {
  std::string name;
  for (pid_t at = ::getppid(); at > 1;) {
    const pid_t above = parent_of(at, &name);
    if (std::any_of(std::begin(kLaunchers), std::end(kLaunchers), [&name](const char* known) { return name == known; })) return at;
    at = above;
  }
  return ::getppid();
}

// Open MPI's files of memory that ranks of one host share: vader_segment.* up to version 4, sm_segment.* from 5 on.
void forget_segments() {
  const std::string folder = "/dev/shm/";
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t at = line.find(folder);
    if (at == std::string::npos) continue;
    const std::string name = line.substr(at + folder.size());
    if (name.compare(0, 14, "vader_segment.") == 0 || name.compare(0, 11, "sm_segment.") == 0) ::unlink((folder + name).c_str());
  }
}

}  // namespace

void leave(int code) {
  forget_segments();
  ::_exit(code);
}

Guard::~Guard() {
  ending_.store(true);
  if (thread_.joinable()) {
    notify();
    thread_.join();
  }
  for (const int descriptor : {launcher_, bell_[0], bell_[1]}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

void Guard::start(int code) {
  code_.store(code);
  const pid_t launcher = find_launcher();
  if (launcher > 1) launcher_ = static_cast<int>(::syscall(SYS_pidfd_open, launcher, 0));
  if (::pipe2(bell_, O_CLOEXEC | O_NONBLOCK) != 0) return;
  // Signals are for the thread that runs.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Guard::joined(unsigned rank, int line) {
  line_.store(line);
  rank_.store(static_cast<int>(rank));
  notify();
}

void Guard::let_go() { in_order_.store(true); }

void Guard::notify() {
  const char byte = 0;
  if (bell_[1] >= 0 && ::write(bell_[1], &byte, 1) < 0) return;  // full: it is awake anyway
}

bool Guard::wait(int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (!ending_.load()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) return true;
    pollfd bell{bell_[0], POLLIN, 0};
    char bytes[16];
    if (::poll(&bell, 1, static_cast<int>(left)) == 1 && ::read(bell_[0], bytes, sizeof bytes) <= 0) return true;
  }
  return false;
}

void Guard::watch() {
  while (!ending_.load()) {
    // A negative descriptor is not looked at.
    std::array<pollfd, 3> at = {{{bell_[0], POLLIN, 0}, {launcher_gone_.load() ? -1 : launcher_, POLLIN, 0}, {line_.load(), POLLRDHUP, 0}}};
    if (::poll(at.data(), at.size(), -1) < 0 && errno != EINTR) return;
    char bytes[16];
    while (at[0].revents != 0 && ::read(bell_[0], bytes, sizeof bytes) > 0) {
    }
    if (at[2].revents != 0) {  // no more of rank 0
      if (!wait(in_order_.load() ? kGraceInOrderMs : kGraceMs)) return;
      leave(in_order_.load() ? 0 : code_.load());
    }
    if (at[1].revents == 0) continue;
    launcher_gone_.store(true);
    if (rank_.load() == 0) {
      ::kill(::getpid(), SIGTERM);
      if (!wait(kGraceOfRank0Ms)) return;
      leave(128 + SIGTERM);
    }
    if (line_.load() < 0) {
      if (!wait(kGraceMs)) return;
      if (line_.load() < 0) leave(128 + SIGTERM);
    }
  }
}

}  // namespace waferloom::ranks
