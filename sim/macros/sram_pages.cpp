#include "sim/macros/sram_pages.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace waferloom::macros {
namespace {

constexpr uint32_t kPageBytes = kPageWords * 4;
constexpr uint32_t kChunkPages = 1024;

alignas(64) const uint32_t kZeroPage[kPageWords] = {};

uint64_t hash_page(const uint32_t* words) {
  uint64_t h = 0x9e3779b97f4a7c15ull;
  for (uint32_t i = 0; i < kPageWords; ++i) {
    h = (h ^ words[i]) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  }
  return h;
}

// All pages of the library that are not zero: one slab in chunks, and an index of the shared ones by content. A chunk's first pages
// count the users of its shared pages, so that taking or leaving one looks nothing up. Shared pages are given back with their last
// user; all chunks are given back when no page is in use.
class PagePool {
 public:
  uint32_t* allocate() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return take();
  }
  void release(uint32_t* page) {
    const std::lock_guard<std::mutex> lock(mutex_);
    give(page);
  }
  // A shared page with these words; counts one user more.
  const uint32_t* share(const uint32_t* words) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& bucket = shared_[hash_page(words)];
    for (const uint32_t* page : bucket) {
      if (std::memcmp(page, words, kPageBytes) != 0) continue;
      ++users(page);
      return page;
    }
    uint32_t* page = take();
    std::memcpy(page, words, kPageBytes);
    users(page) = 1;
    bucket.push_back(page);
    return page;
  }
  // One user more of a page that is shared already.
  void join(const uint32_t* page) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++users(page);
  }
  void unshare(const uint32_t* page) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--users(page) > 0) return;
    const auto found = shared_.find(hash_page(page));
    auto& bucket = found->second;
    bucket.erase(std::find(bucket.begin(), bucket.end(), page));
    if (bucket.empty()) shared_.erase(found);
    give(const_cast<uint32_t*>(page));
  }

 private:
  static constexpr uint32_t kCountPages = kChunkPages * sizeof(uint32_t) / kPageBytes;

  static uint32_t& users(const uint32_t* page) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(page), within = at % (size_t{kPageBytes} * kChunkPages);
    return reinterpret_cast<uint32_t*>(at - within)[within / kPageBytes];
  }
  uint32_t* take() {
    if (free_.empty()) {
      char* chunk = static_cast<char*>(std::aligned_alloc(size_t{kPageBytes} * kChunkPages, size_t{kPageBytes} * kChunkPages));
      if (chunk == nullptr) throw std::bad_alloc();
      chunks_.push_back(chunk);
      for (uint32_t i = kChunkPages; i-- > kCountPages;) free_.push_back(reinterpret_cast<uint32_t*>(chunk + size_t{kPageBytes} * i));
    }
    uint32_t* page = free_.back();
    free_.pop_back();
    ++in_use_;
    return page;
  }
  void give(uint32_t* page) {
    free_.push_back(page);
    if (--in_use_ > 0) return;
    for (char* chunk : chunks_) std::free(chunk);
    chunks_.clear();
    free_.clear();
  }

  std::mutex mutex_;
  std::vector<char*> chunks_;
  std::vector<uint32_t*> free_;
  uint64_t in_use_ = 0;
  std::unordered_map<uint64_t, std::vector<const uint32_t*>> shared_;
};

// One slab per library, for every instance of it; never destroyed, so that instances may outlive static destructors.
PagePool& pool() {
  static PagePool* the_pool = new PagePool;
  return *the_pool;
}

uintptr_t zero_entry() { return reinterpret_cast<uintptr_t>(kZeroPage); }

}  // namespace

SramPages::SramPages(uint32_t words, uint32_t pages) : words_(words), page_count_(pages) {
  for (uint32_t i = 0; i < pages; ++i) pages_[i] = zero_entry() | kShared;
}

