#include "sim/golden/fabric.h"

#include <algorithm>
#include <cassert>

namespace waferloom::golden {

using spec::Direction;

Fabric::Fabric(const FabricOptions& options) : options_(options), random_(options.shuffle_seed) {
  assert(options.width > 0 && options.height > 0 && options.router_depth > 0);
  tiles_.reserve(size_t{options.width} * options.height);
  for (uint32_t y = 0; y < options.height; ++y) {
    for (uint32_t x = 0; x < options.width; ++x) {
      uint32_t edge = 0;
      if (y == 0) edge |= spec::direction_bit(Direction::kNorth);
      if (x + 1 == options.width) edge |= spec::direction_bit(Direction::kEast);
      if (y + 1 == options.height) edge |= spec::direction_bit(Direction::kSouth);
      if (x == 0) edge |= spec::direction_bit(Direction::kWest);
      tiles_.push_back({Pe(options.pe, static_cast<uint16_t>(x), static_cast<uint16_t>(y), static_cast<uint16_t>(options.width),
                           static_cast<uint16_t>(options.height)),
                        Router(options.router_depth, edge), {-1, -1, -1, -1}, 0, false, {}});
    }
  }
}

// ---- loading and ports --------------------------------------------------------------------------------------------

std::string Fabric::check(const Region& r) const {
  if (r.width == 0 || r.height == 0 || r.x + r.width > options_.width || r.y + r.height > options_.height) {
    return "region (" + std::to_string(r.x) + ", " + std::to_string(r.y) + ") of " + std::to_string(r.width) + " x " +
           std::to_string(r.height) + " tiles does not lie in the array";
  }
  return "";
}

std::string Fabric::attach_port(uint32_t x, uint32_t y, Direction direction, PortId* port) {
  if (const std::string error = check({x, y, 1, 1}); !error.empty()) return error;
  const uint32_t index = y * options_.width + x;
  if (direction == Direction::kRamp || neighbour(index, direction) >= 0) return "a host port leads out of the array";
  int32_t& slot = tiles_[index].ports[static_cast<int>(direction)];
  if (slot >= 0) return "the tile has a host port there already";
  slot = static_cast<int32_t>(ports_.size());
  *port = static_cast<PortId>(slot);
  ports_.emplace_back();
  ports_.back().tile = index;
  ports_.back().direction = direction;
  tiles_[index].router.attach(direction);
  return "";
}

void Fabric::send(PortId port, uint64_t word) {
  assert(spec::link_valid(word));
  const Wavelet w = link_wavelet(word);
  ports_[port].in[w.colour].push_back(w);
  wake(ports_[port].tile);
}

bool Fabric::receive(PortId port, uint64_t* word) {
  if (ports_[port].out.empty()) return false;
  *word = ports_[port].out.front();
  ports_[port].out.pop_front();
  return true;
}

size_t Fabric::pending(PortId port) const {
  size_t n = 0;
  for (const auto& q : ports_[port].in) n += q.size();
  return n;
}

std::string Fabric::set_route(const Region& region, uint32_t colour, uint32_t position, uint32_t receive, uint32_t transmit) {
  if (colour >= static_cast<uint32_t>(spec::kColours)) return "colour " + std::to_string(colour) + " does not exist";
  if (position >= static_cast<uint32_t>(spec::kSwitchPositions)) return "switch position " + std::to_string(position) + " does not exist";
  if (const std::string error = check(region); !error.empty()) return error;
  each(region, [&](uint32_t index) {
    tiles_[index].router.configure(colour, position, spec::route_word(receive, transmit));
    wake_around(index);
  });
  return "";
}

std::string Fabric::set_switch(const Region& region, uint32_t colour, uint32_t position, uint32_t last, bool ring) {
  if (colour >= static_cast<uint32_t>(spec::kColours)) return "colour " + std::to_string(colour) + " does not exist";
  if (const std::string error = check(region); !error.empty()) return error;
  each(region, [&](uint32_t index) {
    tiles_[index].router.configure(colour, spec::kControlWordIndex, position | (last << 2) | (ring ? 16u : 0u));
    wake_around(index);
  });
  return "";
}

std::string Fabric::load(const Region& region, const Program& program) {
  std::string error = check(region);
  if (!error.empty()) return error;
  each(region, [&](uint32_t index) {
    if (error.empty()) tiles_[index].pe.load(program, &error);
    wake_around(index);
  });
  return error;
}

std::string Fabric::boot(const Region& region) {
  if (const std::string error = check(region); !error.empty()) return error;
  each(region, [&](uint32_t index) {
    tiles_[index].pe.boot();
    wake(index);
  });
  return "";
}

uint64_t Fabric::events(Event e) const {
  uint64_t sum = 0;
  for (const Tile& t : tiles_) sum += t.pe.events(e);
  return sum;
}

// ---- scheduling ---------------------------------------------------------------------------------------------------

int32_t Fabric::neighbour(uint32_t index, Direction d) const {
  const uint32_t x = index % options_.width;
  const uint32_t y = index / options_.width;
  switch (d) {
    case Direction::kNorth: return y == 0 ? -1 : static_cast<int32_t>(index - options_.width);
    case Direction::kEast: return x + 1 == options_.width ? -1 : static_cast<int32_t>(index + 1);
    case Direction::kSouth: return y + 1 == options_.height ? -1 : static_cast<int32_t>(index + options_.width);
    case Direction::kWest: return x == 0 ? -1 : static_cast<int32_t>(index - 1);
    case Direction::kRamp: break;
  }
  return -1;
}

void Fabric::wake(uint32_t index) {
  if (tiles_[index].queued) return;
  tiles_[index].queued = true;
  work_.push_back(index);
}

// The tile and its neighbours: room has appeared, or a route has changed.
void Fabric::wake_around(uint32_t index) {
  wake(index);
  for (int d = 0; d < 4; ++d) {
    const int32_t other = neighbour(index, static_cast<Direction>(d));
    if (other >= 0) wake(static_cast<uint32_t>(other));
  }
}

// splitmix64
uint32_t Fabric::draw(uint32_t bound) {
  random_ += 0x9e3779b97f4a7c15ull;
  uint64_t z = random_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<uint32_t>((z ^ (z >> 31)) % bound);
}

uint32_t Fabric::next_tile() {
  if (options_.shuffle_seed != 0) {
    const size_t left = work_.size() - work_head_;
    std::swap(work_[work_head_], work_[work_head_ + draw(static_cast<uint32_t>(left))]);
  }
  const uint32_t index = work_[work_head_++];
  if (work_head_ > 4096 && 2 * work_head_ > work_.size()) {
    work_.erase(work_.begin(), work_.begin() + static_cast<std::ptrdiff_t>(work_head_));
    work_head_ = 0;
  }
  tiles_[index].queued = false;
  return index;
}

Halt Fabric::run(uint64_t steps) {
  limit_ = steps > UINT64_MAX - steps_ ? UINT64_MAX : steps_ + steps;
  while (traps_.empty() && work_head_ < work_.size()) {
    if (steps_ >= limit_) return Halt::kBudget;
    process(next_tile());
  }
  if (!traps_.empty()) return Halt::kTrap;
  work_.clear();
  work_head_ = 0;
  return something_waits() ? Halt::kDeadlock : Halt::kIdle;
}

void Fabric::process(uint32_t index) {
  // With a seed a tile gets one short turn and queues again; without, it runs until it is stuck.
  for (bool moved = true; moved && traps_.empty();) {
    moved = feed_ports(index);
    moved |= run_pe(index);
    moved |= send_outputs(index);
    moved |= move_router(index);
    note_traps(index);
    if (moved && (options_.shuffle_seed != 0 || steps_ >= limit_)) {
      wake(index);
      return;
    }
  }
}

bool Fabric::feed_ports(uint32_t index) {
  bool moved = false;
  for (int d = 0; d < 4; ++d) {
    const int32_t id = tiles_[index].ports[d];
    if (id < 0) continue;
    for (auto& queue : ports_[static_cast<size_t>(id)].in) {
      while (!queue.empty() && tiles_[index].router.accepts(queue.front().colour, static_cast<Direction>(d))) {
        tiles_[index].router.take(queue.front(), static_cast<Direction>(d));
        queue.pop_front();
        ++steps_;
        moved = true;
      }
    }
  }
  return moved;
}

bool Fabric::run_context(Pe& pe, int context) {
  const uint32_t turn = options_.shuffle_seed != 0 ? 1 + draw(24) : 1u << 20;
  bool moved = false;
  for (uint32_t left = turn; left > 0 && pe.context(context).active;) {
    Stop stop = Stop::kCount;
    const uint32_t n = pe.issue(context, left, &stop);
    steps_ += n;
    left -= std::min(left, n);
    bool more = n != 0;
    if (stop == Stop::kResult) more |= pe.issue_result(context);
    if (stop == Stop::kEnd) more |= pe.complete(context);
    moved |= more;
    if (!more || stop == Stop::kTrap) break;
  }
  return moved;
}

bool Fabric::run_pe(uint32_t index) {
  Pe& pe = tiles_[index].pe;
  bool moved = false;
  const int first = options_.shuffle_seed != 0 ? static_cast<int>(draw(kContexts)) : 0;
  for (int k = 0; k < kContexts; ++k) {
    const int context = (first + k) % kContexts;
    if (pe.context(context).active) moved |= run_context(pe, context);
  }
  uint32_t turn = options_.shuffle_seed != 0 ? 1 + draw(8) : 1u << 16;
  for (; turn > 0; --turn) {
    TaskStart start;
    if (pe.main_wait().kind == MainWait::Kind::kNone) {
      pe.step();
    } else if (pe.next_task(&start)) {
      pe.start_task(start);
    } else {
      break;
    }
    ++steps_;
    moved = true;
    if (pe.has_configs()) {
      for (const Pe::ConfigWrite& w : pe.take_configs()) tiles_[index].router.configure(w.colour, w.word, w.data);
      wake_around(index);
    }
  }
  return moved;
}

bool Fabric::send_outputs(uint32_t index) {
  Tile& t = tiles_[index];
  bool moved = false;
  for (int k = 0; k < kOutputQueues; ++k) {
    const int queue = (t.turn + k) % kOutputQueues;
    while (!t.pe.output(queue).empty() && t.router.accepts(t.pe.output(queue).front().colour, Direction::kRamp)) {
      const Wavelet w = t.pe.take_output(queue);
      if (options_.record_pushes) t.pushes[queue].push_back(w);
      t.router.take(w, Direction::kRamp);
      ++steps_;
      moved = true;
    }
  }
  t.turn = static_cast<uint8_t>((t.turn + 1) % kOutputQueues);
  return moved;
}

// Gives a wavelet to whatever lies in direction d, if that takes it.
bool Fabric::hand_over(uint32_t index, const Wavelet& w, Direction d) {
  Tile& t = tiles_[index];
  if (d == Direction::kRamp) {
    if (!t.pe.accepts(w.colour)) return false;
    t.pe.deliver(w);
    return true;
  }
  const int32_t other = neighbour(index, d);
  if (other < 0) {
    ports_[static_cast<size_t>(t.ports[static_cast<int>(d)])].out.push_back(link_word(w));
    return true;
  }
  Router& next = tiles_[static_cast<size_t>(other)].router;
  if (!next.accepts(w.colour, spec::opposite(d))) return false;
  next.take(w, spec::opposite(d));
  note_traps(static_cast<uint32_t>(other));
  wake(static_cast<uint32_t>(other));
  return true;
}

bool Fabric::move_router(uint32_t index) {
  Router& router = tiles_[index].router;
  bool moved = false;
  for (uint32_t left = router.stored(); left != 0; left &= left - 1) {
    const uint32_t colour = static_cast<uint32_t>(__builtin_ctz(left));
    bool room = false;
    for (bool again = true; again && !router.colour(colour).queue.empty();) {
      again = false;
      const RouterColour::Entry head = router.colour(colour).queue.front();
      for (int d = 0; d < spec::kDirections; ++d) {
        const Direction direction = static_cast<Direction>(d);
        if ((head.owed & spec::direction_bit(direction)) == 0 || !hand_over(index, head.wavelet, direction)) continue;
        ++steps_;
        moved = true;
        if (router.sent(colour, direction)) again = room = true;
      }
    }
    if (room) wake_around(index);
  }
  return moved;
}

void Fabric::note_traps(uint32_t index) {
  const Tile& t = tiles_[index];
  FabricTrap trap;
  trap.x = index % options_.width;
  trap.y = index / options_.width;
  const bool known = std::any_of(traps_.begin(), traps_.end(), [&](const FabricTrap& o) { return o.x == trap.x && o.y == trap.y; });
  if (known) return;
  if (t.pe.trap().cause != Trap::kNone) {
    trap.cause = static_cast<uint32_t>(t.pe.trap().cause);
    trap.pc = t.pe.trap().pc;
    traps_.push_back(trap);
  } else if (t.router.trap() != spec::RouterTrap::kNone) {
    trap.router = true;
    trap.cause = static_cast<uint32_t>(t.router.trap());
    trap.colour = t.router.trap_colour();
    trap.port = static_cast<uint32_t>(t.router.trap_port());
    traps_.push_back(trap);
  }
}

}  // namespace waferloom::golden
