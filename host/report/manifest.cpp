#include "host/report/manifest.h"

#include "host/report/json_numbers.h"
#include "host/report/version.h"

namespace waferloom::report {

using nlohmann::ordered_json;

std::string manifest_json(const RunReport& report, const Manifest& manifest) {
  ordered_json json;
  json["schema"] = "waferloom-manifest-1";
  json["run"] = report.run;
  json["status"] = report.status;
  json["version"] = project_version();
  json["commit"] = project_commit();
  ordered_json tools = ordered_json::object();
  for (const auto& [name, version] : tool_versions()) tools[name] = version;
  for (const auto& [name, version] : manifest.tools) tools[name] = version;
  json["tools"] = std::move(tools);
  json["seed"] = report.seed;
  ordered_json units = ordered_json::array();
  for (const UnitHash& unit : manifest.units)
    units.push_back({{"unit", unit.unit}, {"views", unit.views}, {"hash", unit.hash}});
  json["units"] = std::move(units);
  json["firmware_hash"] = manifest.firmware_hash;
  json["files"] = manifest.files;
  json["wall_clock"] = {{"started", report.wall.started},
                        {"seconds", json_number(report.wall.seconds)},
                        {"simulated_cycles_per_s", json_number(report.wall.simulated_cycles_per_s)},
                        {"threads", report.wall.threads}};
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace waferloom::report
