#include "host/config/scalar.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "host/config/diagnostic.h"

namespace waferloom::config {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Splits "[+-]digits" off the front; returns the position after it.
std::size_t skip_digits(const std::string& text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

enum class Dimension { kBytes, kHertz, kBits, kWatts, kSeconds, kCycles };

struct Unit {
  const char* word;  // lower case
  Dimension dimension;
  double factor;
};

constexpr std::array<Unit, 36> kUnits{{
    {"b", Dimension::kBytes, 1},
    {"byte", Dimension::kBytes, 1},
    {"bytes", Dimension::kBytes, 1},
    {"kb", Dimension::kBytes, 1e3},
    {"mb", Dimension::kBytes, 1e6},
    {"gb", Dimension::kBytes, 1e9},
    {"tb", Dimension::kBytes, 1e12},
    {"pb", Dimension::kBytes, 1e15},
    {"kib", Dimension::kBytes, 1024.0},
    {"mib", Dimension::kBytes, 1048576.0},
    {"gib", Dimension::kBytes, 1073741824.0},
    {"tib", Dimension::kBytes, 1099511627776.0},
    {"hz", Dimension::kHertz, 1},
    {"khz", Dimension::kHertz, 1e3},
    {"mhz", Dimension::kHertz, 1e6},
    {"ghz", Dimension::kHertz, 1e9},
    {"bits", Dimension::kBits, 1},
    {"bit", Dimension::kBits, 1},
    {"kbits", Dimension::kBits, 1e3},
    {"mbits", Dimension::kBits, 1e6},
    {"gbits", Dimension::kBits, 1e9},
    {"tbits", Dimension::kBits, 1e12},
    {"w", Dimension::kWatts, 1},
    {"mw", Dimension::kWatts, 1e-3},
    {"kw", Dimension::kWatts, 1e3},
    {"watts", Dimension::kWatts, 1},
    {"s", Dimension::kSeconds, 1},
    {"ms", Dimension::kSeconds, 1e-3},
    {"us", Dimension::kSeconds, 1e-6},
    {"ns", Dimension::kSeconds, 1e-9},
    {"cycles", Dimension::kCycles, 1},
    {"cycle", Dimension::kCycles, 1},
    {"kcycles", Dimension::kCycles, 1e3},
    {"mcycles", Dimension::kCycles, 1e6},
    {"seconds", Dimension::kSeconds, 1},
    {"words", Dimension::kCycles, 1},
}};

const Unit* find_unit(const std::string& word) {
  for (const Unit& unit : kUnits) {
    if (word == unit.word) return &unit;
  }
  return nullptr;
}

bool ends_with(const std::string& text, const std::string& tail) {
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

// "clock_mhz" -> {"clock", mhz}; "_per_s" belongs to the stem's end: "io_gbits_per_s" -> {"io", gbits, per_s}.
struct SplitKey {
  std::string stem;
  const Unit* unit = nullptr;
  bool per_second = false;
};

SplitKey split_key(const std::string& key) {
  SplitKey split;
  std::string rest = lower(key);
  if (ends_with(rest, "_per_s")) {
    split.per_second = true;
    rest.resize(rest.size() - 6);
  }
  const std::size_t underscore = rest.rfind('_');
  if (underscore == std::string::npos) {
    split.stem = rest;
    return split;
  }
  split.unit = find_unit(rest.substr(underscore + 1));
  split.stem = split.unit != nullptr ? rest.substr(0, underscore) : rest;
  return split;
}

}  // namespace

ParsedInteger parse_integer(const std::string& text) {
  ParsedInteger parsed;
  std::size_t begin = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t end = skip_digits(text, begin);
  if (begin == text.size() || end != text.size()) {
    parsed.fault = parse_real(text).fault == NumberFault::kNone ? NumberFault::kNotWhole : NumberFault::kNotANumber;
    return parsed;
  }
  if (end - begin > 1 && text[begin] == '0') {
    parsed.fault = NumberFault::kLeadingZero;
    return parsed;
  }
  if (text[0] != '+') begin = 0;
  const auto result = std::from_chars(text.data() + begin, text.data() + text.size(), parsed.value);
  if (result.ec != std::errc{}) parsed.fault = NumberFault::kTooLarge;
  return parsed;
}

ParsedReal parse_real(const std::string& text) {
  ParsedReal parsed;
  parsed.fault = NumberFault::kNotANumber;
  const std::size_t begin = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  std::size_t at = skip_digits(text, begin);
  std::size_t digits = at - begin;
  if (digits > 1 && text[begin] == '0') {
    const bool pure = skip_digits(text, begin) == text.size();
    if (pure) parsed.fault = NumberFault::kLeadingZero;
    return parsed;
  }
  if (at < text.size() && text[at] == '.') {
    const std::size_t after = skip_digits(text, at + 1);
    digits += after - at - 1;
    at = after;
  }
  if (digits == 0) return parsed;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::size_t after = skip_digits(text, at);
    if (after == at) return parsed;
    at = after;
  }
  if (at != text.size()) return parsed;
  const char* first = text.data() + (text[0] == '+' ? 1 : 0);
  const auto result = std::from_chars(first, text.data() + text.size(), parsed.value);
  const bool finite = result.ec == std::errc{} && std::isfinite(parsed.value);
  parsed.fault = finite ? NumberFault::kNone : NumberFault::kTooLarge;
  return parsed;
}

std::string format_real(double value) {
  std::string text = fmt::format("{}", value);
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text;
}

std::optional<double> value_with_unit(const std::string& text, const std::string& key) {
  std::size_t at = 0;
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.' || text[at] == '-' || text[at] == '+')) ++at;
  if (at == 0) return std::nullopt;
  const ParsedReal number = parse_real(text.substr(0, at));
  if (number.fault != NumberFault::kNone) return std::nullopt;
  while (at < text.size() && text[at] == ' ') ++at;
  const std::string written = text.substr(at);
  std::string word = lower(written);
  if (word.empty()) return std::nullopt;
  const SplitKey split = split_key(key);
  if (split.unit == nullptr) return std::nullopt;
  // A letter's case decides between bits and bytes, and between mega and milli.
  const std::size_t b = written.size() > 1 && lower(written.substr(1, 1)) == "b" ? 1 : 0;
  const bool bytes = split.unit->dimension == Dimension::kBits && written[b] == 'B' && word.find("bit") == std::string::npos;
  const bool bits = split.unit->dimension == Dimension::kBytes && written[b] == 'b' && written.find("bytes") == std::string::npos && written.find("byte") == std::string::npos;
  if (bits) return std::nullopt;
  if (split.unit->dimension == Dimension::kWatts && written[0] == 'M') return word == "mw" ? std::optional<double>(number.value * 1e6 / split.unit->factor) : std::nullopt;
  bool rate = false;
  for (const char* tail : {"/s", "ps", " per s", "_per_s"}) {
    if (split.per_second && !rate && ends_with(word, tail)) {
      word.resize(word.size() - std::string(tail).size());
      rate = true;
    }
  }
  // "Gb/s" means bits where the key counts bits.
  if (split.unit->dimension == Dimension::kBits && word.size() <= 2 && !word.empty() && word.back() == 'b')
    word += "its";
  if (split.unit->dimension == Dimension::kBits && ends_with(word, "bit")) word += 's';
  const Unit* unit = find_unit(word);
  if (unit == nullptr || unit->dimension != split.unit->dimension) return std::nullopt;
  return number.value * unit->factor / split.unit->factor * (bytes ? 8 : 1);
}

std::optional<double> unit_factor(const std::string& written_key, const std::string& known_key) {
  const SplitKey written = split_key(written_key);
  const SplitKey known = split_key(known_key);
  if (known.unit == nullptr || written.stem != known.stem) return std::nullopt;
  if (written.unit == nullptr) return written.stem == lower(written_key) ? std::optional<double>(1.0) : std::nullopt;
  if (written.unit->dimension == known.unit->dimension) return written.unit->factor / known.unit->factor;
  if (written.unit->dimension == Dimension::kBytes && known.unit->dimension == Dimension::kBits)
    return 8 * written.unit->factor / known.unit->factor;
  return std::nullopt;
}

}  // namespace waferloom::config
