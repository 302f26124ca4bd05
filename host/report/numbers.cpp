#include "host/report/numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace waferloom::report {

const char* to_string(Origin origin) {
  switch (origin) {
    case Origin::kMeasured:
      return "measured";
    case Origin::kFitted:
      return "fitted";
    case Origin::kExtrapolated:
      return "extrapolated";
    case Origin::kPublished:
      return "published";
    case Origin::kAssumed:
      return "assumed";
  }
  return "";
}

std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string fixed(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{:.{}f}", value, digits);
}

std::string percent(double share, int digits) {
  if (!std::isfinite(share)) return fixed(share, digits);
  return fixed(share * 100, digits) + " %";
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return fixed(value, 0);
  const double size = std::abs(value);
  if (value == 0) return "0";
  if (size >= 1e9 || size < 1e-3) return fmt::format("{:.3e}", value);
  if (size >= 1000) return grouped(std::llround(value));
  return fmt::format("{:.4g}", value);
}

std::string text_of(const Quantity& quantity) {
  std::string text = short_number(quantity.value);
  if (!quantity.unit.empty()) text += " " + quantity.unit;
  if (quantity.low && quantity.high)
    text += " [" + short_number(*quantity.low) + ", " + short_number(*quantity.high) + "]";
  return text;
}

}  // namespace waferloom::report
