#include "host/kernels/kernel_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/kernels/collectives.h"
#include "sim/generated/registers.h"

namespace waferloom::kernels {
namespace {

constexpr unsigned kStartTask = 30;       // firmware/kernels/collective.wl
constexpr std::size_t kMostDifferences = 8;

class LayoutRunner {
 public:
  LayoutRunner(const KernelLayout& layout, const MachineOptions& options)
      : layout_(layout), options_(options), run_(options.hooks, options.limit_cycles, [this](checkpoint::Archive& archive) { archive(booted_, before_, m_.load_s, m_.run_s); }) {}

  Measurement run() {
    auto begin = std::chrono::steady_clock::now();
    std::string error = load();
    if (!error.empty()) return failed(error);
    if (!run_.start()) return failed({});
    if (!booted_) {
      error = run_.goes_on() ? std::string() : run_.activate(spec::kBootTask);
      if (!error.empty()) return failed(error);
      if (!rested()) return m_;
      booted_ = true;
      before_ = run_.fabric().activity();
      if (options_.observer) run_.fabric().set_observer(options_.observer);
      error = run_.activate(kStartTask);
      if (!error.empty()) return failed(error);
      if (options_.started) {
        run_.fabric().collect();
        options_.started(run_.fabric());
      }
    }
    m_.load_s += seconds_since(begin);
    begin = std::chrono::steady_clock::now();
    const bool done = rested();
    m_.run_s += seconds_since(begin);
    if (options_.ended && done) {
      run_.fabric().collect();
      options_.ended(run_.fabric());
    }
    m_.router_evaluations = run_.fabric().activity().router_evaluations - before_.router_evaluations;
    m_.pe_evaluations = run_.fabric().activity().pe_evaluations - before_.pe_evaluations;
    if (!done) return m_;
    begin = std::chrono::steady_clock::now();
    run_.fabric().collect();
    if (!run_.fabric().error().empty()) return failed(run_.fabric().error());
    read_time();
    check();
    m_.check_s = seconds_since(begin);
    if (options_.audit && run_.fabric().audit_report().violations != 0) return failed("skipping is not exact: " + run_.fabric().audit_report().first_violation);
    return m_;
  }

 private:
  Measurement failed(const std::string& message) {
    m_.ending = Ending::kFault;
    m_.message = message;
    return m_;
  }

  bool rested() {
    m_.ending = run_.rest();
    if (m_.ending != Ending::kDone) m_.message = run_.message();
    return m_.ending == Ending::kDone;
  }

  std::string load() {
    std::string error = run_.create(fabric_options(options_, layout_.width, layout_.height));
    if (!error.empty()) return error;
    image_of_.assign(run_.fabric().tiles(), 0);
    for (const Placement& p : layout_.placements) {
      each(p.region, [&](std::uint32_t x, std::uint32_t y) { image_of_[y * layout_.width + x] = static_cast<std::uint32_t>(p.image); });
    }
    run_.name_tasks([this](std::uint32_t x, std::uint32_t y, unsigned task) {
      const std::vector<std::string>& names = image(x, y).task_names;
      return task < names.size() ? names[task] : std::string();
    });
    if (run_.goes_on()) return {};
    for (const Placement& p : layout_.placements) {
      error = run_.fabric().load_image(p.region, run_.memory(), 0, layout_.images[p.image].words);
      if (!error.empty()) return error;
    }
    for (const Route& r : layout_.routes) {
      error = run_.fabric().set_route(r.region, r.colour, r.position, r.receive, r.transmit);
      if (!error.empty()) return error;
    }
    for (const Switch& s : layout_.switches) {
      error = run_.fabric().set_switch(s.region, s.colour, 0, s.last, true);
      if (!error.empty()) return error;
    }
    each({0, 0, layout_.width, layout_.height}, [&](std::uint32_t x, std::uint32_t y) {
      const Words words = layout_.initial(x, y);
      for (std::uint32_t k = 0; k < words.size(); ++k) run_.set_word(x, y, image(x, y).values + 4 * k, words[k]);
    });
    return {};
  }

  template <class F>
  static void each(const Region& region, F&& body) {
    for (std::uint32_t y = region.y; y < region.y + region.height; ++y) {
      for (std::uint32_t x = region.x; x < region.x + region.width; ++x) body(x, y);
    }
  }

  const Image& image(std::uint32_t x, std::uint32_t y) const { return layout_.images[image_of_[y * layout_.width + x]]; }

  void read_time() {
    // 32 bits of the cycle are enough: a run of one kernel is far below 2**31.
    m_.first_start = std::numeric_limits<std::uint64_t>::max();
    each({0, 0, layout_.width, layout_.height}, [&](std::uint32_t x, std::uint32_t y) {
      const std::uint32_t at = image(x, y).record;
      if (const std::uint32_t start = run_.word(x, y, at); start != 0) m_.first_start = std::min<std::uint64_t>(m_.first_start, start);
      m_.last_end = std::max<std::uint64_t>(m_.last_end, run_.word(x, y, at + 4));
    });
    m_.cycles = m_.last_end - m_.first_start - options_.empty_cycles;
  }

  void check() {
    layout_.expected([&](const Expected& expected) {
      each(expected.region, [&](std::uint32_t x, std::uint32_t y) {
        const std::uint32_t base = image(x, y).values + expected.offset;
        for (std::uint32_t k = 0; k < expected.words.size(); ++k) {
          const std::uint32_t found = run_.word(x, y, base + 4 * k);
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
  bool booted_ = false;
  fabric::Activity before_;  // of the start
  std::vector<std::uint32_t> image_of_;
  CaseRun run_;  // the last: it calls back while it ends
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
  plain.hooks = {};
  plain.hooks.interrupted = options->hooks.interrupted;
  const Measurement m = run_layout(*layout, plain);
  options->empty_cycles = m.cycles;
  return m.message;
}

fabric::FabricOptions fabric_options(const MachineOptions& options, std::uint32_t width, std::uint32_t height) {
  fabric::FabricOptions build;
  build.width = width;
  build.height = height;
  build.router = options.router;
  build.pe = options.pe;
  build.hop = options.hop;
  build.skip = options.skip;
  build.audit = options.audit;
  build.threads = options.threads;
  build.ranks = options.ranks;
  return build;
}

void Difference::transfer(checkpoint::Archive& archive) { archive(x, y, word, found, expected); }

void Measurement::transfer(checkpoint::Archive& archive) {
  archive(ending, message, cycles, first_start, last_end, checked_words, wrong_words, differences, router_evaluations, pe_evaluations, load_s, run_s, check_s);
}

Measurement run_layout(const KernelLayout& layout, const MachineOptions& options) { return LayoutRunner(layout, options).run(); }

}  // namespace waferloom::kernels
