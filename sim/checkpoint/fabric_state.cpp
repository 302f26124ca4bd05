#include "sim/checkpoint/fabric_state.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

#include "sim/checkpoint/archive.h"

namespace waferloom::checkpoint {
namespace {

using fabric::Fabric;
using fabric::UnitKind;

constexpr std::uint32_t kBlockTiles = 512;
constexpr std::uint32_t kPageWords = 256;

const char* section_of(UnitKind kind) { return kind == UnitKind::kRouter ? "router" : "pe"; }

// A register as the file names it, and where this build keeps it.
struct Column {
  std::string name;
  std::uint32_t bytes = 0;  // of all elements
  std::uint32_t offset = 0;

  void transfer(Archive& archive) { archive(name, bytes); }
};

std::vector<Column> columns_of(const WlUnitApi& api) {
  std::vector<Column> columns;
  for (std::uint32_t i = 0; i < api.register_count; ++i) {
    const WlRegister& r = api.registers[i];
    if ((r.flags & WL_REG_STATE) != 0 && (r.flags & WL_REG_MEMORY) == 0) columns.push_back({r.name, r.element_bytes * r.elements, r.offset});
  }
  std::sort(columns.begin(), columns.end(), [](const Column& a, const Column& b) { return a.name < b.name; });
  return columns;
}

// Size and kinds of a fabric: what must be the same on both sides.
struct Shape {
  std::uint32_t width = 0, height = 0, ports = 0, block = kBlockTiles;
  bool has_pe = false;
  std::vector<Column> router, pe;

  void transfer(Archive& archive) { archive(width, height, ports, block, has_pe, router, pe); }
};

Shape shape_of(const Fabric& fabric) {
  Shape shape;
  shape.width = fabric.width();
  shape.height = fabric.height();
  shape.ports = static_cast<std::uint32_t>(fabric.ports().size());
  shape.has_pe = fabric.has_pe();
  shape.router = columns_of(fabric.unit(UnitKind::kRouter).api());
  if (shape.has_pe) shape.pe = columns_of(fabric.unit(UnitKind::kPe).api());
  return shape;
}

Fault foreign(std::string reason) { return {Fault::Kind::kForeign, std::move(reason)}; }

// Finds the file's registers in this build.
Fault locate(const char* unit, const std::vector<Column>& here, std::vector<Column>* there) {
  for (Column& column : *there) {
    const auto found = std::lower_bound(here.begin(), here.end(), column, [](const Column& a, const Column& b) { return a.name < b.name; });
    if (found == here.end() || found->name != column.name) return foreign(std::string(unit) + " has no register " + column.name + " here");
    if (found->bytes != column.bytes) return foreign(std::string(unit) + "'s register " + column.name + " has another size here");
    column.offset = found->offset;
  }
  if (here.size() != there->size()) return foreign(std::string(unit) + " has registers here that the checkpoint does not have");
  return {};
}

char* state_of(const Fabric& fabric, UnitKind kind, std::uint32_t tile) {
  return static_cast<char*>(fabric.unit(kind).api().state(fabric.arena(kind), tile));
}

// Register after register, tile after tile: neighbours are alike, which compresses well.
void transfer_registers(Archive& archive, const Fabric& fabric, UnitKind kind, const std::vector<Column>& columns, std::uint32_t first, std::uint32_t count) {
  std::vector<char*> states;
  for (std::uint32_t tile = first; tile < first + count; ++tile) states.push_back(state_of(fabric, kind, tile));
  for (const Column& column : columns) {
    for (char* state : states) archive.raw(state + column.offset, column.bytes);
  }
}

using Page = std::array<std::uint64_t, kPageWords>;

// One page of one memory that is not all zeros.
struct PageRecord {
  std::uint32_t tile = 0;
  std::uint16_t memory = 0;
  std::uint16_t page = 0;
  std::uint32_t shared = 0;  // 0: the words follow and are this tile's own; else the number of a shared page, whose words follow where it comes first

