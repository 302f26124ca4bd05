// Tables and maps of counters without a fabric: shares, differences, and that the numbers of a picture are those of the table.
#include <sstream>

#include "sim/generated/counters.h"
#include "sim/trace/heat_map.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;
using trace::CounterCell;
using trace::CounterMap;
using trace::HeatKind;

namespace {

CounterMap sample(uint64_t scale) {
  CounterMap map;
  map.array_width = 5;
  map.array_height = 4;
  map.columns = 3;
  map.rows = 2;
  map.cycles = 100 * scale;
  for (uint32_t i = 0; i < 6; ++i) {
    CounterCell cell;
    cell.x = 2 * (i % 3);
    cell.y = 2 * (i / 3);
    cell.width = i % 3 == 2 ? 1 : 2;
    cell.height = 2;
    cell.pe_classes.assign(spec::kPeClassCount, 0);
    cell.pe_events.assign(spec::kPeEventCount, i * scale);
    cell.router_classes.assign(spec::kRouterClassCount, 0);
    cell.links.assign(5, 7 * i * scale);
    const uint64_t all = map.cycles * cell.width * cell.height;
    cell.pe_classes[1] = all / 4;       // axpy
    cell.pe_classes[5] = all / 8;       // scalar
    cell.pe_classes[10] = i * all / 16; // wait_in
    cell.pe_classes[0] = all - cell.pe_classes[1] - cell.pe_classes[5] - cell.pe_classes[10];
    map.cells.push_back(cell);
  }
  return map;
}

std::vector<std::string> values_of(const std::string& svg) {
  std::vector<std::string> values;
  const std::string key = "data-value=\"";
  for (size_t at = svg.find(key); at != std::string::npos; at = svg.find(key, at + 1)) values.push_back(svg.substr(at + key.size(), svg.find('"', at + key.size()) - at - key.size()));
  return values;
}

}  // namespace

TEST_CASE("heat map: shares of tile cycles, whatever the size of a cell") {
  const CounterMap map = sample(3);
  for (uint32_t i = 0; i < 6; ++i) {
    CHECK(trace::heat(map, map.cells[i], HeatKind::kUtilisation) == Approx(0.375).epsilon(0.001));
    CHECK(trace::heat(map, map.cells[i], HeatKind::kStalls) == Approx(i / 16.0).epsilon(0.005));
    const double tiles = map.cells[i].width * map.cells[i].height;
    CHECK(trace::heat(map, map.cells[i], HeatKind::kLinkLoad) == Approx(28.0 * i * 3 / (4 * 300 * tiles)));
  }
}

TEST_CASE("heat map: the picture has one cell per line of the table, with the table's numbers") {
  const CounterMap map = sample(5);
  std::istringstream csv(trace::counters_csv(map));
  std::string line;
  std::getline(csv, line);
  std::vector<std::string> names;
  std::istringstream header(line);
  for (std::string name; std::getline(header, name, ',');) names.push_back(name);
  CHECK(names.size() == 6 + spec::kPeClassCount + spec::kPeEventCount + spec::kRouterClassCount + 5);
  const std::vector<std::string> stalls = values_of(trace::heat_map_svg(map, HeatKind::kStalls));
  const std::vector<std::string> loads = values_of(trace::heat_map_svg(map, HeatKind::kLinkLoad));
  REQUIRE(stalls.size() == 6);
  REQUIRE(loads.size() == 6);
  for (size_t row = 0; std::getline(csv, line); ++row) {
    REQUIRE(row < 6);
    double width = 0, height = 0, cycles = 0, waits = 0, driven = 0;
    std::istringstream fields(line);
    std::string field;
    for (size_t k = 0; std::getline(fields, field, ','); ++k) {
      const double value = std::stod(field);
      if (names[k] == "width") width = value;
      if (names[k] == "height") height = value;
      if (names[k] == "cycles") cycles = value;
      if (names[k].rfind("pe_wait_", 0) == 0) waits += value;
      if (names[k].rfind("link_", 0) == 0 && names[k] != "link_ramp") driven += value;
    }
    CHECK(std::stod(stalls[row]) == Approx(waits / (cycles * width * height)).margin(1e-6));
    CHECK(std::stod(loads[row]) == Approx(driven / (4 * cycles * width * height)).margin(1e-6));
  }
}

TEST_CASE("heat map: the difference of two readings counts what lies between them") {
  const CounterMap map = trace::difference(sample(2), sample(5));
  CHECK(map.first_cycle == 200);
  CHECK(map.cycles == 300);
  CHECK(map.cells[3].links[0] == 7 * 3 * 3);
  CHECK(trace::heat(map, map.cells[3], HeatKind::kUtilisation) == Approx(0.375).epsilon(0.001));
}
