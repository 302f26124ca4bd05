#include "host/kernels/kernel_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "host/kernels/collectives.h"
#include "sim/fabric/activity.h"
#include "sim/fabric/waits_for.h"
#include "sim/generated/registers.h"

namespace waferloom::kernels {
namespace {

using fabric::Fabric;
using fabric::Stop;
using fabric::UnitKind;

constexpr unsigned kStartTask = 30;       // firmware/kernels/collective.wl
constexpr std::size_t kMostDifferences = 8;
constexpr std::uint64_t kWatchedCycles = 1000;  // after a cycle limit, to tell a livelock from a kernel that takes longer
constexpr std::uint64_t kSlice = 256;     // cycles between looks at the signal that asks to stop

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Runner {
 public:
  Runner(const KernelLayout& layout, const MachineOptions& options) : layout_(layout), options_(options) {}

  Measurement run() {
    auto begin = std::chrono::steady_clock::now();
    std::string error = load();
    if (error.empty()) error = boot();
    m_.load_s = seconds_since(begin);
    if (!error.empty()) return failed(error);
    if (m_.ending != Ending::kDone) return m_;
    begin = std::chrono::steady_clock::now();
    const fabric::Activity before = fabric_->activity();
    if (options_.observer) fabric_->set_observer(options_.observer);
    error = activate(kStartTask);
    if (!error.empty()) return failed(error);
    if (options_.started) {
      fabric_->collect();
      options_.started(*fabric_);
    }
    go();
    m_.run_s = seconds_since(begin);
    if (options_.ended && m_.ending == Ending::kDone) {
      fabric_->collect();
      options_.ended(*fabric_);
    }
    m_.router_evaluations = fabric_->activity().router_evaluations - before.router_evaluations;
    m_.pe_evaluations = fabric_->activity().pe_evaluations - before.pe_evaluations;
    if (m_.ending != Ending::kDone) return m_;
    begin = std::chrono::steady_clock::now();
    fabric_->collect();
    if (!fabric_->error().empty()) return failed(fabric_->error());
    read_time();
    check();
    m_.check_s = seconds_since(begin);
    if (options_.audit && fabric_->audit_report().violations != 0) return failed("skipping is not exact: " + fabric_->audit_report().first_violation);
    return m_;
  }

 private:
  Measurement failed(const std::string& message) {
    m_.ending = Ending::kFault;
    m_.message = message;
    return m_;
  }

  std::string load() {
    fabric::FabricOptions build;
    build.width = layout_.width;
    build.height = layout_.height;
    build.router = options_.router;
    build.pe = options_.pe;
    build.hop = options_.hop;
    build.skip = options_.skip;
    build.audit = options_.audit;
    build.threads = options_.threads;
    build.ranks = options_.ranks;
    std::string error;
    fabric_ = Fabric::create(build, &error);
    if (fabric_ == nullptr) return error;
    const WlRegister* active = options_.pe.reg_ending("task_act_q");
    if (active == nullptr) return "wl_pe has no register task_act_q";
    active_ = active->name;
    arena_ = fabric_->arena(UnitKind::kPe);
    api_ = &options_.pe.api();
    const auto bytes = [&](std::uint32_t index) { return std::uint64_t{api_->memory(arena_, index)->words} * api_->memory(arena_, index)->bits / 8; };
    if (api_->memory_count(arena_) == 0) return "wl_pe has no memory to load a program into";
    for (std::uint32_t i = 1; i < api_->memory_count(arena_); ++i) {
      if (bytes(i) > bytes(sram_)) sram_ = i;
    }
    if (api_->memory(arena_, sram_)->bits != 32) return "the memory of wl_pe does not have words of 32 bits";
    const std::string memory = api_->memory(arena_, sram_)->name;
    for (const Placement& p : layout_.placements) {
      error = fabric_->load_image(p.region, memory, 0, layout_.images[p.image].words);
      if (!error.empty()) return error;
    }
    for (const Route& r : layout_.routes) {
      error = fabric_->set_route(r.region, r.colour, r.position, r.receive, r.transmit);
      if (!error.empty()) return error;
    }
    for (const Switch& s : layout_.switches) {
      error = fabric_->set_switch(s.region, s.colour, 0, s.last, true);
      if (!error.empty()) return error;
    }
    image_of_.assign(fabric_->tiles(), 0);
    for (const Placement& p : layout_.placements) {
      each(p.region, [&](std::uint32_t x, std::uint32_t y) { image_of_[y * layout_.width + x] = static_cast<std::uint32_t>(p.image); });
    }
    each({0, 0, layout_.width, layout_.height}, [&](std::uint32_t x, std::uint32_t y) { store(x, y, layout_.initial(x, y)); });
    return {};
  }

  template <class F>
  static void each(const Region& region, F&& body) {
    for (std::uint32_t y = region.y; y < region.y + region.height; ++y) {
      for (std::uint32_t x = region.x; x < region.x + region.width; ++x) body(x, y);
    }
  }

  const Image& image(std::uint32_t x, std::uint32_t y) const { return layout_.images[image_of_[y * layout_.width + x]]; }

  void store(std::uint32_t x, std::uint32_t y, const Words& words) {
    const std::uint32_t tile = y * layout_.width + x, first = image(x, y).values / 4;
    for (std::uint32_t k = 0; k < words.size(); ++k) api_->memory_set(arena_, tile, sram_, first + k, words[k]);
  }

  std::uint32_t word(std::uint32_t x, std::uint32_t y, std::uint32_t address) const {
    return static_cast<std::uint32_t>(api_->memory_get(arena_, y * layout_.width + x, sram_, address / 4));
  }

  std::string activate(unsigned task) {
    return fabric_->set_register({0, 0, layout_.width, layout_.height}, UnitKind::kPe, active_, std::uint64_t{1} << task);
  }

  std::string boot() {
    const std::string error = activate(spec::kBootTask);
    if (error.empty()) go();
    return error;
  }

  // Until nothing can move any more.
  void go() {
    const std::uint64_t limit = options_.limit_cycles == 0 ? std::numeric_limits<std::uint64_t>::max() : fabric_->cycle() + options_.limit_cycles;
    while (true) {
      const Stop stop = fabric_->run(std::min(limit, fabric_->cycle() + kSlice));
      if (stop == Stop::kIdle) return;
      if (stop == Stop::kFault) {
        m_.ending = Ending::kFault;
        m_.message = fabric_->error();
        return;
      }
      if (stop == Stop::kTrap) return trapped();
      if (stop == Stop::kDeadlock) return stuck();
      if (fabric_->cycle() >= limit) {
        m_.ending = Ending::kCycleLimit;
        m_.message = fmt::format("not finished after {} cycles\n", options_.limit_cycles) + fabric::watch_activity(fabric_.get(), kWatchedCycles).text();
        return;
      }
      if (options_.interrupted && options_.interrupted()) {
        m_.ending = Ending::kInterrupted;
        return;
      }
    }
  }

  void trapped() {
    m_.ending = Ending::kTrap;
    const std::vector<fabric::Trap>& traps = fabric_->traps();
    for (std::size_t i = 0; i < traps.size() && i < kMostDifferences; ++i) {
      const fabric::Trap& t = traps[i];
      m_.message += t.unit == UnitKind::kPe ? fmt::format("tile ({}, {}): PE trap {} at {:#06x}, cycle {}\n", t.x, t.y, t.cause, t.program_counter, t.cycle)
                                            : fmt::format("tile ({}, {}): router trap {}, colour {}, port {}, cycle {}\n", t.x, t.y, t.cause, t.colour, t.port, t.cycle);
    }
  }

  void stuck() {
    m_.ending = Ending::kDeadlock;
    m_.message = fmt::format("nothing has moved since cycle {}\n", fabric_->last_active_cycle()) + fabric::waits_for(*fabric_).text();
  }

  void read_time() {
    // 32 bits of the cycle are enough: a run of one kernel is far below 2**31.
    m_.first_start = std::numeric_limits<std::uint64_t>::max();
    each({0, 0, layout_.width, layout_.height}, [&](std::uint32_t x, std::uint32_t y) {
      const std::uint32_t at = image(x, y).record;
      if (const std::uint32_t start = word(x, y, at); start != 0) m_.first_start = std::min<std::uint64_t>(m_.first_start, start);
      m_.last_end = std::max<std::uint64_t>(m_.last_end, word(x, y, at + 4));
    });
    m_.cycles = m_.last_end - m_.first_start - options_.empty_cycles;
  }

  void check() {
    layout_.expected([&](const Expected& expected) {
      each(expected.region, [&](std::uint32_t x, std::uint32_t y) {
        const std::uint32_t base = image(x, y).values + expected.offset;
        for (std::uint32_t k = 0; k < expected.words.size(); ++k) {
          const std::uint32_t found = word(x, y, base + 4 * k);
          ++m_.checked_words;
          if (found == expected.words[k]) continue;
          ++m_.wrong_words;
          if (m_.differences.size() < kMostDifferences) m_.differences.push_back({x, y, k, found, expected.words[k]});
        }
      });
    });
  }

  const KernelLayout& layout_;
  const MachineOptions& options_;
  Measurement m_;
  std::unique_ptr<Fabric> fabric_;
  WlArena* arena_ = nullptr;
  const WlUnitApi* api_ = nullptr;
  std::uint32_t sram_ = 0;
  std::string active_;
  std::vector<std::uint32_t> image_of_;
};

}  // namespace

std::string measure_empty(const config::Machine& machine, MachineOptions* options) {
  config::KernelCase nothing;
  nothing.kernel = config::KernelKind::kReduceChain;
  nothing.machine = machine;
  const LayoutOutcome laid_out = lay_out(nothing, 0);
  const auto* layout = std::get_if<KernelLayout>(&laid_out);
  if (layout == nullptr) return std::get<Refusal>(laid_out).message;
  MachineOptions plain = *options;
  plain.empty_cycles = 0;
  plain.observer = nullptr;
  plain.started = plain.ended = nullptr;
  plain.ranks = nullptr;
  const Measurement m = run_layout(*layout, plain);
  options->empty_cycles = m.cycles;
  return m.message;
}

Measurement run_layout(const KernelLayout& layout, const MachineOptions& options) { return Runner(layout, options).run(); }

}  // namespace waferloom::kernels
