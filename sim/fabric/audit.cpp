#include "sim/fabric/audit.h"

#include <cstring>

namespace waferloom::fabric {

Audit::Audit(const Fabric& fabric) : fabric_(fabric) {
  prepare(fabric.router_, &kinds_[0]);
  if (fabric.has_pe()) prepare(fabric.pe_, &kinds_[1]);
}

void Audit::prepare(const Fabric::Side& side, Kind* k) {
  const WlUnitApi& api = *side.api;
  k->counter = fabric_.unit(side.kind).reg_ending("class_cnt_q");
  for (uint32_t i = 0; i < api.register_count; ++i) {
    const WlRegister& r = api.registers[i];
    if (r.flags & (WL_REG_COUNTER | WL_REG_HANDLE)) continue;
    k->ranges.push_back({r.offset, r.element_bytes * r.elements, (r.flags & WL_REG_STATE) != 0, r.name});
  }
  for (uint32_t i = 0; i < api.port_count; ++i) {
    const WlPort& p = api.ports[i];
    if (p.direction == WL_DIR_OUT) k->ranges.push_back({p.offset, p.bytes, false, p.name});
  }
  for (const Range& r : k->ranges) k->image_bytes += r.bytes;
  k->images.resize(size_t(k->image_bytes) * fabric_.tiles());
  k->changes.resize(fabric_.tiles());
  k->due.resize(fabric_.tiles());
  k->expected_count.resize(fabric_.tiles());
}

uint64_t Audit::class_count(const Fabric::Side& side, const Kind& k, uint32_t tile) {
  if (!k.counter) return 0;
  const char* state = side.state(tile);
  const uint8_t id = static_cast<uint8_t>(state[side.class_offset]);
  const uint32_t element = id < k.counter->elements ? id : 0;
  return plugin::load_value(state + k.counter->offset + k.counter->element_bytes * element, k.counter->element_bytes);
}

void Audit::before(const Fabric::Side& side, const std::vector<uint32_t>& due) {
  Kind& k = kind(side);
  std::memset(k.due.data(), 0, k.due.size());
  for (const uint32_t tile : due) k.due[tile] = 1;
  char* image = k.images.data();
  for (uint32_t tile = 0; tile < fabric_.tiles(); ++tile) {
    const char* state = side.state(tile);
    for (const Range& r : k.ranges) {
      std::memcpy(image, state + r.offset, r.bytes);
      image += r.bytes;
    }
    k.changes[tile] = side.api->memory_changes(side.arena, tile);
    k.expected_count[tile] = class_count(side, k, tile) + 1;
  }
}

void Audit::violation(const Fabric::Side& side, uint32_t tile, uint64_t cycle, const char* what) {
  if (report_.violations++ != 0) return;
  report_.first_violation = std::string(side.api->top) + " at (" + std::to_string(tile % fabric_.width()) + "," +
                            std::to_string(tile / fabric_.width()) + ") in cycle " + std::to_string(cycle) +
                            ": was quiet, but " + what;
}

void Audit::after(const Fabric::Side& side, uint64_t cycle) {
  Kind& k = kind(side);
  const char* image = k.images.data();
  for (uint32_t tile = 0; tile < fabric_.tiles(); ++tile) {
    const char* state = side.state(tile);
    bool changed = side.api->memory_changes(side.arena, tile) != k.changes[tile];
    const char* where = changed ? "an SRAM word" : nullptr;
    for (const Range& r : k.ranges) {
      if (std::memcmp(image, state + r.offset, r.bytes) != 0) {
        if (r.is_register) changed = true;
        if (!where) where = r.name;
      }
      image += r.bytes;
    }
    ++report_.unit_cycles;
    if (k.due[tile]) {
      ++report_.evaluated;
      if (changed) ++report_.changed;
    } else if (where) {
      violation(side, tile, cycle, (std::string(where) + " changed").c_str());
    } else if (k.counter && class_count(side, k, tile) != k.expected_count[tile]) {
      violation(side, tile, cycle, "the cycle was not counted in class_o");
    }
  }
}

}  // namespace waferloom::fabric
