// What a calibration left behind, as plain data that can be stored and shipped: a fit for each measured operator, every array that was measured, and what it holds for.
//
// It is keyed by content: RTL sources and parameters of router and PE, the assembled microcode, the accumulation format. Two machines whose tiles are the same share one.
// JSON: configs/schemas/calibration.schema.json. Reading is strict: another schema, a missing or mistyped member, an operator or terms that this program does not know, a
// number that is not finite or a coefficient below zero is an error that names the file and the member.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"
#include "host/config/run.h"
#include "host/extrapolate/fit.h"
#include "host/extrapolate/operators.h"
#include "host/report/projection.h"

namespace waferloom::extrapolate {

struct OperatorFit {
  std::string name;                  // of operators.h
  std::vector<double> coefficients;  // in the order of the operator's terms
  Bound bound;                       // holds 19 of 20 arrays of those left out of the fit and those that were never in it
  double worst_error = 0;      // largest relative error on the arrays of the fit
  double left_out_error = 0;   // largest, each predicted by a fit of the others
  double held_out_error = 0;   // largest on arrays that the fit never saw; 0 if none was judged
  double held_out_median = 0;
  double condition = 0;
  int rank = 0;
  int samples = 0;   // arrays of the fit
  int judged = 0;    // arrays that it never saw
  double most_items = 0;  // largest sizes per tile that were measured
  double most_tokens = 0;
  double most_features = 0;
  int ahead = 0;  // OperatorSize::ahead as it was found; 0: none

  double coefficient(const std::string& term) const;  // 0 if there is none of that name
  // Half the width of the interval around `cycles` that the fit predicts for a loop that runs so many times.
  double slack(double cycles, double times) const { return bound.cycles + bound.each * times + bound.share * cycles; }
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
  std::vector<OperatorFit> fits;  // in the order of operator_models(); an operator that was not measured is not there
  std::vector<report::MeasuredShape> shapes;
  std::vector<report::HeatMap> heat_maps;

  const OperatorFit* find(const std::string& name) const;
};

// What an operator of these sizes takes, by the fit of that name.
struct Prediction {
  double cycles = 0;
  double low = 0;   // of the interval
  double high = 0;
  double beyond = 1;  // how many times a size per tile lies beyond the largest that was measured, at least 1: the interval is that much wider
  std::vector<std::pair<std::string, double>> terms;  // cycles of each term that costs any
};
Prediction predict_operator(const Calibration& calibration, const OperatorFit& fit, const OperatorSize& size);

std::string calibration_json(const Calibration& calibration);
config::Result<Calibration> read_calibration(const std::filesystem::path& file);

}  // namespace waferloom::extrapolate
