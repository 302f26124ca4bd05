#include "host/cli/built_units.h"

#include <ostream>
#include <utility>

namespace waferloom::cli {

OpenedUnits open_units(const Context& context, std::vector<UnitWish> wishes, const std::string& what) {
  OpenedUnits opened;
  for (UnitWish& wish : wishes) {
    wish.spec.interrupted = [&context] { return context.stop_signal.load() != 0; };
    const std::string error = wish.unit->open(wish.spec);
    if (context.stop_signal.load() != 0) {
      opened.code = interrupted_code(context);
      return opened;
    }
    if (error.empty()) continue;
    opened.code = kUsage;
    opened.error = what + wish.spec.top + " cannot be built\n" + error + (error.back() == '\n' ? "" : "\n");
    if (wish.unit->build().fault == plugin::BuildFault::kInputOutput) {
      opened.code = kInputOutput;
      opened.error += "  hint: built units are kept in " + plugin::default_cache_directory() + "; WAFERLOOM_CACHE names another folder\n";
    }
    return opened;
  }
  return opened;
}

int open_units_or_say(const Context& context, Progress& progress, const std::string& about, std::vector<UnitWish> wishes, const std::string& what) {
  const OpenedUnits opened = open_units(context, std::move(wishes), what);
  progress.clear();
  if (!opened.error.empty()) context.err << about << ": error: " << opened.error;
  return opened.code;
}

}  // namespace waferloom::cli
