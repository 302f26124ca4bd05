// Reads back from projection.json what a comparison needs: names, the answer, figures, operators, memory, curves. Strict: another schema or a mistyped member is a located error.
#pragma once

#include <filesystem>

#include "host/config/diagnostic.h"
#include "host/report/projection.h"

namespace waferloom::report {

config::Result<Projection> read_projection(const std::filesystem::path& file);

}  // namespace waferloom::report
