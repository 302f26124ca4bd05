#include "sim/trace/session.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace waferloom::trace {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kFlushBytes = 16u << 20;  // of waves that wait in memory
constexpr uint32_t kCellsPerSide = 128;

}  // namespace

TraceSession::TraceSession(const TraceOptions& options, const plugin::Unit& router, const plugin::Unit& pe, fabric::TaskNames names, Disassembler disassembler)
    : options_(options), router_(router), pe_(pe), names_(std::move(names)), disassembler_(std::move(disassembler)) {}

TraceSession::~TraceSession() {
  if (fabric_) fabric_->set_before_step(nullptr);
  waves_.reset();
  std::error_code ignored;
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
}

void TraceSession::fail(TraceFault fault, const std::string& message) {
  if (result_.fault == TraceFault::kNone) {
    result_.fault = fault;
    result_.message = message;
  }
  ended_ = true;
}

TraceResult TraceSession::start(fabric::Fabric* fabric) {
  const fabric::Region& r = options_.region;
  if (r.width == 0 || r.height == 0 || r.x >= fabric->width() || r.y >= fabric->height() || r.width > fabric->width() - r.x || r.height > fabric->height() - r.y) {
    fail(TraceFault::kInput, "the traced tiles are not all inside the array of " + std::to_string(fabric->width()) + "x" + std::to_string(fabric->height()));
    return result_;
  }
  if (options_.kinds != kCounters && uint64_t{r.width} * r.height > kTilesAtMost) {
    fail(TraceFault::kInput, "the window has " + std::to_string(uint64_t{r.width} * r.height) + " tiles, at most " + std::to_string(kTilesAtMost) + " are traced");
    return result_;
  }
  partial_ = options_.folder + ".partial-trace";
  std::error_code error;
  fs::remove_all(partial_, error);
  if (!error) fs::create_directories((options_.kinds & kInstructions) != 0 ? fs::path(partial_) / "instructions" : fs::path(partial_), error);
  if (error) {
    fail(TraceFault::kOutput, partial_ + ": " + error.message());
    partial_.clear();
    return result_;
  }
  check_space();
  if (!result_.note.empty()) fail(TraceFault::kOutput, partial_ + ": " + result_.note);
  if (result_.fault != TraceFault::kNone) return result_;
  // Whatever can be opened is opened now: a path that cannot is told before the work, not after.
  for (const char* name : {"waves.fst", "timeline.json"}) {
    TextFile probe;
    if (const std::string why = probe.open((fs::path(partial_) / name).string()); !why.empty()) {
      fail(TraceFault::kOutput, why);
      return result_;
    }
    probe.close();
    fs::remove(fs::path(partial_) / name, error);
  }
  fabric_ = fabric;
  started_ = fabric->cycle();
  fabric_->set_before_step([this](const fabric::Fabric&) { before(*fabric_); }, options_.first_cycle, options_.last_cycle);
  return result_;
}

std::string TraceSession::begin(fabric::Fabric& fabric) {
  begun_ = true;
  next_cycle_ = fabric.cycle();
  result_.first_cycle = std::max(options_.first_cycle, started_);  // nothing was evaluated between there and here
  if (options_.kinds & kCounters) counters_before_ = count_tiles(&fabric, kCellsPerSide, next_cycle_ - result_.first_cycle);
  if ((options_.kinds & (kWaves | kInstructions | kTimeline)) == 0) return "";
  std::string error;
  grid_ = TileGrid::create(router_, pe_, take_state(fabric, options_.region), &error);
  if (!grid_) return error;
  const fs::path folder = partial_;
  if (options_.kinds & kWaves) {
    waves_ = std::make_unique<Waves>();
    error = waves_->open((folder / "waves.fst").string(), *grid_);
  }
  if (error.empty() && (options_.kinds & kInstructions) && grid_->has_pe()) {
    instructions_ = std::make_unique<InstructionTrace>();
    error = instructions_->open((folder / "instructions").string(), *grid_, disassembler_);
  }
  if (error.empty() && (options_.kinds & kTimeline)) {
    timeline_ = std::make_unique<Timeline>();
    error = timeline_->open((folder / "timeline.json").string(), *grid_, names_, disassembler_);
  }
  return error;
}

void TraceSession::before(fabric::Fabric& fabric) {
  const uint64_t cycle = fabric.cycle();
  if (ended_ || cycle < options_.first_cycle) return;
  if (cycle > options_.last_cycle) {
    if (begun_) end();
    ended_ = true;
    return;
  }
  if (!begun_) {
    if (const std::string error = begin(fabric); !error.empty()) {
      fail(TraceFault::kOutput, error);
      return;
    }
  }
  if (!grid_) return;
  if (++steps_ % 256 == 0 || (waves_ && waves_->file().pending() > kFlushBytes)) {
    check_space();
    if (!result_.note.empty()) {
      end();
      return;
    }
  }
  for (size_t k = 0; k < grid_->links().size(); ++k) grid_->set_input(k, border_input(fabric, options_.region, grid_->links()[k]));
  grid_->settle();
  if (waves_) waves_->show(*grid_, cycle);
  if (timeline_) timeline_->show(*grid_, cycle);
  if (const std::string error = grid_->step(cycle); !error.empty()) {
    fail(TraceFault::kDiffers, error);
    return;
  }
  next_cycle_ = cycle + 1;
  if (instructions_) instructions_->show(*grid_, cycle);
}

