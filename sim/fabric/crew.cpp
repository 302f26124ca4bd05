#include "sim/fabric/crew.h"

namespace waferloom::fabric {

Crew::Crew(unsigned members, std::function<void(unsigned)> work)
    : work_(std::move(work)), crowded_(members > std::thread::hardware_concurrency()), patience_(crowded_) {
  for (unsigned i = 1; i < members; ++i) threads_.emplace_back([this, i] { live(i); });
}

Crew::~Crew() {
  ending_.store(true);
  round_.fetch_add(1);
  ring(&called_, sleepers_);
  for (std::thread& thread : threads_) thread.join();
}

// What is waited for and who sleeps are both sequentially consistent: a sleeper either sees that it is ready, or is seen.
template <typename Ready>
void Crew::sleep(std::condition_variable* bell, std::atomic<unsigned>* sleepers, Ready&& ready) {
  std::unique_lock<std::mutex> lock(mutex_);
  sleepers->fetch_add(1);
  bell->wait(lock, ready);
  sleepers->fetch_sub(1);
}

void Crew::ring(std::condition_variable* bell, const std::atomic<unsigned>& sleepers) {
  if (sleepers.load() == 0) return;
  { const std::lock_guard<std::mutex> lock(mutex_); }
  bell->notify_all();
}

void Crew::run() {
  working_.store(static_cast<unsigned>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1);
  ring(&called_, sleepers_);
  work_(0);
  if (patience_.look([this] { return working_.load(std::memory_order_acquire) == 0; })) return;
  sleep(&done_, &caller_sleeps_, [this] { return working_.load() == 0; });
}

void Crew::live(unsigned member) {
  Patience patience(crowded_);
  for (uint64_t seen = 0;;) {
    if (!patience.look([&] { return round_.load(std::memory_order_acquire) != seen; })) sleep(&called_, &sleepers_, [&] { return round_.load() != seen; });
    seen = round_.load(std::memory_order_acquire);
    if (ending_.load()) return;
    work_(member);
    if (working_.fetch_sub(1) == 1) ring(&done_, caller_sleeps_);
  }
}

}  // namespace waferloom::fabric
