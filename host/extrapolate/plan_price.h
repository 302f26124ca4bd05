// The plan, priced: the same plan that runs on tiles, phase by phase, from a calibration of the tile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/extrapolate/calibration.h"
#include "host/plan/plan.h"

namespace waferloom::extrapolate {

// Which measured operator a phase of the plan is, and at which sizes.
struct PhaseOperator {
  std::string op;  // a name in operator_models()
  OperatorSize size;
  std::int64_t words_in = 0;  // over the edge, as the plan's graph has them
  std::int64_t words_out = 0;
};
PhaseOperator phase_operator(const plan::Plan& plan, const plan::Phase& phase);

struct PhasePrice {
  std::string phase;  // "layer0.forward"
  std::string op;
  double cycles = 0;
  double low = 0;
  double high = 0;
  bool edge = false;  // the edge takes longest
};

struct PlanPrice {
  std::string refusal;  // empty, or the operator that the calibration has no fit of
  std::vector<PhasePrice> phases;
  double overlap = 0;  // that a step saves whose phases follow each other without a pause
  double ahead = 0;    // that it loses at the edge to words of later phases, which go ahead of an uneven load
  double cycles = 0;   // of such a step
  double low = 0;      // bounds added linearly
  double high = 0;
};

// A training step. `io_words_per_cycle`: words that may enter, and leave, in a cycle, all ports together.
PlanPrice price_plan(const plan::Plan& plan, const Calibration& calibration, double io_words_per_cycle);

}  // namespace waferloom::extrapolate
