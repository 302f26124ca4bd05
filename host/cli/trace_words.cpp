#include "host/cli/trace_words.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <set>

#include "host/config/diagnostic.h"

namespace waferloom::cli {

std::optional<std::uint64_t> whole_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  errno = 0;
  const unsigned long long value = std::strtoull(text.c_str(), nullptr, 10);
  if (errno != 0) return std::nullopt;
  return value;
}
namespace {

using trace::TraceOptions;

const std::vector<std::string> kNames = {"tiles", "cycles", "kinds", "limit"};
const std::vector<std::string> kKinds = {"waves", "instructions", "timeline", "counters"};  // in order of trace::Kinds

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

using Fault = std::optional<WordFault>;
WordFault fault(const std::string& word, const std::string& what, const std::string& hint = {}) { return {"--trace " + word + ": " + what, hint}; }

Fault tiles(const std::string& word, const std::string& value, fabric::Region* region) {
  const std::string hint = "tiles=X,Y or tiles=X1,Y1:X2,Y2 (both corners included)";
  const std::vector<std::string> corners = split(value, ':');
  std::vector<std::uint64_t> at;
  for (const std::string& corner : corners) {
    const std::vector<std::string> pair = split(corner, ',');
    for (const std::string& coordinate : pair) {
      const auto parsed = whole_number(coordinate);
      if (pair.size() != 2 || !parsed) return fault(word, fmt::format("'{}' is not a tile", corner), hint);
      if (*parsed > 65535) return fault(word, fmt::format("{} is no coordinate of a tile", coordinate), hint);
      at.push_back(*parsed);
    }
  }
  if (corners.size() > 2) return fault(word, "more than two corners", hint);
  if (corners.size() == 1) at.insert(at.end(), at.begin(), at.begin() + 2);
  if (at[2] < at[0] || at[3] < at[1]) return fault(word, fmt::format("the rectangle is inverted: ({},{}) is not south-east of ({},{})", at[2], at[3], at[0], at[1]), "the north-west corner first");
  *region = {static_cast<std::uint32_t>(at[0]), static_cast<std::uint32_t>(at[1]), static_cast<std::uint32_t>(at[2] - at[0] + 1), static_cast<std::uint32_t>(at[3] - at[1] + 1)};
  return std::nullopt;
}

Fault cycles(const std::string& word, const std::string& value, TraceOptions* options) {
  const std::string hint = "cycles=FIRST:LAST (both included), or cycles=FIRST: to the end of the run";
  const std::vector<std::string> ends = split(value, ':');
  const auto first = whole_number(ends[0]);
  if (ends.size() != 2 || !first) return fault(word, fmt::format("'{}' is not a window of cycles", value), hint);
  options->first_cycle = *first;
  if (ends[1].empty()) return std::nullopt;
  const auto last = whole_number(ends[1]);
  if (!last) return fault(word, fmt::format("'{}' is not a window of cycles", value), hint);
  if (*last < *first) return fault(word, fmt::format("the window is inverted: {} is before {}", *last, *first), hint);
  options->last_cycle = *last;
  return std::nullopt;
}

Fault kinds(const std::string& word, const std::string& value, TraceOptions* options) {
  options->kinds = 0;
  for (const std::string& name : split(value, ',')) {
    unsigned bit = 0;
    for (std::size_t k = 0; k < kKinds.size(); ++k) {
      if (name == kKinds[k]) bit = 1U << k;
    }
    if (bit == 0) {
      const std::string guess = config::nearest(name, kKinds);
      return fault(word, fmt::format("unknown kind '{}'", name), guess.empty() ? "kinds: waves, instructions, timeline, counters" : fmt::format("did you mean '{}'?", guess));
    }
    options->kinds |= bit;
  }
  return std::nullopt;
}

Fault limit(const std::string& word, const std::string& value, TraceOptions* options) {
  std::string digits = value;
  int shift = 0;
  if (!digits.empty()) {
    const std::size_t unit = std::string("KMG").find(digits.back());
    if (unit != std::string::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      digits.pop_back();
    }
  }
  const auto parsed = whole_number(digits);
  if (!parsed || *parsed == 0 || *parsed > (UINT64_MAX >> 1) >> shift) return fault(word, fmt::format("'{}' is no size", value), "limit=500M: bytes, with K, M or G for 2^10, 2^20 or 2^30");
  options->limit_bytes = *parsed << shift;
  return std::nullopt;
}

}  // namespace

std::variant<TraceOptions, WordFault> parse_trace(const std::vector<std::string>& words) {
  TraceOptions options;
  std::set<std::string> seen;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    Fault wrong;
    if (equals == std::string::npos || value.empty()) {
      wrong = fault(word, "not of the form name=value", "tiles=X1,Y1:X2,Y2 cycles=FIRST:LAST kinds=waves,timeline limit=1G");
    } else if (!seen.insert(name).second) {
      wrong = fault(word, fmt::format("'{}' is given twice", name));
    } else if (name == "tiles") {
      wrong = tiles(word, value, &options.region);
    } else if (name == "cycles") {
      wrong = cycles(word, value, &options);
    } else if (name == "kinds") {
      wrong = kinds(word, value, &options);
    } else if (name == "limit") {
      wrong = limit(word, value, &options);
    } else {
      const std::string guess = config::nearest(name, kNames);
      wrong = fault(word, fmt::format("unknown word '{}'", name), guess.empty() ? "words: tiles, cycles, kinds, limit" : fmt::format("did you mean '{}'?", guess));
    }
    if (wrong) return *wrong;
  }
  if (seen.count("tiles") == 0) return WordFault{"--trace: no tiles are given", "tiles=X,Y or tiles=X1,Y1:X2,Y2"};
  return options;
}

std::variant<TraceOptions, WordFault> parse_trace(const std::vector<std::string>& words, std::uint32_t width, std::uint32_t height) {
  std::variant<TraceOptions, WordFault> parsed = parse_trace(words);
  const TraceOptions* options = std::get_if<TraceOptions>(&parsed);
  if (options == nullptr) return parsed;
  const fabric::Region& r = options->region;
  const bool inside = r.x + r.width <= width && r.y + r.height <= height;
  const std::uint64_t tiles = std::uint64_t{r.width} * r.height;
  if (inside && (options->kinds == trace::kCounters || tiles <= trace::kTilesAtMost)) return parsed;
  std::string tiles_word;
  for (const std::string& word : words) {
    if (word.rfind("tiles=", 0) == 0) tiles_word = word;
  }
  if (inside) return fault(tiles_word, fmt::format("the window has {} tiles, at most {} are traced", tiles, trace::kTilesAtMost), "kinds=counters covers the whole array");
  return fault(tiles_word, fmt::format("the array has {}x{} tiles, the last is ({},{})", width, height, width - 1, height - 1));
}

}  // namespace waferloom::cli
