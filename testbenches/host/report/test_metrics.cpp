// Numbers for programs: JSON, CSV and the checks on sums. (Schemas are held by read_back.py.)
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "host/config/resolver.h"
#include "host/config/schema.h"
#include "host/report/machine_parameters.h"
#include "host/report/metrics.h"
#include "host/report/numbers.h"
#include "host/report/version.h"
#include "testbenches/host/report/sample_report.h"
#include "testbenches/lib/catch.h"

using namespace waferloom::report;
using waferloom::test::sample_report;

TEST_CASE("numbers that are not finite are texts in JSON and CSV") {
  RunReport r = sample_report();
  r.epochs[0].train_loss = std::numeric_limits<double>::infinity();
  r.epochs[0].test_loss = -std::numeric_limits<double>::infinity();
  const auto json = nlohmann::json::parse(metrics_json(r));
  CHECK(json["steps"][3]["loss"] == "NaN");
  CHECK(json["epochs"][0]["train_loss"] == "Infinity");
  CHECK(json["epochs"][0]["test_loss"] == "-Infinity");
  CHECK(json["epochs"][1]["train_loss"] == 2.0);
  CHECK(metrics_json(r).find("null") == std::string::npos);
  CHECK(epochs_csv(r).find("1,2,0,0,2001,Infinity,0.25,-Infinity,0.3\n") != std::string::npos);
}

TEST_CASE("an epoch whose held-out rows were not evaluated has no test figures") {
  RunReport r = sample_report();
  r.epochs[1].tested = false;
  const auto json = nlohmann::json::parse(metrics_json(r));
  CHECK(json["epochs"][0]["test_loss"] == 2.2);
  CHECK(json["epochs"][1]["test_loss"].is_null());
  CHECK(json["epochs"][1]["test_accuracy"].is_null());
  CHECK(epochs_csv(r).find("2,2,1,5,2005,2,0.5,,\n") != std::string::npos);
}

TEST_CASE("the CSV names its columns by phase and by unit and cause") {
  const std::string csv = metrics_csv(sample_report());
  CHECK(csv.find("step,epoch,kind,loss,loss_scale,skipped,saturations,cycles,wavelets_in,wavelets_out,phase.forward,"
                 "phase.delta,phase.gradient,pe.axpy,pe.waiting,router.idle\n") == 0);
  CHECK(csv.find("\n0,1,train,2.3,128,false,0,1000,4000,3000,400,250,350,12000,20000,32000\n") != std::string::npos);
  CHECK(csv.find("\n3,2,evaluate,NaN,128,true,5,1003,4000,3000,400,250,353,12000,20096,32096\n") != std::string::npos);
}

TEST_CASE("a cell with commas and quotes is quoted; a phase that a step lacks is zero") {
  RunReport r = sample_report();
  r.steps[1].phases.push_back({"a \"b\", c", 0});
  const std::string csv = metrics_csv(r);
  CHECK(csv.find(",\"phase.a \"\"b\"\", c\",pe.axpy") != std::string::npos);
  CHECK(csv.find("\n0,1,train,2.3,128,false,0,1000,4000,3000,400,250,350,0,12000") != std::string::npos);
}

TEST_CASE("an empty report is still valid") {
  const auto json = nlohmann::json::parse(metrics_json(RunReport{}));
  CHECK(json["steps"].is_array());
  CHECK(json["extrapolations"].empty());
  CHECK(metrics_csv(RunReport{}) ==
        "step,epoch,kind,loss,loss_scale,skipped,saturations,cycles,wavelets_in,wavelets_out\n");
}

TEST_CASE("large counts keep every digit") {
  RunReport r = sample_report();
  r.cycles = 9007199254740993;  // 2^53 + 1
  CHECK(metrics_json(r).find("9007199254740993") != std::string::npos);
  CHECK(grouped(r.cycles) == "9,007,199,254,740,993");
}