  void transfer(Archive& archive) { archive(tile, memory, page, shared); }
};

// Words of at most 32 bits take four bytes.
void transfer_words(Archive& archive, Page& words, std::uint32_t count, std::uint32_t bits) {
  if (bits > 32) {
    archive.raw(words.data(), count * sizeof words[0]);
    return;
  }
  std::array<std::uint32_t, kPageWords> narrow{};
  std::copy(words.begin(), words.end(), narrow.begin());
  archive.raw(narrow.data(), count * sizeof narrow[0]);
  std::copy(narrow.begin(), narrow.end(), words.begin());
}

// Pages that tiles share (programs, constants) are written once and shared again when loaded. Sharing never changes what a tile reads.
class Memories {
 public:
  explicit Memories(Fabric& fabric) : api_(fabric.unit(UnitKind::kPe).api()), arena_(fabric.arena(UnitKind::kPe)) {}

  std::string save_block(std::uint32_t first, std::uint32_t count) {
    Archive archive;
    Page words;
    each_page(first, count, [&](std::uint32_t tile, std::uint32_t memory, std::uint32_t page, std::uint32_t size, std::uint32_t bits) {
      const std::uint64_t id = read(tile, memory, page, size, &words);
      if (id == kZero) return;
      PageRecord record{tile, static_cast<std::uint16_t>(memory), static_cast<std::uint16_t>(page), 0};
      bool fresh = true;
      if (id != kPrivate) {
        const auto [known, added] = numbers_.emplace(id, static_cast<std::uint32_t>(numbers_.size() + 1));
        record.shared = known->second;
        fresh = added;
      }
      archive(record);
      if (fresh) transfer_words(archive, words, size, bits);
    });
    PageRecord end{UINT32_MAX, 0, 0, 0};
    archive(end);
    return archive.bytes();
  }

  // "" or what is wrong.
  std::string load_block(std::uint32_t first, std::uint32_t count, const std::string& bytes) {
    Archive archive(bytes);
    Page words;
    PageRecord record;
    archive(record);
    std::string fault;
    each_page(first, count, [&](std::uint32_t tile, std::uint32_t memory, std::uint32_t page, std::uint32_t size, std::uint32_t bits) {
      if (record.tile != tile || record.memory != memory || record.page != page) {
        if (read(tile, memory, page, size, &words) != kZero) clear(tile, memory, page, size);
        return;
      }
      if (record.shared > images_.size() + 1) fault = "a shared page comes before its words";
      if (record.shared == 0 || record.shared == images_.size() + 1) transfer_words(archive, words, size, bits);
      if (record.shared == images_.size() + 1) images_.push_back(api_.image_create(arena_, words.data(), size));
      if (record.shared != 0 && fault.empty()) {
        api_.image_load(arena_, tile, memory, page * kPageWords, images_[record.shared - 1]);
      } else {
        for (std::uint32_t i = 0; i < size; ++i) api_.memory_set(arena_, tile, memory, page * kPageWords + i, words[i]);
      }
      archive(record);
    });
    if (!archive.complete() || record.tile != UINT32_MAX) fault = "a page that this fabric does not have";
    return fault;
  }

 private:
  template <typename F>
  void each_page(std::uint32_t first, std::uint32_t count, F&& body) {
    for (std::uint32_t tile = first; tile < first + count; ++tile) {
      for (std::uint32_t m = 0; m < api_.memory_count(arena_); ++m) {
        const WlMemory& memory = *api_.memory(arena_, m);
        for (std::uint32_t word = 0; word < memory.words; word += kPageWords) {
          body(tile, m, word / kPageWords, std::min(kPageWords, memory.words - word), memory.bits);
        }
      }
    }
  }
  // What WlUnitApi::memory_block says: kZero, kPrivate or a number that all tiles with that page share. A page of the tile's own that holds only zeros is kZero too.
  static constexpr std::uint64_t kZero = 0;
  static constexpr std::uint64_t kPrivate = 1;
  std::uint64_t read(std::uint32_t tile, std::uint32_t memory, std::uint32_t page, std::uint32_t size, Page* words) const {
    const std::uint64_t id = api_.memory_block(arena_, tile, memory, page * kPageWords, size, words->data());
    if (id != kPrivate) return id;
    std::uint64_t any = 0;
    for (std::uint32_t i = 0; i < size; ++i) any |= (*words)[i];
    return any != 0 ? kPrivate : kZero;
  }
  void clear(std::uint32_t tile, std::uint32_t memory, std::uint32_t page, std::uint32_t size) {
    const Page none{};
    if (zero_ == nullptr || zero_size_ != size) zero_ = api_.image_create(arena_, none.data(), size);
    zero_size_ = size;
    api_.image_load(arena_, tile, memory, page * kPageWords, zero_);
  }

