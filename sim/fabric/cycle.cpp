// One cycle of the fabric: which units are due, their evaluation, who evaluates what. Where their outputs go: commit.cpp.
#include <algorithm>
#include <cstring>

#include "sim/fabric/audit.h"
#include "sim/fabric/crew.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/spread.h"

namespace waferloom::fabric {
namespace {

constexpr uint32_t kOutputs = ~WL_CHANGED_QUIET;
constexpr uint64_t kDivideAfter = 64;      // parallel cycles until the first division by measured activity
constexpr uint64_t kDivideEvery = 4096;
constexpr uint32_t kBand = 64;             // units, fewer than which are not worth a turn of their own
constexpr uint64_t kWeight[2] = {1, 3};    // cost of an evaluation, router and PE
constexpr size_t kCrossingsAhead = 8;

uint64_t mix(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// First of the flags at or after `from` that is set; `count` if none. Eight zeros follow the flags.
uint32_t next_flag(const std::vector<uint8_t>& flags, uint32_t from, uint32_t count) {
  while (from < count) {
    uint64_t eight = 0;
    std::memcpy(&eight, flags.data() + from, 8);
    if (eight != 0) return std::min(count, from + static_cast<uint32_t>(__builtin_ctzll(eight)) / 8);
    from += 8;
  }
  return count;
}

}  // namespace

void Fabric::wake(Side* s, uint32_t tile) {
  const uint32_t x = tile % options_.width, y = tile / options_.width;
  mark(&part_of(x, y), s, x, y);
}

void Fabric::set_active(UnitKind kind, uint32_t tile, bool active) {
  if (spread_) spread_->take_over(false);
  if (active) return wake(&side(kind), tile);
  const uint32_t x = tile % options_.width, y = tile / options_.width;
  uint64_t& word = side(kind).due[y * row_words_ + (x >> 6)];
  const uint64_t bit = uint64_t{1} << (x & 63);
  if ((word & bit) == 0) return;
  word &= ~bit;
  --part_of(x, y).due[index_of(kind)];
}

uint64_t Fabric::due(UnitKind kind) const {
  uint64_t total = 0;
  for (const Part& part : parts_) total += part.due[index_of(kind)];
  return total;
}

void Fabric::mark_all() {
  for (Part& part : parts_) {
    for (Side* s : {&router_, &pe_}) {
      if (!s->arena) continue;
      for (uint32_t y = part.y0; y < part.y1; ++y) {
        for (uint32_t x = part.x0; x < part.x1; ++x) mark(&part, s, x, y);
      }
    }
  }
}

void Fabric::collect_due(const Side& s, std::vector<uint32_t>* tiles) const {
  for (uint32_t y = 0; y < options_.height; ++y) {
    for (uint32_t w = 0; w < row_words_; ++w) {
      for (uint64_t word = s.due[y * row_words_ + w]; word != 0; word &= word - 1) {
        tiles->push_back(y * options_.width + w * 64 + static_cast<uint32_t>(__builtin_ctzll(word)));
      }
    }
  }
}

// Draws the rectangles: bands of rows, or of 64 columns if there are fewer rows than threads, of equal work as measured so far.
void Fabric::divide(bool by_activity) {
  const unsigned threads = std::max(1u, options_.threads);
  const uint32_t columns = (home_width_ + 63) / 64;
  const bool by_rows = threads == 1 || home_height_ >= threads || home_height_ >= columns;
  const uint32_t lines = by_rows ? home_height_ : columns;
  const unsigned count = std::min<unsigned>({threads, lines, 128u});
  if (work_.size() != lines || !by_activity) work_.assign(lines, 1);
  uint64_t total = 0;
  for (const uint64_t work : work_) total += work;
  std::vector<uint32_t> ends;
  uint64_t sum = 0;
  for (uint32_t line = 0; line < lines && ends.size() + 1 < count; ++line) {
    const uint64_t goal = total * (ends.size() + 1) / count, before = sum;
    sum += work_[line];
    const uint32_t still = count - 1 - static_cast<uint32_t>(ends.size());
    const uint32_t begin = ends.empty() ? 0 : ends.back();
    // The end that lies nearer to the goal, with a line at least for each part.
    uint32_t end = sum >= goal ? (sum - goal > goal - before && line > begin ? line : line + 1) : 0;
    if (lines - (line + 1) == still) end = line + 1;
    if (end == 0) continue;
    ends.push_back(end);
    if (end == line) sum = before, --line;
  }
  ends.push_back(lines);
  std::vector<Part> parts(ends.size());
  part_of_row_.assign(options_.height, 0);
  part_of_column_.assign(row_words_, 0);
  for (uint32_t i = 0, begin = 0; i < parts.size(); begin = ends[i++]) {
    Part& part = parts[i];
    part.x0 = by_rows ? 0 : begin * 64;
    part.x1 = by_rows ? home_width_ : std::min(home_width_, ends[i] * 64);
    part.y0 = by_rows ? begin : 0;
    part.y1 = by_rows ? ends[i] : home_height_;
    std::vector<uint8_t>& owner = by_rows ? part_of_row_ : part_of_column_;
    std::fill(owner.begin() + begin, owner.begin() + ends[i], static_cast<uint8_t>(i));
    part.rows.assign(part.y1 - part.y0 + 8, 0);
    for (const Side* s : {&router_, &pe_}) {
      for (uint32_t y = part.y0; s->arena && y < part.y1; ++y) {
        for (uint32_t w = part.x0 / 64; w < (part.x1 + 63) / 64; ++w) {
          const uint64_t word = s->due[y * row_words_ + w];
          part.due[index_of(s->kind)] += static_cast<uint64_t>(__builtin_popcountll(word));
          if (word != 0) part.rows[y - part.y0] = 1;
        }
      }
    }
    for (Row& row : part.row) {
      for (const Side* s : {&router_, &pe_}) {
        row.tiles[index_of(s->kind)].resize(s->arena ? part.x1 - part.x0 + kBand : 0);
        row.changed[index_of(s->kind)].resize(s->arena ? part.x1 - part.x0 + kBand : 0);
      }
    }
  }
  parts_ = std::move(parts);
  for (uint64_t& work : work_) work = work / 2 + 1;
  until_divide_ = by_activity ? kDivideEvery : kDivideAfter;
}

// Takes the due units of the first rows at or after `from` that have any: of one row, or of as many as make it worth while. Where states lie in
// memory they begin to come from there.
bool Fabric::extract(Part* part, uint32_t from, Row* row) {
  const uint32_t rows = part->y1 - part->y0, width = options_.width, first_word = part->x0 >> 6, end_word = (part->x1 + 63) >> 6;
  const bool by_columns = part_of_column_.back() != 0;
  Side* const sides[2] = {&router_, &pe_};
  const unsigned kinds = pe_.arena ? 2 : 1;
  row->count[0] = row->count[1] = 0;
  for (uint32_t r = next_flag(part->rows, from - part->y0, rows); r < rows; r = next_flag(part->rows, r + 1, rows)) {
    part->rows[r] = 0;
    const uint32_t y = part->y0 + r;
    row->y = y;
    for (unsigned kind = 0; kind < kinds; ++kind) {
      uint64_t* const due = sides[kind]->due.data() + size_t{y} * row_words_;
      uint32_t* out = row->tiles[kind].data() + row->count[kind];
      for (uint32_t w = first_word; w < end_word; ++w) {
        uint64_t word = due[w];
        if (word == 0) continue;
        due[w] = 0;
        const uint32_t* const before = out;
        const uint32_t first = y * width + w * 64;
        for (; word != 0; word &= word - 1) *out++ = first + static_cast<uint32_t>(__builtin_ctzll(word));
        work_[by_columns ? w : y] += kWeight[kind] * static_cast<uint64_t>(out - before);
      }
      row->count[kind] = static_cast<uint32_t>(out - row->tiles[kind].data());
    }
    if (row->count[0] + row->count[1] >= kBand) break;
  }
  for (unsigned kind = 0; kind < kinds; ++kind) {
    const Side& s = *sides[kind];
    for (uint32_t k = 0; s.far && k < std::min(row->count[kind], 4u); ++k) {
      const char* const state = s.state(row->tiles[kind][k]);
      for (uint32_t at = 0; at < std::min(s.api->hot_bytes, 1024u); at += 64) __builtin_prefetch(state + at, 1);
    }
  }
  return row->count[0] + row->count[1] != 0;
}

bool Fabric::evaluate(Part* part, Row* row) {
  for (Side* s : {&router_, &pe_}) {
    const unsigned kind = index_of(s->kind);
    if (row->count[kind] == 0) continue;
    if (s->api->tick_batch(s->arena, row->tiles[kind].data(), row->count[kind], cycle_, row->changed[kind].data()) == 0) continue;
    part->error = s->api->last_error();
    return false;
  }
  return true;
}

// Three rows at work: the states of the next come from memory while one is evaluated; the one before it, whose neighbours have then
// all been evaluated, is committed.
void Fabric::run_part(Part* part) {
  part->due[0] = part->due[1] = 0;
  Row* next = &part->row[0];
  Row* current = &part->row[1];
  Row* done = nullptr;
  if (!extract(part, part->y0, current)) return;
  for (;;) {
    Row* const spare = done ? done : &part->row[2];
    const bool more = extract(part, current->y + 1, next);
    if (!evaluate(part, current)) return;
    if (done) commit(part, *done);
    done = current;
    if (!more) break;
    current = next;
    next = spare;
  }
  commit(part, *done);
}

// The same cycle, unit by unit in an order drawn anew: all are evaluated, then all committed.
bool Fabric::run_shuffled() {
  const uint64_t draw = mix(options_.shuffle_seed + cycle_);
  Side* sides[2] = {draw & 1 ? &pe_ : &router_, draw & 1 ? &router_ : &pe_};
  std::vector<uint32_t> tiles[2], changed[2];
  for (Side* s : sides) {
    std::vector<uint32_t>& list = tiles[index_of(s->kind)];
    if (s->arena) collect_due(*s, &list);
    std::fill(s->due.begin(), s->due.end(), 0);
    for (size_t i = list.size(); i > 1; --i) {
      const uint64_t at = mix(options_.shuffle_seed ^ mix(cycle_ * 0x10001 + i));
      std::swap(list[i - 1], list[at % i]);
    }
    changed[index_of(s->kind)].resize(list.size());
  }
  for (Part& part : parts_) part.due[0] = part.due[1] = 0;
  for (Side* s : sides) {
    const std::vector<uint32_t>& list = tiles[index_of(s->kind)];
    if (list.empty()) continue;
    if (s->api->tick_batch(s->arena, list.data(), static_cast<uint32_t>(list.size()), cycle_, changed[index_of(s->kind)].data()) == 0) continue;
    parts_[0].error = s->api->last_error();
    return false;
  }
  for (Side* s : sides) {
    for (size_t k = 0; k < tiles[index_of(s->kind)].size(); ++k) {
      const uint32_t tile = tiles[index_of(s->kind)][k], mask = changed[index_of(s->kind)][k];
      if (!(mask & WL_CHANGED_QUIET)) wake(s, tile);
      if (mask & s->trap_bits) parts_[0].trapped.emplace_back(tile, s->kind);
      push(*s, tile, mask & kOutputs);
    }
  }
  return true;
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

void Fabric::call_hook() {
  before_step_(*this);
  if (cycle_ > hook_to_) hook_from_ = UINT64_MAX;  // it has seen the end
}

Stop Fabric::step() {
  if (spread_) return spread_->step();
  if (hooked()) call_hook();
  const Stop stop = advance();
  if (observer_ && stop != Stop::kFault) observer_(*this);
  return stop;
}

// One cycle of the tiles that this process evaluates.
Stop Fabric::advance() {
  const size_t traps_before = traps_.size();
  const bool port_work = ports_->busy();
  ports_->evaluate(cycle_);
  const uint64_t routers = due(UnitKind::kRouter), pes = due(UnitKind::kPe);
  activity_.router_evaluations += routers;
  activity_.pe_evaluations += pes;
  if (routers + pes != 0 || port_work) last_active_ = cycle_;
  if (audit_) {
    for (const Side* s : {&router_, &pe_}) {
      if (!s->arena) continue;
      std::vector<uint32_t> tiles;
      collect_due(*s, &tiles);
      audit_->before(*s, tiles);
    }
  }
  if (audit_ || !options_.skip) mark_all();

  if (options_.shuffle_seed != 0) {
    run_shuffled();
  } else if (crew_ && (routers + pes >= options_.parallel_units || !options_.skip)) {
    if (until_divide_ == 0) divide(true);
    --until_divide_;
    ++parallel_cycles_;
    crew_->run();
  } else {
    for (Part& part : parts_) run_part(&part);
  }
  std::vector<std::pair<uint32_t, UnitKind>> trapped;
  for (Part& part : parts_) {
    if (!part.error.empty()) {
      error_ = part.error;
      return Stop::kFault;
    }
    for (size_t k = 0; k < part.crossings.size(); ++k) {
      const Crossing& c = part.crossings[k];
      // Another thread has had the receiver's state last.
      if (k + kCrossingsAhead < part.crossings.size()) __builtin_prefetch(router_.state(part.crossings[k + kCrossingsAhead].tile) + part.crossings[k + kCrossingsAhead].offset, 1);
      if (spread_ && spread_->away(c.tile)) {
        spread_->crossing(c);
        continue;
      }
      plugin::store_value(router_.state(c.tile) + c.offset, c.bytes, c.value);
      wake(&router_, c.tile);
    }
    part.crossings.clear();
    for (const Crossing& c : part.leaving) spread_->crossing(c);
    part.leaving.clear();
    for (const PortId port : part.touched) ports_->touch(port);
    part.touched.clear();
    trapped.insert(trapped.end(), part.trapped.begin(), part.trapped.end());
    part.trapped.clear();
  }
  std::sort(trapped.begin(), trapped.end());
  for (const auto& [tile, kind] : trapped) note_trap(side(kind), tile);
  if (audit_) {
    for (const Side* s : {&router_, &pe_}) {
      if (s->arena) audit_->after(*s, cycle_);
    }
  }
  ports_->commit([this](uint32_t tile) {
    if (spread_ && spread_->away(tile)) return spread_->port_inputs(tile);
    wake(&router_, tile);
  });
  ++cycle_;
  return traps_.size() != traps_before ? Stop::kTrap : Stop::kCycle;
}

bool Fabric::can_move() const {
  return !rests() || (spread_ && spread_->due_elsewhere() != 0) || ports_->next_time() != UINT64_MAX;
}

// Whether neither a tile of this process nor a port has something to do in the coming cycle.
bool Fabric::rests() const { return due(UnitKind::kRouter) + due(UnitKind::kPe) == 0 && !ports_->busy(); }

Stop Fabric::run(uint64_t until, bool through_idle) {
  if (spread_) return spread_->run(until, through_idle);
  const bool may_jump = options_.skip && !audit_;
  while (cycle_ < until) {
    // Time may jump when no unit and no port has something to do in the coming cycle.
    if (due(UnitKind::kRouter) + due(UnitKind::kPe) == 0 && !ports_->busy() && ports_->next_time() > cycle_) {
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
