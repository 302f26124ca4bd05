#include "testbenches/bench/workloads.h"

#include <algorithm>
#include <stdexcept>

#include "firmware/assembler/assembler.h"
#include "host/config/resolver.h"
#include "host/optimiser/parameters.h"
#include "host/plan/collector.h"
#include "host/plan/edge_stream.h"
#include "host/systemc/message.h"
#include "host/systemc/units.h"
#include "sim/generated/counters.h"
#include "sim/generated/registers.h"

namespace waferloom::bench {
namespace {

using fabric::Direction;
using fabric::UnitKind;

constexpr unsigned kRingColour = 4;
constexpr unsigned kRampColour = 5;
constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kWeightDomain = 0x77656967;
constexpr std::uint64_t kSampleDomain = 0x73616d70;

void require(const std::string& error) {
  if (!error.empty()) throw std::runtime_error(error);
}

plugin::Unit open(const plugin::UnitSpec& spec) {
  plugin::Unit unit;
  require(unit.open(spec));
  return unit;
}

std::string register_ending(const plugin::Unit& unit, const std::string& last_name) {
  const WlRegister* found = unit.reg_ending(last_name);
  if (found == nullptr) throw std::runtime_error(std::string(unit.api().top) + " has no register " + last_name);
  return found->name;
}

// Direction bits of masks.
enum : unsigned { kN = 1, kE = 2, kS = 4, kW = 8, kRamp = 16 };

unsigned square_colour(std::uint32_t x, std::uint32_t y) { return x % 2 + 2 * (y % 2); }

}  // namespace

Units open_units(const std::string& rtl_root) {
  const auto resolved = config::resolve_machine("wse2");
  if (!resolved) throw std::runtime_error(config::render(resolved.errors()));
  Units units;
  units.machine = resolved->value;
  systemc::UnitChoice choice;
  choice.rtl_root = rtl_root;
  units.router = open(systemc::router_spec(units.machine, choice));
  units.fast_pe = open(systemc::pe_spec(units.machine, choice));
  choice.view = plugin::View::kRtl;
  units.rtl_pe = open(systemc::pe_spec(units.machine, choice));
  return units;
}

namespace {
plugin::UnitSpec tile_spec(const config::Machine& machine, const std::string& rtl_root) {
  systemc::UnitChoice choice;
  choice.rtl_root = rtl_root;
  plugin::UnitSpec spec = systemc::router_spec(machine, choice);
  spec.top = "wl_tile";
  for (const auto& [name, value] : systemc::pe_spec(machine, choice).params) {
    if (name != "Colours") spec.params.emplace_back(name, value);
  }
  return spec;
}
}  // namespace

plugin::Unit open_tile(const config::Machine& machine, const std::string& rtl_root, TileForm form) {
  plugin::UnitSpec spec = tile_spec(machine, rtl_root);
  if (form == TileForm::kVerilator) spec.evaluation = plugin::Evaluation::kBothEdges;
  return open(spec);
}

plugin::Unit open_whole(const config::Machine& machine, const std::string& rtl_root, std::uint32_t width, std::uint32_t height) {
  plugin::UnitSpec spec = tile_spec(machine, rtl_root);
  spec.top = "wl_array";
  spec.split = 20000;  // in files that are compiled side by side
  spec.params.emplace_back("Width", std::to_string(width));
  spec.params.emplace_back("Height", std::to_string(height));
  return open(spec);
}

StepWorkload::StepWorkload(const config::Machine& machine, int width, int height) {
  plan::NetworkSpec network;
  network.layers.push_back({"hidden", 64, 32, true, true, false});
  network.layers.push_back({"output", 32, 10, true, false, false});
  plan::Target target;
  target.width = width;
  target.height = height;
  target.lanes = machine.lanes.value;
  target.sram_bytes = machine.sram_bytes.value;
  target.window_bytes = machine.accumulator_window_bytes.value;
  target.colours = machine.colours.value;
  constexpr int kBatch = 64;
  auto made = plan::make_plan(network, target, kBatch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&made)) throw std::runtime_error(refusal->message);
  plan_ = std::get<plan::Plan>(std::move(made));

