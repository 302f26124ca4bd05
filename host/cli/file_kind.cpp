#include "host/cli/file_kind.h"

#include "host/cli/run_setup.h"
#include "host/config/run_kind.h"

namespace waferloom::cli {

using config::FileKind;

std::optional<config::Diagnostic> other_kind(const std::string& file, bool runs) {
  const std::optional<FileKind> kind = config::run_kind(file);
  if (kind == FileKind::kProjection) return runs ? std::optional(error_in(file, "this is a projection, not a run of tiles", "waferloom report " + file)) : std::nullopt;
  if (kind) return runs ? std::nullopt : std::optional(error_in(file, kind == FileKind::kRun ? "this is a training run, not a projection" : "this is a kernel run, not a projection", "waferloom run " + file));
  if (config::is_hugging_face(file)) return error_in(file, "this is a model's config.json, not a run", "waferloom report --model " + file);
  std::string what;
  switch (config::kind_of_file(file)) {
    case FileKind::kMachine: what = "machine"; break;
    case FileKind::kModel:
    case FileKind::kTransformer: what = "model"; break;
    case FileKind::kCluster: what = "cluster"; break;
    case FileKind::kAccelerator: return error_in(file, "these are the figures of an accelerator, not a run", "waferloom check " + file);
    default: return std::nullopt;
  }
  return error_in(file, "this is a " + what + ", not a run", "name it as `" + what + ":` in a run; to look at it: waferloom check " + file);
}

}  // namespace waferloom::cli
