// Which of the three kinds of run a file is.
#pragma once

#include <filesystem>
#include <optional>

#include "host/config/resolver.h"

namespace waferloom::config {

// By what only one of them has, in the file or in what it extends: `kernels` (kKernelRun), `data` (kRun), `batch_tokens` (kProjection). Nothing for a file that has
// none of them, or cannot be read or parsed: resolving it says why.
std::optional<FileKind> run_kind(const std::filesystem::path& file, const ResolveOptions& options = {});

// Whether the file is a model's config.json of Hugging Face: it has `model_type`.
bool is_hugging_face(const std::filesystem::path& file);

}  // namespace waferloom::config