  std::uint64_t drawn = 0;
  const auto draw = [&drawn] { return static_cast<std::uint16_t>(0x2c00U | (optimiser::hash_random(kSeed, kWeightDomain, drawn++) & 0x83ffU)); };
  for (const plan::LinearSpec& layer : network.layers) {
    weights_.emplace_back(static_cast<std::size_t>(layer.inputs * layer.outputs));
    biases_.emplace_back(static_cast<std::size_t>(layer.outputs));
    for (std::uint16_t& w : weights_.back()) w = draw();
    for (std::uint16_t& b : biases_.back()) b = draw();
  }
  for (std::size_t l = 0; l < weights_.size(); ++l) layers_.push_back({weights_[l].data(), biases_[l].data(), nullptr});
  std::vector<float> samples(static_cast<std::size_t>(kBatch) * 64);
  std::vector<int> labels(kBatch);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<float>(optimiser::hash_random(kSeed, kSampleDomain, i) % 17) / 16.0F;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i * 7 % 10);
  plan::EdgeStream stream(plan_, {plan::StepKind::kTrain, samples.data(), labels.data(), kBatch, 2.0F}, layers_);
  for (plan::EdgeWord word; stream.next(word);) words_.push_back(systemc::pack_edge(word.column, word.link));
}

std::unique_ptr<systemc::FabricWafer> StepWorkload::wafer(const Units& units, const StepMode& mode) const {
  systemc::FabricWaferOptions options;
  options.router = units.router;
  options.pe = mode.rtl_view ? units.rtl_pe : units.fast_pe;
  options.hop = static_cast<unsigned>(units.machine.hop_cycles.value);
  options.io_words_per_cycle = 4;
  options.out_buffer_words = 0;
  options.skip = mode.skip;
  options.audit = mode.audit;
  options.ranks = mode.ranks;
  std::string error;
  auto made = systemc::FabricWafer::create(options, plan_, &error);
  require(error);
  made->run_to(static_cast<std::int64_t>(plan_.boot_cycles));
  require(made->traps());
  return made;
}

void offer_words(const std::vector<std::uint64_t>& words, fabric::HostPorts& ports, std::uint64_t not_before) {
  for (const std::uint64_t packed : words) {
    const std::uint16_t column = systemc::edge_column(packed);
    const std::uint64_t link = systemc::edge_link(packed);
    if (column != plan::kEveryColumn) {
      ports.send(column, link, not_before, false);
      continue;
    }
    for (std::uint32_t x = 0; x < ports.size(); ++x) ports.send(x, link, not_before, x != 0);
  }
}

std::vector<EdgeResult> StepWorkload::take(fabric::HostPorts& ports, std::uint64_t start) {
  std::vector<EdgeResult> results;
  fabric::ReceivedWord word;
  for (std::uint32_t x = 0; x < ports.size(); ++x) {
    while (ports.receive(x, &word)) results.push_back({word.cycle - start, x, word.word});
  }
  return results;
}

std::string StepWorkload::judge(const std::vector<EdgeResult>& results) const {
  plan::Collector collector(plan_, plan::StepKind::kTrain, layers_);
  for (const EdgeResult& r : results) {
    const std::string error = collector.accept(static_cast<int>(r.column), r.word);
    if (!error.empty()) return error;
  }
  return collector.complete() ? "" : std::to_string(collector.outstanding()) + " results of the step are missing";
}

namespace {

void route_circles(fabric::Fabric& f) {
  const std::uint32_t w = f.width(), h = f.height();
  const auto route = [&f](std::uint32_t x, std::uint32_t y, unsigned colour, unsigned position, unsigned receive, unsigned transmit) {
    require(f.set_route({x, y, 1, 1}, colour, position, receive, transmit));
  };
  // Circles of four tiles, clockwise; their heads start by sending from the ramp.
  for (std::uint32_t y = 0; y + 1 < h; ++y) {
    for (std::uint32_t x = 0; x + 1 < w; ++x) {
      const unsigned c = square_colour(x, y);
      route(x, y, c, 0, kRamp, kE);
      route(x, y, c, 1, kS, kE);
      route(x + 1, y, c, 0, kW, kS);
      route(x + 1, y + 1, c, 0, kN, kW);
      route(x, y + 1, c, 0, kE, kN);
    }
  }
  // One along the border, anticlockwise: with the circles of four it takes every link between tiles exactly once.
  for (std::uint32_t x = 1; x < w; ++x) {
    route(x, 0, kRingColour, 0, x + 1 == w ? kS : kE, kW);
    if (x + 1 < w) route(x, h - 1, kRingColour, 0, kW, kE);
  }
  for (std::uint32_t y = 1; y < h; ++y) {
    route(0, y, kRingColour, 0, kN, y + 1 == h ? kE : kS);
    route(w - 1, y, kRingColour, 0, y + 1 == h ? kW : kS, kN);
  }
  route(0, 0, kRingColour, 0, kRamp, kS);
  route(0, 0, kRingColour, 1, kE, kS);
  require(f.set_route({0, 0, w, h}, kRampColour, 0, kRamp, kRamp));
}

void load_busy(fabric::Fabric& f) {
  const std::string memory = f.unit(UnitKind::kPe).api().memory(f.arena(UnitKind::kPe), 0)->name;
  for (std::uint32_t y = 0; y < f.height(); ++y) {
    for (std::uint32_t x = 0; x < f.width(); ++x) {
      assembler::Assembler assembler;
      const bool heads = x + 1 < f.width() && y + 1 < f.height();
      assembler.define("SQUARE", heads ? static_cast<int>(square_colour(x, y)) : -1);
      assembler.define("RING", x == 0 && y == 0 ? 2 * static_cast<int>(f.width() + f.height()) - 4 : 0);
      assembler.define("RING_COLOUR", kRingColour);
      assembler.define("RAMP_COLOUR", kRampColour);
      const auto outcome = assembler.assemble_file(std::string(WL_SOURCE_DIR) + "/testbenches/bench/busy.wl");
      require(assembler::render(outcome.errors));
      std::vector<std::uint64_t> words;
      for (std::uint32_t a = 0; a + 4 <= outcome.program->image.size(); a += 4) words.push_back(outcome.program->word(a));
      require(f.load_image({x, y, 1, 1}, memory, 0, words));
    }
  }
}

void run(fabric::Fabric& f, std::uint64_t cycles) {
  const fabric::Stop stop = f.run(f.cycle() + cycles);
  for (const fabric::Trap& t : f.traps()) {
    throw std::runtime_error("all-busy program: trap " + std::to_string(t.cause) + " of the " + (t.unit == UnitKind::kPe ? "PE" : "router") + " at " + std::to_string(t.x) + "," + std::to_string(t.y) +
                             ", instruction at " + std::to_string(t.program_counter) + ", colour " + std::to_string(t.colour));
  }
  if (stop != fabric::Stop::kCycle) throw std::runtime_error("the all-busy program came to rest: " + f.error());
}

}  // namespace