std::string TraceSession::write(const std::function<std::string()>& change) {
  const bool shown = fabric_ && begun_ && !ended_ && grid_;
  if (shown) {
    const std::string differs = grid_->difference(take_state(*fabric_, options_.region));
    if (!differs.empty()) fail(TraceFault::kDiffers, "the traced twin and the run differ in " + differs + " after cycle " + std::to_string(next_cycle_));
  }
  std::string error = change();
  if (shown) {
    const std::string lacks = grid_->take_over(take_state(*fabric_, options_.region));
    if (!lacks.empty()) fail(TraceFault::kDiffers, lacks);
  }
  return error;
}

uint64_t TraceSession::bytes_written() const {
  return (waves_ ? waves_->file().written() : 0) + (instructions_ ? instructions_->written() : 0) + (timeline_ ? timeline_->written() : 0);
}

// Waves that wait in memory count as if they did not get smaller, until they are written.
void TraceSession::check_space() {
  uint64_t pending = waves_ ? waves_->file().pending() : 0;
  if (waves_ && (pending > kFlushBytes || bytes_written() + pending > options_.limit_bytes)) {
    waves_->file().flush();
    pending = 0;
  }
  std::error_code error;
  const fs::space_info space = fs::space(partial_, error);
  if (bytes_written() + pending > options_.limit_bytes) {
    result_.note = "it reached its limit of " + std::to_string(options_.limit_bytes) + " bytes";
  } else if (!error && space.available < kKeepFree + pending) {
    result_.note = "less than " + std::to_string(kKeepFree >> 20) + " MiB are free on the disk";
  }
}

// Closes the files. The fabric stands before an edge that the grid has not taken.
void TraceSession::end() {
  ended_ = true;
  const uint64_t beyond = options_.last_cycle == UINT64_MAX || fabric_->cycle() <= options_.last_cycle ? 0 : fabric_->cycle() - options_.last_cycle - 1;
  result_.end_cycle = fabric_->cycle() - beyond;  // nothing was evaluated beyond
  std::string error;
  if (grid_) {
    // Edges that the fabric jumped over are idle ones.
    const std::string differs = grid_->difference(take_state(*fabric_, options_.region));
    if (!differs.empty()) fail(TraceFault::kDiffers, "the traced twin and the run differ in " + differs + " after cycle " + std::to_string(next_cycle_));
    for (size_t k = 0; k < grid_->links().size(); ++k) grid_->set_input(k, border_input(*fabric_, options_.region, grid_->links()[k]));
    grid_->settle();
  }
  if (waves_) {
    if (next_cycle_ <= options_.last_cycle) waves_->show(*grid_, next_cycle_);
    if (result_.end_cycle > next_cycle_) waves_->file().time(result_.end_cycle);
    waves_->file().close();
  }
  if (instructions_) error = instructions_->close();
  if (timeline_) {
    const std::string own = timeline_->close(next_cycle_);
    if (error.empty()) error = own;
  }
  const fs::path folder = partial_;
  const auto put = [&](const std::string& name, const std::string& text) {
    TextFile file;
    std::string own = file.open((folder / name).string());
    file.write(text);
    if (own.empty()) own = file.close();
    if (error.empty()) error = own;
    result_.bytes += text.size();
  };
  result_.bytes = bytes_written();
  if (options_.kinds & kCounters) {
    const CounterMap map = difference(counters_before_, count_tiles(fabric_, kCellsPerSide, beyond));
    put("counters.csv", counters_csv(map));
    for (const HeatKind kind : kHeatKinds) put(std::string(file_stem(kind)) + ".svg", heat_map_svg(map, kind));
  }
  const fabric::Region& r = options_.region;
  std::string kinds;
  for (const auto& [bit, name] : {std::pair<unsigned, const char*>{kWaves, "waves"}, {kInstructions, "instructions"}, {kTimeline, "timeline"}, {kCounters, "counters"}}) {
    if (options_.kinds & bit) kinds += std::string(kinds.empty() ? "\"" : ", \"") + name + "\"";
  }
  put("trace.json", "{\n  \"schema\": \"waferloom-trace-1\",\n  \"tiles\": {\"x\": " + std::to_string(r.x) + ", \"y\": " + std::to_string(r.y) + ", \"width\": " + std::to_string(r.width) + ", \"height\": " + std::to_string(r.height) +
                        "},\n  \"first_cycle\": " + std::to_string(result_.first_cycle) + ",\n  \"end_cycle\": " + std::to_string(result_.end_cycle) + ",\n  \"kinds\": [" + kinds + "],\n  \"stopped_early\": \"" + result_.note + "\"\n}\n");
  if (!error.empty()) fail(TraceFault::kOutput, error);
}

TraceResult TraceSession::finish() {
  if (!fabric_) return result_;
  fabric_->set_before_step(nullptr);
  if (!begun_ && result_.fault == TraceFault::kNone && fabric_->cycle() > options_.first_cycle) {
    if (const std::string error = begin(*fabric_); !error.empty()) fail(TraceFault::kOutput, error);
  }
  if (begun_ && !ended_) end();
  if (!begun_ && result_.fault == TraceFault::kNone) {
    fail(TraceFault::kInput, "the run ended in cycle " + std::to_string(fabric_->cycle()) + ", before the first traced cycle " + std::to_string(options_.first_cycle));
  }
  fabric_ = nullptr;
  grid_.reset();
  if (result_.fault != TraceFault::kNone) return result_;
  std::error_code error;
  fs::remove_all(options_.folder, error);
  if (!error) fs::rename(partial_, options_.folder, error);
  if (error) {
    fail(TraceFault::kOutput, options_.folder + ": " + error.message());
    return result_;
  }
  partial_.clear();
  return result_;
}

}  // namespace waferloom::trace
