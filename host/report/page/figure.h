// A chart's place on the page: title, what to see, legend, the drawing's box with the words that a screen reader says, and the same data as a table.
#pragma once

#include <string>

#include "host/report/page/chart.h"

namespace waferloom::report::page {

// Requires drawable(chart).
std::string figure_html(const Chart& chart);

// Legend as a list; empty for no entries.
std::string legend_html(const std::vector<LegendEntry>& entries);

// The chart's data, every value of it (heat maps: of every cell shown).
std::string chart_table(const Chart& chart);

// One sentence for those who do not see the drawing: kind, what is on it, from where to where.
std::string chart_words(const Chart& chart);

}  // namespace waferloom::report::page
