// What a calibration left behind, as plain data that can be stored and shipped: fits of the three passes, every array that was measured, and what it holds for.
//
// It is keyed by content: RTL sources and parameters of router and PE, the microcode, the accumulation format. Two machines whose tiles are the same share one.
// JSON: configs/schemas/calibration.schema.json. Reading is strict: another schema, a missing or mistyped member, a number that is not finite or a coefficient below zero
// is an error that names the file and the member.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"
#include "host/config/run.h"
#include "host/extrapolate/fit.h"
#include "host/report/projection.h"

namespace waferloom::extrapolate {

// The coefficients stand in the order of term_names().
struct PassFit {
  config::Pass pass = config::Pass::kForward;
  std::vector<double> coefficients;
  double worst_error = 0;     // largest relative error on the arrays of the fit
  double held_out_error = 0;  // and on arrays that the fit never saw
  double condition = 0;
  int rank = 0;
};

struct CalibrationKey {
  std::string router_hash;
  std::string pe_hash;
  std::string firmware_hash;
  std::string accumulate;  // "fp16", "fp32"

  bool operator==(const CalibrationKey& other) const {
    return router_hash == other.router_hash && pe_hash == other.pe_hash && firmware_hash == other.firmware_hash && accumulate == other.accumulate;
  }
  bool operator!=(const CalibrationKey& other) const { return !(*this == other); }
};

struct Calibration {
  CalibrationKey key;
  std::string machine;  // that was measured; for people
  int lanes = 4;
  int window_bytes = 0;
  std::vector<std::string> terms;  // names, as term_names() gave them
  std::vector<PassFit> fits;       // forward, delta, gradient
  double most_items = 0;           // largest sizes per tile that were measured
  double most_tokens = 0;
  double seconds = 0;  // that measuring took
  std::vector<report::MeasuredShape> shapes;
  std::vector<report::HeatMap> heat_maps;

  const PassFit& fit(config::Pass pass) const { return fits[static_cast<std::size_t>(pass)]; }
};

std::string calibration_json(const Calibration& calibration);
config::Result<Calibration> read_calibration(const std::filesystem::path& file);

// Of every file of the microcode that the planner assembles. "" and *error when a file cannot be read.
std::string firmware_hash(const std::filesystem::path& folder, std::string* error);

}  // namespace waferloom::extrapolate
