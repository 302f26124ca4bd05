// Running a spread fabric: windows of cycles, what crosses between ranks, how it ends. Who has which state: spread_state.cpp.
#include "sim/fabric/spread.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "sim/checkpoint/archive.h"
#include "sim/fabric/spread_orders.h"

namespace waferloom::fabric {
namespace {

constexpr uint32_t kOutput = 16;  // of Word::place

uint64_t nanoseconds(std::chrono::steady_clock::duration time) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace

void Spread::Course::transfer(checkpoint::Archive& archive) { archive(cycle, until, through_idle, single); }

void Spread::Account::transfer(checkpoint::Archive& archive) { archive(activity, last_active, due, busy_ns, traps, error); }

bool Spread::send(unsigned to, std::string bytes) {
  if (lost_) return false;
  if (transport_.send(to, std::move(bytes))) return true;
  fail(transport_.fault());
  return false;
}

bool Spread::receive(unsigned from, std::string* bytes) {
  if (lost_) return false;
  if (transport_.receive(from, bytes)) return true;
  fail(transport_.fault());
  return false;
}

bool Spread::order(const std::string& bytes) {
  for (unsigned rank = 1; rank < transport_.size(); ++rank) {
    if (!send(rank, bytes)) return false;
  }
  return true;
}

void Spread::fail(const std::string& reason) {
  lost_ = true;
  if (fabric_.error_.empty()) fabric_.error_ = reason + " in cycle " + std::to_string(fabric_.cycle_);
}

// ---- Rank 0.

Stop Spread::run(uint64_t until, bool through_idle) {
  if (fabric_.observer_ || fabric_.hooked()) return run_watched(until, through_idle);
  const uint64_t watched = fabric_.before_step_ ? std::min(until, fabric_.hook_from_) : until;
  hand_out();
  const Stop stop = run_together({fabric_.cycle_, watched, static_cast<uint8_t>(through_idle ? 1 : 0), 0});
  const bool goes_on = stop == Stop::kCycle || (through_idle && (stop == Stop::kIdle || stop == Stop::kDeadlock));
  return goes_on && watched < until ? run_watched(until, through_idle) : stop;
}

Stop Spread::step() {
  if (fabric_.hooked()) {
    collect(true);
    fabric_.call_hook();
  }
  hand_out();
  const Stop stop = run_together({fabric_.cycle_, fabric_.cycle_ + 1, 1, 1});
  if (stop == Stop::kFault) return stop;
  if (fabric_.observer_) {
    collect(true);
    fabric_.observer_(fabric_);
  }
  return stop == Stop::kTrap ? stop : Stop::kCycle;
}

// Cycle by cycle, for those who look at each. The same decisions as Fabric::run.
Stop Spread::run_watched(uint64_t until, bool through_idle) {
  HostPorts& ports = *fabric_.ports_;
  while (fabric_.cycle_ < until) {
    if (fabric_.rests() && due_elsewhere_ == 0 && ports.next_time() > fabric_.cycle_) {
      if (ports.next_time() == UINT64_MAX && !through_idle) return fabric_.stuck_kind();
      if (fabric_.options_.skip) {
        fabric_.cycle_ = std::min(until, ports.next_time());
        continue;
      }
    }
    const Stop stop = step();
    if (stop != Stop::kCycle) return stop;
    if (!fabric_.observer_ && !fabric_.hooked() && fabric_.cycle_ < until) return run(until, through_idle);  // nobody looks any more
  }
  return fabric_.can_move() ? Stop::kCycle : fabric_.stuck_kind();
}

Stop Spread::run_together(const Course& course) {
  if (trapped_ && !lost_) fabric_.error_ = "an array that is spread over ranks does not go on after a trap";
  if (lost_ || trapped_) return Stop::kFault;
  const size_t traps_before = fabric_.traps_.size();
  checkpoint::Archive message;
  Order order_kind = Order::kRun;
  Course copy = course;
  message(order_kind, number_, copy);
  Agreement ending;
  bool going = order(message.bytes()) && windows(course, &ending);
  registers_fresh_ = memory_fresh_ = false;
  due_elsewhere_ = 0;
  rank_busy_ns_[0] += busy_ns_;
  busy_ns_ = 0;
  std::string fault = fabric_.error_;
  for (unsigned rank = 1; going && rank < transport_.size(); ++rank) {
    std::string bytes;
    going = receive(rank, &bytes);
    if (!going) break;
    checkpoint::Archive archive(std::move(bytes));
    Account account;
    archive(account);
    fabric_.activity_.router_evaluations += account.activity.router_evaluations;
    fabric_.activity_.pe_evaluations += account.activity.pe_evaluations;
    fabric_.last_active_ = std::max(fabric_.last_active_, account.last_active);
    due_elsewhere_ += account.due;
    rank_busy_ns_[rank] += account.busy_ns;
    fabric_.traps_.insert(fabric_.traps_.end(), account.traps.begin(), account.traps.end());
    if (fault.empty()) fault = account.error;
  }
  if (!going || !fault.empty()) {
    if (fabric_.error_.empty()) fabric_.error_ = fault;
    return Stop::kFault;
  }
  // Only the traps of the first cycle that has any, in the order of one process.
  const auto first = fabric_.traps_.begin() + static_cast<ptrdiff_t>(traps_before);
  if (first != fabric_.traps_.end()) {
    std::sort(first, fabric_.traps_.end(), [](const Trap& a, const Trap& b) { return std::tie(a.cycle, a.y, a.x, a.unit) < std::tie(b.cycle, b.y, b.x, b.unit); });
    const uint64_t cycle = first->cycle;
    fabric_.traps_.erase(std::find_if(first, fabric_.traps_.end(), [cycle](const Trap& t) { return t.cycle != cycle; }), fabric_.traps_.end());
    return Stop::kTrap;
  }
  if (ending.due != INT64_MAX) return Stop::kCycle;
  return ending.waits == 0 ? Stop::kDeadlock : Stop::kIdle;
}

void Spread::port_inputs(uint32_t tile) {
  const uint32_t x = tile % width_, y = tile / width_;
  Partner* to = partner(owner(x, y));
  const char* state = fabric_.router_.state(tile);
  for (unsigned d = 0; d < 5; ++d) {
    if (fabric_.port_at_.count(uint64_t(tile) * 5 + d) == 0) continue;
    to->words.push_back({tile, d * 2, plugin::load_value(state + fabric_.link_in_[d], 8)});
    to->words.push_back({tile, d * 2 + 1, plugin::load_value(state + fabric_.ready_in_[d], 4)});
  }
  words_out_ = true;
}

// ---- The other ranks.

void Spread::serve_run(checkpoint::Archive* message) {
  Course course;
  (*message)(course);
  fabric_.cycle_ = course.cycle;
  Agreement ending;
  if (!windows(course, &ending)) return;
  Account account;
  settle_accounts(&account);
  checkpoint::Archive archive;
  archive(account);
  send(0, archive.bytes());
}

void Spread::settle_accounts(Account* account) {
  account->activity.router_evaluations = fabric_.activity_.router_evaluations - told_.router_evaluations;
  account->activity.pe_evaluations = fabric_.activity_.pe_evaluations - told_.pe_evaluations;
  told_ = fabric_.activity_;
  account->last_active = fabric_.last_active_;
  account->due = fabric_.due(UnitKind::kRouter) + fabric_.due(UnitKind::kPe);
  account->busy_ns = busy_ns_;
  busy_ns_ = 0;
  for (Trap& trap : fabric_.traps_) {
    trap.x += home_.x0;
    trap.y += home_.y0;
  }
  account->traps.swap(fabric_.traps_);
  account->error = fabric_.error_;
}

// ---- Every rank.

bool Spread::windows(const Course& course, Agreement* all) {
  const size_t traps_before = fabric_.traps_.size();
  worked_to_ = course.cycle;
  for (bool exchange = false;;) {
    Agreement own = here();
    own.trap = fabric_.traps_.size() != traps_before ? 0 : 1;
    if (!exchange_and_agree(exchange, own, all)) return false;
    exchange = false;
    if (all->fault == 0 || all->trap == 0 || fabric_.cycle_ >= course.until) break;
    if (course.single == 0 && all->due > static_cast<int64_t>(fabric_.cycle_)) {
      if (all->due == INT64_MAX && course.through_idle == 0) break;
      if (fabric_.options_.skip) {
        fabric_.cycle_ = std::min(course.until, static_cast<uint64_t>(all->due));
        continue;
      }
    }
    const uint64_t last = std::min(static_cast<uint64_t>(all->boundary), course.until - 1);
    window(last);
    ++statistics_.windows;
    exchange = last == static_cast<uint64_t>(all->boundary);
  }
  trapped_ = all->trap == 0;
  if (all->due != INT64_MAX || all->fault == 0 || trapped_) return true;
  // One process would have stopped in the cycle in which the last had nothing to do any more; nobody has done anything since.
  if (course.single == 0 && course.through_idle == 0) fabric_.cycle_ = static_cast<uint64_t>(-all->worked_to);
  // Nothing can move: does anybody wait?
  Agreement own = *all;
  const WlRegister* fill = fabric_.options_.router.reg("fill1_q");
  for (const auto& [key, port] : fabric_.port_at_) own.waits = fabric_.ports_->blocked_colours(port) != 0 ? 0 : own.waits;
  for (uint32_t y = 0; y < home_.height() && own.waits != 0; ++y) {
    for (uint32_t x = 0; x < home_.width() && own.waits != 0; ++x) {
      WaitingTile tile;
      if (fabric_.looks(fabric_.tile_of(x, y), 0, fill, &tile)) own.waits = 0;
    }
  }
  return exchange_and_agree(false, own, all);
}

// Evaluates up to the end of cycle `last`.
void Spread::window(uint64_t last) {
  const auto begin = std::chrono::steady_clock::now();
  while (fabric_.cycle_ <= last) {
    const bool rests = fabric_.rests() && fabric_.ports_->next_time() > fabric_.cycle_;
    if (!rests) worked_to_ = fabric_.cycle_ + 1;
    if (fabric_.options_.skip && rests) {
      fabric_.cycle_ = std::min(last + 1, fabric_.ports_->next_time());
      continue;
    }
    const Stop stop = fabric_.advance();
    if (stop == Stop::kFault) fabric_.cycle_ = last + 1;
    if (stop == Stop::kTrap) break;
    if (words_out_ && fabric_.cycle_ <= last) {
      fabric_.error_ = "internal: a word crossed between ranks in cycle " + std::to_string(fabric_.cycle_ - 1) + ", before its window's end";
      fabric_.cycle_ = last + 1;
    }
  }
  busy_ns_ += nanoseconds(std::chrono::steady_clock::now() - begin);
  statistics_.busy_ns += nanoseconds(std::chrono::steady_clock::now() - begin);
}

// Trades boundary words with the neighbours, and with all the least of what each says. What a rank says counts the words that it sends, so both go at once: in one
// message to whom both are for.
bool Spread::exchange_and_agree(bool exchange, const Agreement& own, Agreement* all) {
  const auto begin = std::chrono::steady_clock::now();
  *all = own;
  const unsigned size = transport_.size(), next = (rank_ + 1) % size, last = (rank_ + size - 1) % size;
  std::string bytes(reinterpret_cast<const char*>(all), sizeof *all);
  for (Partner& p : partners_) {
    if (!exchange) break;
    statistics_.words += p.words.size();
    const char* const words = reinterpret_cast<const char*>(p.words.data());
    const size_t count = p.words.size() * sizeof(Word);
    if (p.rank == next) {
      bytes.append(words, count);
    } else if (!send(p.rank, std::string(words, count))) {
      return false;
    }
    p.words.clear();
  }
  if (exchange) {
    words_out_ = false;
    ++statistics_.exchanges;
  }
  // Each round doubles the ranks that have been heard of.
  for (unsigned step = 1; step < size; step *= 2) {
    if (!send((rank_ + step) % size, step == 1 ? std::move(bytes) : std::string(reinterpret_cast<const char*>(all), sizeof *all))) return false;
    for (const Partner& p : partners_) {
      if (step != 1 || !exchange || p.rank == last) continue;
      if (!receive(p.rank, &bytes)) return false;
      if (own.trap != 0) take_words(bytes, 0);
    }
    if (!receive((rank_ + size - step) % size, &bytes)) return false;
    Agreement other;
    std::memcpy(&other, bytes.data(), std::min(bytes.size(), sizeof other));
    if (step == 1 && own.trap != 0) take_words(bytes, sizeof other);  // a rank that stopped in the midst of the window is to stay as it is
    all->boundary = std::min(all->boundary, other.boundary);
    all->due = std::min(all->due, other.due);
    all->trap = std::min(all->trap, other.trap);
    all->fault = std::min(all->fault, other.fault);
    all->waits = std::min(all->waits, other.waits);
    all->worked_to = std::min(all->worked_to, other.worked_to);
  }
  statistics_.waiting_ns += nanoseconds(std::chrono::steady_clock::now() - begin);
  return true;
}

// The words of a message from `at` on.
void Spread::take_words(const std::string& bytes, size_t at) {
  for (; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    take(word);
  }
}

Spread::Agreement Spread::here() const {
  Agreement a;
  const int64_t cycle = static_cast<int64_t>(fabric_.cycle_);
  a.worked_to = -static_cast<int64_t>(worked_to_);
  a.fault = fabric_.error_.empty() ? 1 : 0;
  if (words_out_) {
    a.boundary = a.due = cycle;
    return a;
  }
  if (fabric_.due(UnitKind::kRouter) + fabric_.due(UnitKind::kPe) != 0) {
    a.due = cycle;
    a.boundary = cycle + static_cast<int64_t>(boundary_distance());
  }
  const HostPorts& ports = *fabric_.ports_;
  const uint64_t time = ports.busy() ? fabric_.cycle_ : std::max(fabric_.cycle_, ports.next_time());
  if (time != UINT64_MAX) {
    a.due = std::min(a.due, static_cast<int64_t>(time));
    a.boundary = std::min(a.boundary, static_cast<int64_t>(time + port_distance_));
  }
  if (!fabric_.options_.skip) a.boundary = cycle;  // everything is evaluated, so anything may change
  return a;
}

// Cycles before a unit that is due can change this rank's boundary, at least. Something is due.
uint64_t Spread::boundary_distance() const {
  if (ramp_ports_) return 0;
  const uint32_t width = home_.width(), height = home_.height(), words = (width + 63) / 64;
  uint64_t nearest = UINT32_MAX;
  const auto look = [&](uint32_t y) {
    for (const Fabric::Side* s : {&fabric_.router_, &fabric_.pe_}) {
      if (s->arena == nullptr) continue;
      const uint64_t* row = s->due.data() + size_t{y} * fabric_.row_words_;
      uint32_t low = UINT32_MAX, high = 0;
      for (uint32_t w = 0; w < words; ++w) {
        if (row[w] == 0) continue;
        if (low == UINT32_MAX) low = w * 64 + static_cast<uint32_t>(__builtin_ctzll(row[w]));
        high = w * 64 + 63 - static_cast<uint32_t>(__builtin_clzll(row[w]));
      }
      if (low == UINT32_MAX) continue;
      const uint64_t distance[4] = {y, width - 1 - high, height - 1 - y, low};
      const uint64_t inward = s->kind == UnitKind::kPe ? 1 : 0;  // a PE reaches the boundary through its router
      for (unsigned d = 0; d < 4; ++d) {
        if (inner_[d]) nearest = std::min(nearest, distance[d] + inward);
      }
    }
  };
  look(0);
  look(height - 1);
  for (uint32_t y = 1; y + 1 < height && nearest != 0; ++y) look(y);
  return nearest;
}

void Spread::take(const Word& word) {
  const uint32_t x = word.tile % width_ - home_.x0, y = word.tile / width_ - home_.y0;
  const unsigned d = (word.place & ~kOutput) / 2;
  if ((word.place & kOutput) != 0) {  // of another rank's tile, towards a port here
    char* state = fabric_.router_.state(word.tile);
    plugin::store_value(state + ((word.place & 1) != 0 ? fabric_.ready_out_[d] : fabric_.link_out_[d]), (word.place & 1) != 0 ? 4 : 8, word.value);
    const auto port = fabric_.port_at_.find(uint64_t(word.tile) * 5 + d);
    if (port != fabric_.port_at_.end()) fabric_.ports_->touch(port->second);
    return;
  }
  const uint32_t tile = fabric_.tile_of(x, y);
  plugin::store_value(fabric_.router_.state(tile) + ((word.place & 1) != 0 ? fabric_.ready_in_[d] : fabric_.link_in_[d]), (word.place & 1) != 0 ? 4 : 8, word.value);
  fabric_.wake(&fabric_.router_, tile);
}

void Spread::crossing(const Fabric::Crossing& c) {
  const uint32_t ready = c.bytes == 4 ? 1 : 0;
  uint32_t x = c.tile % fabric_.width() + home_.x0, y = c.tile / fabric_.width() + home_.y0;
  if (fabric_.is_share_) {
    const bool port = c.direction == 4 || (c.direction == 0 && y == 0) || (c.direction == 1 && x + 1 == width_) || (c.direction == 2 && y + 1 == height_) || (c.direction == 3 && x == 0);
    if (port) {
      if (((port_mask_[c.tile] >> c.direction) & 1) == 0) return;  // nothing is attached
      partner(0)->words.push_back({y * width_ + x, c.direction * 2u + ready + kOutput, c.value});
      words_out_ = true;
      return;
    }
    x += c.direction == 1 ? 1 : 0;
    x -= c.direction == 3 ? 1 : 0;
    y += c.direction == 2 ? 1 : 0;
    y -= c.direction == 0 ? 1 : 0;
  }
  partner(owner(x, y))->words.push_back({y * width_ + x, opposite(c.direction) * 2 + ready, c.value});
  words_out_ = true;
}

bool Spread::away(uint32_t tile) const {
  return placed_ && !registers_here_ && !fabric_.is_share_ && !home_.holds(tile % width_, tile / width_);
}

Spread::Partner* Spread::partner(unsigned rank) {
  for (Partner& p : partners_) {
    if (p.rank == rank) return &p;
  }
  return nullptr;  // not reached: whoever has a neighbouring tile or a port is a partner
}

unsigned Spread::owner(uint32_t x, uint32_t y) const {
  for (const Partner& p : partners_) {
    if (rectangles_[p.rank].holds(x, y)) return p.rank;
  }
  return rank_;
}

}  // namespace waferloom::fabric
