#pragma once
// Ends a rank that nobody waits for any more: its launcher is gone, or rank 0 is. A thread that sleeps until one of the two happens, whatever the rank is doing.
//
// Rank 0 without its launcher is asked to end as by SIGTERM (so it keeps what is finished), and ended if it has not within a minute. Another rank without rank 0 has a
// few seconds to end by itself. Without a launcher and not yet joined, or never connected to rank 0: at once, or within seconds.
//
// Ownership: its thread. Threads: start, joined and let_go from one thread.
#include <atomic>
#include <thread>

namespace waferloom::ranks {

// Ends the process without MPI's own end. What MPI keeps in /dev/shm goes with it: else that is the launcher's to remove, and it may be gone.
[[noreturn]] void leave(int code);

class Guard {
 public:
  Guard() = default;
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Before MPI starts, which may itself wait for ever. `code`: what a rank without rank 0 ends with.
  void start(int code);
  // Knows its place. `line`: the connection to rank 0, -1 for rank 0 itself or if it could not be laid.
  void joined(unsigned rank, int line);
  // From here on the end is in order, if it comes within seconds.
  void let_go();
  bool launcher_gone() const { return launcher_gone_.load(); }

 private:
  void watch();
  bool wait(int milliseconds);  // false if told to end
  void notify();

  int launcher_ = -1;    // descriptor of the process
  int bell_[2] = {-1, -1};
  std::atomic<int> code_{0}, line_{-1}, rank_{-1};
  std::atomic<bool> in_order_{false}, ending_{false}, launcher_gone_{false};
  std::thread thread_;
};

}  // namespace waferloom::ranks
