// Construction and reset. Cycles: cycle.cpp; loading and reading: state.cpp.
#include "sim/fabric/fabric.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <mutex>

#include "sim/fabric/audit.h"
#include "sim/fabric/crew.h"
#include "sim/fabric/spread.h"

namespace waferloom::fabric {
namespace {

constexpr uint64_t kNear = 256u << 10;  // bytes of states that are likely to be in the cache

const char* const kDirectionNames[5] = {"north", "east", "south", "west", "ramp"};

// Verilator notes the context that was made last in a variable of the library: fabrics of several threads make and end theirs one at a time.
std::mutex& making() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

Fabric::Fabric(const FabricOptions& options) : options_(options) {
  router_.kind = UnitKind::kRouter;
  pe_.kind = UnitKind::kPe;
}

Fabric::~Fabric() {
  spread_.reset();  // the other processes drop their shares
  const std::lock_guard<std::mutex> lock(making());
  for (Side* s : {&router_, &pe_}) {
    if (s->arena) s->api->destroy(s->arena);
  }
}

std::unique_ptr<Fabric> Fabric::create(const FabricOptions& options, std::string* error) {
  error->clear();
  if (options.width == 0 || options.height == 0 || options.width > 65535 || options.height > 65535) {
    *error = "the fabric's width and height must be from 1 to 65535";
    return nullptr;
  }
  if (!options.router.loaded()) {
    *error = "the fabric needs a router";
    return nullptr;
  }
  std::unique_ptr<Fabric> fabric(new Fabric(options));
  *error = fabric->start();
  if (!error->empty()) return nullptr;
  return fabric;
}

// Finds every port that the contract names; wires of outputs by their bit in change masks.
std::string Fabric::connect(Side* s) {
  const plugin::Unit& own = unit(s->kind);
  s->api = &own.api();
  std::string missing;
  const auto offset = [&](const plugin::Unit& u, const std::string& name, uint32_t bytes) -> uint32_t {
    const WlPort* port = u.port(name);
    if (port && port->bytes == bytes) return port->offset;
    if (missing.empty()) missing = std::string(u.api().top) + " has no port " + name + " of the contract's width";
    return 0;
  };
  const auto wire = [&](const std::string& output, const plugin::Unit& to, const std::string& input, uint32_t bytes, unsigned direction) {
    const uint32_t from = offset(own, output, bytes);
    Wire w;
    w.bits = own.changed_bits(output);
    if ((w.bits & s->wired) != 0 && missing.empty()) missing = std::string(s->api->top) + " has too many outputs";
    w.direction = static_cast<uint8_t>(direction);
    w.from = from;
    w.bytes = static_cast<uint8_t>(bytes);
    w.to_pe = to.loaded() && direction == 4 && s->kind == UnitKind::kRouter;
    if (to.loaded()) w.to = offset(to, input, bytes);
    s->wires.push_back(w);
    s->wired |= w.bits;
  };
  s->reset_offset = offset(own, "rst_ni", 1);
  s->class_offset = offset(own, "class_o", 1);
  offset(own, "quiet_o", 1);
  s->trap_offset = offset(own, "trap_o", 4);
  s->trap_bits = own.changed_bits("trap_o");
  if (s->kind == UnitKind::kRouter) {
    for (unsigned d = 0; d < 5; ++d) {
      const std::string name = kDirectionNames[d], other = kDirectionNames[opposite(d)];
      link_out_[d] = offset(own, name + "_o", 8);
      ready_out_[d] = offset(own, name + "_ready_o", 4);
      link_in_[d] = offset(own, name + "_i", 8);
      ready_in_[d] = offset(own, name + "_ready_i", 4);
      const plugin::Unit& to = d == 4 ? options_.pe : options_.router;
      wire(name + "_o", to, other + "_i", 8, d);
      wire(name + "_ready_o", to, other + "_ready_i", 4, d);
    }
    edge_offset_ = offset(own, "edge_i", 1);
    config_offset_ = offset(own, "cfg_i", 8);
  } else {
    wire("ramp_o", options_.router, "ramp_i", 8, 4);
    wire("ramp_ready_o", options_.router, "ramp_ready_i", 4, 4);
    wire("cfg_o", options_.router, "cfg_i", 8, 4);
  }
  if (!missing.empty()) return missing;

  const WlCreate create{tiles(), options_.reset_value, options_.seed * 2 + (s->kind == UnitKind::kPe ? 1 : 0)};
  {
    const std::lock_guard<std::mutex> lock(making());
    s->arena = s->api->create(&create);
  }
  if (!s->arena) return s->api->last_error();
  s->stride = s->api->stride(s->arena);
  s->base = static_cast<char*>(s->api->state(s->arena, 0));
  s->far = s->stride * tiles() > kNear;
  if (s->stride == 0) {
    for (uint32_t tile = 0; tile < tiles(); ++tile) s->scattered.push_back(static_cast<char*>(s->api->state(s->arena, tile)));
  }
  s->due.assign(size_t{row_words_} * options_.height, 0);
  return "";
}

std::string Fabric::start() {
  row_words_ = (options_.width + 63) / 64;
  std::string error = connect(&router_);
  if (error.empty() && has_pe()) error = connect(&pe_);
  if (!error.empty()) return error;
  if (has_pe() && (!options_.pe.port("coord_i") || !options_.pe.port("dims_i"))) return "wl_pe has no ports coord_i and dims_i";
  const int64_t width = options_.width;
  const int64_t steps[4] = {-width, 1, width, -1};
  std::copy(steps, steps + 4, step_to_);
  border_.assign(tiles(), 0);
  for (uint32_t y = 0; y < options_.height; ++y) {
    for (uint32_t x = 0; x < options_.width; ++x) {
      border_[tile_of(x, y)] = static_cast<uint8_t>((y == 0 ? 1 : 0) | (x + 1 == options_.width ? 2 : 0) |
                                                    (y + 1 == options_.height ? 4 : 0) | (x == 0 ? 8 : 0));
    }
  }
  ports_ = std::make_unique<HostPorts>(options_.edge_in, options_.edge_out, options_.hop);
  home_width_ = options_.width;
  home_height_ = options_.height;
  divide(false);
  error = reset_units();
  if (error.empty() && options_.audit) audit_ = std::make_unique<Audit>(*this);
  make_crew();
  const bool spread = options_.ranks != nullptr && options_.ranks->size() > 1 && !options_.audit && options_.shuffle_seed == 0;
  if (error.empty() && spread && tiles() < options_.ranks->size()) return std::to_string(options_.ranks->size()) + " ranks cannot share " + std::to_string(tiles()) + " tiles";
  if (error.empty() && spread) spread_ = std::make_unique<Spread>(this, options_.ranks);
  return error;
}

// As many threads as there are parts now.
void Fabric::make_crew() {
  const unsigned members = options_.shuffle_seed == 0 ? static_cast<unsigned>(parts_.size()) : 1;
  if (members == (crew_ ? crew_->members() : 1)) return;
  crew_.reset();
  if (members > 1) crew_ = std::make_unique<Crew>(members, [this](unsigned member) { run_part(&parts_[member]); });
}

void Fabric::write_static_inputs() {
  for (uint32_t tile = 0; tile < tiles(); ++tile) plugin::store_value(router_.state(tile) + edge_offset_, 1, border_[tile]);
  if (!has_pe()) return;
  const WlPort& coord = *options_.pe.port("coord_i");
  const WlPort& dims = *options_.pe.port("dims_i");
  for (uint32_t y = 0; y < options_.height; ++y) {
    for (uint32_t x = 0; x < options_.width; ++x) {
      char* const state = pe_.state(tile_of(x, y));
      plugin::store_value(state + coord.offset, coord.bytes, x | (y << 16));
      plugin::store_value(state + dims.offset, dims.bytes, options_.width | (options_.height << 16));
    }
  }
}

// Resets one unit and copies it to all tiles, if what comes out of a reset does not depend on the static inputs (tried with all of
// their bits clear and set) nor on what was before. False: nothing was done.
bool Fabric::reset_by_copy(Side* s, std::string* error) {
  if (tiles() < 4 || options_.reset_value == WL_RESET_RANDOM) return false;
  const WlUnitApi& api = *s->api;
  std::vector<std::pair<uint32_t, uint32_t>> fixed = {{edge_offset_, 1}};
  if (s->kind == UnitKind::kPe) fixed = {{options_.pe.port("coord_i")->offset, 4}, {options_.pe.port("dims_i")->offset, 4}};
  const uint32_t both[2] = {0, 1};
  for (const uint32_t tile : both) {
    for (const auto& [offset, bytes] : fixed) plugin::store_value(s->state(tile) + offset, bytes, tile == 0 ? 0 : bytes == 1 ? 15 : 0xffffffffu);
    s->state(tile)[s->reset_offset] = 0;
    api.set_cycle(s->arena, tile, 0);
  }
  uint32_t changed[2];
  for (uint64_t edge = 0; edge < 2; ++edge) {
    if (api.tick_batch(s->arena, both, 2, edge, changed)) *error = api.last_error();
  }
  bool alike = error->empty() && api.memory_changes(s->arena, 0) == 0 && api.memory_changes(s->arena, 1) == 0;
  for (uint32_t i = 0; i < api.register_count; ++i) {
    const WlRegister& r = api.registers[i];
    if (!(r.flags & WL_REG_STATE) || (r.flags & WL_REG_HANDLE)) continue;
    alike = alike && std::memcmp(s->state(0) + r.offset, s->state(1) + r.offset, size_t{r.element_bytes} * r.elements) == 0;
  }
  s->state(0)[s->reset_offset] = 1;
  return alike && api.copy_state(s->arena, 0, 1, tiles() - 1) == 0;
}

std::string Fabric::reset_units() {
  std::string error;
  bool copied = true;
  for (Side* s : {&router_, &pe_}) copied = copied && (!s->arena || reset_by_copy(s, &error));
  if (!error.empty()) return error;
  write_static_inputs();
  if (copied) {
    start_at(0);
    return "";
  }
  std::vector<uint32_t> all(tiles()), changed(tiles());
  for (uint32_t tile = 0; tile < tiles(); ++tile) all[tile] = tile;
  for (Side* s : {&router_, &pe_}) {
    if (!s->arena) continue;
    for (const uint32_t tile : all) s->state(tile)[s->reset_offset] = 0;
    s->api->set_cycle_all(s->arena, 0);
    for (uint64_t edge = 0; edge < 2; ++edge) {
      if (s->api->tick_batch(s->arena, all.data(), tiles(), edge, changed.data())) return s->api->last_error();
    }
    for (const uint32_t tile : all) s->state(tile)[s->reset_offset] = 1;
  }
  return resume_at(0);
}

std::string Fabric::resume_at(uint64_t cycle) {
  if (spread_) spread_->take_over(true);
  for (Side* s : {&router_, &pe_}) {
    if (!s->arena) continue;
    for (uint32_t tile = 0; tile < tiles(); ++tile) {
      if (s->api->refresh(s->arena, tile)) return s->api->last_error();
    }
  }
  start_at(cycle);
  return "";
}

// All outputs to where they go, every unit due.
void Fabric::start_at(uint64_t cycle) {
  for (Side* s : {&router_, &pe_}) {
    if (!s->arena) continue;
    s->api->set_cycle_all(s->arena, cycle);
    for (uint32_t tile = 0; tile < tiles(); ++tile) push(*s, tile, ~WL_CHANGED_QUIET);
  }
  mark_all();
  cycle_ = cycle;
  last_active_ = cycle;
}

bool Fabric::attach_port(uint32_t x, uint32_t y, Direction direction, PortId* port, std::string* error) {
  const unsigned d = static_cast<unsigned>(direction);
  const bool inside = x < options_.width && y < options_.height;
  if (!inside || (d < 4 ? !((border_[tile_of(x, y)] >> d) & 1) : has_pe())) {
    *error = "no host port can be attached at tile (" + std::to_string(x) + "," + std::to_string(y) + "), " +
             kDirectionNames[d] + ": the link does not lead out of the wafer";
    return false;
  }
  if (spread_) spread_->take_over(false);
  const uint32_t tile = tile_of(x, y);
  if (port_at_.count(uint64_t(tile) * 5 + d) != 0) {
    *error = "tile (" + std::to_string(x) + "," + std::to_string(y) + ") has a host port at " + kDirectionNames[d] + " already";
    return false;
  }
  char* state = router_.state(tile);
  PortWires wires;
  wires.link_out = reinterpret_cast<const uint64_t*>(state + link_out_[d]);
  wires.ready_out = reinterpret_cast<const uint32_t*>(state + ready_out_[d]);
  wires.link_in = reinterpret_cast<uint64_t*>(state + link_in_[d]);
  wires.ready_in = reinterpret_cast<uint32_t*>(state + ready_in_[d]);
  wires.tile = tile;
  *port = ports_->add(wires);
  port_at_.emplace(uint64_t(tile) * 5 + d, *port);
  if (d < 4) state[edge_offset_] = static_cast<char>(state[edge_offset_] & ~(1 << d));
  wake(&router_, tile);
  return true;
}

}  // namespace waferloom::fabric
