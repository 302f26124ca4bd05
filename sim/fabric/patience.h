#pragma once
// How long one that waits for another thread or process looks before it sleeps. Looking is answered within a fraction of a microsecond and costs a processor;
// sleeping costs nothing, and some microseconds to wake. What looking has paid lately decides: on a machine with nothing else to do it lasts up to kMost, where the
// other seldom has a processor it soon lasts kLeast only.
//
// Threads: one waiting thread owns it.
#include <algorithm>
#include <chrono>

namespace waferloom::fabric {

class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  // `crowded`: more wait for each other than there are processors, so that looking only keeps the other from one.
  explicit Patience(bool crowded) : crowded_(crowded) {}

  // Whether `ready()` came true in time. If not, sleep, and tell slept() how long it took since `start`, which is set to now.
  template <typename Ready>
  bool look(Ready&& ready, Clock::time_point* start) {
    if (ready()) return true;
    *start = Clock::now();
    if (crowded_) return false;
    do {
      for (unsigned i = 0; i < kLooksBetweenClocks; ++i) {
        pause();
        if (!ready()) continue;
        looks_ = std::min(kMost, looks_ * 2);
        return true;
      }
    } while (Clock::now() - *start < looks_);
    return false;
  }
  void slept(Clock::duration since_start) {
    looks_ = since_start < kMost ? std::min(kMost, looks_ * 2) : std::max(kLeast, looks_ / 2);
  }

 private:
  static constexpr Clock::duration kMost = std::chrono::microseconds(200), kLeast = std::chrono::microseconds(4);
  static constexpr unsigned kLooksBetweenClocks = 16;

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }

  bool crowded_;
  Clock::duration looks_ = kMost;
};

}  // namespace waferloom::fabric
