#include "host/kernels/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/config/csv.h"

namespace waferloom::kernels {
namespace {

using nlohmann::ordered_json;

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

// "4,090", "1,195 to 1,380", ">= 1,162", or "-".
std::string expectation_text(const config::KernelCase& wanted) {
  if (!wanted.expected) return "-";
  const config::KernelExpectation& e = *wanted.expected;
  const auto number = [](double value) { return value == std::floor(value) ? grouped(static_cast<std::uint64_t>(value)) : fmt::format("{:.1f}", value); };
  if (std::isinf(e.most)) return ">= " + number(e.least);
  if (e.least == e.most) return number(e.least);
  return number(e.least) + " to " + number(e.most);
}

std::string difference_text(const CaseResult& r) {
  if (!r.wanted->expected || !r.finished()) return "-";
  const config::KernelExpectation& e = *r.wanted->expected;
  const double from = r.difference() < 0 ? e.least : e.most;
  if (r.difference() == 0) return e.least == e.most ? "0" : "within";
  return fmt::format("{:+.0f} ({:+.1f} %)", r.difference(), 100 * r.difference() / std::max(1.0, from));
}

std::string hex(std::uint32_t word) { return fmt::format("{:#010x}", word); }

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReported: return "reported";
    case Verdict::kWithin: return "within";
    case Verdict::kMissed: return "missed";
    case Verdict::kWrong: return "wrong";
    case Verdict::kTrap: return "trap";
    case Verdict::kDeadlock: return "deadlock";
    case Verdict::kLivelock: return "livelock";
    case Verdict::kCycleLimit: return "cycle limit";
    case Verdict::kFailed: return "failed";
  }
  return "";
}

bool CaseResult::finished() const {
  return !measurements.empty() && std::all_of(measurements.begin(), measurements.end(), [](const Measurement& m) { return m.ending == Ending::kDone; });
}

std::uint64_t CaseResult::cycles() const {
  std::uint64_t most = 0;
  for (const Measurement& m : measurements) most = std::max(most, m.cycles);
  return most;
}

std::uint64_t CaseResult::wrong_words() const {
  std::uint64_t sum = 0;
  for (const Measurement& m : measurements) sum += m.wrong_words;
  return sum;
}

Verdict CaseResult::verdict() const {
  for (const Measurement& m : measurements) {
    switch (m.ending) {
      case Ending::kDone: break;
      case Ending::kTrap: return Verdict::kTrap;
      case Ending::kDeadlock: return Verdict::kDeadlock;
      case Ending::kLivelock: return Verdict::kLivelock;
      case Ending::kCycleLimit: return Verdict::kCycleLimit;
      case Ending::kFault:
      case Ending::kInterrupted: return Verdict::kFailed;
    }
  }
  if (measurements.empty()) return Verdict::kFailed;
  if (wrong_words() != 0) return Verdict::kWrong;
  if (!wanted->expected || !judged) return Verdict::kReported;
  return wanted->expected->holds(static_cast<double>(cycles())) ? Verdict::kWithin : Verdict::kMissed;
}

double CaseResult::difference() const {
  if (!wanted->expected) return 0;
  const double measured = static_cast<double>(cycles());
  return measured < wanted->expected->least ? measured - wanted->expected->least : std::max(0.0, measured - wanted->expected->most);
}

std::string results_table(const std::vector<CaseResult>& results) {
  std::size_t width = 4, size = 5;
  for (const CaseResult& r : results) {
    width = std::max(width, r.wanted->name.size());
    size = std::max(size, config::size_text(*r.wanted).size());
  }
  std::string text = fmt::format("{:<{}}  {:>9}  {:>{}}  {:>10}  {:>14}  {:>16}  verdict\n", "case", width, "array", "B", size, "cycles", "expected", "difference");
  for (const CaseResult& r : results) {
    const config::KernelCase& c = *r.wanted;
    text += fmt::format("{:<{}}  {:>9}  {:>{}}  {:>10}  {:>14}  {:>16}  {}\n", c.name, width, fmt::format("{}x{}", c.width, c.height), config::size_text(c), size,
                        r.finished() ? grouped(r.cycles()) : "-", expectation_text(c), difference_text(r), to_string(r.verdict()));
  }
  return text;
}

