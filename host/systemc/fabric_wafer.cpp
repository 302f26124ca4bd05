#include "host/systemc/fabric_wafer.h"

#include <fmt/format.h>

#include <algorithm>

#include "firmware/assembler/disassembler.h"
#include "host/systemc/message.h"
#include "sim/fabric/activity.h"
#include "sim/fabric/trap_text.h"
#include "sim/generated/counters.h"
#include "sim/generated/registers.h"

namespace waferloom::systemc {
namespace {

// The register whose name ends in `suffix` ("u_tasks.task_act_q" for "task_act_q"), or empty.
std::string find_register(const plugin::Unit& unit, const std::string& suffix) {
  const WlUnitApi& api = unit.api();
  for (std::uint32_t i = 0; i < api.register_count; ++i) {
    const std::string name = api.registers[i].name;
    if (name == suffix || (name.size() > suffix.size() && name.compare(name.size() - suffix.size() - 1, std::string::npos, "." + suffix) == 0)) return name;
  }
  return {};
}

constexpr std::uint32_t kCounterCells = 48;        // per side of the maps in a report
constexpr std::uint64_t kWatchedCycles = 1000;  // of a livelock, twice

}  // namespace

std::unique_ptr<FabricWafer> FabricWafer::create(const FabricWaferOptions& options, const plan::Plan& plan, std::string* error) {
  std::unique_ptr<FabricWafer> wafer(new FabricWafer(plan));
  fabric::FabricOptions build;
  build.width = static_cast<std::uint32_t>(plan.target.width);
  build.height = static_cast<std::uint32_t>(plan.target.height);
  build.router = options.router;
  build.pe = options.pe;
  build.hop = options.hop;
  build.skip = options.skip;
  build.audit = options.audit;
  build.shuffle_seed = options.shuffle_seed;
  build.reset_value = options.reset_value;
  build.seed = options.seed;
  build.threads = options.threads;
  build.ranks = options.ranks;
  build.edge_in = {options.io_words_per_cycle, 1};
  build.edge_out = {options.io_words_per_cycle, 1};
  wafer->fabric_ = fabric::Fabric::create(build, error);
  if (wafer->fabric_ == nullptr) return nullptr;
  for (std::uint32_t x = 0; x < build.width; ++x) {
    fabric::PortId port = 0;
    if (!wafer->fabric_->attach_port(x, 0, fabric::Direction::kNorth, &port, error)) return nullptr;
    wafer->fabric_->ports().set_capacity(port, options.out_buffer_words);
    wafer->ports_.push_back(port);
  }
  *error = wafer->load();
  if (!error->empty()) return nullptr;
  return wafer;
}

std::string FabricWafer::load() {
  event_register_ = find_register(fabric_->unit(fabric::UnitKind::kPe), "event_cnt_q");
  link_register_ = find_register(fabric_->unit(fabric::UnitKind::kRouter), "link_cnt_q");
  const std::string active = find_register(fabric_->unit(fabric::UnitKind::kPe), "task_act_q");
  if (event_register_.empty() || link_register_.empty() || active.empty()) {
    return "the units lack a register that the host needs: event_cnt_q and task_act_q of wl_pe, link_cnt_q of wl_router";
  }
  const std::string error = load_images();
  if (!error.empty()) return error;
  const fabric::Region all{0, 0, fabric_->width(), fabric_->height()};
  return fabric_->set_register(all, fabric::UnitKind::kPe, active, std::uint64_t{1} << spec::kBootTask);
}

std::string FabricWafer::load_images() {
  WlArena* arena = fabric_->arena(fabric::UnitKind::kPe);
  const WlUnitApi& api = fabric_->unit(fabric::UnitKind::kPe).api();
  // The SRAM is the memory that is largest.
  std::uint32_t sram = 0;
  const std::uint32_t memories = api.memory_count(arena);
  if (memories == 0) return "wl_pe has no memory to load a program into";
  auto bytes = [&](std::uint32_t index) { return std::uint64_t{api.memory(arena, index)->words} * api.memory(arena, index)->bits / 8; };
  for (std::uint32_t i = 1; i < memories; ++i) {
    if (bytes(i) > bytes(sram)) sram = i;
  }
  const std::uint32_t word_bytes = api.memory(arena, sram)->bits / 8;
  if (word_bytes != 4 && word_bytes != 8) return fmt::format("the SRAM of wl_pe has words of {} bytes; 4 or 8 are understood", word_bytes);
  sram_ = api.memory(arena, sram)->name;
  sram_word_bytes_ = word_bytes;
  std::vector<const WlImage*> images;
  for (const plan::Image& image : plan_.images) {
    if (image.bytes.size() > bytes(sram)) return fmt::format("image '{}' has {} bytes, the SRAM {}", image.name, image.bytes.size(), bytes(sram));
    std::vector<std::uint64_t> words((image.bytes.size() + word_bytes - 1) / word_bytes, 0);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) words[i / word_bytes] |= std::uint64_t{image.bytes[i]} << (8 * (i % word_bytes));
    images.push_back(api.image_create(arena, words.data(), static_cast<std::uint32_t>(words.size())));
  }
  for (std::uint32_t tile = 0; tile < fabric_->tiles(); ++tile) api.image_load(arena, tile, sram, 0, images[plan_.image_index[tile]]);
  return {};
}

