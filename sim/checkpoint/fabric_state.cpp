#include "sim/checkpoint/fabric_state.h"

#include <algorithm>

#include "sim/checkpoint/archive.h"
#include "sim/fabric/tile_transfer.h"

namespace waferloom::checkpoint {
namespace {

using fabric::Fabric;
using fabric::UnitKind;

constexpr std::uint32_t kBlockTiles = 512;

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

std::vector<std::uint32_t> tiles_from(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> tiles(count);
  for (std::uint32_t i = 0; i < count; ++i) tiles[i] = first + i;
  return tiles;
}

}  // namespace

void save_fabric(Fabric& fabric, FileWriter& writer, const std::string& prefix) {
  fabric.collect();
  fabric.credit_all();
  Shape shape = shape_of(fabric);
  Archive whole;
  whole(shape, fabric);
  writer.section(prefix + "fabric", whole.bytes());
  for (const UnitKind kind : {UnitKind::kRouter, UnitKind::kPe}) {
    if (kind == UnitKind::kPe && !shape.has_pe) continue;
    for (std::uint32_t first = 0; first < fabric.tiles(); first += kBlockTiles) {
      Archive block;
      transfer_registers(block, fabric, kind, kind == UnitKind::kRouter ? shape.router : shape.pe, first, std::min(kBlockTiles, fabric.tiles() - first));
      writer.section(prefix + section_of(kind), block.bytes());
    }
  }
  if (!shape.has_pe) return;
  fabric::MemoryTransfer memories(fabric.unit(UnitKind::kPe).api(), fabric.arena(UnitKind::kPe));
  for (std::uint32_t first = 0; first < fabric.tiles(); first += kBlockTiles) {
    writer.section(prefix + "memory", memories.save(tiles_from(first, std::min(kBlockTiles, fabric.tiles() - first)), first));
  }
}

Fault load_fabric(Fabric& fabric, FileReader& reader, const std::string& prefix) {
  fabric.take_over();
  std::string bytes;
  Fault fault = reader.read(prefix + "fabric", &bytes);
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
      fault = reader.read(prefix + section_of(kind), &bytes, block);
      if (!fault.ok()) return fault;
      Archive registers(std::move(bytes));
      transfer_registers(registers, fabric, kind, kind == UnitKind::kRouter ? there.router : there.pe, first, std::min(there.block, fabric.tiles() - first));
      if (!registers.complete()) return {Fault::Kind::kUnreadable, "is damaged: a block of registers has another size"};
    }
  }
  if (here.has_pe) {
    fabric::MemoryTransfer memories(fabric.unit(UnitKind::kPe).api(), fabric.arena(UnitKind::kPe));
    for (std::uint32_t first = 0, block = 0; first < fabric.tiles(); first += there.block, ++block) {
      fault = reader.read(prefix + "memory", &bytes, block);
      if (!fault.ok()) return fault;
      const std::string wrong = memories.load(tiles_from(first, std::min(there.block, fabric.tiles() - first)), first, bytes);
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
