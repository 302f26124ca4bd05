#include "sim/fabric/recurrence.h"

#include <algorithm>
#include <cstring>

namespace waferloom::fabric {
namespace {

// Cycles between looks: a multiple of most small periods, so that the first looks find them.
constexpr std::uint64_t kEvery = 5040;
// Evaluations of each tile that a look must be worth: it costs as much as some ten.
constexpr std::uint64_t kWorth = 1000;
// Cycles of a close look: so many at least, and as many as are worth it.
constexpr std::uint64_t kClosely = 2048;

std::uint64_t mix(std::uint64_t digest, std::uint64_t value) {
  digest = (digest ^ value) * 0x9fb21c651e98df25ull;
  return digest ^ digest >> 29;
}

}  // namespace

Recurrence::Recurrence(const Fabric* fabric) : fabric_(*fabric), begin_(fabric->cycle()), next_(fabric->cycle() + kEvery), looked_(evaluations()), worth_(kWorth) {
  for (const UnitKind kind : {UnitKind::kRouter, UnitKind::kPe}) {
    if (fabric_.arena(kind) == nullptr) continue;
    const WlUnitApi& api = fabric_.unit(kind).api();
    for (std::uint32_t i = 0; i < api.register_count; ++i) {
      const WlRegister& r = api.registers[i];
      if ((r.flags & WL_REG_STATE) == 0 || (r.flags & (WL_REG_COUNTER | WL_REG_HANDLE)) != 0) continue;
      ranges_[kind == UnitKind::kPe ? 1 : 0].push_back({r.offset, r.element_bytes * r.elements});
    }
  }
}

std::uint64_t Recurrence::words_of(std::uint32_t tile) const {
  constexpr std::uint32_t kPage = 256;
  WlArena* const arena = fabric_.arena(UnitKind::kPe);
  const WlUnitApi& api = fabric_.unit(UnitKind::kPe).api();
  std::uint64_t digest = 0, page[kPage];
  for (std::uint32_t m = 0; m < api.memory_count(arena); ++m) {
    const std::uint32_t words = api.memory(arena, m)->words;
    for (std::uint32_t first = 0; first < words; first += kPage) {
      const std::uint32_t count = std::min(kPage, words - first);
      if (api.memory_block(arena, tile, m, first, count, page) == 0) continue;
      for (std::uint32_t w = 0; w < count; ++w) {
        if (page[w] != 0) digest = mix(digest, std::uint64_t{m} << 56 ^ std::uint64_t{first + w} << 32 ^ page[w]);
      }
    }
  }
  return digest;
}

Recurrence::State Recurrence::now() const {
  State state;
  const bool spread = fabric_.options().ranks != nullptr;
  fabric_.collect();
  state.words = fabric_.ports().sent_total() + fabric_.ports().received_total();
  for (const UnitKind kind : {UnitKind::kRouter, UnitKind::kPe}) {
    WlArena* const arena = fabric_.arena(kind);
    if (arena == nullptr) continue;
    const WlUnitApi& api = fabric_.unit(kind).api();
    for (std::uint32_t tile = 0; tile < fabric_.tiles(); ++tile) {
      const char* const base = static_cast<const char*>(api.state(arena, tile));
      for (const Range& range : ranges_[kind == UnitKind::kPe ? 1 : 0]) {
        for (std::uint32_t b = 0; b < range.bytes; b += 8) {
          std::uint64_t word = 0;
          std::memcpy(&word, base + range.offset + b, range.bytes - b < 8 ? range.bytes - b : 8);
          state.registers = mix(state.registers, word);
        }
      }
      // How often a memory has changed says as much as its words, and is cheap, where it is evaluated here.
      if (kind == UnitKind::kPe) state.memory = spread ? mix(state.memory, words_of(tile)) : state.memory + api.memory_changes(arena, tile);
    }
  }
  return state;
}

// A close look in vain shall not slow the run down: the next one waits.
void Recurrence::give_up() {
  worth_ = std::max(kWorth, kWorth / 4 * states_.size());
  looked_ = evaluations();
  wait_for_next();
}

void Recurrence::wait_for_next() {
  states_.clear();
  candidate_ = 0;
  next_ = begin_ + ((fabric_.cycle() - begin_) / kEvery + 1) * kEvery;
}

bool Recurrence::look() {
  if (period_ != 0) return true;
  if (fabric_.cycle() < next_) return false;
  const bool on_the_dot = fabric_.cycle() == next_;  // time may have jumped
  if (!states_.empty() && on_the_dot) return look_closely(now());
  wait_for_next();
  if (!on_the_dot || fabric_.ports().pending_total() != 0 || evaluations() - looked_ < worth_ * fabric_.tiles()) return false;
  looked_ = evaluations();
  worth_ = kWorth;
  const State state = now();
  if (keep_ > 1 && state == kept_) {
    next_ = fabric_.cycle() + 1;
    states_.push_back(state);
    return false;
  }
  if (++looks_ != keep_) return false;
  keep_ *= 2;
  kept_ = state;
  return false;
}

// states_[0] is one that has come back; here it comes back once more in cycle p of the look, and then every one of them in the p after it.
bool Recurrence::look_closely(const State& state) {
  const std::uint64_t at = states_.size();
  states_.push_back(state);
  next_ = fabric_.cycle() + 1;
  if (candidate_ == 0 && state == states_[0]) candidate_ = at;
  const std::uint64_t most = std::max(kClosely, evaluations() / (20 * fabric_.tiles()));
  if (candidate_ == 0 ? at > most : !(state == states_[at - candidate_])) give_up();
  if (candidate_ == 0 || at < 2 * candidate_) return false;
  period_ = candidate_;
  return true;
}

}  // namespace waferloom::fabric
