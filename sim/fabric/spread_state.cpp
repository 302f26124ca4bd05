// Who has which state of a spread fabric: handing tiles out, bringing them back, cutting the array anew.
#include <dlfcn.h>

#include <algorithm>

#include "sim/fabric/spread.h"
#include "sim/fabric/spread_orders.h"
#include "sim/fabric/tile_transfer.h"
#include "sim/generated/counters.h"

namespace waferloom::fabric {
namespace {

constexpr uint32_t kBlockTiles = 512;  // of one message
constexpr double kCutWhenUneven = 1.1;  // the busiest rank against the mean
constexpr int kCutPays = 20;            // cutting anew may take this part of the time since the last cut

std::string library_of(const plugin::Unit& unit) {
  if (!unit.loaded()) return "";
  Dl_info info;
  return dladdr(reinterpret_cast<const void*>(unit.api().create), &info) != 0 ? info.dli_fname : "";
}

// Cycles that a unit has been evaluated for with something to do, by its counter of classes.
uint64_t busy_of(UnitKind kind, const WlRegister* counter, const char* state) {
  uint64_t sum = 0;
  for (uint32_t id = 0; id < counter->elements; ++id) {
    const auto c = static_cast<spec::PeClass>(id);
    const bool rests = kind == UnitKind::kRouter ? id != static_cast<uint32_t>(spec::RouterClass::kForward)
                                                 : c == spec::PeClass::kIdle || c == spec::PeClass::kStopped || c == spec::PeClass::kWaitIn || c == spec::PeClass::kWaitOut;
    if (!rests) sum += plugin::load_value(state + counter->offset + size_t{counter->element_bytes} * id, counter->element_bytes);
  }
  return sum;
}

std::vector<uint32_t> slice(const std::vector<uint32_t>& tiles, size_t from) {
  return {tiles.begin() + static_cast<ptrdiff_t>(from), tiles.begin() + static_cast<ptrdiff_t>(std::min(tiles.size(), from + kBlockTiles))};
}

}  // namespace

Spread::Spread(Fabric* fabric, Transport* transport) : fabric_(*fabric), transport_(*transport), rank_(transport->rank()), width_(fabric->width()), height_(fabric->height()) {
  home_ = {0, width_, 0, height_};
  rank_busy_ns_.assign(transport->size(), 0);
}

Spread::~Spread() {
  if (rank_ != 0 || !placed_ || lost_) return;
  checkpoint::Archive message;
  Order kind = Order::kDrop;
  message(kind, number_);
  order(message.bytes());
}

std::vector<uint32_t> Spread::tiles_of(unsigned rank) const {
  std::vector<uint32_t> tiles;
  const Rectangle& r = rectangles_[rank];
  tiles.reserve(r.tiles());
  for (uint32_t y = r.y0; y < r.y1; ++y) {
    for (uint32_t x = r.x0; x < r.x1; ++x) tiles.push_back(y * width_ + x);
  }
  return tiles;
}

// Who lies beside this rank, and behind which sides.
void Spread::settle(unsigned rank, std::vector<Rectangle> rectangles) {
  rank_ = rank;
  rectangles_ = std::move(rectangles);
  home_ = rectangles_[rank];
  inner_[0] = home_.y0 != 0;
  inner_[1] = home_.x1 != width_;
  inner_[2] = home_.y1 != height_;
  inner_[3] = home_.x0 != 0;
  partners_.clear();
  for (unsigned other = 0; other < rectangles_.size(); ++other) {
    if (other != rank && touch(home_, rectangles_[other])) partners_.push_back({other, {}});
  }
  words_out_ = false;
}

// ---- Rank 0.

void Spread::note_busy() {
  const std::vector<uint64_t> before = std::move(busy_cycles_);
  busy_cycles_.assign(size_t{width_} * height_, 0);
  for (const Fabric::Side* s : {&fabric_.router_, &fabric_.pe_}) {
    const WlRegister* counter = s->arena != nullptr ? fabric_.unit(s->kind).reg_ending("class_cnt_q") : nullptr;
    if (counter == nullptr) continue;
    const uint64_t weight = s->kind == UnitKind::kRouter ? 1 : 3;
    for (uint32_t tile = 0; tile < busy_cycles_.size(); ++tile) {
      s->api->credit(s->arena, tile, fabric_.cycle_);
      busy_cycles_[tile] += weight * busy_of(s->kind, counter, s->state(tile));
    }
  }
  work_.clear();
  if (before.size() != busy_cycles_.size()) return;
  work_.resize(before.size());
  for (size_t i = 0; i < work_.size(); ++i) work_[i] = busy_cycles_[i] >= before[i] ? busy_cycles_[i] - before[i] : 0;
}

void Spread::cut() {
  note_busy();
  settle(0, cut_array(width_, height_, transport_.size(), work_));
  port_distance_ = UINT64_MAX >> 2;
  for (const auto& [key, port] : fabric_.port_at_) {
    const uint32_t tile = static_cast<uint32_t>(key / 5), x = tile % width_, y = tile / width_;
    uint64_t distance = 0;
    if (home_.holds(x, y)) {
      distance = UINT32_MAX;
      const uint64_t sides[4] = {y, home_.x1 - 1 - x, home_.y1 - 1 - y, x};
      for (unsigned d = 0; d < 4; ++d) {
        if (inner_[d]) distance = std::min(distance, sides[d] + 1);
      }
    } else {
      const auto& owner = std::find_if(rectangles_.begin(), rectangles_.end(), [&](const Rectangle& r) { return r.holds(x, y); });
      const unsigned rank = static_cast<unsigned>(owner - rectangles_.begin());
      if (partner(rank) == nullptr) partners_.push_back({rank, {}});
    }
    port_distance_ = std::min(port_distance_, distance);
  }
  std::sort(partners_.begin(), partners_.end(), [](const Partner& a, const Partner& b) { return a.rank < b.rank; });
}

bool Spread::worth_cutting() const {
  uint64_t most = 0, all = 0;
  for (const uint64_t ns : rank_busy_ns_) {
    most = std::max(most, ns);
    all += ns;
  }
  const double mean = static_cast<double>(all) / static_cast<double>(rank_busy_ns_.size());
  const auto cutting = static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(cutting_).count());
  return mean > kCutPays * cutting && static_cast<double>(most) > kCutWhenUneven * mean;
}

