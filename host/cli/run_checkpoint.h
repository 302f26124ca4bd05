// The checkpoints of a run: what one holds, when one is due, and which one a run goes on from.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/cli/command.h"
#include "host/cli/run_collector.h"
#include "host/cli/run_setup.h"
#include "host/systemc/fabric_wafer.h"
#include "sim/checkpoint/folder.h"

namespace waferloom::cli {

// What a run's results depend on, as a checkpoint names it: the configuration without what only reports or ends the run, the hashes of both units and of the
// firmware, and whether quiet units are skipped (which is counted).
checkpoint::Identity identity_of(const RunSetup& setup, const std::string& router_hash, const std::string& pe_hash, bool skip);

// The same of a kernel run: its resolved file, the hashes of both units of each machine, and of every image of its cases.
checkpoint::Identity identity_of(const std::string& resolved, const std::string& router_hashes, const std::string& pe_hashes, const std::string& firmware, bool skip);

// Of every program image that the plan loads.
std::string firmware_hash(const plan::Plan& plan);

// Opens the newest whole checkpoint of a place to resume from. Says which newer ones are damaged, or why there is none; returns an ExitCode.
int open_newest_or_say(Context& context, const std::string& place, const checkpoint::Identity& identity, checkpoint::Opened* opened);

// The result folder that a place to resume from lies in or is, or "" if it is neither.
std::string result_folder_of(const std::string& place);

// The wafers of all systems, in order.
using Wafers = std::vector<std::unique_ptr<systemc::FabricWafer>>;

class RunCheckpoints {
 public:
  // `folder`: where they go.
  RunCheckpoints(const config::CheckpointRule& rule, checkpoint::Identity identity, const std::string& folder);

  // Whether one is due after `finished` steps (0: asked between steps).
  bool due(std::int64_t finished);
  // Sections by name, then the fabrics, of the first system without a prefix. "" or why it could not be written; then the ones before it are all there still.
  std::string save(const std::vector<std::pair<std::string, std::string>>& sections, const std::vector<fabric::Fabric*>& fabrics);
  // The newest that has been written, or "".
  const std::string& newest() const { return newest_; }

 private:
  const config::CheckpointRule rule_;
  checkpoint::Identity identity_;
  checkpoint::Keeper keeper_;
  std::string newest_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Of a training run. `host`: the host models (TrainingHooks::on_checkpoint). As RunCheckpoints::save.
std::string save_run(RunCheckpoints& checkpoints, const Wafers& wafers, RunCollector& collector, const std::string& host);
// Loads what that wrote: the tiles into the wafers, the rows into `collector`, the host models into *host.
checkpoint::Fault load_run(checkpoint::FileReader& reader, const Wafers& wafers, RunCollector& collector, std::string* host);

}  // namespace waferloom::cli
