#include "sim/fabric/tile_transfer.h"

#include <algorithm>
#include <array>

namespace waferloom::fabric {
namespace {

constexpr uint32_t kPageWords = 256;
constexpr uint64_t kZero = 0;     // what WlUnitApi::memory_block says: kZero, kPrivate or a number that all tiles with that page share
constexpr uint64_t kPrivate = 1;
constexpr uint32_t kEnd = UINT32_MAX;

using checkpoint::Archive;
using Page = std::array<uint64_t, kPageWords>;

// One page of one memory that is not all zeros.
struct PageRecord {
  uint32_t tile = 0;
  uint16_t memory = 0;
  uint16_t page = 0;
  uint32_t shared = 0;  // 0: the words follow and are this tile's own; else the number of a shared page, whose words follow where it comes first

  void transfer(Archive& archive) { archive(tile, memory, page, shared); }
};

// Words of at most 32 bits take four bytes.
void transfer_words(Archive& archive, Page& words, uint32_t count, uint32_t bits) {
  if (bits > 32) {
    archive.raw(words.data(), count * sizeof words[0]);
    return;
  }
  std::array<uint32_t, kPageWords> narrow{};
  std::copy(words.begin(), words.end(), narrow.begin());
  archive.raw(narrow.data(), count * sizeof narrow[0]);
  std::copy(narrow.begin(), narrow.end(), words.begin());
}

}  // namespace

template <typename F>
void MemoryTransfer::each_page(uint32_t tile, F&& body) const {
  for (uint32_t m = 0; m < api_.memory_count(arena_); ++m) {
    const WlMemory& memory = *api_.memory(arena_, m);
    for (uint32_t word = 0; word < memory.words; word += kPageWords) body(tile, m, word / kPageWords, std::min(kPageWords, memory.words - word), memory.bits);
  }
}

// A page of the tile's own that holds only zeros is kZero too.
uint64_t MemoryTransfer::read(uint32_t tile, uint32_t memory, uint32_t page, uint32_t size, uint64_t* words) const {
  const uint64_t id = api_.memory_block(arena_, tile, memory, page * kPageWords, size, words);
  if (id != kPrivate) return id;
  uint64_t any = 0;
  for (uint32_t i = 0; i < size; ++i) any |= words[i];
  return any != 0 ? kPrivate : kZero;
}

void MemoryTransfer::clear(uint32_t tile, uint32_t memory, uint32_t page, uint32_t size) {
  const Page none{};
  if (zero_ == nullptr || zero_size_ != size) zero_ = api_.image_create(arena_, none.data(), size);
  zero_size_ = size;
  api_.image_load(arena_, tile, memory, page * kPageWords, zero_);
}

std::string MemoryTransfer::save(const std::vector<uint32_t>& tiles, uint32_t first) {
  Archive archive;
  Page words;
  for (size_t k = 0; k < tiles.size(); ++k) {
    each_page(tiles[k], [&](uint32_t tile, uint32_t memory, uint32_t page, uint32_t size, uint32_t bits) {
      const uint64_t id = read(tile, memory, page, size, words.data());
      if (id == kZero) return;
      PageRecord record{first + static_cast<uint32_t>(k), static_cast<uint16_t>(memory), static_cast<uint16_t>(page), 0};
      bool fresh = true;
      if (id != kPrivate) {
        const auto [known, added] = numbers_.emplace(id, static_cast<uint32_t>(numbers_.size() + 1));
        record.shared = known->second;
        fresh = added;
      }
      archive(record);
      if (fresh) transfer_words(archive, words, size, bits);
    });
  }
  end_own(&archive);
  return archive.bytes();
}

std::string MemoryTransfer::load(const std::vector<uint32_t>& tiles, uint32_t first, const std::string& bytes) {
  Archive archive(bytes);
  Page words;
  PageRecord record;
  archive(record);
  std::string fault;
  for (size_t k = 0; k < tiles.size(); ++k) {
    each_page(tiles[k], [&](uint32_t tile, uint32_t memory, uint32_t page, uint32_t size, uint32_t bits) {
      if (record.tile != first + k || record.memory != memory || record.page != page) {
        if (read(tile, memory, page, size, words.data()) != kZero) clear(tile, memory, page, size);
        return;
      }
      if (record.shared > images_.size() + 1) fault = "a shared page comes before its words";
      if (record.shared == 0 || record.shared == images_.size() + 1) transfer_words(archive, words, size, bits);
      if (record.shared == images_.size() + 1) images_.push_back(api_.image_create(arena_, words.data(), size));
      if (record.shared != 0 && fault.empty()) {
        api_.image_load(arena_, tile, memory, page * kPageWords, images_[record.shared - 1]);
      } else {
        for (uint32_t i = 0; i < size; ++i) api_.memory_set(arena_, tile, memory, page * kPageWords + i, words[i]);
      }
      archive(record);
    });
  }
  if (!archive.complete() || record.tile != kEnd) fault = "a page that this fabric does not have";
  return fault;
}

void MemoryTransfer::save_own(uint32_t tile, uint32_t name, Archive* archive) {
  Page words;
  each_page(tile, [&](uint32_t at, uint32_t memory, uint32_t page, uint32_t size, uint32_t bits) {
    if (api_.memory_block(arena_, at, memory, page * kPageWords, size, words.data()) != kPrivate) return;
    PageRecord record{name, static_cast<uint16_t>(memory), static_cast<uint16_t>(page), 0};
    (*archive)(record);
    transfer_words(*archive, words, size, bits);
  });
}

void MemoryTransfer::end_own(Archive* archive) {
  PageRecord end{kEnd, 0, 0, 0};
  (*archive)(end);
}

bool MemoryTransfer::next_own(Archive* archive, uint32_t* name) {
  (*archive)(*name);
  return archive->ok() && *name != kEnd;
}

// The rest of a record, whose name has been read, and its words.
std::string MemoryTransfer::take_own(Archive* archive, uint32_t tile) {
  PageRecord record;
  (*archive)(record.memory, record.page, record.shared);
  if (record.memory >= api_.memory_count(arena_)) return "a memory that this unit does not have";
  const WlMemory& memory = *api_.memory(arena_, record.memory);
  const uint32_t at = record.page * kPageWords;
  if (at >= memory.words) return "a page that this memory does not have";
  Page words;
  const uint32_t size = std::min(kPageWords, memory.words - at);
  transfer_words(*archive, words, size, memory.bits);
  for (uint32_t i = 0; i < size; ++i) api_.memory_set(arena_, tile, record.memory, at + i, words[i]);
  return "";
}

UnitTransfer::UnitTransfer(const WlUnitApi& api, WlArena* arena) : api_(api), arena_(arena) {
  for (uint32_t i = 0; i < api.register_count; ++i) {
    const WlRegister& r = api.registers[i];
    if ((r.flags & (WL_REG_HANDLE | WL_REG_MEMORY)) == 0) ranges_.push_back({r.offset, r.element_bytes * r.elements});
  }
  for (uint32_t i = 0; i < api.port_count; ++i) {
    if (static_cast<int32_t>(i) != api.clock_port) ranges_.push_back({api.ports[i].offset, api.ports[i].bytes});
  }
}

void UnitTransfer::operator()(Archive* archive, const std::vector<uint32_t>& tiles) const {
  std::vector<char*> states;
  for (const uint32_t tile : tiles) states.push_back(static_cast<char*>(api_.state(arena_, tile)));
  for (const Range& range : ranges_) {
    for (char* state : states) archive->raw(state + range.offset, range.bytes);
  }
}

}  // namespace waferloom::fabric
