#include "host/report/page/chart.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace waferloom::report::page {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostCells = 64;  // heat map: a side

const char* name_of(ChartKind kind) {
  switch (kind) {
    case ChartKind::kLines: return "lines";
    case ChartKind::kBars: return "bars";
    case ChartKind::kRanges: return "ranges";
    case ChartKind::kSpans: return "spans";
    case ChartKind::kHeat: return "heat";
    case ChartKind::kRoofline: return "roofline";
  }
  return "";
}

// JSON has no NaN and no infinity: a gap.
Json value(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

Json axis_json(const Axis& a) {
  Json j{{"name", a.name}, {"unit", a.unit}, {"scale", a.log ? "log" : "linear"}};
  if (a.whole) j["whole"] = true;
  if (a.min) j["min"] = *a.min;
  if (a.max) j["max"] = *a.max;
  if (!a.categories.empty()) j["categories"] = a.categories;
  if (!a.labels.empty()) j["labels"] = a.labels;
  return j;
}

Json words(const std::vector<std::pair<std::string, std::string>>& all) {
  Json j = Json::array();
  for (const auto& [name, text] : all) j.push_back(Json::array({name, text}));
  return j;
}

Json series(const Series& s, ChartKind kind) {
  Json j{{"name", s.name}, {"colour", s.colour}};
  if (s.dash) j["dash"] = true;
  if (s.area) j["area"] = true;
  if (kind == ChartKind::kLines) {
    j["points"] = Json::array();
    for (const auto& [x, y] : s.points) j["points"].push_back(Json::array({x, value(y)}));
    for (const auto& [x, low, high] : s.band) j["band"].push_back(Json::array({x, value(low), value(high)}));
  } else {
    j["values"] = Json::array();
    for (const double v : s.values) j["values"].push_back(value(v));
    if (!s.colours.empty()) j["colours"] = s.colours;
  }
  return j;
}

void add_ranges(Json& j, const Chart& c) {
  j["ranges"] = Json::array();
  bool split = false;
  for (const Range& r : c.ranges) {
    Json range{{"low", r.low}, {"high", r.high}, {"colour", r.colour}, {"colour_high", r.colour_high}, {"words", words(r.words)}};
    if (r.mid) range["mid"] = *r.mid;
    split = split || r.colour != r.colour_high;
    j["ranges"].push_back(range);
  }
  if (split) j["split"] = true;
  if (c.reference) j["reference"] = *c.reference;
}

void add_bars(Json& j, const Chart& c) {
  j["stacked"] = c.stacked;
  if (!c.end_labels.empty()) j["labels"] = c.end_labels;
  if (!c.row_notes.empty()) j["notes"] = c.row_notes;
  const bool any = std::any_of(c.whiskers.begin(), c.whiskers.end(), [](const auto& w) { return w.has_value(); });
  for (const auto& w : c.whiskers) {
    if (any) j["whiskers"].push_back(w ? Json::array({(*w)[0], (*w)[1]}) : Json(nullptr));
  }
}

void add_heat(Json& j, const Chart& c) {
  const int block = heat_block(c);
  j["unit"] = c.y.unit;
  j["block"] = block;
  j["full_width"] = c.width;
  j["full_height"] = c.height;
  j["width"] = (c.width + block - 1) / block;
  j["height"] = (c.height + block - 1) / block;
  j["values"] = Json::array();
  for (const double v : heat_means(c, block)) j["values"].push_back(value(v));
}

Json chart(const Chart& c) {
  Json j{{"id", c.id}, {"kind", name_of(c.kind)}, {"title", c.title}, {"x", axis_json(c.x)}, {"y", axis_json(c.y)}};
  if (!c.rows.empty()) j["rows"] = c.rows;
  if (c.kind == ChartKind::kLines || c.kind == ChartKind::kBars) {
    j["series"] = Json::array();
    for (const Series& s : c.series) j["series"].push_back(series(s, c.kind));
  }
  for (const Mark& m : c.marks) j["marks"].push_back({{"x", m.x}, {"label", m.label}});
  if (c.kind == ChartKind::kBars) add_bars(j, c);
  if (c.kind == ChartKind::kRanges) add_ranges(j, c);
  if (c.kind == ChartKind::kHeat) add_heat(j, c);
  if (c.kind == ChartKind::kSpans) {
    for (const Span& s : c.spans) j["spans"].push_back(Json::array({s.row, s.begin, s.end, s.colour, s.label}));
    j["names"] = Json::object();
    for (const LegendEntry& e : c.legend) j["names"][std::to_string(e.colour)] = e.name;
  }
  if (c.kind == ChartKind::kRoofline) {
    j["ceilings"] = Json::array();
    for (const Ceiling& e : c.ceilings) j["ceilings"].push_back({{"name", e.name}, {"flat", e.flat}, {"slope", e.slope}, {"colour", e.colour}, {"dash", e.dash}});
    for (const RoofPoint& p : c.points)
      j["points"].push_back({{"name", p.name}, {"x", p.x}, {"y", p.y}, {"share", p.share}, {"colour", p.colour}, {"label", p.label}, {"words", words(p.words)}});
  }
  return j;
}

}  // namespace

bool drawable(const Chart& c) {
  const auto finite = [](double v) { return std::isfinite(v); };
  switch (c.kind) {
    case ChartKind::kLines:
      return std::any_of(c.series.begin(), c.series.end(), [](const Series& s) {
        return std::any_of(s.points.begin(), s.points.end(), [](const auto& p) { return std::isfinite(p.second); });
      });
    case ChartKind::kBars:
      return !c.rows.empty() && std::any_of(c.series.begin(), c.series.end(), [&](const Series& s) { return std::any_of(s.values.begin(), s.values.end(), [&](double v) { return finite(v) && v != 0; }); });
    case ChartKind::kRanges: return !c.ranges.empty() && std::all_of(c.ranges.begin(), c.ranges.end(), [&](const Range& r) { return finite(r.low) && finite(r.high); });
    case ChartKind::kSpans: return std::any_of(c.spans.begin(), c.spans.end(), [](const Span& s) { return s.end > s.begin; });
    case ChartKind::kHeat: return c.width > 0 && c.height > 0 && c.values.size() == static_cast<std::size_t>(c.width) * static_cast<std::size_t>(c.height) && std::any_of(c.values.begin(), c.values.end(), finite);
    case ChartKind::kRoofline: return !c.points.empty() && std::all_of(c.points.begin(), c.points.end(), [&](const RoofPoint& p) { return finite(p.x) && finite(p.y) && p.x > 0 && p.y > 0; });
  }
  return false;
}

std::string charts_json(const std::vector<Chart>& charts) {
  Json all = Json::array();
  for (const Chart& c : charts) all.push_back(chart(c));
  const std::string text = all.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string out;
  for (const char c : text) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

int heat_block(const Chart& c) { return std::max(1, (std::max(c.width, c.height) + kMostCells - 1) / kMostCells); }

std::vector<double> heat_means(const Chart& c, int block) {
  std::vector<double> means;
  for (int y = 0; y < c.height; y += block) {
    for (int x = 0; x < c.width; x += block) {
      double sum = 0;
      int count = 0;
      for (int v = y; v < std::min(y + block, c.height); ++v) {
        for (int u = x; u < std::min(x + block, c.width); ++u, ++count) sum += c.values[static_cast<std::size_t>(v) * static_cast<std::size_t>(c.width) + static_cast<std::size_t>(u)];
      }
      means.push_back(sum / count);
    }
  }
  return means;
}

}  // namespace waferloom::report::page
