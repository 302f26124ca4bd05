#include "sim/fabric/crew.h"

#include <chrono>

namespace waferloom::fabric {
namespace {

constexpr unsigned kLooks = 4000;      // some tens of microseconds
constexpr unsigned kLooksBeforeClock = 64;
constexpr std::chrono::milliseconds kSleepAfter(2);

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// Looks until `ready`, giving the processor away when it takes long. False if `patience` milliseconds passed.
template <typename Ready>
bool look(unsigned looks, bool for_ever, Ready&& ready) {
  for (unsigned i = 0; i < looks; ++i) {
    if (ready()) return true;
    pause_briefly();
  }
  const auto start = std::chrono::steady_clock::now();
  for (unsigned i = 1;; ++i) {
    if (ready()) return true;
    std::this_thread::yield();
    if (!for_ever && i % kLooksBeforeClock == 0 && std::chrono::steady_clock::now() - start > kSleepAfter) return false;
  }
}

}  // namespace

Crew::Crew(unsigned members, std::function<void(unsigned)> work)
    : work_(std::move(work)), patience_(members <= std::thread::hardware_concurrency() ? kLooks : 1) {
  for (unsigned i = 1; i < members; ++i) threads_.emplace_back([this, i] { live(i); });
}

Crew::~Crew() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_.store(true);
    round_.fetch_add(1);
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::run() {
  working_.store(static_cast<unsigned>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1);  // sequentially consistent, as sleepers_: a thread either sees the round or is seen asleep
  if (sleepers_.load() != 0) {
    { const std::lock_guard<std::mutex> lock(mutex_); }
    wake_.notify_all();
  }
  work_(0);
  look(patience_, true, [this] { return working_.load(std::memory_order_acquire) == 0; });
}

void Crew::live(unsigned member) {
  for (uint64_t seen = 0;;) {
    const auto called = [&] { return round_.load(std::memory_order_acquire) != seen; };
    if (!look(patience_, false, called)) {
      std::unique_lock<std::mutex> lock(mutex_);
      sleepers_.fetch_add(1);
      wake_.wait(lock, [&] { return round_.load() != seen; });
      sleepers_.fetch_sub(1);
    }
    seen = round_.load(std::memory_order_acquire);
    if (ending_.load()) return;
    work_(member);
    working_.fetch_sub(1, std::memory_order_acq_rel);
  }
}

}  // namespace waferloom::fabric
