#include "host/cli/kernel_run.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include "host/cli/block_case.h"
#include "host/cli/built_units.h"
#include "host/cli/kernel_cases.h"
#include "host/cli/kernel_rows.h"
#include "host/cli/progress.h"
#include "host/cli/run_checkpoint.h"
#include "host/config/resolver.h"
#include "host/kernels/collectives.h"
#include "host/kernels/folder_case.h"
#include "host/kernels/results.h"
#include "host/report/kernel_page.h"
#include "host/report/result_folder.h"
#include "host/report/wall_time.h"
#include "host/systemc/units.h"
#include "sim/checkpoint/fabric_state.h"
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
  KernelRunner(Context& context, const KernelRunOptions& options, RunTrace& trace) : context_(context), options_(options), trace_(trace), progress_(context) {}

  int run() {
    const auto begin = std::chrono::steady_clock::now();
    report_.wall.started = report::utc_now();
    const config::Result<config::Resolved<config::KernelRun>> resolved = config::resolve_kernel_run(options_.file, options_.machine);
    if (!resolved) return fail(context_, resolved.errors());
    config::KernelRun run = resolved->value;
    int code = lay_out_all(&run);
    if (code == kDone) code = choose_traced(run);
    if (code == kDone) code = open_checkpoint(run, resolved->yaml);
    if (code != kDone) return code;
    // A run that goes on writes where it did before.
    std::string output = options_.output;
    if (output.empty() && !options_.resume.empty()) output = result_folder_of(options_.resume);
    if (output.empty()) output = run.outputs;
    const config::Result<report::ResultFolder> folder = report::ResultFolder::open(output);
    if (!folder) return fail(context_, folder.errors());
    folder_ = &*folder;
    checkpoints_.emplace(config::CheckpointRule{0, run.checkpoint.every_seconds, run.checkpoint.keep}, identity_, (folder->path() / "checkpoints").string());
    code = take_up(run);
    if (refused_) return code;

    bool goes_on = true;
    for (std::size_t i = state_.results.size(); i < run.cases.size() && goes_on; ++i) {
      const int ended = run_case(run.cases[i], run);
      code = worse(code, ended);
      goes_on = !ends(ended);
    }
    if (refused_) return code;
    if (code == kInterrupted || code == kTerminated) code = keep(code);
    if (lost() && (saved_ || !options_.resume.empty())) {
      context_.err << "  hint: the same command with --resume " << folder->path().string() << " goes on from the newest checkpoint, with any number of ranks\n";
    }
    progress_.clear();
    if (state_.results.empty()) return code;
    if (traced_ == kUsage && folder->holds_result()) {
      context_.out << kernels::results_table(state_.results);
      context_.err << "waferloom: note: the results in " << folder->path().string() << " stay as they were\n";
      return traced_;
    }
    context_.out << kernels::results_table(state_.results);
    for (const std::string& tables : state_.block_tables) context_.out << "\n" << tables;
    report_.run = run.name;
    report_.status = code == kDone ? "finished" : code == kInterrupted || code == kTerminated ? "interrupted" : "failed";
    report_.seed = run.cases.front().seed;
    report_.wall.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report_.wall.simulated_cycles_per_s = report_.wall.seconds > 0 ? static_cast<double>(state_.simulated) / report_.wall.seconds : 0;
    report::Manifest manifest;
    manifest.firmware_hash = laid_out_.firmware_hash;
    for (const auto& [key, units] : units_) {
      if (manifest.tools.empty()) manifest.tools = {{"verilator", units.pe.api().tool}, {"tools", plugin::tool_version()}};
      manifest.units.push_back({"router", units.router.api().view, units.router.api().source_hash});
      manifest.units.push_back({"pe", units.pe.api().view, units.pe.api().source_hash});
    }
    std::vector<std::pair<std::string, std::string>> files = {{"resolved.yaml", resolved->yaml},
                                                              {"kernels.json", kernels::results_json(run, state_.results)},
                                                              {"kernels.csv", kernels::results_csv(state_.results)},
                                                              {"report.html", report::kernel_html(kernel_page(run, state_.results, options_.file, resolved->yaml, manifest))}};
    if (!state_.block_json.empty()) files.emplace_back("block.json", "[\n" + state_.block_json + "]\n");
    const config::Status written = folder->write_set(files, report_, manifest);
    if (!written) return fail(context_, written.errors());
    context_.out << "\nReport: " << (folder->path() / "report.html").string() << "\n";
    return code == kDone ? traced_ : code;
  }

 private:
  // What a checkpoint carries beside the tiles.
  struct State {
    std::vector<CaseResult> results;     // of the finished cases, in the order of the file
    CaseResult current;                  // finished repetitions of the case after them
    bool within = false;                 // the coming repetition has begun: its tiles are in the checkpoint
    std::string progress;                // of that
    std::uint64_t simulated = 0;         // cycles
    std::vector<std::string> block_tables;
    std::string block_json;

    void transfer(checkpoint::Archive& archive) { archive(results, current, within, progress, simulated, block_tables, block_json); }
  };

  static bool ends(int code) { return code == kUsage || code == kInputOutput || code == kInterrupted || code == kTerminated; }
  bool stopped() const { return context_.stop_signal.load() != 0; }

  int lay_out_all(config::KernelRun* run) {
    config::Result<LaidOutCases> laid_out = lay_out_cases(run);
    if (!laid_out) return fail(context_, laid_out.errors());
    laid_out_ = std::move(laid_out).value();
    for (const KernelCase& c : run->cases) {
      if (context_.ranks != nullptr && c.width * c.height < static_cast<int>(context_.ranks->size())) {
        return fail(context_, {c.error_at("width", fmt::format("{} ranks cannot share an array of {} tiles", context_.ranks->size(), c.width * c.height),
                                          fmt::format("mpirun -n {} or fewer", c.width * c.height))});
      }
    }
    return kDone;
  }

  // Which case --trace means, and whether its words make sense there.
  int choose_traced(const config::KernelRun& run) {
    if (!trace_.wanted()) return kDone;
    const RunTrace::Choice choice = trace_.take_choice();
    std::string fault = choice.fault, hint = choice.hint;
    std::vector<std::string> names;
    for (const KernelCase& c : run.cases) {
      names.push_back(c.name);
      if (traced_case_ == nullptr && (choice.name.empty() || choice.name == c.name)) traced_case_ = &c;
    }
    traced_repetition_ = choice.repetition;
    if (fault.empty() && traced_case_ == nullptr) {
      fault = "--trace case=" + choice.name + ": the file has no such case";
      const std::string guess = config::nearest(choice.name, names);
      hint = guess.empty() ? "the first is '" + names.front() + "'" : "did you mean '" + guess + "'?";
    }
    if (fault.empty() && choice.repetition > static_cast<std::uint64_t>(traced_case_->repeat)) {
      fault = fmt::format("--trace repetition={}: case '{}' has {} (`repeat:`)", choice.repetition, traced_case_->name, traced_case_->repeat);
    }
    if (fault.empty()) return trace_.check(context_, static_cast<std::uint32_t>(traced_case_->width), static_cast<std::uint32_t>(traced_case_->height), 0);
    context_.err << "waferloom: error: " << fault << "\n";
    if (!hint.empty()) context_.err << "  hint: " << hint << "\n";
    return kUsage;
  }

  // Before anything is built or written: a checkpoint that does not fit leaves everything as it is.
  int open_checkpoint(const config::KernelRun& run, const std::string& yaml) {
    std::string hashes[2];
    std::set<std::string> seen;
    for (const KernelCase& c : run.cases) {
      const std::array<plugin::UnitSpec, 2> specs = specs_of(c);
      if (!seen.insert(key_of(specs)).second) continue;
      for (std::size_t i = 0; i < 2; ++i) {
        std::string error;
        hashes[i] += (hashes[i].empty() ? "" : " ") + plugin::unit_source_hash(specs[i], &error);
        if (error.empty()) continue;
        context_.err << options_.file << ": error: " << error << "\n";
        return kUsage;
      }
    }
    identity_ = identity_of(yaml, hashes[0], hashes[1], laid_out_.firmware_hash, !options_.no_skip);
    return options_.resume.empty() ? static_cast<int>(kDone) : open_newest_or_say(context_, options_.resume, identity_, &from_);
  }

  // What the checkpoint has beside the tiles. The finished cases are judged again: what they said and how they end the run is as it was.
  int take_up(const config::KernelRun& run) {
    if (from_.reader == nullptr) return kDone;
    std::string bytes;
    checkpoint::Fault fault = from_.reader->read("kernels", &bytes);
    checkpoint::Archive archive(bytes);
    if (fault.ok()) state_.transfer(archive);
    const std::size_t finished = state_.results.size();
    if (fault.ok() && (!archive.complete() || finished >= run.cases.size() + (state_.within ? 0 : 1))) {
      fault = {checkpoint::Fault::Kind::kUnreadable, "is damaged: section kernels has another size"};
    }
    if (!fault.ok()) return refuse(fault);
    if (!state_.within) from_.reader.reset();
    if (traced_case_ != nullptr) {
      const std::size_t traced = static_cast<std::size_t>(traced_case_ - run.cases.data());
      if (traced < finished || (traced == finished && traced_repetition_ <= state_.current.measurements.size())) {
        context_.err << fmt::format("waferloom: error: --trace: repetition {} of case '{}' had ended when the checkpoint was written\n  hint: case=NAME chooses another case\n", traced_repetition_,
                                    traced_case_->name);
        return refuse(kUsage);
      }
    }
    context_.err << "resumed from " << from_.where << fmt::format(": {} of {} cases are finished\n", finished, run.cases.size());
    int code = kDone;
    for (std::size_t i = 0; i < finished; ++i) {
      CaseResult& result = state_.results[i];
      result.wanted = &run.cases[i];
      result.judged = !run.other_machine;
      Units* units = nullptr;  // of the manifest
      if (const int opened = open(run.cases[i], &units); opened != kDone) return refuse(opened);
      for (const Measurement& m : result.measurements) code = worse(code, judge(run.cases[i], m));
      code = worse(code, conclude(result));
    }
    return code;
  }

  // Nothing is written, whatever ran before.
  int refuse(int code) {
    refused_ = true;
    return refusal_ = code;
  }
  int refuse(const checkpoint::Fault& fault) {
    context_.err << from_.where << ": error: " << fault.reason << "\n";
    return refuse(fault.kind == checkpoint::Fault::Kind::kUnreadable ? kInputOutput : kUsage);
  }

  // Saves: the state, and the tiles of the case that runs (null: none does).
  void save(fabric::Fabric* tiles, const std::string& progress) {
    state_.within = tiles != nullptr;
    state_.progress = progress;
    checkpoint::Archive archive;
    state_.transfer(archive);
    state_.within = false;
    state_.progress.clear();
    unsaved_ = checkpoints_->save({{"kernels", archive.bytes()}}, tiles == nullptr ? std::vector<fabric::Fabric*>{} : std::vector<fabric::Fabric*>{tiles});
    saved_ = saved_ || unsaved_.empty();
    if (unsaved_.empty() || stopped()) return;
    progress_.clear();
    context_.err << unsaved_ << "\n  hint: free some space; the run goes on without this checkpoint\n";
  }

  // A signal has ended the run: what a later one goes on from.
  int keep(int code) {
    progress_.clear();
    if (from_.reader != nullptr) {  // nothing has been done since
      context_.err << "  hint: the same command goes on from here\n";
      return code;
    }
    if (!within_case_ && !(state_.results.empty() && state_.current.measurements.empty())) save(nullptr, {});
    if (!unsaved_.empty()) {
      context_.err << unsaved_ << "\n  hint: free some space; the state of the run is lost\n";
      return kInputOutput;
    }
    if (saved_) context_.err << "checkpoint: " << checkpoints_->newest() << "\n  hint: the same command with --resume " << folder_->path().string() << " goes on from here\n";
    return code;
  }

  // What is done with the tiles of a repetition on its way.
  kernels::CaseHooks hooks_of(const KernelCase& c, std::uint64_t repetition, const config::KernelRun& run) {
    kernels::CaseHooks hooks;
    hooks.interrupted = [this] { return stopped(); };
    hooks.checkpoint_cycles = static_cast<std::uint64_t>(run.checkpoint.every_cycles);
    hooks.wants_checkpoint = [this, every = hooks.checkpoint_cycles](std::uint64_t cycle) { return (every != 0 && cycle % every == 0) || checkpoints_->due(0); };
    hooks.on_checkpoint = [this](fabric::Fabric& tiles, const std::string& progress) { save(&tiles, progress); };
    if (from_.reader != nullptr) {
      hooks.progress = std::exchange(state_.progress, {});
      hooks.restore = [this, &c](fabric::Fabric& tiles) {
        const checkpoint::Fault fault = checkpoint::load_fabric(tiles, *from_.reader);
        from_.reader.reset();
        state_.within = false;
        if (fault.ok()) context_.err << fmt::format("{} goes on in cycle {}\n", c.name, tiles.cycle());
        return fault.ok() || refuse(fault) == kDone;
      };
    }
    if (&c != traced_case_ || repetition + 1 != traced_repetition_) return hooks;
    hooks.ready = [this](fabric::Fabric& tiles, const fabric::TaskNames& names) {
      const config::Status claimed = folder_->holds_result() ? config::ok_status() : folder_->claim();  // a result that is there says as much
      const int code = claimed ? trace_.start(context_, tiles, folder_->path().string(), names) : fail(context_, claimed.errors());
      return code == kDone || refuse(code) == kDone;
    };
    hooks.around_write = [this](const std::function<std::string()>& change) { return trace_.write(change); };
    hooks.finished = [this] {
      progress_.clear();
      if (!refused_) traced_ = trace_.finish(context_);
    };
    return hooks;
  }

  bool lost() const { return context_.ranks != nullptr && !context_.ranks->fault().empty(); }
  static bool is_folder(const KernelCase& c) { return c.kernel == config::KernelKind::kFolder; }
  static bool is_block(const KernelCase& c) { return c.kernel == config::KernelKind::kTransformerBlock; }

  static int worse(int a, int b) {
    const auto rank = [](int code) { return code == kDone ? 0 : code == kCheckFailed ? 1 : code == kWatchdog ? 2 : 3; };
    return rank(b) > rank(a) ? b : a;
  }

  std::array<plugin::UnitSpec, 2> specs_of(const KernelCase& c) const {
    systemc::UnitChoice choice;
    choice.rtl_root = options_.rtl;
    choice.view = options_.rtl_views ? plugin::View::kRtl : plugin::View::kFast;
    return {systemc::router_spec(c.machine, choice), systemc::pe_spec(c.machine, choice)};
  }

  static std::string key_of(const std::array<plugin::UnitSpec, 2>& specs) {
    std::string key;
    for (const plugin::UnitSpec& spec : specs) {
      for (const auto& [name, value] : spec.params) key += name + "=" + value + " ";
    }
    return key;
  }

  // The units of a case's machine, built once per set of parameters.
  int open(const KernelCase& c, Units** units) {
    const std::array<plugin::UnitSpec, 2> specs = specs_of(c);
    const std::string key = key_of(specs);
    if (&c == traced_case_) {
      progress_.show("building the traced twins (once for each change of the RTL)");
      const int code = trace_.open_units(context_, progress_, specs);
      if (code != kDone) return code;
    }
    const auto [entry, fresh] = units_.try_emplace(key);
    *units = &entry->second;
    if (!fresh) return kDone;
    progress_.show("building wl_router and wl_pe (once for each change of the RTL)");
    if (const int code = open_units_or_say(context_, progress_, options_.file, {{&entry->second.router, specs[0]}, {&entry->second.pe, specs[1]}}); code != kDone) {
      units_.erase(entry);
      return code;
    }
    kernels::MachineOptions options;
    options.router = entry->second.router;
    options.pe = entry->second.pe;
    options.hooks.interrupted = [this] { return stopped(); };
    options.hop = static_cast<unsigned>(c.machine.hop_cycles.value);
    const std::string error = kernels::measure_empty(c.machine, &options);
    entry->second.empty_cycles = options.empty_cycles;
    if (stopped()) return interrupted_code(context_);
    if (error.empty()) return kDone;
    complain(c, "an empty kernel does not run: " + error);
    return kCheckFailed;
  }

  kernels::MachineOptions machine_options(const KernelCase& c, const Units& units, std::uint64_t repetition, const config::KernelRun& run) {
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
    options.hooks = hooks_of(c, repetition, run);
    return options;
  }

  int run_case(const KernelCase& c, const config::KernelRun& run) {
    Units* units = nullptr;
    const int opened = open(c, &units);
    if (ends(opened)) return opened;
    CaseResult& result = state_.current;
    result.wanted = &c;
    result.judged = !run.other_machine;
    if (opened != kDone) {
      state_.results.push_back(std::exchange(result, {}));
      return opened;
    }
    result.router_hash = units->router.api().source_hash;
    result.pe_hash = units->pe.api().source_hash;
    int code = kDone;
    while (code == kDone && result.measurements.size() < static_cast<std::size_t>(c.repeat)) {
      progress_.show(fmt::format("{}: {} on {}x{} tiles, size {}", c.name, config::to_string(c.kernel), c.width, c.height, config::size_text(c)));
      within_case_ = true;
      Measurement m = run_once(c, result.measurements.size(), *units, run);
      if (refused_) return refusal_;
      code = judge(c, m);
      if (m.ending == Ending::kInterrupted) return code;
      within_case_ = false;
      state_.simulated += m.cycles;
      result.measurements.push_back(std::move(m));
    }
    result.peak_memory_bytes = peak_memory_bytes();
    code = worse(code, conclude(result));
    state_.results.push_back(std::exchange(result, {}));
    return code;
  }

  Measurement run_once(const KernelCase& c, std::uint64_t repetition, const Units& units, const config::KernelRun& run) {
    const kernels::MachineOptions options = machine_options(c, units, repetition, run);
    if (is_folder(c)) return kernels::run_folder(laid_out_.folders.at(c.name), options);
    if (!is_block(c)) return kernels::run_layout(std::get<kernels::KernelLayout>(kernels::lay_out(c, repetition)), options);
    BlockCase block = run_block(c, repetition, options);
    if (block.measurement.ending == Ending::kInterrupted || refused_) return std::move(block.measurement);
    state_.block_json += (state_.block_json.empty() ? "" : ",\n") + block.json;
    state_.block_tables.push_back(std::move(block.tables));
    return std::move(block.measurement);
  }

  // Holds the case against what is expected of it.
  int conclude(const CaseResult& result) {
    if (result.verdict() != Verdict::kMissed) return kDone;
    const KernelCase& c = *result.wanted;
    complain(c, fmt::format("{} cycles; expected {} to {} ({})", result.cycles(), c.expected->lower(), c.expected->upper(), c.expected->source));
    return kCheckFailed;
  }

  int judge(const KernelCase& c, const Measurement& m) {
    switch (m.ending) {
      case Ending::kDone: break;
      case Ending::kInterrupted: return interrupted_code(context_);
      case Ending::kDeadlock:
      case Ending::kLivelock:
      case Ending::kCycleLimit: complain(c, "the tiles do not move on: " + m.message); return kWatchdog;
      case Ending::kTrap: complain(c, "a tile trapped: " + m.message); return kCheckFailed;
      case Ending::kFault: complain(c, m.message); return lost() ? kInputOutput : kCheckFailed;
    }
    if (m.wrong_words == 0) return kDone;
    if (is_folder(c)) {
      complain(c, fmt::format("not all of {} values are as the layout expects\n{}", m.checked_words, m.message));
      return kCheckFailed;
    }
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
  RunTrace& trace_;
  Progress progress_;
  std::map<std::string, Units> units_;
  LaidOutCases laid_out_;
  State state_;
  report::RunReport report_;
  const report::ResultFolder* folder_ = nullptr;
  // What the run goes on from, and what it leaves.
  checkpoint::Identity identity_;
  checkpoint::Opened from_;
  std::optional<RunCheckpoints> checkpoints_;
  std::string unsaved_;        // why the last one could not be written
  bool saved_ = false;         // at least one was
  bool within_case_ = false;   // a signal finds tiles that save themselves
  bool refused_ = false;       // a checkpoint or a trace makes no sense
  int refusal_ = kDone;
  // --trace.
  const KernelCase* traced_case_ = nullptr;
  std::uint64_t traced_repetition_ = 1;
  int traced_ = kDone;         // what became of the trace
};

}  // namespace

int run_kernels(Context& context, const KernelRunOptions& options, RunTrace& trace) { return KernelRunner(context, options, trace).run(); }

}  // namespace waferloom::cli
