// The reference page of the configuration, made from the schema's table. A test holds docs/reference/configuration.md
// against it.
#pragma once

#include <string>

namespace waferloom::config {

std::string reference_markdown();

}  // namespace waferloom::config
