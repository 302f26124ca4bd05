#pragma once
// The state of some tiles as bytes, for checkpoints and for other processes.
//
// Ownership: refers to the arena. Threads: the fabric's own. Errors: bytes that do not fit are named, never read past their end.
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/checkpoint/archive.h"
#include "sim/plugin/unit.h"

namespace waferloom::fabric {

// Memories, page by page. Pages that tiles share (programs, constants) are written once and shared again when loaded: one object saves, or loads, a whole
// series of lists. Sharing never changes what a tile reads.
class MemoryTransfer {
 public:
  MemoryTransfer(const WlUnitApi& api, WlArena* arena) : api_(api), arena_(arena) {}

  // `first`: what the bytes call tiles[0]; tiles[i] is first + i.
  std::string save(const std::vector<uint32_t>& tiles, uint32_t first);
  // "" or what is wrong. Pages that the bytes leave out become zero.
  std::string load(const std::vector<uint32_t>& tiles, uint32_t first, const std::string& bytes);

  // Only pages that are a tile's own, and the tiles' numbers as they are: for memories that otherwise are alike already.
  void save_own(uint32_t tile, uint32_t name, checkpoint::Archive* archive);
  // All that save_own wrote; `tile_of` says where each name is here.
  template <typename F>
  std::string load_own(checkpoint::Archive* archive, F&& tile_of) {
    for (uint32_t name = 0; next_own(archive, &name);) {
      const std::string wrong = take_own(archive, tile_of(name));
      if (!wrong.empty()) return wrong;
    }
    return archive->ok() ? "" : "a page is cut short";
  }
  static void end_own(checkpoint::Archive* archive);

 private:
  template <typename F>
  void each_page(uint32_t tile, F&& body) const;
  uint64_t read(uint32_t tile, uint32_t memory, uint32_t page, uint32_t size, uint64_t* words) const;
  void clear(uint32_t tile, uint32_t memory, uint32_t page, uint32_t size);
  static bool next_own(checkpoint::Archive* archive, uint32_t* name);
  std::string take_own(checkpoint::Archive* archive, uint32_t tile);

  const WlUnitApi& api_;
  WlArena* arena_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // of shared pages, by what memory_block calls them
  std::vector<const WlImage*> images_;              // by number - 1
  const WlImage* zero_ = nullptr;
  uint32_t zero_size_ = 0;
};

// Registers and ports of one kind of unit, which both sides have at the same offsets (the same library).
class UnitTransfer {
 public:
  UnitTransfer(const WlUnitApi& api, WlArena* arena);
  // Saves or loads, register after register.
  void operator()(checkpoint::Archive* archive, const std::vector<uint32_t>& tiles) const;

 private:
  struct Range {
    uint32_t offset, bytes;
  };
  const WlUnitApi& api_;
  WlArena* arena_;
  std::vector<Range> ranges_;
};

}  // namespace waferloom::fabric
