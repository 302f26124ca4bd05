// Numbers as people read them. ASCII only.
#pragma once

#include <cstdint>
#include <string>

#include "host/report/run_report.h"

namespace waferloom::report {

std::string grouped(std::int64_t value);            // "12,345,678"
std::string percent(double share, int digits = 1);  // 0.934 -> "93.4 %"; not finite -> "NaN"
std::string fixed(double value, int digits);        // "0.1235"; "NaN", "inf", "-inf" when not finite
std::string short_number(double value);             // 4 significant digits, grouped below 1e6, else "1.235e+09"
std::string text_of(const Quantity& quantity);      // "1,234 cycles" or "12.3 % [11.9, 12.8]"

}  // namespace waferloom::report
