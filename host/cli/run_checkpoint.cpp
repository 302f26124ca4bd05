#include "host/cli/run_checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <sstream>

#include "sim/checkpoint/fabric_state.h"
#include "sim/plugin/sha256.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

// Top-level keys that change what is said about a run or when it ends, not what it computes.
constexpr const char* kWithoutEffect[] = {"description", "outputs", "checkpoint", "limits", "limit_cycles", "report", "extrapolate"};

std::string with_effect(const std::string& resolved) {
  std::istringstream lines(resolved);
  std::string kept;
  bool keep = true;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != ' ' && line[0] != '-') {
      const std::string key = line.substr(0, line.find(':'));
      keep = std::find(std::begin(kWithoutEffect), std::end(kWithoutEffect), key) == std::end(kWithoutEffect);
    }
    if (keep) kept += line + "\n";
  }
  return kept;
}

// Of the sections of a system's wafer.
std::string prefix_of(std::size_t system) { return system == 0 ? std::string() : "system" + std::to_string(system) + "."; }

}  // namespace

checkpoint::Identity identity_of(const std::string& resolved, const std::string& router_hashes, const std::string& pe_hashes, const std::string& firmware, bool skip) {
  return {{"run", with_effect(resolved)},
          {"RTL of wl_router", router_hashes},
          {"RTL of wl_pe", pe_hashes},
          {"firmware", firmware},
          {"choice of skipping", skip ? "quiet units are skipped" : "every unit is evaluated"}};
}

checkpoint::Identity identity_of(const RunSetup& setup, const std::string& router_hash, const std::string& pe_hash, bool skip) {
  return identity_of(setup.resolved, router_hash, pe_hash, firmware_hash(setup.plan), skip);
}

std::string firmware_hash(const plan::Plan& plan) {
  std::string bytes;
  for (const plan::Image& image : plan.images) bytes.append(image.bytes.begin(), image.bytes.end());
  return plugin::sha256_hex(bytes);
}

int open_newest_or_say(Context& context, const std::string& place, const checkpoint::Identity& identity, checkpoint::Opened* opened) {
  *opened = checkpoint::open_newest(place, identity);
  for (const std::string& other : opened->passed_over) context.err << other << "\n  hint: an older checkpoint is taken instead\n";
  if (opened->fault.ok()) return kDone;
  config::Diagnostic error = error_in(opened->where, opened->fault.reason);
  if (opened->fault.kind == checkpoint::Fault::Kind::kUnreadable) error.fault = config::Fault::kInputOutput;
  return fail(context, {error});
}

std::string result_folder_of(const std::string& place) {
  std::error_code code;
  fs::path path = fs::absolute(place, code).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (fs::is_directory(path / "checkpoints", code)) return place;
  if (fs::is_regular_file(path, code)) path = path.parent_path();
  return path.filename() == "checkpoints" ? path.parent_path().string() : std::string();
}

RunCheckpoints::RunCheckpoints(const config::CheckpointRule& rule, checkpoint::Identity identity, const std::string& folder)
    : rule_(rule), identity_(std::move(identity)), keeper_(folder, rule.keep) {}

bool RunCheckpoints::due(std::int64_t finished) {
  if (finished > 0 && rule_.every_steps > 0 && finished % rule_.every_steps == 0) return true;
  return rule_.every_seconds > 0 && std::chrono::steady_clock::now() - last_ >= std::chrono::duration<double>(rule_.every_seconds);
}

std::string RunCheckpoints::save(const std::vector<std::pair<std::string, std::string>>& sections, const std::vector<fabric::Fabric*>& fabrics) {
  std::string error;
  for (fabric::Fabric* fabric : fabrics) {
    fabric->collect();
    if (error.empty()) error = fabric->error();
  }
  if (!error.empty()) return "no checkpoint can be written: " + error;  // half of an array is no checkpoint
  const std::string path = keeper_.next(&error);
  if (path.empty()) return error;
  checkpoint::FileWriter writer(path);
  checkpoint::save_identity(identity_, writer);
  for (const auto& [name, bytes] : sections) writer.section(name, bytes);
  for (std::size_t i = 0; i < fabrics.size(); ++i) checkpoint::save_fabric(*fabrics[i], writer, prefix_of(i));
  error = writer.finish();
  last_ = std::chrono::steady_clock::now();
  if (!error.empty()) return path + ": cannot be written: " + error;
  newest_ = path;
  keeper_.prune();
  return {};
}

std::string save_run(RunCheckpoints& checkpoints, const Wafers& wafers, RunCollector& collector, const std::string& host) {
  checkpoint::Archive rows;
  collector.transfer(rows);
  std::vector<fabric::Fabric*> fabrics;
  for (const auto& wafer : wafers) fabrics.push_back(&wafer->fabric());
  return checkpoints.save({{"host", host}, {"report", rows.bytes()}}, fabrics);
}

checkpoint::Fault load_run(checkpoint::FileReader& reader, const Wafers& wafers, RunCollector& collector, std::string* host) {
  checkpoint::Fault fault = reader.read("host", host);
  std::string rows;
  if (fault.ok()) fault = reader.read("report", &rows);
  if (!fault.ok()) return fault;
  checkpoint::Archive archive(rows);
  collector.transfer(archive);
  if (!archive.complete()) return {checkpoint::Fault::Kind::kUnreadable, "is damaged: section report has another size"};
  for (std::size_t i = 0; i < wafers.size() && fault.ok(); ++i) fault = checkpoint::load_fabric(wafers[i]->fabric(), reader, prefix_of(i));
  return fault;
}

}  // namespace waferloom::cli
