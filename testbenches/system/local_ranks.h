#pragma once
// Ranks that are threads of one process: a transport for tests. Rank 0 is the test's own thread, the others serve.
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sim/fabric/serve.h"
#include "sim/fabric/transport.h"

namespace waferloom::test {

class LocalRanks {
 public:
  explicit LocalRanks(unsigned size) : boxes_(size_t{size} * size), ends_(size) {
    for (unsigned rank = 0; rank < size; ++rank) members_.push_back(std::make_unique<Member>(this, rank));
    for (unsigned rank = 1; rank < size; ++rank) threads_.emplace_back([this, rank] { ends_[rank] = fabric::serve(members_[rank].get()); });
  }
  ~LocalRanks() {
    fabric::end_service(members_[0].get());
    for (std::thread& thread : threads_) thread.join();
  }
  fabric::Transport* host() { return members_[0].get(); }
  // From now on nobody hears of that rank.
  void lose(unsigned rank) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      lost_ = rank;
    }
    arrived_.notify_all();
  }
  unsigned size() const { return static_cast<unsigned>(members_.size()); }

 private:
  class Member : public fabric::Transport {
   public:
    Member(LocalRanks* all, unsigned rank) : all_(*all), rank_(rank) {}
    unsigned rank() const override { return rank_; }
    unsigned size() const override { return all_.size(); }
    bool send(unsigned to, std::string bytes) override {
      {
        const std::lock_guard<std::mutex> lock(all_.mutex_);
        if (check()) return false;
        all_.box(rank_, to).push_back(std::move(bytes));
      }
      all_.arrived_.notify_all();
      return true;
    }
    bool receive(unsigned from, std::string* bytes) override {
      std::unique_lock<std::mutex> lock(all_.mutex_);
      std::deque<std::string>& box = all_.box(from, rank_);
      all_.arrived_.wait(lock, [&] { return !box.empty() || all_.lost_ != 0; });
      if (check()) return false;
      *bytes = std::move(box.front());
      box.pop_front();
      return true;
    }
    const std::string& fault() const override { return fault_; }

   private:
    bool check() {
      if (all_.lost_ != 0) fault_ = "rank " + std::to_string(all_.lost_) + " was lost";
      return all_.lost_ != 0;
    }
    LocalRanks& all_;
    unsigned rank_;
    std::string fault_;
  };
  std::deque<std::string>& box(unsigned from, unsigned to) { return boxes_[size_t{from} * size() + to]; }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::deque<std::string>> boxes_;
  unsigned lost_ = 0;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::string> ends_;
  std::vector<std::thread> threads_;
};

}  // namespace waferloom::test
