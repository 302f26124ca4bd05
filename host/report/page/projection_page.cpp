#include "host/report/projection_page.h"

#include <algorithm>
#include <cmath>

#include "host/report/numbers.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"
#include "host/report/page/projection_parts.h"
#include "host/report/page/run_parts.h"

namespace waferloom::report {
namespace {

using page::Group;

std::string place(const Projection& p) {
  std::string text = p.machine;
  if (p.systems > 1) text = grouped(p.systems) + " × " + text;
  if (!p.cluster.empty() && p.cluster != p.machine) text += ", cluster " + p.cluster;
  return text;
}

std::vector<page::AnswerCard> answers(const Projection& p) {
  const Answer& a = p.answer;
  return {{"time of a step", a.step_time, "", a.limit.empty() ? "" : "limited by " + a.limit},
          {"tokens a second", a.tokens_per_s, "", grouped(p.systems) + (p.systems == 1 ? " system" : " systems") + ", " + page::with_unit(p.batch_tokens, "tokens") + " a step"},
          {"time to train", a.days_to_train, "", "for " + page::with_unit(p.training_tokens, "tokens")},
          {"utilisation (MFU)", a.mfu, "", "model FLOPs over what the lanes could do"}};
}

// At most six parts and the rest.
std::vector<page::StripPart> strip_of(const std::vector<Group>& groups, int (*colour)(const Group&)) {
  std::vector<page::StripPart> parts;
  double rest = 0;
  for (const Group& g : groups) {
    if (parts.size() < 7) {
      parts.push_back({g.name, g.share, colour(g)});
    } else {
      rest += g.share;
    }
  }
  if (rest > 0) parts.push_back({"others", rest, 0});
  return parts;
}

void where(page::Document& page, const Projection& p) {
  const std::vector<Group> groups = page::group_operators(p.operators, page::operator_name);
  if (groups.empty()) return;
  // Colours in order of size: passes of one operator would else look alike.
  std::vector<page::StripPart> parts = strip_of(groups, [](const Group&) { return 0; });
  for (std::size_t i = 0; i < parts.size() && i < 7; ++i) parts[i].colour = static_cast<int>(i) + 1;
  page.strip("Where the time goes", groups[0].name + " takes " + page::share_text(groups[0].share) + " of the wafer's busy cycles.", parts);
  const std::vector<Group> limits = page::group_operators(p.operators, [](const OperatorRow& o) { return o.limit.empty() ? std::string("not named") : o.limit; });
  if (limits.size() > 1) page.strip("What limits it", "", strip_of(limits, [](const Group& g) { return page::limit_colour(g.name); }));
}

std::vector<std::string> reasons(const Projection& p) {
  std::vector<std::string> items;
  std::vector<double> errors;
  for (const MeasuredShape& s : p.calibration.shapes) {
    if (s.held_out) errors.push_back(std::abs(s.error));
  }
  std::sort(errors.begin(), errors.end());
  if (!p.calibration.shapes.empty()) items.push_back("Priced from <b>" + grouped(static_cast<std::int64_t>(p.calibration.shapes.size())) + "</b> runs of verilated tiles, the same RTL that trains networks.");
  if (!errors.empty())
    items.push_back("On <b>" + std::to_string(errors.size()) + "</b> arrays that the fit never saw the error is <b>" + page::share_text(errors[errors.size() / 2]) + "</b> in the middle and <b>" + page::share_text(errors.back()) + "</b> at worst.");
  if (!p.validation.empty()) {
    const auto agree = std::count_if(p.validation.begin(), p.validation.end(), [](const ValidationRow& v) { return v.agrees; });
    items.push_back("<b>" + std::to_string(agree) + " of " + std::to_string(p.validation.size()) + "</b> validation figures are met within their tolerance. <a href=\"#validation\">All of them</a>");
  }
  double assumed = 0;
  double all = 0;
  for (const OperatorRow& o : p.operators) {
    all += o.total_cycles;
    if (o.cycles.origin == Origin::kAssumed) assumed += o.total_cycles;
  }
  if (all > 0) items.push_back(assumed > 0 ? "<b>" + page::share_text(assumed / all) + "</b> of the cycles belong to operators that were not measured and are assumed." : std::string("No operator is priced by assumption alone."));
  if (!p.assumptions.empty()) items.push_back("<b>" + std::to_string(p.assumptions.size()) + "</b> constants, each with its origin. <a href=\"#assumptions\">All of them</a>");
  return items;
}

}  // namespace

std::string projection_html(const Projection& p) {
  std::string sentence = p.answer.sentence;
  if (sentence.empty()) sentence = p.model.name + " on " + place(p) + ".";
  page::Document page("Projection: " + (p.model.name.empty() ? "model" : p.model.name) + " on " + place(p), p.name.empty() ? "Unnamed projection" : p.name, sentence);
  page.answers(answers(p));
  where(page, p);
  page.reasons("Why believe it", reasons(p));
  for (const std::string& note : p.notes) page.warn(note);
  page::timeline_part(page, p);
  page::operators_part(page, p);
  page::roofline_part(page, p);
  page::scaling_part(page, p);
  page::sparsity_part(page, p);
  page::memory_part(page, p);
  page::tornado_part(page, p);
  page::figures_part(page, p);
  page::accelerators_part(page, p);
  page::measured_part(page, p);
  page::validation_part(page, p);
  page::model_part(page, p);
  page::assumptions_part(page, p);
  page::reproduce_part(page, p);
  return page.text();
}

}  // namespace waferloom::report
