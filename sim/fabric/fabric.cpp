// Construction, the two phases of a cycle, and running. Loading and reading: state.cpp.
#include "sim/fabric/fabric.h"

#include <algorithm>
#include <cassert>

#include "sim/fabric/audit.h"

namespace waferloom::fabric {
namespace {

const char* const kDirectionNames[5] = {"north", "east", "south", "west", "ramp"};
unsigned opposite(unsigned direction) { return direction == 4 ? 4 : direction ^ 2u; }

uint64_t mix(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace

Fabric::Fabric(const FabricOptions& options) : options_(options) {
  router_.kind = UnitKind::kRouter;
  pe_.kind = UnitKind::kPe;
}

Fabric::~Fabric() {
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
    const int bit = own.output_index(output);
    if (bit < 0 || bit >= 30) {
      if (missing.empty()) missing = std::string(s->api->top) + " has too many outputs";
      return;
    }
    Wire w;
    w.used = true;
    w.direction = static_cast<uint8_t>(direction);
    w.from = from;
    w.bytes = static_cast<uint8_t>(bytes);
    w.to_pe = to.loaded() && direction == 4 && s->kind == UnitKind::kRouter;
    if (to.loaded()) w.to = offset(to, input, bytes);
    s->wires[bit] = w;
  };
  s->reset_offset = offset(own, "rst_ni", 1);
  s->class_offset = offset(own, "class_o", 1);
  offset(own, "quiet_o", 1);
  s->trap_offset = offset(own, "trap_o", 4);
  s->trap_bit = static_cast<uint32_t>(std::max(0, own.output_index("trap_o")));
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
  s->arena = s->api->create(&create);
  if (!s->arena) return s->api->last_error();
  s->stride = s->api->stride(s->arena);
  s->base = static_cast<char*>(s->api->state(s->arena, 0));
  if (s->stride == 0) {
    for (uint32_t tile = 0; tile < tiles(); ++tile) s->scattered.push_back(static_cast<char*>(s->api->state(s->arena, tile)));
  }
  s->marked.assign(tiles(), 0);
  return "";
}

std::string Fabric::start() {
  std::string error = connect(&router_);
  if (error.empty() && has_pe()) error = connect(&pe_);
  if (!error.empty()) return error;
  const int64_t width = options_.width;
  const int64_t steps[4] = {-width, 1, width, -1};
  std::copy(steps, steps + 4, step_to_);
  border_.assign(tiles(), 0);
  for (uint32_t y = 0; y < options_.height; ++y) {
    for (uint32_t x = 0; x < options_.width; ++x) {
      const uint32_t tile = tile_of(x, y);
      border_[tile] = static_cast<uint8_t>((y == 0 ? 1 : 0) | (x + 1 == options_.width ? 2 : 0) |
                                           (y + 1 == options_.height ? 4 : 0) | (x == 0 ? 8 : 0));
      plugin::store_value(router_.state(tile) + edge_offset_, 1, border_[tile]);
      if (!has_pe()) continue;
      const WlPort* coord = options_.pe.port("coord_i");
      const WlPort* dims = options_.pe.port("dims_i");
      if (!coord || !dims) return "wl_pe has no ports coord_i and dims_i";
      plugin::store_value(pe_.state(tile) + coord->offset, coord->bytes, x | (y << 16));
      plugin::store_value(pe_.state(tile) + dims->offset, dims->bytes, options_.width | (options_.height << 16));
    }
  }
  ports_ = std::make_unique<HostPorts>(options_.edge_in, options_.edge_out, options_.hop);
  error = reset_units();
  if (error.empty() && options_.audit) audit_ = std::make_unique<Audit>(*this);
  return error;
}

std::string Fabric::reset_units() {
  std::vector<uint32_t> all(tiles()), changed(tiles());
  for (uint32_t tile = 0; tile < tiles(); ++tile) all[tile] = tile;
  for (Side* s : {&router_, &pe_}) {
    if (!s->arena) continue;
    for (const uint32_t tile : all) {
      s->state(tile)[s->reset_offset] = 0;
      s->api->set_cycle(s->arena, tile, 0);
    }
    for (uint64_t edge = 0; edge < 2; ++edge) {
      if (s->api->tick_batch(s->arena, all.data(), tiles(), edge, changed.data())) return s->api->last_error();
    }
    for (const uint32_t tile : all) s->state(tile)[s->reset_offset] = 1;
  }
  return resume_at(0);
}

std::string Fabric::resume_at(uint64_t cycle) {
  for (Side* s : {&router_, &pe_}) {
    if (!s->arena) continue;
    for (uint32_t tile = 0; tile < tiles(); ++tile) {
      if (s->api->refresh(s->arena, tile)) return s->api->last_error();
      s->api->set_cycle(s->arena, tile, cycle);
    }
  }
  for (Side* s : {&router_, &pe_}) {
    if (!s->arena) continue;
    for (uint32_t tile = 0; tile < tiles(); ++tile) {
      push(*s, tile, 0x3fffffffu);
      wake(s, tile);
    }
  }
  cycle_ = cycle;
  last_active_ = cycle;
  return "";
}

bool Fabric::attach_port(uint32_t x, uint32_t y, Direction direction, PortId* port, std::string* error) {
  const unsigned d = static_cast<unsigned>(direction);
  const bool inside = x < options_.width && y < options_.height;
  if (!inside || (d < 4 ? !((border_[tile_of(x, y)] >> d) & 1) : has_pe())) {
    *error = "no host port can be attached at tile (" + std::to_string(x) + "," + std::to_string(y) + "), " +
             kDirectionNames[d] + ": the link does not lead out of the wafer";
    return false;
  }
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

// Evaluation order may be anything; this one is drawn anew each cycle when asked for.
void Fabric::order(std::vector<uint32_t>* list) const {
  if (options_.shuffle_seed == 0) return;
  for (size_t i = list->size(); i > 1; --i) {
    const uint64_t draw = mix(options_.shuffle_seed ^ mix(cycle_ * 0x10001 + i));
    std::swap((*list)[i - 1], (*list)[draw % i]);
  }
}

bool Fabric::evaluate(Side* s) {
  if (s->batch.empty()) return true;
  s->changed.resize(s->batch.size());
  const uint32_t n = static_cast<uint32_t>(s->batch.size());
  if (s->api->tick_batch(s->arena, s->batch.data(), n, cycle_, s->changed.data())) {
    error_ = s->api->last_error();
    return false;
  }
  return true;
}

// Copies the outputs in `mask` to where they go and wakes the receivers.
void Fabric::push(const Side& s, uint32_t tile, uint32_t mask) {
  const char* const state = s.state(tile);
  for (mask &= 0x3fffffffu; mask != 0; mask &= mask - 1) {
    const Wire& w = s.wires[__builtin_ctz(mask)];
    if (!w.used) continue;
    Side* to = w.to_pe ? &pe_ : &router_;
    uint32_t other = tile;
    if (s.kind == UnitKind::kRouter) {
      if (w.direction == 4 ? !w.to_pe : (border_[tile] >> w.direction) & 1) {
        const auto port = port_at_.find(uint64_t(tile) * 5 + w.direction);
        if (port != port_at_.end()) ports_->touch(port->second);
        continue;
      }
      if (w.direction < 4) other = static_cast<uint32_t>(tile + step_to_[w.direction]);
    }
    char* const target = to->state(other) + w.to;
    if (w.bytes == 8) {
      *reinterpret_cast<uint64_t*>(target) = *reinterpret_cast<const uint64_t*>(state + w.from);
    } else {
      *reinterpret_cast<uint32_t*>(target) = *reinterpret_cast<const uint32_t*>(state + w.from);
    }
    wake(to, other);
  }
}

void Fabric::note_trap(const Side& s, uint32_t tile) {
  const uint32_t word = static_cast<uint32_t>(plugin::load_value(s.state(tile) + s.trap_offset, 4));
  if ((word & 0xff) == 0) return;
  Trap trap;
  trap.x = tile % options_.width;
  trap.y = tile / options_.width;
  trap.unit = s.kind;
  trap.cycle = cycle_ + 1;
  trap.cause = word & 0xff;
  if (s.kind == UnitKind::kRouter) {
    trap.colour = (word >> 8) & 31;
    trap.port = (word >> 16) & 7;
  } else {
    trap.program_counter = word >> 16;
  }
  traps_.push_back(trap);
}

void Fabric::commit(Side* s) {
  for (size_t k = 0; k < s->batch.size(); ++k) {
    const uint32_t tile = s->batch[k];
    const uint32_t mask = s->changed[k];
    if (!(mask & WL_CHANGED_QUIET)) wake(s, tile);
    if ((mask & 0x3fffffffu) == 0) continue;
    if ((mask >> s->trap_bit) & 1) note_trap(*s, tile);
    push(*s, tile, mask);
  }
}

Stop Fabric::step() {
  if (before_step_) before_step_(*this);
  const size_t traps_before = traps_.size();
  bool active = ports_->busy();
  ports_->evaluate(cycle_);
  const uint64_t draw = options_.shuffle_seed == 0 ? 0 : mix(options_.shuffle_seed + cycle_);
  Side* sides[2] = {draw & 1 ? &pe_ : &router_, draw & 1 ? &router_ : &pe_};
  for (Side* s : sides) {
    if (!s->arena) continue;
    s->batch.swap(s->active);
    s->active.clear();
    for (const uint32_t tile : s->batch) s->marked[tile] = 0;
    active = active || !s->batch.empty();
    (s->kind == UnitKind::kRouter ? activity_.router_evaluations : activity_.pe_evaluations) += s->batch.size();
    if (audit_) audit_->before(*s, s->batch);
    if (audit_ || !options_.skip) {
      s->batch.resize(tiles());
      for (uint32_t tile = 0; tile < tiles(); ++tile) s->batch[tile] = tile;
    }
    order(&s->batch);
  }
  for (Side* s : sides) {
    if (!s->arena) continue;
    if (!evaluate(s)) return Stop::kFault;
    if (audit_) audit_->after(*s, cycle_);
  }
  for (Side* s : sides) {
    if (s->arena) commit(s);
  }
  ports_->commit([this](uint32_t tile) { wake(&router_, tile); });
  if (active) last_active_ = cycle_;
  ++cycle_;
  if (observer_) observer_(*this);
  return traps_.size() != traps_before ? Stop::kTrap : Stop::kCycle;
}

bool Fabric::can_move() const {
  return !router_.active.empty() || !pe_.active.empty() || ports_->busy() || ports_->next_time() != UINT64_MAX;
}

// True if a unit or port has something to do in the coming cycle; else time may jump.
bool Fabric::advance() {
  return !router_.active.empty() || !pe_.active.empty() || ports_->busy() || ports_->next_time() <= cycle_;
}

Stop Fabric::run(uint64_t until, bool through_idle) {
  const bool may_jump = options_.skip && !audit_;
  while (cycle_ < until) {
    if (!advance()) {
      if (ports_->next_time() == UINT64_MAX && !through_idle) return stuck_kind();
      if (may_jump) {
        cycle_ = std::min(until, ports_->next_time());
        continue;
      }
    }
    const Stop stop = step();
    if (stop != Stop::kCycle) return stop;
  }
  return can_move() ? Stop::kCycle : stuck_kind();
}

}  // namespace waferloom::fabric
