#include "host/report/page/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "host/report/numbers.h"

namespace waferloom::report::page {
namespace {

constexpr const char* kMinus = "\xE2\x88\x92";
const std::string kSpace = "\xC2\xA0";  // where a line must not break

std::string superscript(int power) {
  constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = power < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(power))) out += kDigits[static_cast<std::size_t>(c - '0')];
  return out;
}

std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// Groups the digits before the point; a true minus sign.
std::string grouped_text(const std::string& text) {
  const bool negative = text[0] == '-';
  std::string whole = text.substr(negative ? 1 : 0, text.find('.') - (negative ? 1 : 0));
  const std::size_t point = text.find('.');
  for (std::size_t at = whole.size(); at > 3;) {
    at -= 3;
    whole.insert(at, ",");
  }
  return (negative ? kMinus : "") + whole + (point == std::string::npos ? "" : text.substr(point));
}

bool takes_prefix(const std::string& unit) {
  for (const char* u : {"s", "FLOP/s", "flop/s", "B/s", "W", "Hz", "bit/s", "J", "Wh"}) {
    if (unit == u) return true;
  }
  return false;
}

struct Prefix {
  double scale;
  const char* symbol;
};
constexpr std::array<Prefix, 11> kPrefixes{
    {{1e-12, "p"}, {1e-9, "n"}, {1e-6, "µ"}, {1e-3, "m"}, {1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}, {1e18, "E"}}};

}  // namespace

std::string number(double value) {
  if (!std::isfinite(value)) return "not finite";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e9 || size < 1e-4) {
    const std::string text = fmt::format("{:.3e}", value);
    const std::size_t e = text.find('e');
    return grouped_text(trimmed(text.substr(0, e))) + " × 10" + superscript(std::stoi(text.substr(e + 1)));
  }
  const int decimals = std::max(0, 3 - static_cast<int>(std::floor(std::log10(size))));
  return grouped_text(trimmed(fmt::format("{:.{}f}", value, decimals)));
}

Shown shown(double value, const std::string& unit) {
  if (!std::isfinite(value)) return {"not finite", ""};
  if (unit == "us") return shown(value * 1e-6, "s");
  const double size = std::abs(value) * (1 + 1e-12);
  if (unit == "%") return {size > 0 && size < 0.1 ? number(value) : grouped_text(trimmed(fmt::format("{:.1f}", value))), "%"};
  if (unit == "bytes" || unit == "B") {
    const std::string text = bytes_text(value);
    const std::size_t space = text.rfind(' ');
    return {text.substr(0, space), text.substr(space + 1)};
  }
  if (takes_prefix(unit) && value != 0 && !(unit == "s" && size >= 1)) {
    Prefix best = kPrefixes[0];
    for (const Prefix& p : kPrefixes) {
      if (size >= p.scale) best = p;
    }
    return {number(value / best.scale), best.symbol + unit};
  }
  constexpr std::array<std::pair<double, const char*>, 4> kWords{{{1e15, "quadrillion"}, {1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}}};
  for (const auto& [scale, word] : kWords) {
    if (size >= scale && size < 1e18) return {number(value / scale), unit.empty() ? word : std::string(word) + " " + unit};
  }
  return {number(value), unit};
}

std::string with_unit(double value, const std::string& unit) {
  const Shown s = shown(value, unit);
  if (s.unit.empty()) return s.value;
  return s.unit == "x" ? s.value + "×" : s.value + " " + s.unit;
}

std::string with_unit(const Quantity& quantity) { return with_unit(quantity.value, quantity.unit); }

std::string interval_text(const Quantity& q) {
  if (!q.low || !q.high) return {};
  const Shown low = shown(*q.low, q.unit);
  const Shown high = shown(*q.high, q.unit);
  return low.unit == high.unit && q.unit != "x" ? low.value + " to " + with_unit(*q.high, q.unit) : with_unit(*q.low, q.unit) + " to " + with_unit(*q.high, q.unit);
}

std::string relative_interval(const Quantity& q) {
  if (!q.low || !q.high || q.value == 0 || !std::isfinite(*q.low / q.value) || !std::isfinite(*q.high / q.value)) return {};
  const auto side = [&](double end) {
    const double percent = (end / q.value - 1) * 100;
    return (percent < 0 ? kMinus : "+") + (std::abs(percent) < 1000 ? fixed(std::abs(percent), 1) : number(std::abs(percent)));
  };
  const std::string low = side(*q.low);
  const std::string high = side(*q.high);
  if (low == kMinus + high.substr(1) && high[0] == '+') return "±" + kSpace + high.substr(1) + kSpace + "%";
  return low + kSpace + "/" + kSpace + high + kSpace + "%";
}

std::string share_text(double share) {
  if (!std::isfinite(share)) return "not finite";
  if (share > 0 && share < 0.001) return "< 0.1 %";
  return fixed(share * 100, 1) + " %";
}

std::string bytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "not finite";
  constexpr std::array<const char*, 7> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t at = 0;
  while (std::abs(bytes) >= 1024 && at + 1 < kUnits.size()) {
    bytes /= 1024;
    ++at;
  }
  return number(bytes) + " " + kUnits[at];
}

}  // namespace waferloom::report::page
