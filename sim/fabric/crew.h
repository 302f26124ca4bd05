#pragma once
// The threads of one fabric. They meet twice a cycle, so they wait by looking (patience.h) and fall asleep when it takes long.
//
// Ownership: owns its threads and ends them in its destructor. Threads: run() and destruction are for the thread that created it.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/fabric/patience.h"

namespace waferloom::fabric {

class Crew {
 public:
  // `members` at least 2, the caller included; work(i) is what member i does in a run, 0 being the caller. It must not throw.
  Crew(unsigned members, std::function<void(unsigned)> work);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  unsigned members() const { return static_cast<unsigned>(threads_.size()) + 1; }
  // Every member works once. What the caller wrote before is seen by all, what they wrote is seen by the caller afterwards.
  void run();

 private:
  void live(unsigned member);
  // Sleeps until `ready()`, which whoever makes it true follows with a call of ring().
  template <typename Ready>
  void sleep(std::condition_variable* bell, std::atomic<unsigned>* sleepers, Ready&& ready);
  void ring(std::condition_variable* bell, const std::atomic<unsigned>& sleepers);

  std::function<void(unsigned)> work_;
  bool crowded_;
  Patience patience_;  // the caller's
  alignas(64) std::atomic<uint64_t> round_{0};
  std::atomic<bool> ending_{false};
  alignas(64) std::atomic<unsigned> working_{0};
  alignas(64) std::atomic<unsigned> sleepers_{0};  // members
  std::atomic<unsigned> caller_sleeps_{0};
  std::mutex mutex_;
  std::condition_variable called_, done_;
  std::vector<std::thread> threads_;
};

}  // namespace waferloom::fabric
