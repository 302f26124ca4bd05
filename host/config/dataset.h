// Reads a labelled data set: gzip or plain text, comma separated, one row per line, model inputs first and the label
// last.
#pragma once

#include <string>
#include <vector>

#include "host/config/diagnostic.h"
#include "host/config/run.h"

namespace waferloom::config {

struct Samples {
  int features = 0;
  std::vector<float> values;  // rows x features, row by row, scaled
  std::vector<int> labels;    // one per row

  int rows() const { return static_cast<int>(labels.size()); }
  const float* row(int index) const { return values.data() + static_cast<std::size_t>(index) * features; }
};

struct Dataset {
  Samples train;
  Samples test;
};

// Reads data.path. Fails with a located error (the row's line and column) for: a file that is missing or unreadable, a
// gzip stream that is truncated or damaged, a row with another number of columns, a value that is not a number or
// outside value_min..value_max, a value that is infinite in binary16 once it is scaled, a label that is not an integer of
// 0..classes-1, fewer rows than train_rows + max(test_rows, 1). A file that cannot be had whole (missing, unreadable, damaged, ending too early or within a row) carries Fault::kInputOutput; one that is read well and
// disagrees with what the run says of it (columns, values, labels) carries Fault::kUsage.
Result<Dataset> load_dataset(const Data& data, int features, int classes);

}  // namespace waferloom::config