void FabricWafer::offer(const std::uint64_t* words, std::size_t count) {
  const std::uint64_t from = std::max(fabric_->cycle(), plan_.boot_cycles);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t column = edge_column(words[i]);
    const std::uint64_t link = edge_link(words[i]);
    if (column == plan::kEveryColumn) {
      for (std::size_t x = 0; x < ports_.size(); ++x) fabric_->ports().send(ports_[x], link, from, x != 0);
      offered_ += ports_.size();
    } else {
      fabric_->ports().send(ports_[column], link, from, false);
      ++offered_;
    }
  }
}

std::vector<std::uint64_t> FabricWafer::results() {
  std::vector<std::uint64_t> words;
  fabric::ReceivedWord word;
  for (std::size_t x = 0; x < ports_.size(); ++x) {
    while (allowance_ > 0 && fabric_->ports().receive(ports_[x], &word)) {
      words.push_back(pack_edge(static_cast<std::uint16_t>(x), word.word));
      --allowance_;
    }
  }
  return words;
}

WaferState FabricWafer::run_to(std::int64_t cycle) {
  const fabric::Stop stop = fabric_->run(static_cast<std::uint64_t>(cycle), true);
  return stop == fabric::Stop::kTrap || stop == fabric::Stop::kFault ? WaferState::kTrapped : WaferState::kRunning;
}

std::string FabricWafer::traps() const {
  std::string text = fabric::traps_text(*fabric_, [](std::uint32_t word) { return assembler::disassemble(word); });
  if (!fabric_->error().empty()) text += fabric_->error() + "\n";
  return text;
}

fabric::TaskNames FabricWafer::task_names() const {
  return [this](std::uint32_t /*x*/, std::uint32_t /*y*/, unsigned task) { return task < plan_.task_names.size() ? plan_.task_names[task] : std::string(); };
}

std::string FabricWafer::waiting() const { return fabric::waits_for(*fabric_, task_names()).text(); }

std::string FabricWafer::busy() { return fabric::watch_activity(fabric_.get(), kWatchedCycles).text(task_names()); }

WaferCounters FabricWafer::counters() {
  WaferCounters counters;
  counters.pe_classes = fabric_->class_totals(fabric::UnitKind::kPe);
  counters.router_classes = fabric_->class_totals(fabric::UnitKind::kRouter);
  counters.pe_events.assign(spec::kPeEventCount, 0);
  for (std::uint32_t y = 0; y < fabric_->height(); ++y) {
    for (std::uint32_t x = 0; x < fabric_->width(); ++x) {
      for (std::uint32_t e = 0; e < spec::kPeEventCount; ++e) counters.pe_events[e] += fabric_->get_register(fabric::UnitKind::kPe, x, y, event_register_, e);
      for (std::uint32_t d = 0; d < 5; ++d) {
        const std::uint64_t driven = fabric_->get_register(fabric::UnitKind::kRouter, x, y, link_register_, d);
        counters.link_wavelets += driven;
        if (d == 4 || (d == 0 && y == 0)) counters.delivered += driven;
      }
    }
  }
  counters.cycle = cycle();
  counter_map_ = trace::count_tiles(fabric_.get(), kCounterCells);
  counters.evaluated = fabric_->activity().router_evaluations + fabric_->activity().pe_evaluations;
  counters.skipped = 2 * std::uint64_t{fabric_->tiles()} * fabric_->cycle() - counters.evaluated;
  return counters;
}

std::uint32_t FabricWafer::sram_word(int x, int y, std::uint32_t address) const {
  const std::uint64_t word = fabric_->get_memory(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), sram_, address / sram_word_bytes_);
  return static_cast<std::uint32_t>(word >> (address % sram_word_bytes_ / 4 * 32));
}

std::string FabricWafer::most_saturated() {
  std::uint64_t most = 0;
  std::uint32_t at = 0;
  for (std::uint32_t tile = 0; tile < fabric_->tiles(); ++tile) {
    const std::uint64_t count = fabric_->get_register(fabric::UnitKind::kPe, tile % fabric_->width(), tile / fabric_->width(), event_register_,
                                                      static_cast<std::uint32_t>(spec::PeEvent::kSaturations));
    if (count > most) {
      most = count;
      at = tile;
    }
  }
  if (most == 0) return "no tile has counted an overflow to infinity";
  return fmt::format("tile ({}, {}) has counted the most overflows to infinity: {}", at % fabric_->width(), at / fabric_->width(), most);
}

}  // namespace waferloom::systemc
