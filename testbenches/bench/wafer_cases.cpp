#include "testbenches/bench/wafer_cases.h"

#include <ctime>
#include <stdexcept>

#include "firmware/assembler/assembler.h"
#include "sim/generated/registers.h"

namespace waferloom::bench {
namespace {

using fabric::Direction;
using fabric::Fabric;
using fabric::PortId;
using fabric::Region;
using fabric::UnitKind;

constexpr unsigned kFloodColour = 0, kRowColour = 1, kColumnColour = 2;
constexpr unsigned kN = 1, kE = 2, kS = 4, kW = 8, kRamp = 16;
constexpr std::uint32_t kClass = 0x01000000;  // of the image's number in a stored word
constexpr unsigned kSlots = 64;

void require(const std::string& error) {
  if (!error.empty()) throw std::runtime_error(error);
}

struct Image {
  std::vector<std::uint64_t> words;
  std::uint32_t slots = 0;  // byte address
};

Image assemble(int number) {
  assembler::Assembler assembler;
  assembler.define("CLASS", number * static_cast<int>(kClass));
  const auto outcome = assembler.assemble_file(std::string(WL_SOURCE_DIR) + "/testbenches/bench/flood.wl");
  require(assembler::render(outcome.errors));
  Image image;
  for (std::uint32_t a = 0; a + 4 <= outcome.program->image.size(); a += 4) image.words.push_back(outcome.program->word(a));
  image.slots = static_cast<std::uint32_t>(outcome.program->symbol("slots").value());
  return image;
}

std::string memory_of(const Fabric& f) { return f.unit(UnitKind::kPe).api().memory(f.arena(UnitKind::kPe), 0)->name; }

// Along the first row, and down every column.
void flood_routes(Fabric& f) {
  const std::uint32_t w = f.width(), h = f.height();
  const auto route = [&f](const Region& region, unsigned colour, unsigned receive, unsigned transmit) {
    require(f.set_routes(region, {{colour, 0, receive, transmit}}));
  };
  const unsigned down = h > 1 ? kS : 0, on = w > 1 ? kE : 0;
  route({0, 0, w, 1}, kFloodColour, kW, on | down | kRamp);
  route({w - 1, 0, 1, 1}, kFloodColour, kW, down | kRamp);
  if (h > 2) route({0, 1, w, h - 2}, kFloodColour, kN, kS | kRamp);
  if (h > 1) route({0, h - 1, w, 1}, kFloodColour, kN, kRamp);
}

struct Run {
  const Fabric& fabric;
  std::uint64_t cycle, evaluations;
  double start;
  explicit Run(const Fabric& f) : fabric(f), cycle(f.cycle()), evaluations(count()), start(thread_seconds()) {}
  std::uint64_t count() const { return fabric.activity().router_evaluations + fabric.activity().pe_evaluations; }
  FloodResult result() const { return {fabric.cycle() - cycle, count() - evaluations, thread_seconds() - start}; }
};

void to_rest(Fabric& f) {
  const fabric::Stop stop = f.run(f.cycle() + 100'000'000);
  for (const fabric::Trap& t : f.traps()) {
    throw std::runtime_error("trap " + std::to_string(t.cause) + " at " + std::to_string(t.x) + "," + std::to_string(t.y) + " pc " + std::to_string(t.program_counter));
  }
  if (stop != fabric::Stop::kIdle) throw std::runtime_error("the wafer did not come to rest: " + f.error());
}

void send_words(Fabric& f, unsigned words) {
  PortId in = 0;
  std::string error;
  f.attach_port(0, 0, Direction::kWest, &in, &error);
  require(error);
  for (unsigned k = 0; k < words; ++k) f.ports().send(in, std::uint64_t{kFloodColour} << 32 | (k + 1) * 0x10001u, 0, false);
}

}  // namespace

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::unique_ptr<Fabric> idle_wafer(const Units& units, const WaferCase& wafer, std::vector<Phase>* phases) {
  double last = thread_seconds();
  const auto phase = [&](const char* name) {
    const double now = thread_seconds();
    phases->push_back({name, now - last});
    last = now;
  };
  fabric::FabricOptions options;
  options.width = wafer.width;
  options.height = wafer.height;
  options.router = units.router;
  options.pe = units.fast_pe;
  options.hop = static_cast<unsigned>(units.machine.hop_cycles.value);
  std::string error;
  auto f = Fabric::create(options, &error);
  require(error);
  phase("created and reset");
  const std::uint32_t w = wafer.width, h = wafer.height;
  const std::string memory = memory_of(*f);
  const Region places[4] = {{0, 0, 1, 1}, {1, 0, w - 1, 1}, {0, 1, 1, h - 1}, {1, 1, w - 1, h - 1}};
  for (int i = 0; i < 4; ++i) {
    if (places[i].width != 0 && places[i].height != 0) require(f->load_image(places[i], memory, 0, assemble(i).words));
  }
  phase("programs loaded (4 images)");
  flood_routes(*f);
  const Region all{0, 0, w, h};
  require(f->set_routes(all, {{kRowColour, 0, kRamp | kW, kE}, {kRowColour, 1, kW, kRamp}, {kColumnColour, 0, kRamp | kN, kS}, {kColumnColour, 1, kN, kRamp}}));
  phase("routes written (3 colours)");
  const WlRegister* boot = f->unit(UnitKind::kPe).reg_ending("task_act_q");
  if (boot == nullptr) throw std::runtime_error("the PE has no register task_act_q");
  require(f->set_register(all, UnitKind::kPe, boot->name, std::uint64_t{1} << spec::kBootTask));
  phase("boot task activated");
  to_rest(*f);
  phase("booted and at rest");
  return f;
}

FloodResult flood_tiles(Fabric& f, unsigned words) {
  if (words > kSlots) throw std::runtime_error("at most 64 words");
  send_words(f, words);
  const Run run(f);
  to_rest(f);
  const FloodResult result = run.result();
  const std::string memory = memory_of(f);
  const std::uint32_t slot = assemble(0).slots / 4;
  for (std::uint32_t y = 0; y < f.height(); ++y) {
    for (std::uint32_t x = 0; x < f.width(); ++x) {
      const std::uint32_t number = (x > 0 ? 1 : 0) + (y > 0 ? 2 : 0);
      for (unsigned k = 0; k < words; ++k) {
        const std::uint32_t expected = (k + 1) * 0x10001u + (y << 16 | x) + number * kClass;
        if (f.get_memory(x, y, memory, slot + k) == expected) continue;
        throw std::runtime_error("tile " + std::to_string(x) + "," + std::to_string(y) + " has a wrong word " + std::to_string(k));
      }
    }
  }
  return result;
}

FloodResult flood_routers(const Units& units, const WaferCase& wafer, unsigned words) {
  fabric::FabricOptions options;
  options.width = wafer.width;
  options.height = wafer.height;
  options.router = units.router;
  options.hop = static_cast<unsigned>(units.machine.hop_cycles.value);
  std::string error;
  auto f = Fabric::create(options, &error);
  require(error);
  flood_routes(*f);
  const plugin::Unit& router = f->unit(UnitKind::kRouter);
  const WlRegister* count = router.reg_ending("link_cnt_q");
  const WlPort* ready = router.port("ramp_ready_i");
  if (count == nullptr || ready == nullptr) throw std::runtime_error("the router has no link_cnt_q or ramp_ready_i");
  // Nothing is attached to a ramp: its ready input, set once, takes a word a cycle.
  for (std::uint32_t tile = 0; tile < f->tiles(); ++tile) {
    plugin::store_value(static_cast<char*>(router.api().state(f->arena(UnitKind::kRouter), tile)) + ready->offset, ready->bytes, fabric::kAllColours);
  }
  to_rest(*f);
  send_words(*f, words);
  const Run run(*f);
  to_rest(*f);
  const FloodResult result = run.result();
  for (std::uint32_t y = 0; y < wafer.height; ++y) {
    for (std::uint32_t x = 0; x < wafer.width; ++x) {
      if (f->get_register(UnitKind::kRouter, x, y, count->name, 4) == words) continue;
      throw std::runtime_error("the ramp of router " + std::to_string(x) + "," + std::to_string(y) + " did not see every word");
    }
  }
  return result;
}

void column_traffic_routes(Fabric& f) {
  require(f.set_routes({0, 0, f.width(), f.height() - 1}, {{kFloodColour, 0, kN, kS}}));
  require(f.set_routes({0, f.height() - 1, f.width(), 1}, {{kFloodColour, 0, kN, kRamp}}));
  for (std::uint32_t x = 0; x < f.width(); ++x) {
    PortId port = 0;
    std::string error;
    f.attach_port(x, 0, Direction::kNorth, &port, &error);
    require(error);
  }
}

void circling_words(Fabric& f, unsigned squares) {
  constexpr unsigned kCircle = 3;
  for (std::uint32_t k = 0; k < squares; ++k) {
    const std::uint32_t x = 2 * k;
    require(f.set_routes({x, 0, 1, 1}, {{kCircle, 0, kN, kE}, {kCircle, 1, kS, kE}}));
    require(f.set_routes({x + 1, 0, 1, 1}, {{kCircle, 0, kW, kS}}));
    require(f.set_routes({x + 1, 1, 1, 1}, {{kCircle, 0, kN, kW}}));
    require(f.set_routes({x, 1, 1, 1}, {{kCircle, 0, kE, kN}}));
    PortId port = 0;
    std::string error;
    f.attach_port(x, 0, Direction::kNorth, &port, &error);
    require(error);
    f.ports().send(port, std::uint64_t{kCircle} << 32 | k, 0, false);
    f.run(f.cycle() + 3);  // the word has passed the square's first tile and not come back
    require(f.set_switch({x, 0, 1, 1}, kCircle, 1, 1, false));
  }
}

}  // namespace waferloom::bench
