#include <cmath>

#include "host/report/html.h"
#include "host/report/numbers.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"
#include "host/report/page/run_parts.h"
#include "host/report/summary.h"

namespace waferloom::report {
namespace {

using page::AnswerCard;

Quantity measured(double value, const std::string& unit, const RunReport& r) {
  return {value, unit, Origin::kMeasured, (r.systems > 1 ? std::to_string(r.systems) + " systems of " : std::string()) + std::to_string(r.width) + " x " + std::to_string(r.height) + " verilated tiles, seed " + std::to_string(r.seed), {}, {}};
}

std::vector<AnswerCard> answers(const RunReport& r) {
  std::vector<AnswerCard> cards;
  if (shows(r, "loss") && !r.epochs.empty() && r.epochs.back().tested) {
    const EpochRow& last = r.epochs.back();
    cards.push_back({"test accuracy", measured(100 * last.test_accuracy, "%", r), "",
                     "after " + std::to_string(r.epochs.size()) + (r.epochs.size() == 1 ? " epoch" : " epochs") + "; training " + percent(last.train_accuracy)});
  }
  std::int64_t cycles = 0;
  std::int64_t steps = 0;
  for (const StepRow& s : r.steps) {
    if (s.kind != "train") continue;
    cycles += s.cycles;
    ++steps;
  }
  if (shows(r, "cycles") && steps > 0) {
    const double mean = static_cast<double>(cycles) / static_cast<double>(steps);
    cards.push_back({"training step on the array", measured(mean, "cycles", r), "", "mean of " + grouped(steps) + (steps == 1 ? " step" : " steps")});
  }
  if (shows(r, "utilisation")) cards.push_back({"lanes in use", measured(100 * r.lane_utilisation, "%", r), "", "of all tiles, over " + grouped(r.cycles) + " cycles"});
  if (shows(r, "extrapolation")) {
    for (const ExtrapolationRow& x : r.extrapolations) {
      if (!x.figures.empty()) cards.push_back({x.name + " on the whole wafer", x.figures.front().second, "", x.figures.front().first});
    }
  }
  return cards;
}

void where(page::Document& page, const RunReport& r) {
  if (!shows(r, "cycles") || r.units.empty()) return;
  const UnitCauses& unit = r.units.front();
  const std::int64_t total = total_cycles(unit);
  if (total <= 0) return;
  std::vector<page::StripPart> parts;
  for (const Share& cause : unit.causes) parts.push_back({cause.name, static_cast<double>(cause.cycles) / static_cast<double>(total), page::colour_of(cause.name)});
  page.strip("Where the time goes", "All cycles of all " + grouped(unit.units) + " " + page::unit_name(unit.unit) + ".", parts);
}

std::vector<std::string> reasons(const RunReport& r) {
  std::vector<std::string> items;
  items.push_back("Every cycle was computed from the tiles' RTL: <b>" + (r.systems > 1 ? std::to_string(r.systems) + " × " : std::string()) + std::to_string(r.width) + " × " + std::to_string(r.height) + "</b> verilated tiles, <b>" + grouped(r.cycles) + "</b> cycles.");
  if (r.status == "finished") items.push_back("Nothing was lost: <b>" + grouped(r.wavelets_sent) + "</b> wavelets sent, <b>" + grouped(r.wavelets_received) + "</b> received.");
  if (shows(r, "extrapolation") && !r.extrapolations.empty()) {
    double worst = 0;
    for (const ExtrapolationRow& x : r.extrapolations) worst = std::max(worst, x.fit_error);
    items.push_back("The extrapolation was judged on arrays that its fit never saw: largest error <b>" + page::share_text(worst) + "</b>.");
  }
  return items;
}

}  // namespace

std::string report_html(const RunReport& r, const Manifest& manifest) {
  page::Document page("Training run", r.run.empty() ? "Unnamed run" : r.run,
                      r.model + (r.systems > 1 ? " on " + std::to_string(r.systems) + " systems, each an array of " : std::string(" on an array of ")) + std::to_string(r.width) + " × " + std::to_string(r.height) + " verilated " + r.machine + " tiles with " + std::to_string(r.lanes) + " lanes, seed " +
                          std::to_string(r.seed) + (r.views.empty() ? "" : ", " + r.views + " views") + (r.status.empty() ? "." : ": " + r.status + "."));
  if (!r.status.empty() && r.status != "finished") page.warn("This run did not finish: " + r.status + ". What follows is what it did until then.", true);
  page.answers(answers(r));
  where(page, r);
  page.reasons("Why believe it", reasons(r));
  if (shows(r, "loss")) page::training_part(page, r);
  if (shows(r, "cycles")) page::cycles_part(page, r);
  page::systems_part(page, r);
  page::heat_part(page, r.heat_maps);
  page::totals_part(page, r);
  if (shows(r, "extrapolation")) page::wafer_part(page, r);
  page::machine_part(page, r);
  page::made_by_part(page, r, manifest);
  return page.text();
}

}  // namespace waferloom::report
