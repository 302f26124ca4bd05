// A chart as plain data: what the page's script draws (JSON) and what stands beside it for everybody (the table), both from the same values, so that they cannot differ.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace waferloom::report::page {

struct Axis {
  std::string name;  // "step", "cycles"
  std::string unit;  // of the values
  bool log = false;
  bool whole = false;                    // ticks at whole numbers only
  std::optional<double> min;
  std::optional<double> max;
  std::vector<std::string> categories;   // named places instead of numbers
  std::vector<std::string> labels;       // of each point, for tooltip and table, where the number alone would mislead ("steps 0 to 4")
};

// Colours are indices of the page's palette: 0 grey (idle, other), 1 to 7.
struct Series {
  std::string name;
  int colour = 1;
  bool dash = false;
  bool area = false;                                // lines: stacked areas
  std::vector<std::pair<double, double>> points;    // lines; a y that is not finite is a gap
  std::vector<std::array<double, 3>> band;          // lines: x, low, high around each point; empty or as many as points
  std::vector<double> values;                       // bars: one per row
  std::vector<int> colours;                         // bars: of each row, instead of `colour`
};

struct Mark {
  double x = 0;
  std::string label;
};
struct Span {
  int row = 0;
  double begin = 0;
  double end = 0;
  int colour = 1;
  std::string label;
};
struct Range {
  double low = 0;
  double high = 0;
  std::optional<double> mid;
  int colour = 1;
  int colour_high = 1;                                       // of the part right of the reference
  std::vector<std::pair<std::string, std::string>> words;    // name and text: tooltip and table
};
struct Ceiling {
  std::string name;
  double flat = 0;   // 0: none
  double slope = 0;  // 0: none
  int colour = 0;
  bool dash = false;
};
struct RoofPoint {
  std::string name;
  double x = 0;
  double y = 0;
  double share = 0;  // 0 to 1: area of the point
  int colour = 1;
  bool label = false;
  std::vector<std::pair<std::string, std::string>> words;
};
struct LegendEntry {
  std::string name;
  int colour = 1;
  enum class Shape { kBox, kLine, kDash } shape = Shape::kBox;
  std::string value;  // shown after the name, may be empty
};

enum class ChartKind { kLines, kBars, kRanges, kSpans, kHeat, kRoofline };

struct Chart {
  ChartKind kind = ChartKind::kLines;
  std::string id;       // unique on the page
  std::string title;
  std::string lead;     // one sentence: what to see here. Plain text.
  std::string note;     // below the chart: how it was made, what was left out. Plain text.
  bool half = false;    // half of the width where there is room
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<std::string> rows;                              // bars, ranges, spans: top to bottom
  std::vector<std::string> end_labels;                        // bars: text at the end of each
  std::vector<std::optional<std::array<double, 2>>> whiskers; // bars: interval of each
  std::vector<std::string> row_notes;                         // bars: one more line in the tooltip and the table
  bool stacked = true;                                        // bars
  std::vector<Mark> marks;                                    // lines
  std::vector<Range> ranges;
  std::optional<double> reference;                            // ranges
  std::vector<Span> spans;
  int width = 0;                                              // heat: tiles
  int height = 0;
  std::vector<double> values;                                 // heat, row by row
  std::vector<Ceiling> ceilings;
  std::vector<RoofPoint> points;
  std::vector<LegendEntry> legend;                            // empty: made from the series where there is more than one
};

// Whether there is anything to draw: at least one finite value.
bool drawable(const Chart& chart);

// The JSON array that the script reads. Holds no '<', so that it may stand inside a script element.
std::string charts_json(const std::vector<Chart>& charts);

// Heat maps of more tiles than a reader can tell apart are shown as means of square blocks; the side of a block, 1 for none.
int heat_block(const Chart& chart);
std::vector<double> heat_means(const Chart& chart, int block);

}  // namespace waferloom::report::page
