// The parts of a training run's page.
#pragma once

#include "host/report/manifest.h"
#include "host/report/page/document.h"
#include "host/report/run_report.h"

namespace waferloom::report::page {

// Steps in order, gathered into at most `most` stretches of equal length (the last may be shorter). A stretch is drawn as its mean with a band from its least to its
// most value, so that nothing that stood out is lost.
struct Stretch {
  std::size_t begin = 0;  // index of the first step
  std::size_t end = 0;    // one past the last
};
std::vector<Stretch> stretches(std::size_t steps, std::size_t most = 240);

// Colour of a phase or a cause of cycles: the same name has the same colour in every chart.
int colour_of(const std::string& name);

// "pe" -> "processing elements".
std::string unit_name(const std::string& unit);

void training_part(Document& page, const RunReport& report);
void cycles_part(Document& page, const RunReport& report);
// Nothing for a run of one system.
void systems_part(Document& page, const RunReport& report);
void heat_part(Document& page, const std::vector<HeatMap>& maps);
// A chart for each map, without a part of their own.
void heat_charts(Document& page, const std::vector<HeatMap>& maps);
void totals_part(Document& page, const RunReport& report);
void wafer_part(Document& page, const RunReport& report);
void machine_part(Document& page, const RunReport& report);
void made_by_part(Document& page, const RunReport& report, const Manifest& manifest);

}  // namespace waferloom::report::page
