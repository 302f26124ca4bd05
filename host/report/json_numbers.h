// JSON has no NaN and no infinity; the library would write null. Here they become texts that say what they are.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace waferloom::report {

inline nlohmann::ordered_json json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

}  // namespace waferloom::report
