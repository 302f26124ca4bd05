#pragma once
// Cells of the CSV files that are written.
#include <string>

namespace waferloom::config {

// `text` as one cell (RFC 4180): in quotes if it holds a comma, a quote or an end of line.
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace waferloom::config
