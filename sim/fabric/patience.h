#pragma once
// How long one that waits for another thread or process looks before it sleeps. Looking is answered within a fraction of a microsecond and costs a processor, which
// the other may want; sleeping costs nothing, and some microseconds to wake. What has paid lately decides: on a machine with nothing else to do looking lasts up to
// kMost, where the other seldom has a processor it soon lasts kLeast only, but for a trial now and then.
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

  // Whether `ready()` came true in time. If not, sleep.
  template <typename Ready>
  bool look(Ready&& ready) {
    if (ready()) return true;
    if (crowded_) return false;
    const bool trial = ++vain_ % kVainBetweenTrials == 0;
    const Clock::duration most = trial ? kMost : looks_;
    const Clock::time_point start = Clock::now();
    do {
      for (unsigned i = 0; i < kLooksBetweenClocks; ++i) {
        pause();
        if (!ready()) continue;
        looks_ = trial ? kMost : std::min(kMost, looks_ * 2);
        vain_ = 0;
        return true;
      }
    } while (Clock::now() - start < most);
    looks_ = std::max(kLeast, looks_ / 2);
    return false;
  }

 private:
  static constexpr Clock::duration kMost = std::chrono::microseconds(200), kLeast = std::chrono::microseconds(4);
  static constexpr unsigned kLooksBetweenClocks = 16, kVainBetweenTrials = 32;

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }

  bool crowded_;
  Clock::duration looks_ = kMost;
  unsigned vain_ = 0;  // waits since looking last paid
};

}  // namespace waferloom::fabric
