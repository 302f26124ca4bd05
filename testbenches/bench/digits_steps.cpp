#include "testbenches/bench/digits_steps.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "host/config/resolver.h"
#include "host/systemc/message.h"
#include "host/systemc/training.h"

namespace waferloom::bench {
namespace {

[[noreturn]] void fail(const std::string& message) { throw std::runtime_error("recording the digits run: " + message); }

// Passes everything on and notes what the host does.
class RecordingWafer : public systemc::Wafer {
 public:
  RecordingWafer(systemc::Wafer& wafer, std::vector<EdgeMoment>* moments) : wafer_(wafer), moments_(*moments) {}

  std::int64_t cycle() const override { return wafer_.cycle(); }
  void offer(const std::uint64_t* words, std::size_t count) override {
    moments_.push_back({static_cast<std::uint64_t>(cycle()), {words, words + count}, {}});
    wafer_.offer(words, count);
  }
  std::uint64_t taken() const override { return wafer_.taken(); }
  void allow(std::uint64_t words) override { wafer_.allow(words); }
  std::vector<std::uint64_t> results() override {
    std::vector<std::uint64_t> words = wafer_.results();
    if (!words.empty()) moments_.push_back({static_cast<std::uint64_t>(cycle()), {}, words});
    return words;
  }
  systemc::WaferState run_to(std::int64_t cycle) override { return wafer_.run_to(cycle); }
  bool quiet() const override { return wafer_.quiet(); }
  std::string traps() const override { return wafer_.traps(); }
  std::string waiting() const override { return wafer_.waiting(); }
  systemc::WaferCounters counters() override { return wafer_.counters(); }
  void transfer(checkpoint::Archive& archive) override { wafer_.transfer(archive); }

 private:
  systemc::Wafer& wafer_;
  std::vector<EdgeMoment>& moments_;
};

std::unique_ptr<systemc::FabricWafer> make_wafer(const config::Run& run, const plan::Plan& plan, const Units& units, const StepMode& mode) {
  systemc::FabricWaferOptions options;
  options.router = units.router;
  options.pe = mode.rtl_view ? units.rtl_pe : units.fast_pe;
  options.hop = static_cast<unsigned>(run.machine.hop_cycles.value);
  options.io_words_per_cycle = static_cast<std::uint32_t>(run.io_words_per_cycle);
  options.skip = mode.skip;
  options.audit = mode.audit;
  options.seed = run.seed;
  std::string error;
  auto made = systemc::FabricWafer::create(options, plan, &error);
  if (made == nullptr) fail(error);
  return made;
}

}  // namespace

DigitsSteps::DigitsSteps(const Units& units, int width, int height, int steps) {
  const auto resolved = config::resolve_run(std::string(WL_SOURCE_DIR) + "/configs/runs/digits-8x8.yaml");
  if (!resolved) fail(config::render(resolved.errors()));
  run_ = resolved->value;
  run_.array = {width, height};
  auto made = plan::make_plan(plan::network_of(run_.model), plan::target_of(run_), run_.batch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&made)) fail(refusal->message);
  plan_ = std::get<plan::Plan>(std::move(made));

  std::FILE* const file = std::tmpfile();
  if (file == nullptr) fail("no temporary file can be made");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) fail("no child process can be made");
  if (child == 0) {
    int code = 1;
    try {
      const std::string bytes = record(units, steps);
      if (std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0) code = 0;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "engine_bench: error: %s\n", e.what());
      std::fflush(stderr);
    }
    _exit(code);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) fail("the child process failed");
  std::string bytes(static_cast<std::size_t>(std::max(0L, (std::fseek(file, 0, SEEK_END), std::ftell(file)))), '\0');
  std::rewind(file);
  const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  checkpoint::Archive archive(bytes);
  archive(moments_, ends_);
  if (got != bytes.size() || !archive.complete() || ends_.size() != static_cast<std::size_t>(steps)) fail("the recording is not whole");
}

std::string DigitsSteps::record(const Units& units, int steps) {
  const auto data = config::load_dataset(run_.data, run_.model.inputs, run_.model.outputs());
  if (!data) fail(config::render(data.errors()));
  const systemc::Schedule schedule = systemc::make_schedule(run_, data.value());
  const auto wafer = make_wafer(run_, plan_, units, {});
  std::vector<EdgeMoment> moments;
  RecordingWafer recording(*wafer, &moments);
  std::vector<std::uint64_t> ends;
  bool enough = false;
  systemc::TrainingHooks hooks;
  hooks.on_step = [&](const systemc::StepRecord& step) {
    const std::size_t whole = static_cast<std::size_t>(run_.batch);
    if (step.spec.kind != plan::StepKind::kTrain || step.spec.rows.size() != whole) enough = true;
    if (!enough) ends.push_back(static_cast<std::uint64_t>(step.cycles.front().end));
    if (ends.size() == static_cast<std::size_t>(steps)) enough = true;
  };
  hooks.interrupted = [&] { return enough; };
  const systemc::TrainingResult result = systemc::train(run_, data.value(), plan_, schedule, {&recording}, hooks);
  if (result.ending != systemc::Ending::kInterrupted) fail("the run ended by itself: " + result.message);
  checkpoint::Archive archive;
  archive(moments, ends);
  return archive.bytes();
}

std::size_t DigitsSteps::first_moment(std::uint64_t cycle) const {
  const auto before = [](const EdgeMoment& moment, std::uint64_t value) { return moment.cycle < value; };
  return static_cast<std::size_t>(std::lower_bound(moments_.begin(), moments_.end(), cycle, before) - moments_.begin());
}

void DigitsSteps::act(const EdgeMoment& moment, fabric::HostPorts& ports, std::vector<EdgeResult>* results) const {
  offer_words(moment.given, ports, std::max(moment.cycle, plan_.boot_cycles));
  for (const std::uint64_t packed : moment.taken) {
    fabric::ReceivedWord word;
    const std::uint32_t column = systemc::edge_column(packed);
    if (!ports.receive(column, &word) || systemc::pack_edge(static_cast<std::uint16_t>(column), word.word) != packed) {
      fail("another word leaves the edge in the replay, or none, in cycle " + std::to_string(moment.cycle));
    }
    results->push_back({word.cycle, column, word.word});
  }
}

std::size_t DigitsSteps::words_in(std::size_t step) const {
  std::size_t words = 0;
  for (std::size_t i = first_moment(begin(step)); i < first_moment(end(step)); ++i) words += moments_[i].given.size();
  return words;
}

std::size_t DigitsSteps::words_out(std::size_t step) const {
  std::size_t words = 0;
  for (std::size_t i = first_moment(begin(step)); i < first_moment(end(step)); ++i) words += moments_[i].taken.size();
  return words;
}

std::unique_ptr<systemc::FabricWafer> DigitsSteps::wafer(const Units& units, const StepMode& mode) const {
  auto made = make_wafer(run_, plan_, units, mode);
  std::vector<EdgeResult> results;
  for (std::size_t i = 0; i < first_moment(begin(1)); ++i) {
    made->run_to(static_cast<std::int64_t>(moments_[i].cycle));
    act(moments_[i], made->fabric().ports(), &results);
  }
  made->run_to(static_cast<std::int64_t>(begin(1)));
  if (!made->traps().empty()) fail(made->traps());
  return made;
}

}  // namespace waferloom::bench
