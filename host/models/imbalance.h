// What columns with unequal numbers of weights cost a streamed product.
//
// A column works on the non-zeros that its features have for an output; the row's reduction then passes all columns. Two buffers of partial sums let a column work on the next
// output while the one before is reduced, so it waits for a fuller one only where that is fuller for long. How much is seen by playing it: each column's outputs in order, each
// output's reduction in the order of the ring. Drawn from fixed seeds: the same answer each time. Pure functions.
#pragma once

namespace waferloom::models {

// Expected largest of `columns` draws of Binomial(items, density), items rounded up. Exact distribution; density 1 gives items.
double expected_fullest(double items, double density, double columns);

struct ColumnPace {
  double weight_cycles = 1;     // of one weight
  double reduction_cycles = 1;  // that an output's reduction takes of each tile
  double step_cycles = 7;       // from one column to the next
};

// The share of what the fullest column of each output has beyond the mean that is waited for: 0: as if columns were even, 1: every output waits for its fullest column.
// items: of a dense column.
double share_waited_for(double items, double density, const ColumnPace& pace);

}  // namespace waferloom::models