  const WlUnitApi& api_;
  WlArena* arena_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // of shared pages, by what memory_block calls them
  std::vector<const WlImage*> images_;                        // by number - 1
  const WlImage* zero_ = nullptr;
  std::uint32_t zero_size_ = 0;
};

}  // namespace

void save_fabric(Fabric& fabric, FileWriter& writer) {
  fabric.credit_all();
  Shape shape = shape_of(fabric);
  Archive whole;
  whole(shape, fabric);
  writer.section("fabric", whole.bytes());
  for (const UnitKind kind : {UnitKind::kRouter, UnitKind::kPe}) {
    if (kind == UnitKind::kPe && !shape.has_pe) continue;
    for (std::uint32_t first = 0; first < fabric.tiles(); first += kBlockTiles) {
      Archive block;
      transfer_registers(block, fabric, kind, kind == UnitKind::kRouter ? shape.router : shape.pe, first, std::min(kBlockTiles, fabric.tiles() - first));
      writer.section(section_of(kind), block.bytes());
    }
  }
  if (!shape.has_pe) return;
  Memories memories(fabric);
  for (std::uint32_t first = 0; first < fabric.tiles(); first += kBlockTiles) {
    writer.section("memory", memories.save_block(first, std::min(kBlockTiles, fabric.tiles() - first)));
  }
}

Fault load_fabric(Fabric& fabric, FileReader& reader) {
  std::string bytes;
  Fault fault = reader.read("fabric", &bytes);
  if (!fault.ok()) return fault;
  Archive whole(bytes);
  Shape there;
  whole(there);
  const Shape here = shape_of(fabric);
  if (there.width != here.width || there.height != here.height) {
    return foreign("is of an array of " + std::to_string(there.width) + "x" + std::to_string(there.height) + " tiles, not " + std::to_string(here.width) + "x" +
                   std::to_string(here.height));
  }
  if (there.has_pe != here.has_pe || there.ports != here.ports || there.block == 0) return foreign("is of an array with other units or host ports");
  fault = locate("the router", here.router, &there.router);
  if (fault.ok()) fault = locate("the processing element", here.pe, &there.pe);
  if (!fault.ok()) return fault;
  for (const UnitKind kind : {UnitKind::kRouter, UnitKind::kPe}) {
    if (kind == UnitKind::kPe && !here.has_pe) continue;
    for (std::uint32_t first = 0, block = 0; first < fabric.tiles(); first += there.block, ++block) {
      fault = reader.read(section_of(kind), &bytes, block);
      if (!fault.ok()) return fault;
      Archive registers(std::move(bytes));
      transfer_registers(registers, fabric, kind, kind == UnitKind::kRouter ? there.router : there.pe, first, std::min(there.block, fabric.tiles() - first));
      if (!registers.complete()) return {Fault::Kind::kUnreadable, "is damaged: a block of registers has another size"};
    }
  }
  if (here.has_pe) {
    Memories memories(fabric);
    for (std::uint32_t first = 0, block = 0; first < fabric.tiles(); first += there.block, ++block) {
      fault = reader.read("memory", &bytes, block);
      if (!fault.ok()) return fault;
      const std::string wrong = memories.load_block(first, std::min(there.block, fabric.tiles() - first), bytes);
      if (!wrong.empty()) return {Fault::Kind::kUnreadable, "is damaged: " + wrong};
    }
  }
  // Everything that follows from registers, and the neighbours' inputs; then what is not a register.
  const std::string error = fabric.resume_at(0);
  if (!error.empty()) return {Fault::Kind::kUnreadable, "cannot be taken up: " + error};
  whole(fabric);
  if (!whole.complete()) return {Fault::Kind::kUnreadable, "is damaged: section fabric has another size"};
  return {};
}

}  // namespace waferloom::checkpoint
