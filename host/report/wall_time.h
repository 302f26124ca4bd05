// The time on the wall: only for what stands under "wall_clock" in a manifest.
#pragma once

#include <ctime>
#include <string>

namespace waferloom::report {

// Now, as ISO 8601 in UTC: "2026-01-31T12:00:00Z".
inline std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace waferloom::report