std::string results_json(const config::KernelRun& run, const std::vector<CaseResult>& results) {
  ordered_json json;
  json["schema"] = "waferloom-kernels-1";
  json["run"] = run.name;
  json["time"] = "wafer cycles from the first start to the last end, read by the tiles themselves, less what two readings alone take (empty_cycles)";
  ordered_json cases = ordered_json::array();
  for (const CaseResult& r : results) {
    const config::KernelCase& c = *r.wanted;
    ordered_json row;
    row["name"] = c.name;
    row["kernel"] = config::to_string(c.kernel);
    row["machine"] = c.machine.name;
    row["width"] = c.width;
    row["height"] = c.height;
    row["size"] = config::size_text(c);
    for (const auto& [key, number] : {std::pair("words", c.words), std::pair("rows", c.rows), std::pair("inner", c.inner), std::pair("columns", c.columns), std::pair("cells", c.cells), std::pair("tokens", c.tokens), std::pair("features", c.features),
                                      std::pair("hidden", c.hidden)}) {
      if (number != 0) row[key] = number;
    }
    if (c.cells != 0) row["steps"] = c.steps;
    row["precision"] = config::to_string(c.precision);
    if (c.group != 0) row["group"] = c.group;
    row["seed"] = c.seed;
    row["origin"] = "measured on RTL";
    row["router"] = r.router_hash;
    row["pe"] = r.pe_hash;
    if (r.finished()) row["cycles"] = r.cycles();
    if (c.expected) {
      ordered_json e;
      e["cycles_min"] = c.expected->least;
      if (!std::isinf(c.expected->most)) e["cycles_max"] = c.expected->most;
      e["tolerance_percent"] = c.expected->tolerance_percent;
      e["tolerance_cycles"] = c.expected->tolerance_cycles;
      e["source"] = c.expected->source;
      e["judged"] = r.judged;
      row["expected"] = std::move(e);
      if (r.finished()) row["difference_cycles"] = r.difference();
    }
    row["verdict"] = to_string(r.verdict());
    ordered_json repetitions = ordered_json::array(), wall = ordered_json::array();
    for (const Measurement& m : r.measurements) {
      ordered_json one;
      one["cycles"] = m.cycles;
      one["empty_cycles"] = m.last_end - m.first_start - m.cycles;
      one["checked_words"] = m.checked_words;
      one["wrong_words"] = m.wrong_words;
      if (!m.message.empty()) one["message"] = m.message;
      for (const Difference& d : m.differences) one["differences"].push_back({{"x", d.x}, {"y", d.y}, {"word", d.word}, {"found", hex(d.found)}, {"expected", hex(d.expected)}});
      one["router_evaluations"] = m.router_evaluations;
      one["pe_evaluations"] = m.pe_evaluations;
      repetitions.push_back(std::move(one));
      wall.push_back({{"load_s", m.load_s}, {"run_s", m.run_s}, {"check_s", m.check_s}});
    }
    row["repetitions"] = std::move(repetitions);
    row["wall_clock"] = {{"repetitions", std::move(wall)}, {"peak_memory_bytes", r.peak_memory_bytes}};
    cases.push_back(std::move(row));
  }
  json["cases"] = std::move(cases);
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string results_csv(const std::vector<CaseResult>& results) {
  std::string text = "case,kernel,machine,width,height,size,precision,group,cycles,expected_min,expected_max,difference,verdict,checked_words,wrong_words,source\n";
  for (const CaseResult& r : results) {
    const config::KernelCase& c = *r.wanted;
    std::uint64_t checked = 0;
    for (const Measurement& m : r.measurements) checked += m.checked_words;
    const std::string least = c.expected ? fmt::format("{}", c.expected->least) : "";
    const std::string most = c.expected && !std::isinf(c.expected->most) ? fmt::format("{}", c.expected->most) : "";
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", c.name, config::to_string(c.kernel), c.machine.name, c.width, c.height, config::size_text(c),
                        config::to_string(c.precision), c.group, r.finished() ? std::to_string(r.cycles()) : "", least, most,
                        c.expected && r.finished() ? fmt::format("{}", r.difference()) : "", to_string(r.verdict()), checked, r.wrong_words(),
                        c.expected ? config::csv_cell(c.expected->source) : "");
  }
  return text;
}

}  // namespace waferloom::kernels
