// The operators that are measured on verilated tiles, in one table: the name of each, what its cost is made of, and how often each of those things happens for given sizes.
//
// Every term is a count of something that costs cycles in the tile: groups issued to the lanes, tokens that pass a reduction, hops. Sizes per tile (items, tokens, features)
// are interpolated, width, height and outputs extrapolated. An operator's cycles are the sum of coefficient times count, and no less than the edge takes for its words.
//
// To add one: a row in operators.cpp, and an experiment in sweep.cpp that yields it. Everything else (fit, bounds, store, files, pages, `calibrate`) follows.
// Pure functions; thread-safe.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "host/config/run.h"

namespace waferloom::extrapolate {

// Sizes of the busiest tile. What an operator does not use stays as it is.
struct OperatorSize {
  double width = 1;   // columns of the rectangle
  double height = 1;  // rows
  double outputs = 1;     // times that the loop runs: outputs (forward, gradient), inputs (delta), boundaries between phases (overlap), steps (attention)
  double items = 1;       // weights of the fullest column for one of them, the bias not counted
  double tokens = 4;      // of one tile, padded
  double features = 1;    // local values for each token: inputs and classes (load), classes (loss), those that a norm, an activation or attention works on
  double even_features = 1;  // the same, were all columns equal
  double head_columns = 1;   // of attention: columns that share a head
  double heads = 1;          // of attention: heads of one tile, where a column holds several
  double ahead = 1;          // of the gradient in tall arrays: outputs that a column works on before it waits; the fit finds it
  // Of the rows of a slab, the shares that lie 0, 1, 2 and 3 bank pairs before the row that they are worked with (8 bytes to a pair, four pairs). They follow from where the
  // planner lays out the tile; where nobody has, `placed` is false, a quarter is taken of each, and a prediction's interval spans all four.
  std::array<double, 4> apart = {0.25, 0.25, 0.25, 0.25};
  bool placed = false;
  bool bias = false;
  bool activation = false;  // a ReLU, or its gradient, ends the pass
};

struct OperatorModel {
  const char* name;
  std::vector<std::string> terms;
  // As many counts as there are terms, none negative. `lanes`: fp16 elements a cycle.
  std::vector<double> (*count)(const OperatorSize& size, int lanes);
  int most_ahead = 0;  // OperatorSize::ahead is the whole number up to this that fits best; 0: it counts for nothing
};

// In the order in which they are fitted: a gradient is judged beside its pace in tall arrays.
const std::vector<OperatorModel>& operator_models();
// nullptr: no such operator.
const OperatorModel* find_operator(const std::string& name);

// The operator of a pass over a layer: "forward", "delta", "gradient"; "forward in SRAM" and "delta in SRAM" where the two accumulators do not fit in the machine's window.
std::string pass_operator(config::Pass pass, int window_bytes, double tokens, config::Accumulate accumulate);

}  // namespace waferloom::extrapolate