SramPages* SramPages::create(uint32_t words) {
  const uint32_t pages = (words + kPageWords - 1) / kPageWords;
  void* room = std::malloc(sizeof(SramPages) + sizeof(uintptr_t) * (pages - 1));
  if (room == nullptr) throw std::bad_alloc();
  return new (room) SramPages(words, pages);
}

void SramPages::destroy() {
  for (uint32_t i = 0; i < page_count_; ++i) replace(&pages_[i], zero_entry() | kShared);
  this->~SramPages();
  std::free(this);
}

SramPages* SramPages::clone() const {
  SramPages* copy = create(words_);
  for (uint32_t i = 0; i < page_count_; ++i) {
    uint32_t* const mine = reinterpret_cast<uint32_t*>(pages_[i] & ~kShared);
    if (mine == kZeroPage) continue;
    if ((pages_[i] & kShared) == 0) {
      uint32_t* fresh = pool().allocate();
      std::memcpy(fresh, mine, kPageBytes);
      copy->pages_[i] = reinterpret_cast<uintptr_t>(fresh);
      ++copy->private_pages_;
    } else {
      pool().join(mine);
      copy->pages_[i] = pages_[i];
    }
  }
  return copy;
}

void SramPages::load_like(const SramPages& before, const SramPages& after, uint32_t first, const uint64_t* values, uint32_t count) {
  if (first >= words_) return;
  count = std::min(count, words_ - first);
  for (uint32_t done = 0; done < count;) {
    const uint32_t index = (first + done) / kPageWords;
    const uint32_t n = std::min(kPageWords - (first + done) % kPageWords, count - done);
    uintptr_t* entry = &pages_[index];
    if (*entry == before.pages_[index] && (after.pages_[index] & kShared) != 0) {
      const uint32_t* page = after.page(index);
      if (page != kZeroPage) pool().join(page);
      replace(entry, after.pages_[index]);
    } else {
      load(first + done, values + done, n);
    }
    done += n;
  }
}

uint64_t SramPages::block(uint32_t first, uint32_t count, uint64_t* values) const {
  const uintptr_t entry = pages_[first / kPageWords];
  if (entry == (zero_entry() | kShared)) return 0;
  const uint32_t* words = page(first / kPageWords) + first % kPageWords;
  for (uint32_t i = 0; i < count; ++i) values[i] = words[i];
  return (entry & kShared) == 0 ? 1 : static_cast<uint64_t>(entry & ~kShared);
}

void SramPages::replace(uintptr_t* entry, uintptr_t with) {
  uint32_t* old = reinterpret_cast<uint32_t*>(*entry & ~kShared);
  if ((*entry & kShared) == 0) {
    --private_pages_;
    pool().release(old);
  } else if (old != kZeroPage) {
    pool().unshare(old);
  }
  *entry = with;
}

void SramPages::make_private(uintptr_t* entry) {
  uint32_t* fresh = pool().allocate();
  std::memcpy(fresh, reinterpret_cast<const void*>(*entry & ~kShared), kPageBytes);
  replace(entry, reinterpret_cast<uintptr_t>(fresh));
  ++private_pages_;
}

void SramPages::load(uint32_t first, const uint64_t* values, uint32_t count) {
  if (first >= words_) return;
  if (count > words_ - first) count = words_ - first;
  uint32_t buffer[kPageWords];
  for (uint32_t done = 0; done < count;) {
    const uint32_t word = first + done;
    const uint32_t offset = word % kPageWords;
    uint32_t n = kPageWords - offset;
    if (n > count - done) n = count - done;
    uintptr_t* entry = &pages_[word / kPageWords];
    std::memcpy(buffer, page(word / kPageWords), kPageBytes);
    for (uint32_t i = 0; i < n; ++i) buffer[offset + i] = static_cast<uint32_t>(values[done + i]);
    if (std::memcmp(buffer, kZeroPage, kPageBytes) == 0) {
      replace(entry, zero_entry() | kShared);
    } else {
      replace(entry, reinterpret_cast<uintptr_t>(pool().share(buffer)) | kShared);
    }
    done += n;
  }
}

}  // namespace waferloom::macros
