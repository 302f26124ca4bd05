#include "host/report/version.h"

#include <fmt/core.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "wl_version.h"

namespace waferloom::report {

std::string project_version() { return WL_VERSION; }

std::string project_commit() { return WL_COMMIT; }

std::string version_text() {
  const std::string commit = project_commit();
  const std::string changed = commit.find('+') == std::string::npos ? "" : " with changes";
  return "waferloom " + project_version() + " (commit " + commit.substr(0, 12) + changed + ")";
}

std::vector<std::pair<std::string, std::string>> tool_versions() {
  return {
      {"compiler", WL_COMPILER},
      {"fmt", std::to_string(FMT_VERSION / 10000) + "." + std::to_string(FMT_VERSION / 100 % 100) + "." +
                  std::to_string(FMT_VERSION % 100)},
      {"nlohmann_json", std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
                            std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
                            std::to_string(NLOHMANN_JSON_VERSION_PATCH)},
      {"yaml-cpp", WL_YAML_VERSION},
      {"zlib", ZLIB_VERSION},
  };
}

}  // namespace waferloom::report
