// Numbers as the configuration reads them: decimal, no leading zeros, no units in the value. And the guesses behind the
// hints when a person writes one anyway.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace waferloom::config {

enum class NumberFault { kNone, kNotANumber, kLeadingZero, kTooLarge, kNotWhole };

struct ParsedInteger {
  NumberFault fault = NumberFault::kNone;
  std::int64_t value = 0;
};
// [+-]digits, no leading zero, within 64 bits. A real number gives kNotWhole.
ParsedInteger parse_integer(const std::string& text);

struct ParsedReal {
  NumberFault fault = NumberFault::kNone;
  double value = 0;
};
// [+-]digits[.digits][e[+-]digits]; finite. "inf" and "nan" are no numbers here.
ParsedReal parse_real(const std::string& text);

// The shortest text that reads back as the same number: "1100000000", "0.1", "1e+20".
std::string format_real(double value);

// "48 KiB" for a key that ends in _bytes gives 49152; nothing if the text is not a number with a unit that the key's
// unit can express.
std::optional<double> value_with_unit(const std::string& text, const std::string& key);

// "clock_mhz" and a known key "clock_hz" differ by their unit only: then the factor from one to the other (1e6).
// Nothing otherwise.
std::optional<double> unit_factor(const std::string& written_key, const std::string& known_key);

}  // namespace waferloom::config
