// The parts of a projection's page. Each adds nothing where the projection has nothing for it.
#pragma once

#include <string>
#include <vector>

#include "host/report/page/document.h"
#include "host/report/projection.h"

namespace waferloom::report::page {

Axis axis(const std::string& name, const std::string& unit = "");

// Colour of what limits: the same word has the same colour in every chart.
int limit_colour(const std::string& limit);

// Cycles of a step that share a name, largest first.
struct Group {
  std::string name;
  double cycles = 0;
  double share = 0;  // of all operators
  std::string limit;  // of the largest of them
  std::string pass;
};
std::vector<Group> group_operators(const std::vector<OperatorRow>& operators, std::string (*name_of)(const OperatorRow&));
std::string operator_name(const OperatorRow& row);  // "matrix products, forward"

// Intervals of a timeline that a reader cannot tell apart are drawn as one: neighbours of the same pass that are closer than `*gap_s`, which grows until at most `most`
// are left. Idle intervals are not drawn.
std::vector<Interval> gathered(const TimelineRow& row, double step_s, std::size_t most, double* gap_s);

void timeline_part(Document& page, const Projection& p);
void operators_part(Document& page, const Projection& p);
void roofline_part(Document& page, const Projection& p);
void scaling_part(Document& page, const Projection& p);
void sparsity_part(Document& page, const Projection& p);
void memory_part(Document& page, const Projection& p);
void tornado_part(Document& page, const Projection& p);
void figures_part(Document& page, const Projection& p);
void accelerators_part(Document& page, const Projection& p);
void measured_part(Document& page, const Projection& p);
void validation_part(Document& page, const Projection& p);
void model_part(Document& page, const Projection& p);
void assumptions_part(Document& page, const Projection& p);
void reproduce_part(Document& page, const Projection& p);

}  // namespace waferloom::report::page
