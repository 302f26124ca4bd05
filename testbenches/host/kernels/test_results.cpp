// What a kernel run says of its cases: verdicts, table, CSV, JSON; values and their sums. No tile runs here.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "host/kernels/golden.h"
#include "host/kernels/results.h"
#include "sim/macros/arith.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;
using namespace waferloom::kernels;
using config::Precision;

namespace {

config::KernelCase named(const char* name) {
  config::KernelCase c;
  c.name = name;
  c.width = 512;
  c.words = 256;
  c.machine.name = "wse2";
  return c;
}

config::KernelExpectation exactly(double cycles, double percent) {
  config::KernelExpectation e;
  e.least = e.most = cycles;
  e.tolerance_percent = percent;
  e.source = "a \"paper\"";
  return e;
}

CaseResult of(const config::KernelCase& c, std::uint64_t cycles) {
  CaseResult r;
  r.wanted = &c;
  Measurement m;
  m.cycles = cycles;
  m.checked_words = 7;
  r.measurements = {m};
  return r;
}

}  // namespace

TEST_CASE("verdicts") {
  config::KernelCase c = named("x");
  CHECK(of(c, 100).verdict() == Verdict::kReported);
  c.expected = exactly(100, 2);
  CHECK(of(c, 98).verdict() == Verdict::kWithin);
  CHECK(of(c, 102).verdict() == Verdict::kWithin);
  CHECK(of(c, 97).verdict() == Verdict::kMissed);
  CHECK(of(c, 103).verdict() == Verdict::kMissed);
  CHECK(of(c, 103).difference() == 3);
  CHECK(of(c, 97).difference() == -3);
  CaseResult other = of(c, 500);
  other.judged = false;
  CHECK(other.verdict() == Verdict::kReported);
  CaseResult wrong = of(c, 100);
  wrong.measurements[0].wrong_words = 1;
  CHECK(wrong.verdict() == Verdict::kWrong);
  // What did not finish says how it ended, whatever its values were.
  for (const auto& [ending, verdict, word] : {std::tuple(Ending::kDeadlock, Verdict::kDeadlock, "deadlock"), std::tuple(Ending::kLivelock, Verdict::kLivelock, "livelock"), std::tuple(Ending::kCycleLimit, Verdict::kCycleLimit, "cycle limit"),
                                              std::tuple(Ending::kTrap, Verdict::kTrap, "trap"), std::tuple(Ending::kFault, Verdict::kFailed, "failed")}) {
    CaseResult stuck = of(c, 100);
    stuck.measurements.push_back(stuck.measurements[0]);
    stuck.measurements[1].ending = ending;
    CHECK(stuck.verdict() == verdict);
    CHECK(std::string(to_string(stuck.verdict())) == word);
    stuck.measurements[0].wrong_words = 1;
    CHECK(stuck.verdict() == verdict);
  }
  CaseResult twice = of(c, 100);
  twice.measurements.push_back(twice.measurements[0]);
  twice.measurements[1].cycles = 110;
  CHECK(twice.cycles() == 110);
  CHECK(twice.verdict() == Verdict::kMissed);
}

TEST_CASE("table, CSV and JSON say the same") {
  config::KernelCase a = named("one"), b = named("two");
  a.expected = exactly(36909, 2);
  b.expected = exactly(1162, 2);
  b.expected->most = std::numeric_limits<double>::infinity();
  const std::vector<CaseResult> results{of(a, 37000), of(b, 2400)};
  const std::string table = results_table(results);
  INFO(table);
  CHECK(table.find("one       512x1    256      37,000          36,909      +91 (+0.2 %)  within\n") != std::string::npos);
  CHECK(table.find(">= 1,162") != std::string::npos);
  const std::string csv = results_csv(results);
  INFO(csv);
  CHECK(csv.find("one,broadcast,wse2,512,1,256,fp32,0,37000,36909,36909,91,within,7,0,\"a \"\"paper\"\"\"\n") != std::string::npos);
  config::KernelRun run;
  run.name = "r";
  const nlohmann::json json = nlohmann::json::parse(results_json(run, results));
  CHECK(json["schema"] == "waferloom-kernels-1");
  CHECK(json["cases"][0]["cycles"] == 37000);
  CHECK(json["cases"][0]["difference_cycles"] == 91);
  CHECK(json["cases"][0]["verdict"] == "within");
  CHECK(json["cases"][1]["expected"].contains("cycles_max") == false);
}

TEST_CASE("values are finite, distinct for neighbours, and depend on seed and place alone") {
  for (const Precision p : {Precision::kFp32, Precision::kFp16}) {
    std::vector<std::uint32_t> seen;
    for (std::uint32_t x = 0; x < 20; ++x) {
      for (std::uint32_t y = 0; y < 20; ++y) {
        const std::uint32_t word = random_word(5, x, y, 3, p);
        CHECK(word == random_word(5, x, y, 3, p));
        if (p == Precision::kFp32) {
          CHECK(std::fabs(macros::to_float(word)) < 2);
          CHECK(std::fabs(macros::to_float(word)) >= 0.125F);
        } else {
          for (const std::uint32_t half : {word & 0xffffU, word >> 16U}) {
            const float value = macros::to_float(macros::half_to_single(static_cast<std::uint16_t>(half)));
            CHECK((std::fabs(value) < 2 && std::fabs(value) >= 0.125F));
          }
        }
        seen.push_back(word);
      }
    }
    std::sort(seen.begin(), seen.end());
    CHECK(std::unique(seen.begin(), seen.end()) == seen.end());
    CHECK(random_word(5, 1, 2, 3, p) != random_word(6, 1, 2, 3, p));
  }
}

TEST_CASE("orders of addition differ, and each is the one it says") {
  // 2^-24 beside 1 is half a unit in the last place: lost where it meets a sum that is even there, kept where two of them meet first.
  const std::uint32_t one = 0x3f800000, tiny = 0x33800000, up = 0x3f800001, twice = 0x3f800002;
  const auto sum = [&](const LineSum& f, const std::vector<Words>& line) {
    std::vector<Words> copy = line;
    return f(copy, Precision::kFp32)[0];
  };
  const LineSum star = [](std::vector<Words>& l, Precision p) { return star_sum(l, p, 4); };
  const LineSum phases = [](std::vector<Words>& l, Precision p) { return two_phase_sum(l, p, 2); };
  const std::vector<Words> three{{one}, {tiny}, {tiny}}, four{{one}, {tiny}, {tiny}, {tiny}};
  CHECK(sum(chain_sum, three) == up);      // (t + t) + 1
  CHECK(sum(tree_sum, three) == one);      // (1 + t) + t
  CHECK(sum(star, three) == one);          // (1 + t) + t in two lanes
  CHECK(sum(phases, three) == one);        // t + (t + 1)
  CHECK(sum(chain_sum, four) == twice);    // 3 t beside 1 is a tie that goes to the even neighbour
  CHECK(sum(tree_sum, four) == up);        // (1 + t) + (t + t)
  CHECK(sum(star, four) == up);            // (1 + t) + (t + t)
  CHECK(sum(phases, four) == up);
}
