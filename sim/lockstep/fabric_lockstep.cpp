#include "sim/lockstep/fabric_lockstep.h"

namespace waferloom::lockstep {

std::string FabricLockstep::take_state(uint32_t tile, golden::Pe* golden) const {
  const WlUnitApi& api = fabric_->unit(fabric::UnitKind::kPe).api();
  WlArena* arena = fabric_->arena(fabric::UnitKind::kPe);
  bool found = false;
  for (uint32_t m = 0; m < api.memory_count(arena); ++m) {
    const WlMemory* memory = api.memory(arena, m);
    const std::string name = memory->name;
    if (name.size() < 6 || name.compare(name.size() - 6, 6, "u_sram") != 0) continue;
    found = true;
    golden::Program image;
    const uint32_t bytes = memory->bits / 8;
    for (uint32_t w = 0; w < memory->words; ++w) {
      const uint64_t value = api.memory_get(arena, tile, m, w);
      for (uint32_t k = 0; k < bytes; ++k) image.bytes.push_back(static_cast<uint8_t>(value >> (8 * k)));
    }
    std::string error;
    if (!golden->load(image, &error)) return error;
  }
  if (!found) return "the PE has no memory u_sram";
  const WlRegister* flags = fabric_->unit(fabric::UnitKind::kPe).reg("u_tasks.task_act_q");
  if (flags == nullptr) return "the PE has no register u_tasks.task_act_q";
  const uint64_t active = plugin::load_value(static_cast<const char*>(api.state(arena, tile)) + flags->offset, flags->element_bytes);
  for (uint8_t id = 0; id < spec::kTaskCount; ++id) golden->set_activated(id, ((active >> id) & 1u) != 0);
  return "";
}

std::string FabricLockstep::attach(fabric::Fabric* fabric, golden::PeParameters parameters) {
  fabric_ = fabric;
  parameters.input_depth = 0;
  parameters.output_depth = 0;
  if (const std::string error = trace_.open(fabric->unit(fabric::UnitKind::kPe)); !error.empty()) return error;
  const WlUnitApi& api = fabric->unit(fabric::UnitKind::kPe).api();
  for (uint32_t y = 0; y < fabric->height(); ++y) {
    for (uint32_t x = 0; x < fabric->width(); ++x) {
      golden::Pe golden(parameters, static_cast<uint16_t>(x), static_cast<uint16_t>(y), static_cast<uint16_t>(fabric->width()), static_cast<uint16_t>(fabric->height()));
      const uint32_t tile = y * fabric->width() + x;
      if (const std::string error = take_state(tile, &golden); !error.empty()) return error;
      checkers_.emplace_back(std::move(golden), x, y);
      serials_.push_back(trace_.serial(api.state(fabric->arena(fabric::UnitKind::kPe), tile)));
    }
  }
  fabric->set_observer([this](const fabric::Fabric&) { observe(); });
  return "";
}

void FabricLockstep::observe() {
  if (!ok()) return;
  const WlUnitApi& api = fabric_->unit(fabric::UnitKind::kPe).api();
  WlArena* arena = fabric_->arena(fabric::UnitKind::kPe);
  EdgeTrace edge;
  for (uint32_t tile = 0; tile < serials_.size(); ++tile) {
    const void* state = api.state(arena, tile);
    const uint32_t serial = trace_.serial(state);
    if (serial == serials_[tile]) continue;
    serials_[tile] = serial;
    edge.cycle = fabric_->cycle();
    trace_.read(state, &edge);
    if (checkers_[tile].edge(edge)) continue;
    found_ = &checkers_[tile];
    return;
  }
}

bool FabricLockstep::finish() {
  for (Checker& checker : checkers_) {
    if (ok() && !checker.finish(fabric_->cycle())) found_ = &checker;
  }
  return ok();
}

uint64_t FabricLockstep::scalars() const {
  uint64_t sum = 0;
  for (const Checker& c : checkers_) sum += c.scalars();
  return sum;
}

uint64_t FabricLockstep::elements() const {
  uint64_t sum = 0;
  for (const Checker& c : checkers_) sum += c.elements();
  return sum;
}

void FabricLockstep::set_disassembler(std::function<std::string(uint32_t word)> disassembler) {
  for (Checker& c : checkers_) c.set_disassembler(disassembler);
}

}  // namespace waferloom::lockstep