std::unique_ptr<fabric::Fabric> busy_fabric(const Units& units, bool rtl_view, bool skip, std::uint32_t width, std::uint32_t height, unsigned threads,
                                             fabric::Transport* ranks) {
  fabric::FabricOptions options;
  options.width = width;
  options.height = height;
  options.router = units.router;
  options.pe = rtl_view ? units.rtl_pe : units.fast_pe;
  options.hop = static_cast<unsigned>(units.machine.hop_cycles.value);
  options.skip = skip;
  options.threads = threads;
  options.ranks = ranks;
  std::string error;
  auto f = fabric::Fabric::create(options, &error);
  require(error);
  load_busy(*f);
  route_circles(*f);
  const fabric::Region all{0, 0, width, height};
  require(f->set_register(all, UnitKind::kPe, register_ending(f->unit(UnitKind::kPe), "task_act_q"), std::uint64_t{1} << spec::kBootTask));
  run(*f, 500 + 8 * (width + height));  // boot; the heads send, the border's for as long as the border is
  // The ramps go on carrying weights: a cycle in which none is on a link.
  const auto clear = [&] {
    for (std::uint32_t tile = 0; tile < width * height; ++tile) {
      for (unsigned d = 0; d < 5; ++d) {
        const Direction direction = static_cast<Direction>(d);
        if (((f->link(tile % width, tile / width, direction) | f->port_word(tile % width, tile / width, direction)) & fabric::kValidBit) != 0) return false;
      }
    }
    return true;
  };
  for (int k = 0; k < 1000 && !clear(); ++k) run(*f, 1);
  for (std::uint32_t y = 0; y + 1 < height; ++y) {
    for (std::uint32_t x = 0; x + 1 < width; ++x) require(f->set_switch({x, y, 1, 1}, square_colour(x, y), 1, 1, false));
  }
  require(f->set_switch({0, 0, 1, 1}, kRingColour, 1, 1, false));
  run(*f, 500);
  return f;
}

BusyCounts count_busy(fabric::Fabric& f) {
  BusyCounts counts;
  const std::string links = register_ending(f.unit(UnitKind::kRouter), "link_cnt_q");
  const std::string events = register_ending(f.unit(UnitKind::kPe), "event_cnt_q");
  for (std::uint32_t y = 0; y < f.height(); ++y) {
    for (std::uint32_t x = 0; x < f.width(); ++x) {
      for (std::uint32_t d = 0; d < 4; ++d) counts.link_words += f.get_register(UnitKind::kRouter, x, y, links, d);
      counts.lane_slots += f.get_register(UnitKind::kPe, x, y, events, static_cast<std::uint32_t>(spec::PeEvent::kLaneSlots));
    }
  }
  counts.evaluations = f.activity().router_evaluations + f.activity().pe_evaluations;
  counts.cycle = f.cycle();
  return counts;
}

}  // namespace waferloom::bench