TEST_CASE("sums that do not add up are found") {
  CHECK(check_report(sample_report()).empty());
  RunReport phases = sample_report();
  phases.steps[2].phases[0].cycles += 1;
  REQUIRE(check_report(phases).size() == 1);
  CHECK(check_report(phases)[0] == "step 2: phases sum to 1003 cycles, not to 1002");
  RunReport causes = sample_report();
  causes.steps[1].units[0].causes[1].cycles -= 3;
  REQUIRE(check_report(causes).size() == 1);
  CHECK(check_report(causes)[0] == "step 1: causes of 32 pe sum to 32029 cycles, not to 32032");
  RunReport whole = sample_report();
  whole.units[1].causes[0].cycles += 7;
  CHECK(check_report(whole).size() == 1);
  RunReport negative = sample_report();
  negative.steps[0].units[0].causes = {{"a", -1}, {"b", 32001}};
  REQUIRE(check_report(negative).size() == 1);
  CHECK(check_report(negative)[0] == "step 0: cause 'a' of pe is negative");
  RunReport lost = sample_report();
  lost.wavelets_received -= 1;
  REQUIRE(check_report(lost).size() == 1);
  CHECK(check_report(lost)[0] == "whole run: 999 wavelets sent, 998 received");
  lost.status = "interrupted";
  CHECK(check_report(lost).empty());
}

TEST_CASE("numbers as people read them") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(grouped(-999) == "-999");
  CHECK(percent(0.934) == "93.4 %");
  CHECK(percent(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(fixed(-std::numeric_limits<double>::infinity(), 2) == "-inf");
  CHECK(short_number(0) == "0");
  CHECK(short_number(0.25) == "0.25");
  CHECK(short_number(12345.6) == "12,346");
  CHECK(short_number(4.5e6) == "4,500,000");
  CHECK(short_number(1.2e12) == "1.200e+12");
  CHECK(short_number(2e-6) == "2.000e-06");
  CHECK(text_of({12.3, "%", Origin::kFitted, "", 11.9, 12.8}) == "12.3 % [11.9, 12.8]");
  CHECK(text_of({5, "", Origin::kMeasured, "", {}, {}}) == "5");
}

TEST_CASE("the version names the project's number and a commit") {
  CHECK(version_text().find("waferloom " + project_version() + " (commit ") == 0);
  CHECK(!project_commit().empty());
  CHECK(tool_versions().size() == 5);
  for (const auto& [name, version] : tool_versions()) {
    INFO(name);
    CHECK(!version.empty());
  }
}

TEST_CASE("a machine's parameters say whether they are published or assumed") {
  waferloom::config::Machine machine;
  machine.hop_cycles = {1, "arXiv 2404.15888"};
  machine.router_queue_depth = {3, "assumed"};
  bool hop = false;
  bool queue = false;
  for (const auto& [name, q] : machine_parameters(machine)) {
    if (name == "hop")
      hop = q.value == 1 && q.origin == Origin::kPublished && q.source == "arXiv 2404.15888" && q.unit == "cycles";
    if (name == "router queue") queue = q.value == 3 && q.origin == Origin::kAssumed && q.source.empty();
  }
  CHECK(hop);
  CHECK(queue);
}

TEST_CASE("every number of a shipped machine stands among its parameters") {
  // A key of the schema that no report shows is a number that nobody uses.
  const waferloom::config::Result<waferloom::config::Resolved<waferloom::config::Machine>> machine = waferloom::config::resolve_machine("wse2");
  REQUIRE(machine.ok());
  std::size_t scalars = 0;
  for (const waferloom::config::Field& field : waferloom::config::machine_section().fields) {
    scalars += field.type == waferloom::config::FieldType::kInteger || field.type == waferloom::config::FieldType::kReal ? 1 : 0;
  }
  const auto parameters = machine_parameters(machine->value);
  CHECK(parameters.size() == scalars);
  CHECK(std::find_if(parameters.begin(), parameters.end(), [](const auto& p) { return p.first == "silicon" && p.second.value == 46225; }) != parameters.end());
  waferloom::config::Machine bare = machine->value;
  bare.area_mm2.reset();
  CHECK(machine_parameters(bare).size() == scalars - 1);
}
