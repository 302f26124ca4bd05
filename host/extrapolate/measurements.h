// Cycles that small steps were measured to take, kept in the cache of units: a small file per step, whose name is the hash of all that its cycles depend on
// (SmallStep::name). An edit of the RTL, the firmware or the planner makes other names; what it does not touch is not measured again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace waferloom::extrapolate {

// False, and *counts untouched, if no `size` whole numbers are known under that name.
bool recall(const std::string& name, std::size_t size, std::vector<std::int64_t>* counts);
// A store that cannot be written only means that the step is measured again.
void remember(const std::string& name, const std::vector<std::int64_t>& counts);

}  // namespace waferloom::extrapolate
