#include "host/cli/run_checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "sim/checkpoint/fabric_state.h"
#include "sim/plugin/sha256.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

// Top-level keys that change what is said about a run or when it ends, not what it computes.
constexpr const char* kWithoutEffect[] = {"description", "outputs", "checkpoint", "limits", "report", "extrapolate"};

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

checkpoint::Identity identity_of(const RunSetup& setup, const std::string& router_hash, const std::string& pe_hash, bool skip) {
  return {{"run", with_effect(setup.resolved)},
          {"RTL of wl_router", router_hash},
          {"RTL of wl_pe", pe_hash},
          {"firmware", firmware_hash(setup.plan)},
          {"choice of skipping", skip ? "quiet units are skipped" : "every unit is evaluated"}};
}

std::string firmware_hash(const plan::Plan& plan) {
  std::string bytes;
  for (const plan::Image& image : plan.images) bytes.append(image.bytes.begin(), image.bytes.end());
  return plugin::sha256_hex(bytes);
}

std::string result_folder_of(const std::string& place) {
  std::error_code code;
  fs::path path = fs::absolute(place, code).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (fs::is_directory(path / "checkpoints", code)) return place;
  if (fs::is_regular_file(path, code)) path = path.parent_path();
  return path.filename() == "checkpoints" ? path.parent_path().string() : std::string();
}

RunCheckpoints::RunCheckpoints(const RunSetup& setup, checkpoint::Identity identity, const std::string& folder)
    : setup_(setup), identity_(std::move(identity)), keeper_(folder, setup.run.checkpoint.keep) {}

bool RunCheckpoints::due(std::int64_t finished) {
  const config::CheckpointRule& rule = setup_.run.checkpoint;
  if (finished > 0 && rule.every_steps > 0 && finished % rule.every_steps == 0) return true;
  return rule.every_seconds > 0 && std::chrono::steady_clock::now() - last_ >= std::chrono::duration<double>(rule.every_seconds);
}

std::string RunCheckpoints::save(const Wafers& wafers, RunCollector& collector, const std::string& host) {
  std::string error;
  for (const auto& wafer : wafers) {
    wafer->fabric().collect();
    if (error.empty()) error = wafer->fabric().error();
  }
  if (!error.empty()) return "no checkpoint can be written: " + error;  // half of an array is no checkpoint
  const std::string path = keeper_.next(&error);
  if (path.empty()) return error;
  checkpoint::FileWriter writer(path);
  checkpoint::save_identity(identity_, writer);
  writer.section("host", host);
  checkpoint::Archive rows;
  collector.transfer(rows);
  writer.section("report", rows.bytes());
  for (std::size_t i = 0; i < wafers.size(); ++i) checkpoint::save_fabric(wafers[i]->fabric(), writer, prefix_of(i));
  error = writer.finish();
  last_ = std::chrono::steady_clock::now();
  if (!error.empty()) return path + ": cannot be written: " + error;
  newest_ = path;
  keeper_.prune();
  return {};
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
