#include "host/cli/kernel_run.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <ostream>
#include <utility>

#include "host/cli/block_case.h"
#include "host/cli/built_units.h"
#include "host/cli/progress.h"
#include "host/config/resolver.h"
#include "host/kernels/collectives.h"
#include "host/kernels/results.h"
#include "host/report/kernel_page.h"
#include "host/report/result_folder.h"
#include "host/report/wall_time.h"
#include "host/systemc/units.h"
#include "sim/plugin/sha256.h"

namespace waferloom::cli {
namespace {

using config::KernelCase;
using kernels::CaseResult;
using kernels::Ending;
using kernels::Measurement;
using kernels::Verdict;

// Most memory that this process has held, from the kernel's own count; 0 where there is none.
std::uint64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::uint64_t kilobytes = 0;
  while (status >> word) {
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

struct Units {
  plugin::Unit router;
  plugin::Unit pe;
  std::uint64_t empty_cycles = 0;
};

class KernelRunner {
 public:
  KernelRunner(Context& context, const KernelRunOptions& options) : context_(context), options_(options), progress_(context) {}

  int run() {
    const auto begin = std::chrono::steady_clock::now();
    report_.wall.started = report::utc_now();
    const config::Result<config::Resolved<config::KernelRun>> resolved = config::resolve_kernel_run(options_.file, options_.machine);
    if (!resolved) return fail(context_, resolved.errors());
    const config::KernelRun& run = resolved->value;
    if (const auto refusal = refuse_cases(run)) return fail(context_, {*refusal});
    for (const KernelCase& c : run.cases) {
      if (context_.ranks != nullptr && is_block(c)) {
        return fail(context_, {c.error_at("kernel", "a transformer block runs in one process", "run it without mpirun; --threads shares its tiles")});
      }
      if (context_.ranks != nullptr && c.width * c.height < static_cast<int>(context_.ranks->size())) {
        return fail(context_, {c.error_at("width", fmt::format("{} ranks cannot share an array of {} tiles", context_.ranks->size(), c.width * c.height),
                                          fmt::format("mpirun -n {} or fewer", c.width * c.height))});
      }
    }
    const config::Result<report::ResultFolder> folder = report::ResultFolder::open(options_.output.empty() ? run.outputs : options_.output);
    if (!folder) return fail(context_, folder.errors());

    int code = kDone;
    for (const KernelCase& c : run.cases) {
      code = worse(code, run_case(c, run));
      if (code == kUsage || code == kInputOutput || code == kInterrupted || code == kTerminated || lost()) break;
    }
    progress_.clear();
    if (results_.empty()) return code;
    context_.out << kernels::results_table(results_);
    for (const std::string& tables : block_tables_) context_.out << "\n" << tables;
    report_.run = run.name;
    report_.status = code == kDone ? "finished" : code == kInterrupted || code == kTerminated ? "interrupted" : "failed";
    report_.seed = run.cases.front().seed;
    report_.wall.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report_.wall.simulated_cycles_per_s = report_.wall.seconds > 0 ? static_cast<double>(simulated_) / report_.wall.seconds : 0;
    report::Manifest manifest;
    manifest.firmware_hash = plugin::sha256_hex(firmware_);
    for (const auto& [key, units] : units_) {
      if (manifest.tools.empty()) manifest.tools = {{"verilator", units.pe.api().tool}, {"tools", plugin::tool_version()}};
      manifest.units.push_back({"router", units.router.api().view, units.router.api().source_hash});
      manifest.units.push_back({"pe", units.pe.api().view, units.pe.api().source_hash});
    }
    std::vector<std::pair<std::string, std::string>> files = {{"resolved.yaml", resolved->yaml},
                                                              {"kernels.json", kernels::results_json(run, results_)},
                                                              {"kernels.csv", kernels::results_csv(results_)},
                                                              {"report.html", report::kernel_html(page(run, resolved->yaml, manifest))}};
    if (!block_json_.empty()) files.emplace_back("block.json", "[\n" + block_json_ + "]\n");
    const config::Status written = folder->write_set(files, report_, manifest);
    if (!written) return fail(context_, written.errors());
    context_.out << "\nReport: " << (folder->path() / "report.html").string() << "\n";
    return code;
  }

 private:
  bool lost() const { return context_.ranks != nullptr && !context_.ranks->fault().empty(); }
  static bool is_block(const KernelCase& c) { return c.kernel == config::KernelKind::kTransformerBlock; }

  static int worse(int a, int b) {
    const auto rank = [](int code) { return code == kDone ? 0 : code == kCheckFailed ? 1 : code == kWatchdog ? 2 : 3; };
    return rank(b) > rank(a) ? b : a;
  }

  report::KernelPage page(const config::KernelRun& run, const std::string& yaml, const report::Manifest& manifest) const {
    report::KernelPage page;
    page.run = run.name;
    page.description = run.description;
    for (const CaseResult& result : results_) {
      const KernelCase& c = *result.wanted;
      report::KernelRow row;
      row.name = c.name;
      row.kernel = config::to_string(c.kernel);
      row.machine = c.machine.name;
      row.width = c.width;
      row.height = c.height;
      row.words = c.words;
      if (c.words == 0) row.size = config::size_text(c);
      if (result.finished()) row.cycles = static_cast<double>(result.cycles());
      if (c.expected) {
        row.expected_least = c.expected->least;
        if (!std::isinf(c.expected->most)) row.expected_most = c.expected->most;
        row.source = c.expected->source;
      }
      row.verdict = kernels::to_string(result.verdict());
      if (!result.judged && c.expected) row.note = "expected of another machine";
      page.rows.push_back(std::move(row));
    }
    for (const auto& unit : manifest.units) page.made_by.emplace_back("RTL of the " + unit.unit + ", " + unit.views + " view", unit.hash);
    page.reproduce = {"waferloom run " + options_.file};
    page.resolved_yaml = yaml;
    return page;
  }

  // The units of a case's machine, built once per set of parameters.
  int open(const KernelCase& c, Units** units) {
    systemc::UnitChoice choice;
    choice.rtl_root = options_.rtl;
    choice.view = options_.rtl_views ? plugin::View::kRtl : plugin::View::kFast;
    const plugin::UnitSpec router = systemc::router_spec(c.machine, choice), pe = systemc::pe_spec(c.machine, choice);
    std::string key;
    for (const plugin::UnitSpec* spec : {&router, &pe}) {
      for (const auto& [name, value] : spec->params) key += name + "=" + value + " ";
    }
    const auto [entry, fresh] = units_.try_emplace(key);
    *units = &entry->second;
    if (!fresh) return kDone;
    progress_.show("building wl_router and wl_pe (once for each change of the RTL)");
    if (const int code = open_units_or_say(context_, progress_, options_.file, {{&entry->second.router, router}, {&entry->second.pe, pe}}); code != kDone) {
      units_.erase(entry);
      return code;
    }
    kernels::MachineOptions options;
    options.router = entry->second.router;
    options.pe = entry->second.pe;
    options.hop = static_cast<unsigned>(c.machine.hop_cycles.value);
    const std::string error = kernels::measure_empty(c.machine, &options);
    entry->second.empty_cycles = options.empty_cycles;
    if (error.empty()) return kDone;
    complain(c, "an empty kernel does not run: " + error);
    return kCheckFailed;
  }

  kernels::MachineOptions machine_options(const KernelCase& c, const Units& units, const config::KernelRun& run) const {
    kernels::MachineOptions options;
    options.router = units.router;
    options.pe = units.pe;
    options.hop = static_cast<unsigned>(c.machine.hop_cycles.value);
    options.skip = !options_.no_skip;
    options.audit = options_.audit;
    options.threads = options_.threads;
    options.ranks = context_.ranks;
    options.empty_cycles = units.empty_cycles;
    options.limit_cycles = static_cast<std::uint64_t>(run.limit_cycles);
    options.interrupted = [this] { return context_.stop_signal.load() != 0; };
    return options;
  }

  int run_case(const KernelCase& c, const config::KernelRun& run) {
    Units* units = nullptr;
    const int opened = open(c, &units);
    if (opened != kDone) return opened;
    CaseResult result;
    result.wanted = &c;
    result.judged = !run.other_machine;
    result.router_hash = units->router.api().source_hash;
    result.pe_hash = units->pe.api().source_hash;
    int code = kDone;
    for (int k = 0; k < c.repeat && code == kDone; ++k) {
      progress_.show(fmt::format("{}: {} on {}x{} tiles, size {}", c.name, config::to_string(c.kernel), c.width, c.height, config::size_text(c)));
      if (is_block(c)) {
        BlockCase block = run_block(c, static_cast<std::uint64_t>(k), machine_options(c, *units, run));
        firmware_ += block.images;
        block_json_ += (block_json_.empty() ? "" : ",\n") + block.json;
        block_tables_.push_back(std::move(block.tables));
        result.measurements.push_back(std::move(block.measurement));
        simulated_ += result.measurements.back().cycles;
        code = judge(c, result.measurements.back());
        continue;
      }
      const kernels::LayoutOutcome laid_out = kernels::lay_out(c, static_cast<std::uint64_t>(k));
      const auto* layout = std::get_if<kernels::KernelLayout>(&laid_out);
      if (layout == nullptr) {
        const auto& refusal = std::get<kernels::Refusal>(laid_out);
        return fail(context_, {c.error_at(refusal.key, refusal.message, refusal.hint)});
      }
      for (const kernels::Image& image : layout->images) firmware_.append(reinterpret_cast<const char*>(image.words.data()), image.words.size() * sizeof(image.words[0]));
      result.measurements.push_back(kernels::run_layout(*layout, machine_options(c, *units, run)));
      const Measurement& m = result.measurements.back();
      simulated_ += m.cycles;
      code = judge(c, m);
    }
    result.peak_memory_bytes = peak_memory_bytes();
    if (code == kInterrupted || code == kTerminated) return code;
    const Verdict verdict = result.verdict();
    if (verdict == Verdict::kMissed) {
      complain(c, fmt::format("{} cycles; expected {} to {} ({})", result.cycles(), c.expected->lower(), c.expected->upper(), c.expected->source));
      code = worse(code, kCheckFailed);
    }
    results_.push_back(std::move(result));
    return code;
  }

  int judge(const KernelCase& c, const Measurement& m) {
    switch (m.ending) {
      case Ending::kDone: break;
      case Ending::kInterrupted: return interrupted_code(context_);
      case Ending::kDeadlock:
      case Ending::kCycleLimit: complain(c, "the tiles do not move on: " + m.message); return kWatchdog;
      case Ending::kTrap: complain(c, "a tile trapped: " + m.message); return kCheckFailed;
      case Ending::kFault: complain(c, m.message); return lost() ? kInputOutput : kCheckFailed;
    }
    if (m.wrong_words == 0) return kDone;
    std::string text = fmt::format("{} of {} words differ from the golden sum", m.wrong_words, m.checked_words);
    for (const kernels::Difference& d : m.differences) text += fmt::format("\n  tile ({}, {}), word {}: {:#010x}, expected {:#010x}", d.x, d.y, d.word, d.found, d.expected);
    complain(c, text);
    return kCheckFailed;
  }

  // The first line of the message at the place of the case, the others below it.
  void complain(const KernelCase& c, std::string message) {
    progress_.clear();
    while (!message.empty() && message.back() == '\n') message.pop_back();
    const std::size_t first = message.find('\n');
    fail(context_, {c.error_at("name", c.name + ": " + message.substr(0, first))});
    if (first != std::string::npos) context_.err << message.substr(first + 1) << "\n";
  }

  Context& context_;
  const KernelRunOptions& options_;
  Progress progress_;
  std::map<std::string, Units> units_;
  std::vector<CaseResult> results_;
  report::RunReport report_;
  std::string firmware_;
  std::vector<std::string> block_tables_;
  std::string block_json_;
  std::uint64_t simulated_ = 0;
};

}  // namespace

std::optional<config::Diagnostic> refuse_cases(const config::KernelRun& run) {
  for (const KernelCase& c : run.cases) {
    if (c.kernel == config::KernelKind::kTransformerBlock) {
      if (auto refusal = refuse_block(c)) return refusal;
      continue;
    }
    const kernels::LayoutOutcome laid_out = kernels::lay_out(c, 0);
    if (const auto* refusal = std::get_if<kernels::Refusal>(&laid_out)) return c.error_at(refusal->key, refusal->message, refusal->hint);
  }
  return std::nullopt;
}

int run_kernels(Context& context, const KernelRunOptions& options) { return KernelRunner(context, options).run(); }

}  // namespace waferloom::cli