// Makes the array ready to run: every rank has its tiles.
void Spread::hand_out() {
  if (lost_) return;
  if (placed_ && !registers_here_ && worth_cutting()) take_over(true);
  if (placed_ && !registers_here_) {
    if (registers_fresh_) go_home();
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  if (!placed_) number_ = transport_.next_number();
  if (memory_here_) cut();
  for (unsigned rank = 1; rank < transport_.size(); ++rank) {
    if (!send(rank, place_message(rank)) || !send_tiles(rank)) return;
  }
  for (unsigned rank = 1; rank < transport_.size(); ++rank) {
    std::string reply;
    if (!receive(rank, &reply)) return;
    if (!reply.empty() && fabric_.error_.empty()) fail("rank " + std::to_string(rank) + ": " + reply);
  }
  placed_ = true;
  registers_here_ = memory_here_ = registers_fresh_ = memory_fresh_ = false;
  due_elsewhere_ = 0;
  fabric_.home_width_ = home_.width();
  fabric_.home_height_ = home_.height();
  const uint64_t due_of_all = fabric_.due(UnitKind::kRouter) + fabric_.due(UnitKind::kPe);
  go_home();
  fabric_.divide(false);
  due_elsewhere_ = due_of_all - fabric_.due(UnitKind::kRouter) - fabric_.due(UnitKind::kPe);
  fabric_.make_crew();
  std::fill(rank_busy_ns_.begin(), rank_busy_ns_.end(), 0);
  cutting_ = std::chrono::steady_clock::now() - begin;
  ++statistics_.cuts;
}

// Which of the other ranks' tiles are due is theirs to know while it runs.
void Spread::go_home() {
  for (Fabric::Side* s : {&fabric_.router_, &fabric_.pe_}) {
    if (s->arena == nullptr) continue;
    for (uint32_t y = 0; y < height_; ++y) {
      uint64_t* row = s->due.data() + size_t{y} * fabric_.row_words_;
      for (uint32_t w = 0; w < fabric_.row_words_; ++w) {
        const uint32_t x = w * 64;
        if (y >= home_.y1 || x >= home_.x1) {
          row[w] = 0;
        } else if (x + 64 > home_.x1) {
          row[w] &= (uint64_t{1} << (home_.x1 - x)) - 1;
        }
      }
    }
  }
}

std::string Spread::place_message(unsigned rank) const {
  checkpoint::Archive message;
  Order kind = Order::kPlace;
  uint32_t number = number_, width = width_, height = height_, to = rank;
  const FabricOptions& o = fabric_.options_;
  std::string router = library_of(o.router), pe = library_of(o.pe);
  uint32_t hop = o.hop, reset = o.reset_value, threads = o.threads;
  uint64_t seed = o.seed, parallel = o.parallel_units, cycle = fabric_.cycle_;
  uint8_t skip = o.skip ? 1 : 0, memory = memory_here_ ? 1 : 0;
  std::vector<uint32_t> cuts, ports;
  for (const Rectangle& r : rectangles_) cuts.insert(cuts.end(), {r.x0, r.x1, r.y0, r.y1});
  for (const auto& [key, port] : fabric_.port_at_) {
    const uint32_t tile = static_cast<uint32_t>(key / 5);
    if (rectangles_[rank].holds(tile % width_, tile / width_)) ports.insert(ports.end(), {tile, static_cast<uint32_t>(key % 5)});
  }
  message(kind, number, width, height, to, router, pe, hop, reset, threads, seed, parallel, cycle, skip, memory, cuts, ports);
  return message.bytes();
}

// The registers of these tiles of the own arenas, counters up to date, with who is due.
bool Spread::send_registers(unsigned to, const std::vector<uint32_t>& all) {
  for (const Fabric::Side* s : {&fabric_.router_, &fabric_.pe_}) {
    if (s->arena == nullptr) continue;
    const UnitTransfer registers(*s->api, s->arena);
    for (size_t from = 0; from < all.size(); from += kBlockTiles) {
      const std::vector<uint32_t> tiles = slice(all, from);
      checkpoint::Archive archive;
      std::vector<uint8_t> due;
      for (const uint32_t tile : tiles) {
        s->api->credit(s->arena, tile, fabric_.cycle_);
        due.push_back(fabric_.active(s->kind, tile) ? 1 : 0);
      }
      archive(due);
      registers(&archive, tiles);
      if (!send(to, archive.bytes())) return false;
    }
  }
  return true;
}

bool Spread::send_tiles(unsigned rank) {
  const std::vector<uint32_t> all = tiles_of(rank);
  if (!send_registers(rank, all)) return false;
  if (!memory_here_ || !fabric_.has_pe()) return true;
  MemoryTransfer memories(*fabric_.pe_.api, fabric_.pe_.arena);
  for (size_t from = 0; from < all.size(); from += kBlockTiles) {
    if (!send(rank, memories.save(slice(all, from), static_cast<uint32_t>(from)))) return false;
  }
  return true;
}

void Spread::collect(bool memory) {
  if (!placed_ || lost_ || rank_ != 0) return;
  uint8_t want_registers = !registers_here_ && !registers_fresh_ ? 1 : 0;
  uint8_t want_memory = memory && !memory_here_ && !memory_fresh_ && fabric_.has_pe() ? 1 : 0;
  if (want_registers == 0 && want_memory == 0) return;
  checkpoint::Archive message;
  Order kind = Order::kCollect;
  uint64_t cycle = fabric_.cycle_;  // time may have jumped since the others ran
  message(kind, number_, cycle, want_registers, want_memory);
  if (!order(message.bytes())) return;
  std::string bytes;
  for (unsigned rank = 1; rank < transport_.size(); ++rank) {
    const std::vector<uint32_t> all = tiles_of(rank);
    for (Fabric::Side* s : {&fabric_.router_, &fabric_.pe_}) {
      if (s->arena == nullptr || want_registers == 0) continue;
      const UnitTransfer registers(*s->api, s->arena);
      for (size_t from = 0; from < all.size(); from += kBlockTiles) {
        const std::vector<uint32_t> tiles = slice(all, from);
        if (!receive(rank, &bytes)) return;
        checkpoint::Archive archive(std::move(bytes));
        std::vector<uint8_t> due;
        archive(due);
        registers(&archive, tiles);
        for (size_t k = 0; k < tiles.size() && k < due.size(); ++k) {
          s->api->set_cycle(s->arena, tiles[k], fabric_.cycle_);
          const uint32_t x = tiles[k] % width_, y = tiles[k] / width_;
          uint64_t& word = s->due[y * fabric_.row_words_ + (x >> 6)];
          const uint64_t bit = uint64_t{1} << (x & 63);
          word = due[k] != 0 ? word | bit : word & ~bit;
        }
      }
    }
    if (want_memory == 0) continue;
    MemoryTransfer memories(*fabric_.pe_.api, fabric_.pe_.arena);
    for (size_t from = 0; from < all.size(); from += kBlockTiles) {
      if (!receive(rank, &bytes)) return;
      checkpoint::Archive archive(std::move(bytes));
      const std::string wrong = memories.load_own(&archive, [&](uint32_t name) { return all[std::min<size_t>(name, all.size() - 1)]; });
      if (!wrong.empty()) return fail("rank " + std::to_string(rank) + " sent " + wrong);
    }
  }
  registers_fresh_ = registers_fresh_ || want_registers != 0;
  memory_fresh_ = memory_fresh_ || want_memory != 0;
}

void Spread::take_over(bool memory) {
  if (!placed_ || rank_ != 0) return;
  collect(memory);
  memory_here_ = memory_here_ || memory;
  if (registers_here_) return;
  registers_here_ = true;
  due_elsewhere_ = 0;
  fabric_.home_width_ = width_;
  fabric_.home_height_ = height_;
  // What follows from registers, where it was not evaluated here.
  for (unsigned rank = 1; rank < rectangles_.size(); ++rank) {
    for (const uint32_t tile : tiles_of(rank)) {
      for (Fabric::Side* s : {&fabric_.router_, &fabric_.pe_}) {
        if (s->arena != nullptr && s->api->refresh(s->arena, tile) != 0 && fabric_.error_.empty()) fabric_.error_ = s->api->last_error();
      }
    }
  }
  fabric_.divide(false);
  fabric_.make_crew();
}

// ---- The other ranks.

std::string Spread::place(Transport* transport, checkpoint::Archive* message, std::unique_ptr<Fabric>* fabric) {
  uint32_t width = 0, height = 0, rank = 0, hop = 1, reset = 0, threads = 1;
  std::string router, pe;
  uint64_t seed = 0, parallel = 0, cycle = 0;
  uint8_t skip = 1, memory = 0;
  std::vector<uint32_t> cuts, ports;
  (*message)(width, height, rank, router, pe, hop, reset, threads, seed, parallel, cycle, skip, memory, cuts, ports);
  std::vector<Rectangle> rectangles;
  for (size_t i = 0; i + 3 < cuts.size(); i += 4) rectangles.push_back({cuts[i], cuts[i + 1], cuts[i + 2], cuts[i + 3]});
  const Rectangle& home = rectangles[rank];
  std::string error;
  if (memory != 0 || !*fabric) {
    fabric->reset();
    FabricOptions o;
    o.width = home.width();
    o.height = home.height();
    error = o.router.load(router);
    if (error.empty() && !pe.empty()) error = o.pe.load(pe);
    o.hop = hop;
    o.reset_value = reset;
    o.threads = threads;
    o.seed = seed;
    o.parallel_units = parallel;
    o.skip = skip != 0;
    if (error.empty()) *fabric = Fabric::create(o, &error);
    if (*fabric) {
      (*fabric)->is_share_ = true;
      (*fabric)->spread_ = std::make_unique<Spread>(fabric->get(), transport);
    }
  }
  if (!*fabric) {
    // What follows is for nobody; the answer says why.
    std::string bytes;
    const size_t blocks = (home.tiles() + kBlockTiles - 1) / kBlockTiles * (1 + (pe.empty() ? 0 : 1 + memory));
    for (size_t i = 0; i < blocks; ++i) {
      if (!transport->receive(0, &bytes)) break;
    }
    transport->send(0, error);
    return error;
  }
  Fabric& f = **fabric;
  Spread& spread = *f.spread_;
  spread.width_ = width;
  spread.height_ = height;
  spread.settle(rank, std::move(rectangles));
  spread.port_mask_.assign(f.tiles(), 0);
  spread.ramp_ports_ = false;
  for (size_t i = 0; i + 1 < ports.size(); i += 2) {
    const uint32_t x = ports[i] % width - spread.home_.x0, y = ports[i] / width - spread.home_.y0;
    spread.port_mask_[f.tile_of(x, y)] |= static_cast<uint8_t>(1u << ports[i + 1]);
    if (ports[i + 1] < 4) {
      spread.inner_[ports[i + 1]] = true;
    } else {
      spread.ramp_ports_ = true;
    }
    if (spread.partner(0) == nullptr) spread.partners_.insert(spread.partners_.begin(), {0, {}});
  }
  f.cycle_ = cycle;
  f.last_active_ = 0;
  f.activity_ = {};
  spread.told_ = {};
  f.traps_.clear();
  f.error_.clear();
  spread.memory_here_ = memory != 0;
  spread.trapped_ = false;
  error = spread.take_tiles();
  f.divide(false);
  transport->send(0, error);
  return error;
}

std::string Spread::take_tiles() {
  std::vector<uint32_t> all(fabric_.tiles());
  for (uint32_t tile = 0; tile < all.size(); ++tile) all[tile] = tile;
  std::string bytes, error;
  for (Fabric::Side* s : {&fabric_.router_, &fabric_.pe_}) {
    if (s->arena == nullptr) continue;
    std::fill(s->due.begin(), s->due.end(), 0);
    const UnitTransfer registers(*s->api, s->arena);
    for (size_t from = 0; from < all.size(); from += kBlockTiles) {
      const std::vector<uint32_t> tiles = slice(all, from);
      if (!receive(0, &bytes)) return fabric_.error_;
      checkpoint::Archive archive(std::move(bytes));
      std::vector<uint8_t> due;
      archive(due);
      registers(&archive, tiles);
      for (size_t k = 0; k < tiles.size() && k < due.size(); ++k) {
        if (due[k] == 0) continue;
        const uint32_t x = tiles[k] % fabric_.width(), y = tiles[k] / fabric_.width();
        s->due[y * fabric_.row_words_ + (x >> 6)] |= uint64_t{1} << (x & 63);
      }
    }
    for (const uint32_t tile : all) {
      if (s->api->refresh(s->arena, tile) != 0 && error.empty()) error = s->api->last_error();
    }
    s->api->set_cycle_all(s->arena, fabric_.cycle_);
  }
  if (!memory_here_ || !fabric_.has_pe()) return error;
  MemoryTransfer memories(*fabric_.pe_.api, fabric_.pe_.arena);
  for (size_t from = 0; from < all.size(); from += kBlockTiles) {
    if (!receive(0, &bytes)) return fabric_.error_;
    const std::string wrong = memories.load(slice(all, from), static_cast<uint32_t>(from), bytes);
    if (error.empty()) error = wrong;
  }
  sent_changes_.resize(all.size());
  for (const uint32_t tile : all) sent_changes_[tile] = fabric_.pe_.api->memory_changes(fabric_.pe_.arena, tile);
  return error;
}

void Spread::serve_collect(checkpoint::Archive* message) {
  uint8_t want_registers = 0, want_memory = 0;
  uint64_t cycle = 0;
  (*message)(cycle, want_registers, want_memory);
  if (!trapped_) fabric_.cycle_ = cycle;  // it may have jumped
  std::vector<uint32_t> all(fabric_.tiles());
  for (uint32_t tile = 0; tile < all.size(); ++tile) all[tile] = tile;
  if (want_registers != 0 && !send_registers(0, all)) return;
  if (want_memory == 0) return;
  const WlUnitApi& api = *fabric_.pe_.api;
  const bool counted = std::string(api.view) == "fast";  // logic does not count its writes
  MemoryTransfer memories(api, fabric_.pe_.arena);
  for (size_t from = 0; from < all.size(); from += kBlockTiles) {
    checkpoint::Archive archive;
    for (const uint32_t tile : slice(all, from)) {
      const uint64_t changes = api.memory_changes(fabric_.pe_.arena, tile);
      if (counted && changes == sent_changes_[tile]) continue;
      sent_changes_[tile] = changes;
      memories.save_own(tile, tile, &archive);
    }
    MemoryTransfer::end_own(&archive);
    if (!send(0, archive.bytes())) return;
  }
}

}  // namespace waferloom::fabric
