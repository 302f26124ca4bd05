#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/block/machine.h"
#include "sim/fabric/activity.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/waits_for.h"
#include "sim/generated/isa.h"
#include "sim/generated/registers.h"

namespace waferloom::block {
namespace {

using fabric::Fabric;
using fabric::Stop;
using fabric::UnitKind;

constexpr std::uint64_t kSlice = 1024;         // cycles between looks at the signal that asks to stop
constexpr std::uint64_t kWatchedCycles = 1000;  // after a limit, to say what moves

class RtlMachine : public Machine {
 public:
  explicit RtlMachine(const RtlOptions& options) : options_(options) {}

  std::string start(const Program& program) override {
    const Shape& shape = program.shape;
    fabric::FabricOptions build;
    build.width = static_cast<std::uint32_t>(shape.width);
    build.height = static_cast<std::uint32_t>(shape.height);
    build.router = options_.router;
    build.pe = options_.pe;
    build.hop = options_.hop;
    build.skip = options_.skip;
    build.audit = options_.audit;
    build.threads = options_.threads;
    build.edge_in = {options_.io_words_per_cycle, 1};
    std::string error;
    fabric_ = Fabric::create(build, &error);
    if (fabric_ == nullptr) return error;
    const WlRegister* active = options_.pe.reg_ending("task_act_q");
    if (active == nullptr) return "wl_pe has no register task_act_q";
    WlArena* arena = fabric_->arena(UnitKind::kPe);
    const WlUnitApi& api = options_.pe.api();
    const auto bytes = [&](std::uint32_t index) { return std::uint64_t{api.memory(arena, index)->words} * api.memory(arena, index)->bits / 8; };
    if (api.memory_count(arena) == 0) return "wl_pe has no memory to load a program into";
    std::uint32_t sram = 0;
    for (std::uint32_t i = 1; i < api.memory_count(arena); ++i) {
      if (bytes(i) > bytes(sram)) sram = i;
    }
    if (api.memory(arena, sram)->bits != 32) return "the memory of wl_pe does not have words of 32 bits";
    sram_ = api.memory(arena, sram)->name;
    ports_.clear();
    for (int x = 0; x < shape.width; ++x) {
      fabric::PortId port = 0;
      if (!fabric_->attach_port(static_cast<std::uint32_t>(x), 0, fabric::Direction::kNorth, &port, &error)) return error;
      ports_.push_back(port);
      for (int y = 0; y < shape.height; ++y) {
        const std::vector<std::uint8_t>& image = program.tile(x, y).bytes;
        std::vector<std::uint64_t> words((image.size() + 3) / 4, 0);
        for (std::size_t i = 0; i < image.size(); ++i) words[i / 4] |= std::uint64_t{image[i]} << (8 * (i % 4));
        error = fabric_->load_image({static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 1, 1}, sram_, 0, words);
        if (!error.empty()) return error;
      }
    }
    error = fabric_->set_register({0, 0, build.width, build.height}, UnitKind::kPe, active->name, std::uint64_t{1} << spec::kBootTask);
    return error.empty() ? rest(false) : error;
  }

  void send(const plan::EdgeWord& word) override {
    for (std::size_t x = 0; x < ports_.size(); ++x) {
      const bool all = word.column == plan::kEveryColumn;
      if (all || word.column == x) fabric_->ports().send(ports_[x], word.link, fabric_->cycle(), all && x != 0);
    }
  }

  std::string rest(bool may_wait) override {
    const std::uint64_t start = fabric_->cycle();
    const std::uint64_t limit = options_.limit_cycles == 0 ? std::numeric_limits<std::uint64_t>::max() : start + options_.limit_cycles;
    while (true) {
      const Stop stop = fabric_->run(std::min(limit, fabric_->cycle() + kSlice));
      may_wait = may_wait && (stop != Stop::kDeadlock || fabric_->ports().pending_total() == 0);
      if (stop == Stop::kIdle || (stop == Stop::kDeadlock && may_wait)) break;
      if (stop == Stop::kFault) return end(Ended::kFault, fabric_->error());
      if (stop == Stop::kTrap) return end(Ended::kTrap, traps());
      if (stop == Stop::kDeadlock) return end(Ended::kDeadlock, fmt::format("nothing has moved since cycle {}\n", fabric_->last_active_cycle()) + fabric::waits_for(*fabric_).text());
      if (fabric_->cycle() >= limit) {
        return end(Ended::kLimit, fmt::format("not finished after {} cycles\n", options_.limit_cycles) + fabric::watch_activity(fabric_.get(), kWatchedCycles).text());
      }
      if (options_.interrupted && options_.interrupted()) return end(Ended::kInterrupted, "interrupted");
    }
    cycles_ = fabric_->last_active_cycle() > start ? fabric_->last_active_cycle() - start : 0;
    if (options_.audit && fabric_->audit_report().violations != 0) return end(Ended::kFault, "skipping is not exact: " + fabric_->audit_report().first_violation);
    return end(Ended::kRest, {});
  }

  bool receive(int column, std::uint64_t* link) override {
    fabric::ReceivedWord word;
    if (!fabric_->ports().receive(ports_[static_cast<std::size_t>(column)], &word)) return false;
    *link = word.word;
    return true;
  }

  std::uint32_t peek(int x, int y, std::uint32_t address, std::uint32_t bytes) const override {
    const std::uint64_t word = fabric_->get_memory(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), sram_, address / 4) >> (8 * (address % 4));
    return static_cast<std::uint32_t>(bytes == 2 ? word & 0xffffu : word);
  }

  std::uint64_t phase_cycles() const override { return cycles_; }

 private:
  std::string traps() const {
    std::string text;
    const std::vector<fabric::Trap>& traps = fabric_->traps();
    for (std::size_t i = 0; i < traps.size() && i < 8; ++i) {
      const fabric::Trap& t = traps[i];
      text += t.unit == UnitKind::kPe ? fmt::format("tile ({}, {}): PE trap {} at {:#06x}, cycle {}\n", t.x, t.y, t.cause, t.program_counter, t.cycle)
                                      : fmt::format("tile ({}, {}): router trap {}, colour {}, port {}, cycle {}\n", t.x, t.y, t.cause, t.colour, t.port, t.cycle);
    }
    return text;
  }

  RtlOptions options_;
  std::unique_ptr<Fabric> fabric_;
  std::vector<fabric::PortId> ports_;
  std::string sram_;
  std::uint64_t cycles_ = 0;
};

}  // namespace

std::unique_ptr<Machine> rtl_machine(const RtlOptions& options) { return std::make_unique<RtlMachine>(options); }

}  // namespace waferloom::block
