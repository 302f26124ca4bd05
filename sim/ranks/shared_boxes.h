#pragma once
// Messages between the ranks of one host through memory that they share: a ring of bytes for each ordered pair, and a bell for each rank to sleep by.
//
// A rank that waits looks for a while, if the machine lets it, and then sleeps in the operating system until another rings: a sleeping rank costs nothing, and is
// woken at once however many others want the processor.
//
// Ownership: the mapping; the name of the memory is gone as soon as all have it. Threads: one thread of each rank. Errors: none after the start; a rank that is gone
// is for the caller to notice (lifelines.h).
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace waferloom::ranks {

class SharedBoxes {
 public:
  enum class Wanted : uint32_t { kData = 1, kRoom = 2 };  // what a sleeper waits for; room: data as well

  SharedBoxes() = default;
  ~SharedBoxes();
  SharedBoxes(const SharedBoxes&) = delete;
  SharedBoxes& operator=(const SharedBoxes&) = delete;

  // Makes the memory, or opens what another has made, and takes place `own` of `members`. False if that cannot be had.
  bool create(const std::string& name, unsigned members, unsigned own);
  bool open(const std::string& name, unsigned members, unsigned own);
  static void forget(const std::string& name);
  bool ready() const { return base_ != nullptr; }
  void close();

  // Puts a message, or the rest of it from *done bytes on, as far as there is room. True once all of it is there; begin with *done 0.
  bool put(unsigned to, const std::string& message, std::size_t* done);
  // Takes what has come from `from` out of its ring; get() then has the messages that are whole.
  void drain(unsigned from);
  void drain_all();
  bool get(unsigned from, std::string* message);

  // Sleeps until a bell rings or that time is over. `look`: whether there is no need to, asked once more when all can see that this rank is about to sleep.
  template <typename Look>
  void sleep(Wanted wanted, std::chrono::microseconds at_most, Look&& look) {
    Member& me = members_[own_];
    const uint32_t bell = me.bell.load();
    me.sleeps.store(static_cast<uint32_t>(wanted) | static_cast<uint32_t>(Wanted::kData));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!look()) doze(bell, at_most);
    me.sleeps.store(0, std::memory_order_relaxed);
  }

 private:
  struct alignas(64) Member {
    std::atomic<uint32_t> bell;
    std::atomic<uint32_t> sleeps;  // Wanted, 0 if awake
  };
  // Followed by its bytes.
  struct alignas(64) Ring {
    std::atomic<uint64_t> written;
    alignas(64) std::atomic<uint64_t> taken;
  };
  // What has come from one rank.
  struct Inbox {
    std::deque<std::string> whole;
    std::string part;
    uint64_t length = 0;
    unsigned head = 0;  // bytes of the length that are there
    std::size_t body = 0;
  };

  bool map(int descriptor, unsigned members, unsigned own);
  Ring& ring(unsigned from, unsigned to) const;
  static char* bytes_of(Ring& ring) { return reinterpret_cast<char*>(&ring + 1); }
  std::size_t write(Ring& ring, uint64_t at, const char* from, std::size_t count, uint64_t limit) const;
  void wake(unsigned member, Wanted wanted);
  void doze(uint32_t bell, std::chrono::microseconds at_most);

  char* base_ = nullptr;
  std::size_t size_ = 0, ring_bytes_ = 0;
  unsigned count_ = 0, own_ = 0;
  Member* members_ = nullptr;
  std::vector<Inbox> inboxes_;
};

}  // namespace waferloom::ranks
