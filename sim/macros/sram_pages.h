#pragma once
// Host memory of the fast SRAM view: a table of 1 KiB pages per instance. A page is the one page of zeros, a page shared by every
// instance that was loaded with the same image, or private to the instance since it first changed a word of it. An instance that
// was never written costs its table only (8 bytes per page).
//
// Threads: instances may be used in parallel, each by one thread at a time; creation, loading and destruction are for one thread
// at a time per instance and lock where instances share.
#include <cstdint>
#include <cstring>

namespace waferloom::macros {

inline constexpr uint32_t kPageWords = 256;

// One memory of 32-bit words. Words beyond the end read zero; writes there are dropped.
class SramPages {
 public:
  // Requires words >= 1. The caller destroys what it gets.
  static SramPages* create(uint32_t words);
  void destroy();
  // Another memory with the same words; shared pages stay shared, private ones are copied. Counts no changes yet.
  SramPages* clone() const;
  SramPages(const SramPages&) = delete;
  SramPages& operator=(const SramPages&) = delete;

  uint32_t words() const { return words_; }

  uint32_t read(uint32_t word) const {
    if (word >= words_) return 0;
    return page(word / kPageWords)[word % kPageWords];
  }

  // Words 2 * line (low half) and 2 * line + 1.
  uint64_t read_line(uint32_t line) const {
    const uint32_t word = 2 * line;
    if (word + 1 >= words_) return read(word);
    uint64_t value;
    std::memcpy(&value, page(word / kPageWords) + word % kPageWords, sizeof(value));
    return value;
  }

  // Replaces the bits of `mask`.
  void write(uint32_t word, uint32_t value, uint32_t mask) {
    if (word >= words_) return;
    const uint32_t old = page(word / kPageWords)[word % kPageWords];
    const uint32_t next = (old & ~mask) | (value & mask);
    if (next == old) return;
    ++changes_;
    uintptr_t& entry = pages_[word / kPageWords];
    if ((entry & kShared) != 0) make_private(&entry);
    reinterpret_cast<uint32_t*>(entry)[word % kPageWords] = next;
  }

  // Makes `count` words from `first` equal to the low halves of `values`. Whole pages are shared with every other instance that
  // was given the same words. Words beyond the end are ignored. Counts no changes.
  void load(uint32_t first, const uint64_t* values, uint32_t count);

  // As load, for a memory that may be like one that was just given the same words: `before` and `after` are that one before and after
  // (of the same size). Where a page is like before's, after's page is taken over.
  void load_like(const SramPages& before, const SramPages& after, uint32_t first, const uint64_t* values, uint32_t count);

  // `count` words from `first`, all of one page. Returns 0 for the page of zeros (nothing is written to `values`), 1 for a private page, else
  // an even number that is the same for every memory that shares the page.
  uint64_t block(uint32_t first, uint32_t count, uint64_t* values) const;

  uint64_t private_bytes() const { return private_pages_ * uint64_t{kPageWords} * 4; }
  uint64_t changes() const { return changes_; }

 private:
  // The low bit of a table entry: the page belongs to more than this instance.
  static constexpr uintptr_t kShared = 1;

  SramPages(uint32_t words, uint32_t pages);
  ~SramPages() = default;
  const uint32_t* page(uint32_t index) const { return reinterpret_cast<const uint32_t*>(pages_[index] & ~kShared); }
  void make_private(uintptr_t* entry);
  void replace(uintptr_t* entry, uintptr_t with);

  uint64_t changes_ = 0;
  uint32_t words_;
  uint32_t page_count_;
  uint32_t private_pages_ = 0;
  uintptr_t pages_[1];  // page_count_ entries; the object is allocated with room for them
};

}  // namespace waferloom::macros
