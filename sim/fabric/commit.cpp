// Where the outputs of evaluated units go, and who is due because of them.
#include <algorithm>
#include <cstring>

#include "sim/fabric/fabric.h"

namespace waferloom::fabric {
namespace {

constexpr int kDx[4] = {0, 1, 0, -1}, kDy[4] = {-1, 0, 1, 0};

inline void copy_word(char* to, const char* from, unsigned bytes) {
  if (bytes == 8) {
    *reinterpret_cast<uint64_t*>(to) = *reinterpret_cast<const uint64_t*>(from);
  } else {
    *reinterpret_cast<uint32_t*>(to) = *reinterpret_cast<const uint32_t*>(from);
  }
}

}  // namespace

// An output over the edge: to a host port, or out of this process's rectangle.
void Fabric::touch_port(Part* part, uint32_t tile, const Wire& wire, const char* from) {
  if (is_share_) {
    part->leaving.push_back({tile, wire.from, plugin::load_value(from, wire.bytes), wire.bytes, wire.direction});
    return;
  }
  const auto port = port_at_.find(uint64_t(tile) * 5 + wire.direction);
  if (port != port_at_.end()) part->touched.push_back(port->second);
}

// Copies one output that changed to where it goes, wherever that is.
void Fabric::carry(Part* part, const Side& s, const Wire& wire, uint32_t tile, uint32_t x, uint32_t y) {
  const char* const from = s.state(tile) + wire.from;
  if (s.kind == UnitKind::kPe || (wire.direction == 4 && wire.to_pe)) {
    Side* const other = s.kind == UnitKind::kPe ? &router_ : &pe_;
    copy_word(other->state(tile) + wire.to, from, wire.bytes);
    mark(part, other, x, y);
    return;
  }
  if (wire.direction == 4) return touch_port(part, tile, wire, from);
  const uint32_t nx = x + static_cast<uint32_t>(kDx[wire.direction]), ny = y + static_cast<uint32_t>(kDy[wire.direction]);
  if (nx >= options_.width || ny >= options_.height) return touch_port(part, tile, wire, from);  // -1 wraps to a large number
  const uint32_t other = ny * options_.width + nx;
  if (nx - part->x0 < part->x1 - part->x0 && ny - part->y0 < part->y1 - part->y0) {
    copy_word(router_.state(other) + wire.to, from, wire.bytes);
    mark(part, &router_, nx, ny);
  } else {
    part->crossings.push_back({other, wire.to, plugin::load_value(from, wire.bytes), wire.bytes, wire.direction});
  }
}

// Where states are not contiguous.
void Fabric::commit_scattered(Part* part, Side* s, const Row& row) {
  const unsigned kind = index_of(s->kind);
  for (uint32_t k = 0; k < row.count[kind]; ++k) {
    const uint32_t tile = row.tiles[kind][k], mask = row.changed[kind][k], x = tile % options_.width, y = tile / options_.width;
    if (!(mask & WL_CHANGED_QUIET)) mark(part, s, x, y);
    if (mask & s->trap_bits) part->trapped.emplace_back(tile, s->kind);
    for (const Wire& wire : s->wires) {
      if (mask & wire.bits) carry(part, *s, wire, tile, x, y);
    }
  }
}

// Copies what changed to where it goes; the receivers and those that are not quiet are due again: as bits of 64 tiles, written together.
void Fabric::commit_routers(Part* part, const Row& row) {
  const Side& s = router_;
  const uint32_t width = options_.width, count = row.count[0], trap_bits = s.trap_bits, any_bits = s.wired | s.trap_bits;
  const uint32_t* const tiles = row.tiles[0].data();
  const uint32_t* const changed = row.changed[0].data();
  const Wire* const wires = s.wires.data();
  int64_t target[8];  // where a word goes, from the sender's state
  for (unsigned i = 0; i < 8; ++i) target[i] = step_to_[i / 2] * static_cast<int64_t>(s.stride) + wires[i].to;
  const uint32_t ready_bits = wires[1].bits | wires[3].bits | wires[5].bits | wires[7].bits | wires[9].bits;
  const uint64_t stride = s.stride;
  for (uint32_t k = 0; k < count;) {
    const uint32_t y = tiles[k] / width, w = (tiles[k] - y * width) >> 6, first = y * width, end = std::min(width, w * 64 + 64);
    const unsigned row_inside = (y > part->y0 ? 1u : 0u) | 2u | (y + 1 < part->y1 ? 4u : 0u) | 8u;
    uint64_t self = 0, pe = 0, to[4] = {0, 0, 0, 0};  // to: bits of the senders
    for (; k < count; ++k) {
      const uint32_t tile = tiles[k], mask = changed[k], x = tile - first;
      if (x >= end) break;
      const uint64_t bit = uint64_t{1} << (x & 63);
      self |= mask & WL_CHANGED_QUIET ? 0 : bit;
      if ((mask & any_bits) == 0) continue;
      if (mask & trap_bits) part->trapped.emplace_back(tile, s.kind);
      char* const state = s.base + stride * tile;
      const unsigned inside = row_inside & ~(x == part->x0 ? 8u : 0u) & ~(x + 1 == part->x1 ? 2u : 0u);
      for (unsigned d = 0; d < 4; ++d) {
        if ((mask & wires[2 * d].bits) == 0) continue;
        if ((inside >> d) & 1) {
          copy_word(state + target[2 * d], state + wires[2 * d].from, 8);
          to[d] |= bit;
        } else {
          carry(part, s, wires[2 * d], tile, x, y);
        }
      }
      if (mask & wires[8].bits) {
        if (wires[8].to_pe) {
          copy_word(pe_.base + pe_.stride * tile + wires[8].to, state + wires[8].from, 8);
          pe |= bit;
        } else {
          carry(part, s, wires[8], tile, x, y);
        }
      }
      if ((mask & ready_bits) == 0) continue;
      for (unsigned d = 0; d < 4; ++d) {
        if ((mask & wires[2 * d + 1].bits) == 0) continue;
        if ((inside >> d) & 1) {
          copy_word(state + target[2 * d + 1], state + wires[2 * d + 1].from, 4);
          to[d] |= bit;
        } else {
          carry(part, s, wires[2 * d + 1], tile, x, y);
        }
      }
      if (mask & wires[9].bits) carry(part, s, wires[9], tile, x, y);
    }
    mark_word(part, &router_, y, w, self | to[1] << 1 | to[3] >> 1);
    if (to[1] >> 63) mark_word(part, &router_, y, w + 1, 1);
    if (to[3] & 1) mark_word(part, &router_, y, w - 1, uint64_t{1} << 63);
    if (to[0] != 0) mark_word(part, &router_, y - 1, w, to[0]);
    if (to[2] != 0) mark_word(part, &router_, y + 1, w, to[2]);
    if (pe != 0) mark_word(part, &pe_, y, w, pe);
  }
}

void Fabric::commit_pes(Part* part, const Row& row) {
  const Side& s = pe_;
  const uint32_t width = options_.width, count = row.count[1];
  const Wire* const wires = s.wires.data();  // link, ready, configuration
  const uint32_t* const tiles = row.tiles[1].data();
  const uint32_t* const changed = row.changed[1].data();
  for (uint32_t k = 0; k < count;) {
    const uint32_t y = tiles[k] / width, w = (tiles[k] - y * width) >> 6, first = y * width, end = std::min(width, w * 64 + 64);
    uint64_t self = 0, router = 0;
    for (; k < count; ++k) {
      const uint32_t tile = tiles[k], mask = changed[k], x = tile - first;
      if (x >= end) break;
      const uint64_t bit = uint64_t{1} << (x & 63);
      self |= mask & WL_CHANGED_QUIET ? 0 : bit;
      if (mask & s.trap_bits) part->trapped.emplace_back(tile, s.kind);
      if ((mask & s.wired) == 0) continue;
      const char* const state = s.base + s.stride * tile;
      char* const to = router_.base + router_.stride * tile;
      for (unsigned i = 0; i < 3; ++i) {
        if (mask & wires[i].bits) copy_word(to + wires[i].to, state + wires[i].from, i == 1 ? 4 : 8);
      }
      router |= bit;
    }
    mark_word(part, &pe_, y, w, self);
    mark_word(part, &router_, y, w, router);
  }
}

void Fabric::commit(Part* part, const Row& row) {
  if (router_.stride == 0 || (pe_.arena && pe_.stride == 0)) {
    for (Side* s : {&router_, &pe_}) {
      if (s->arena) commit_scattered(part, s, row);
    }
    return;
  }
  commit_routers(part, row);
  if (pe_.arena) commit_pes(part, row);
}

// Copies the outputs in `mask` that are new to where they go and wakes the receivers.
void Fabric::push(const Side& s, uint32_t tile, uint32_t mask) {
  const char* const state = s.state(tile);
  for (const Wire& w : s.wires) {
    if ((mask & w.bits) == 0) continue;
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
    if (std::memcmp(target, state + w.from, w.bytes) == 0) continue;
    copy_word(target, state + w.from, w.bytes);
    wake(to, other);
  }
}

}  // namespace waferloom::fabric
