// The fit: exact data gives back its coefficients, errors are relative and honest, and shapes that cannot determine the terms are refused.
// Left out: the physics of the terms (their own tests run the RTL).
#include <cmath>

#include "host/extrapolate/fit.h"
#include "testbenches/lib/catch.h"

namespace ex = waferloom::extrapolate;

namespace {

std::vector<ex::Sample> grid(const std::vector<double>& truth, double bias = 0) {
  std::vector<ex::Sample> samples;
  for (double outputs : {4.0, 16.0, 64.0}) {
    for (double groups : {1.0, 8.0, 40.0}) {
      for (double hops : {2.0, 30.0}) {
        ex::Sample sample;
        sample.terms = {outputs * groups, outputs, hops};
        sample.cycles = ex::predict(truth, sample.terms) * (1 + (samples.size() % 2 == 0 ? bias : -bias));
        samples.push_back(sample);
      }
    }
  }
  return samples;
}

const std::vector<std::string> kNames = {"groups", "outputs", "hops"};

}  // namespace

TEST_CASE("exact samples give back their coefficients", "[fit]") {
  const std::vector<double> truth = {1.0, 17.0, 2.5};
  const ex::FitOutcome outcome = ex::fit_cycles(kNames, grid(truth));
  REQUIRE(outcome.ok);
  for (std::size_t j = 0; j < truth.size(); ++j) CHECK(outcome.fit.coefficients[j] == Approx(truth[j]).epsilon(1e-9));
  CHECK(outcome.fit.worst_error < 1e-9);
  CHECK(outcome.fit.worst_left_out < 1e-9);
  CHECK(outcome.fit.rank == 3);
}

TEST_CASE("a term that does not matter gets zero, never less", "[fit]") {
  std::vector<ex::Sample> samples = grid({1.0, 17.0, 0.0});
  for (ex::Sample& sample : samples) sample.cycles -= 0.001 * sample.terms[2];  // pulls the third coefficient below zero
  const ex::FitOutcome outcome = ex::fit_cycles(kNames, samples);
  REQUIRE(outcome.ok);
  CHECK(outcome.fit.coefficients[2] == 0);
  CHECK(outcome.fit.coefficients[0] == Approx(1.0).epsilon(1e-3));
}

TEST_CASE("errors are relative and the worst is reported", "[fit]") {
  const ex::FitOutcome outcome = ex::fit_cycles(kNames, grid({1.0, 17.0, 2.5}, 0.03));
  REQUIRE(outcome.ok);
  CHECK(outcome.fit.worst_error > 0.02);
  CHECK(outcome.fit.worst_error < 0.08);
  CHECK(outcome.fit.median_error <= outcome.fit.worst_error);
  CHECK(outcome.fit.worst_left_out >= outcome.fit.worst_error * 0.99);
}

TEST_CASE("samples that cannot tell terms apart are refused with their names", "[fit]") {
  std::vector<ex::Sample> samples;
  for (double size : {2.0, 4.0, 8.0, 16.0, 32.0}) samples.push_back({{size * 8, size, size}, size * 20, ""});
  const ex::FitOutcome outcome = ex::fit_cycles(kNames, samples);
  REQUIRE_FALSE(outcome.ok);
  CHECK(outcome.reason.find("rank 1 of 3") != std::string::npos);
  CHECK(outcome.reason.find("outputs") != std::string::npos);
}

TEST_CASE("nearly equal terms are refused by the condition", "[fit]") {
  std::vector<ex::Sample> samples;
  int i = 0;
  for (double size : {2.0, 4.0, 8.0, 16.0, 32.0}) {
    samples.push_back({{size, size + 1e-6 * ++i * i, 100}, size * 20, ""});
  }
  const ex::FitOutcome outcome = ex::fit_cycles(kNames, samples);
  REQUIRE_FALSE(outcome.ok);
  CHECK(outcome.reason.find("condition") != std::string::npos);
}

TEST_CASE("too few samples are refused", "[fit]") {
  std::vector<ex::Sample> samples = grid({1.0, 17.0, 2.5});
  samples.resize(3);
  const ex::FitOutcome outcome = ex::fit_cycles(kNames, samples);
  REQUIRE_FALSE(outcome.ok);
  CHECK(outcome.reason.find("3 samples for 3 terms") != std::string::npos);
}
