#include "sim/ranks/shared_boxes.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

namespace waferloom::ranks {
namespace {

constexpr std::size_t kAllBytes = std::size_t{16} << 20;  // of all rings together, about
constexpr std::size_t kMostBytes = std::size_t{1} << 18, kLeastBytes = std::size_t{1} << 12;  // of one ring
constexpr unsigned kLengthBytes = 8;  // in front of each message

// A power of two.
std::size_t ring_bytes(unsigned members) {
  std::size_t bytes = kMostBytes;
  while (bytes > kLeastBytes && bytes * members * members > kAllBytes) bytes /= 2;
  return bytes;
}

}  // namespace

static_assert(std::atomic<uint32_t>::is_always_lock_free && std::atomic<uint64_t>::is_always_lock_free, "processes share them");

SharedBoxes::~SharedBoxes() { close(); }

void SharedBoxes::close() {
  if (base_ != nullptr) ::munmap(base_, size_);
  base_ = nullptr;
}

void SharedBoxes::forget(const std::string& name) { ::shm_unlink(name.c_str()); }

bool SharedBoxes::create(const std::string& name, unsigned members, unsigned own) {
  const int descriptor = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  const std::size_t size = sizeof(Member) * members + (sizeof(Ring) + ring_bytes(members)) * members * members;
  // Not ftruncate: memory that is not there would end the process at first use.
  const bool made = ::posix_fallocate(descriptor, 0, static_cast<off_t>(size)) == 0 && map(descriptor, members, own);
  ::close(descriptor);
  if (!made) forget(name);
  return made;
}

bool SharedBoxes::open(const std::string& name, unsigned members, unsigned own) {
  const int descriptor = ::shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  const bool mapped = map(descriptor, members, own);
  ::close(descriptor);
  return mapped;
}

// All zero is a valid beginning.
bool SharedBoxes::map(int descriptor, unsigned members, unsigned own) {
  ring_bytes_ = ring_bytes(members);
  size_ = sizeof(Member) * members + (sizeof(Ring) + ring_bytes_) * members * members;
  void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) return false;
  base_ = static_cast<char*>(at);
  members_ = reinterpret_cast<Member*>(base_);
  count_ = members;
  own_ = own;
  inboxes_.resize(members);
  return true;
}

SharedBoxes::Ring& SharedBoxes::ring(unsigned from, unsigned to) const {
  return *reinterpret_cast<Ring*>(base_ + sizeof(Member) * count_ + (sizeof(Ring) + ring_bytes_) * (std::size_t{from} * count_ + to));
}

// As many of `count` bytes as fit before `limit`.
std::size_t SharedBoxes::write(Ring& ring, uint64_t at, const char* from, std::size_t count, uint64_t limit) const {
  count = std::min<std::size_t>(count, limit - at);
  const std::size_t offset = at & (ring_bytes_ - 1), first = std::min(count, ring_bytes_ - offset);
  std::memcpy(bytes_of(ring) + offset, from, first);
  std::memcpy(bytes_of(ring), from + first, count - first);
  return count;
}

bool SharedBoxes::put(unsigned to, const std::string& message, std::size_t* done) {
  Ring& out = ring(own_, to);
  const uint64_t begin = out.written.load(std::memory_order_relaxed), limit = out.taken.load(std::memory_order_acquire) + ring_bytes_;
  uint64_t at = begin;
  // *done counts the length in front as well.
  if (*done == 0) {
    if (limit - at < kLengthBytes) return false;
    const uint64_t length = message.size();
    char head[kLengthBytes];
    std::memcpy(head, &length, sizeof head);
    *done = write(out, at, head, sizeof head, limit);
    at += *done;
  }
  const std::size_t body = *done - kLengthBytes, count = write(out, at, message.data() + body, message.size() - body, limit);
  *done += count;
  at += count;
  if (at != begin) {
    out.written.store(at, std::memory_order_release);
    wake(to, Wanted::kData);
  }
  return *done == message.size() + kLengthBytes;
}

void SharedBoxes::drain(unsigned from) {
  Ring& in = ring(from, own_);
  const uint64_t begin = in.taken.load(std::memory_order_relaxed), end = in.written.load(std::memory_order_acquire);
  if (begin == end) return;
  Inbox& inbox = inboxes_[from];
  const auto read = [&](uint64_t at, char* to, std::size_t count) {
    const std::size_t offset = at & (ring_bytes_ - 1), first = std::min(count, ring_bytes_ - offset);
    std::memcpy(to, bytes_of(in) + offset, first);
    std::memcpy(to + first, bytes_of(in), count - first);
  };
  for (uint64_t at = begin; at != end;) {
    if (inbox.head < kLengthBytes) {
      const auto count = static_cast<unsigned>(std::min<uint64_t>(kLengthBytes - inbox.head, end - at));
      read(at, reinterpret_cast<char*>(&inbox.length) + inbox.head, count);
      at += count;
      inbox.head += count;
      if (inbox.head < kLengthBytes) break;
      inbox.part.resize(inbox.length);
      inbox.body = 0;
    }
    const std::size_t count = std::min<uint64_t>(inbox.length - inbox.body, end - at);
    read(at, inbox.part.data() + inbox.body, count);
    at += count;
    inbox.body += count;
    if (inbox.body < inbox.length) break;
    inbox.whole.push_back(std::move(inbox.part));
    inbox.part.clear();
    inbox.head = 0;
  }
  in.taken.store(end, std::memory_order_release);
  wake(from, Wanted::kRoom);
}

void SharedBoxes::drain_all() {
  for (unsigned from = 0; from < count_; ++from) {
    if (from != own_) drain(from);
  }
}

bool SharedBoxes::get(unsigned from, std::string* message) {
  std::deque<std::string>& whole = inboxes_[from].whole;
  if (whole.empty()) return false;
  *message = std::move(whole.front());
  whole.pop_front();
  return true;
}

void SharedBoxes::wake(unsigned member, Wanted wanted) {
  Member& other = members_[member];
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if ((other.sleeps.load(std::memory_order_relaxed) & static_cast<uint32_t>(wanted)) == 0) return;
  other.bell.fetch_add(1);
  ::syscall(SYS_futex, &other.bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void SharedBoxes::doze(uint32_t bell, std::chrono::microseconds at_most) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(at_most.count() / 1'000'000);
  time.tv_nsec = static_cast<long>(at_most.count() % 1'000'000 * 1000);
  ::syscall(SYS_futex, &members_[own_].bell, FUTEX_WAIT, bell, &time, nullptr, 0);
}

}  // namespace waferloom::ranks
