// Which weights of a layer are too small to be sent: MemoryX's rule of magnitude.
#pragma once

#include <cstdint>
#include <vector>

#include "host/config/run.h"

namespace waferloom::optimiser {

// Sets to +0 in `wire`, the weights as they are sent (binary16 patterns), those that the rule drops by the magnitude of their master copies: |w| < threshold, and all but the
// ceil(kept x count) of largest magnitude, where of equal ones the earlier stay. Requires wire.size() == master.size(). A NaN is never dropped. Returns how many it dropped that
// were not zero before.
std::size_t prune(const config::Pruning& rule, const std::vector<float>& master, std::vector<std::uint16_t>& wire);

}  // namespace waferloom::optimiser
