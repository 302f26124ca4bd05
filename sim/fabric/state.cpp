// Loading and reading the state of a fabric.
#include <algorithm>
#include <cstring>

#include "sim/fabric/audit.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/spread.h"

namespace waferloom::fabric {
namespace {

constexpr unsigned kClassStopped = 12;  // configs/spec/counters.yaml: pe_classes
constexpr unsigned kClassIdle = 0;
constexpr unsigned kRouterStalled = 2;

std::string unknown(const char* what, const std::string& name, const WlUnitApi& api) {
  return std::string(api.top) + " has no " + what + " " + name;
}

// One round of a keyed digest; order matters.
uint64_t absorb(uint64_t digest, uint64_t value) {
  digest = (digest ^ value) * 0x9fb21c651e98df25ull;
  return digest ^ (digest >> 32);
}

uint64_t digest_of(const std::string& text) {
  uint64_t digest = 0xcbf29ce484222325ull;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return digest;
}

}  // namespace

std::string Fabric::check_region(const Region& r) const {
  const bool inside = r.width > 0 && r.height > 0 && r.x < options_.width && r.y < options_.height &&
                      r.width <= options_.width - r.x && r.height <= options_.height - r.y;
  if (inside) return "";
  return "the region of " + std::to_string(r.width) + "x" + std::to_string(r.height) + " tiles at (" + std::to_string(r.x) +
         "," + std::to_string(r.y) + ") is not inside the fabric";
}

// Configuration writes outside wafer time: one edge each for the router alone, with its links cut, taken off its counters.
std::string Fabric::configure(const Region& region, const std::vector<uint64_t>& words) {
  std::string error = check_region(region);
  if (!error.empty()) return error;
  if (spread_) spread_->take_over(false);
  const WlRegister* counter = options_.router.reg_ending("class_cnt_q");
  std::vector<char> counts(counter ? size_t{counter->element_bytes} * counter->elements : 0);
  each(region, [&](uint32_t tile) {
    if (!error.empty()) return;
    char* const state = router_.state(tile);
    uint32_t ready[5];
    for (unsigned d = 0; d < 5; ++d) {
      if (plugin::load_value(state + link_in_[d], 8) != 0 || plugin::load_value(state + link_out_[d], 8) != 0) {
        error = "a wavelet is on a link of the router at (" + std::to_string(tile % options_.width) + "," +
                std::to_string(tile / options_.width) + "): routes can be written when it has passed";
        return;
      }
    }
    for (unsigned d = 0; d < 5; ++d) {
      std::memcpy(&ready[d], state + ready_in_[d], 4);
      std::memset(state + ready_in_[d], 0, 4);
    }
    router_.api->credit(router_.arena, tile, cycle_);
    if (counter) std::memcpy(counts.data(), state + counter->offset, counts.size());
    const uint64_t before = plugin::load_value(state + config_offset_, 8);
    for (const uint64_t word : words) {
      plugin::store_value(state + config_offset_, 8, word);
      if (router_.api->tick(router_.arena, tile)) error = router_.api->last_error();
    }
    plugin::store_value(state + config_offset_, 8, before);
    for (unsigned d = 0; d < 5; ++d) std::memcpy(state + ready_in_[d], &ready[d], 4);
    if (counter) std::memcpy(state + counter->offset, counts.data(), counts.size());
    push(router_, tile, ~WL_CHANGED_QUIET);
    wake(&router_, tile);
  });
  return error;
}

std::string Fabric::set_route(const Region& region, unsigned colour, unsigned position, unsigned receive, unsigned transmit) {
  return set_routes(region, {{colour, position, receive, transmit}});
}

std::string Fabric::set_routes(const Region& region, const std::vector<Route>& routes) {
  std::vector<uint64_t> words;
  for (const Route& r : routes) {
    if (r.colour >= kColours || r.position > 3 || r.receive > 31 || r.transmit > 31) {
      return "a route's colour is below 24, its position below 4, its masks below 32";
    }
    const uint64_t address = r.colour * 8 + r.position;
    words.push_back(1ull << 40 | address << 32 | r.transmit << 5 | r.receive);
  }
  return configure(region, words);
}

std::string Fabric::set_switch(const Region& region, unsigned colour, unsigned position, unsigned last, bool ring) {
  if (colour >= kColours || position > 3 || last > 3) return "a switch's colour is below 24, its positions below 4";
  const uint64_t address = colour * 8 + 4;
  return configure(region, {1ull << 40 | address << 32 | (ring ? 16u : 0u) | last << 2 | position});
}

std::string Fabric::set_register(const Region& region, UnitKind kind, const std::string& name, uint64_t value, uint32_t element) {
  std::string error = check_region(region);
  if (!error.empty()) return error;
  Side& s = side(kind);
  if (!s.arena) return "this fabric has no PEs";
  const WlRegister* r = unit(kind).reg(name);
  if (!r || element >= r->elements || r->width > 64) return unknown("register", name + "[" + std::to_string(element) + "]", *s.api);
  const uint64_t mask = r->width >= 64 ? ~0ull : (1ull << r->width) - 1;
  if (spread_) spread_->take_over((r->flags & WL_REG_MEMORY) != 0);
  if (value & ~mask) return name + " has " + std::to_string(r->width) + " bits";
  each(region, [&](uint32_t tile) {
    s.api->credit(s.arena, tile, cycle_);
    plugin::store_value(s.state(tile) + r->offset + r->element_bytes * element, r->element_bytes, value);
    if (s.api->refresh(s.arena, tile)) error = s.api->last_error();
    push(s, tile, ~WL_CHANGED_QUIET);
    wake(&s, tile);
  });
  return error;
}

namespace {
int memory_index(const WlUnitApi& api, const WlArena* arena, const std::string& name) {
  for (uint32_t i = 0; i < api.memory_count(arena); ++i) {
    if (name == api.memory(arena, i)->name) return static_cast<int>(i);
  }
  return -1;
}
}  // namespace

std::string Fabric::load_image(const Region& region, const std::string& memory, uint32_t first, const std::vector<uint64_t>& words) {
  const std::string error = check_region(region);
  if (!error.empty()) return error;
  if (!has_pe()) return "this fabric has no PEs";
  const int index = memory_index(*pe_.api, pe_.arena, memory);
  if (index < 0) return unknown("memory", memory, *pe_.api);
  const WlMemory& info = *pe_.api->memory(pe_.arena, static_cast<uint32_t>(index));
  if (first > info.words || words.size() > info.words - first) {
    return "an image of " + std::to_string(words.size()) + " words from word " + std::to_string(first) + " does not fit in " +
           memory + ", which has " + std::to_string(info.words);
  }
  if (spread_) spread_->take_over(true);
  const WlImage* image = pe_.api->image_create(pe_.arena, words.data(), static_cast<uint32_t>(words.size()));
  std::vector<uint32_t> list;
  list.reserve(size_t{region.width} * region.height);
  each(region, [&](uint32_t tile) { list.push_back(tile); });
  pe_.api->image_load_list(pe_.arena, list.data(), static_cast<uint32_t>(list.size()), static_cast<uint32_t>(index), first, image);
  for (const uint32_t tile : list) wake(&pe_, tile);
  return "";
}

std::string Fabric::set_memory(uint32_t x, uint32_t y, const std::string& memory, uint32_t word, uint64_t value) {
  const std::string error = check_region({x, y, 1, 1});
  if (!error.empty()) return error;
  const int index = has_pe() ? memory_index(*pe_.api, pe_.arena, memory) : -1;
  if (index < 0 || word >= pe_.api->memory(pe_.arena, static_cast<uint32_t>(index))->words) {
    return "no memory word " + memory + "[" + std::to_string(word) + "]";
  }
  if (spread_) spread_->take_over(true);
  pe_.api->memory_set(pe_.arena, tile_of(x, y), static_cast<uint32_t>(index), word, value);
  wake(&pe_, tile_of(x, y));
  return "";
}

// ---- Reading.

uint64_t Fabric::link(uint32_t x, uint32_t y, Direction d) const {
  collect(false);
  return plugin::load_value(router_.state(tile_of(x, y)) + link_out_[static_cast<unsigned>(d)], 8);
}
uint32_t Fabric::ready(uint32_t x, uint32_t y, Direction d) const {
  collect(false);
  return static_cast<uint32_t>(plugin::load_value(router_.state(tile_of(x, y)) + ready_out_[static_cast<unsigned>(d)], 4));
}
uint64_t Fabric::port_word(uint32_t x, uint32_t y, Direction d) const {
  collect(false);
  return plugin::load_value(router_.state(tile_of(x, y)) + link_in_[static_cast<unsigned>(d)], 8);
}
uint32_t Fabric::port_ready(uint32_t x, uint32_t y, Direction d) const {
  collect(false);
  return static_cast<uint32_t>(plugin::load_value(router_.state(tile_of(x, y)) + ready_in_[static_cast<unsigned>(d)], 4));
}

unsigned Fabric::edge_mask(uint32_t x, uint32_t y) const {
  collect(false);
  return static_cast<unsigned>(plugin::load_value(router_.state(tile_of(x, y)) + edge_offset_, 1));
}

uint64_t Fabric::get_register(UnitKind kind, uint32_t x, uint32_t y, const std::string& name, uint32_t element) {
  collect(false);
  Side& s = side(kind);
  const WlRegister* r = s.arena ? unit(kind).reg(name) : nullptr;
  if (!r || element >= r->elements) return 0;
  s.api->credit(s.arena, tile_of(x, y), cycle_);
  return plugin::load_value(s.state(tile_of(x, y)) + r->offset + r->element_bytes * element, r->element_bytes);
}

uint64_t Fabric::get_output(UnitKind kind, uint32_t x, uint32_t y, const std::string& name) const {
  collect(false);
  const Side& s = side(kind);
  const WlPort* p = s.arena ? unit(kind).port(name) : nullptr;
  return p ? plugin::load_value(s.state(tile_of(x, y)) + p->offset, p->bytes) : 0;
}

uint64_t Fabric::get_memory(uint32_t x, uint32_t y, const std::string& memory, uint32_t word) const {
  collect(true);
  const int index = has_pe() ? memory_index(*pe_.api, pe_.arena, memory) : -1;
  return index < 0 ? 0 : pe_.api->memory_get(pe_.arena, tile_of(x, y), static_cast<uint32_t>(index), word);
}

uint64_t Fabric::private_bytes() const {
  collect(true);
  uint64_t total = 0;
  for (uint32_t tile = 0; has_pe() && tile < tiles(); ++tile) total += pe_.api->memory_private_bytes(pe_.arena, tile);
  return total;
}

void Fabric::collect(bool memory) const {
  if (spread_) spread_->collect(memory);
}

void Fabric::take_over() {
  if (spread_) spread_->take_over(true);
}

const SpreadStatistics* Fabric::spread_statistics() const { return spread_ ? &spread_->statistics() : nullptr; }

void Fabric::credit_all() {
  collect(false);
  for (Side* s : {&router_, &pe_}) {
    for (uint32_t tile = 0; s->arena && tile < tiles(); ++tile) s->api->credit(s->arena, tile, cycle_);
  }
}

std::vector<uint64_t> Fabric::class_totals(UnitKind kind) {
  Side& s = side(kind);
  const WlRegister* r = s.arena ? unit(kind).reg_ending("class_cnt_q") : nullptr;
  std::vector<uint64_t> totals(r ? r->elements : 0);
  if (!r) return totals;
  credit_all();
  for (uint32_t tile = 0; tile < tiles(); ++tile) {
    for (uint32_t e = 0; e < r->elements; ++e) {
      totals[e] += plugin::load_value(s.state(tile) + r->offset + r->element_bytes * e, r->element_bytes);
    }
  }
  return totals;
}

uint64_t Fabric::digest(bool with_memory) {
  collect(with_memory);
  credit_all();
  uint64_t digest = absorb(tiles(), cycle_);
  for (const Side* s : {&router_, &pe_}) {
    if (!s->arena) continue;
    std::vector<const WlRegister*> registers;
    for (uint32_t i = 0; i < s->api->register_count; ++i) {
      const WlRegister& r = s->api->registers[i];
      if ((r.flags & WL_REG_STATE) && !(r.flags & WL_REG_MEMORY)) registers.push_back(&r);
    }
    std::sort(registers.begin(), registers.end(), [](const auto* a, const auto* b) { return std::strcmp(a->name, b->name) < 0; });
    std::vector<uint64_t> names;
    for (const WlRegister* r : registers) names.push_back(digest_of(r->name));
    for (uint32_t tile = 0; tile < tiles(); ++tile) {
      const char* state = s->state(tile);
      for (size_t i = 0; i < registers.size(); ++i) {
        const WlRegister& r = *registers[i];
        digest = absorb(digest, names[i]);
        for (uint32_t e = 0; e < r.elements; ++e) {
          const char* at = state + r.offset + size_t(r.element_bytes) * e;
          for (uint32_t b = 0; b < r.element_bytes; b += 8) digest = absorb(digest, plugin::load_value(at + b, std::min(8u, r.element_bytes - b)));
        }
      }
      for (uint32_t m = 0; with_memory && m < s->api->memory_count(s->arena); ++m) {
        const WlMemory& info = *s->api->memory(s->arena, m);
        digest = absorb(digest, digest_of(info.name));
        for (uint32_t w = 0; w < info.words; ++w) digest = absorb(digest, s->api->memory_get(s->arena, tile, m, w));
      }
    }
  }
  return digest;
}

const AuditReport& Fabric::audit_report() const {
  static const AuditReport none;
  return audit_ ? audit_->report() : none;
}

bool Fabric::find_port(uint32_t x, uint32_t y, Direction direction, PortId* port) const {
  const auto found = port_at_.find(uint64_t(tile_of(x, y)) * 5 + static_cast<unsigned>(direction));
  if (found == port_at_.end()) return false;
  *port = found->second;
  return true;
}

void Fabric::each_port(const std::function<void(uint32_t, Direction, PortId)>& body) const {
  std::vector<std::pair<PortId, uint64_t>> order;
  for (const auto& [key, port] : port_at_) order.emplace_back(port, key);
  std::sort(order.begin(), order.end());
  for (const auto& [port, key] : order) body(static_cast<uint32_t>(key / 5), static_cast<Direction>(key % 5), port);
}

// ---- Who waits.

Stop Fabric::stuck_kind() const { return waiting(1).empty() ? Stop::kIdle : Stop::kDeadlock; }

// Whether a tile waits, and for what.
bool Fabric::looks(uint32_t tile, uint32_t host_colours, const WlRegister* fill, WaitingTile* w) const {
  w->x = tile % options_.width;
  w->y = tile / options_.width;
  const char* router = router_.state(tile);
  const bool stalled = plugin::load_value(router + router_.class_offset, 1) == kRouterStalled;
  if (fill) w->stored_colours = static_cast<uint32_t>(plugin::load_value(router + fill->offset, fill->element_bytes));
  w->host_colours = host_colours;
  if (has_pe()) {
    const char* pe = pe_.state(tile);
    w->pe_class = static_cast<unsigned>(plugin::load_value(pe + pe_.class_offset, 1));
    w->pe_waits = w->pe_class != kClassIdle && w->pe_class != kClassStopped;
  }
  return stalled || w->host_colours != 0 || w->pe_waits;
}

std::vector<WaitingTile> Fabric::waiting(size_t at_most) const {
  collect(false);
  std::vector<WaitingTile> out;
  std::vector<uint32_t> host(tiles(), 0);
  for (const auto& [key, port] : port_at_) host[key / 5] |= ports_->blocked_colours(port);
  const WlRegister* fill = options_.router.reg("fill1_q");
  for (uint32_t tile = 0; tile < tiles() && out.size() < at_most; ++tile) {
    WaitingTile w;
    if (looks(tile, host[tile], fill, &w)) out.push_back(w);
  }
  return out;
}

}  // namespace waferloom::fabric
