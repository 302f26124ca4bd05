// Numbers as a page shows them: four significant digits, thousands separated by commas, prefixes where a unit takes them, powers of ten only where a reader would
// count zeros. UTF-8. The same in every locale.
#pragma once

#include <cstdint>
#include <string>

#include "host/report/run_report.h"

namespace waferloom::report::page {

// "1,234", "0.01235", "1.235 × 10¹²"; "not finite" for NaN and infinities.
std::string number(double value);

// With its unit: "12.35 ms" (s, FLOP/s, B/s, W, Hz, bit/s and J take prefixes), "1.235 million tokens/s", "48.3 %", "3.2x", "47 KiB".
std::string with_unit(double value, const std::string& unit);
std::string with_unit(const Quantity& quantity);

// The value and the unit apart, for large figures on the first screen.
struct Shown {
  std::string value;
  std::string unit;
};
Shown shown(double value, const std::string& unit);

// "12.1 to 12.9 ms"; empty without both bounds.
std::string interval_text(const Quantity& quantity);
// "-4.4 / +6.7 %", "± 4.4 %"; empty without both bounds or where the value is zero.
std::string relative_interval(const Quantity& quantity);

// A share from 0 to 1 as "48.3 %", "< 0.1 %".
std::string share_text(double share);

std::string bytes_text(double bytes);

}  // namespace waferloom::report::page
