#include "host/config/run_kind.h"

#include "host/config/loader.h"
#include "host/config/schema.h"

namespace waferloom::config {

namespace fs = std::filesystem;

std::optional<FileKind> run_kind(const fs::path& file, const ResolveOptions& options) {
  constexpr int kMostBases = 16;  // a circle of bases ends; resolving it says that it is one
  const fs::path configs = options.configs.empty() ? default_configs_dir() : options.configs;
  fs::path at = file;
  for (int i = 0; i < kMostBases; ++i) {
    Loader loader(configs);
    const std::optional<YamlNode> root = loader.read(at);
    if (!root) return std::nullopt;
    if (root->find("kernels") != nullptr) return FileKind::kKernelRun;
    if (root->find("data") != nullptr) return FileKind::kRun;
    if (root->find("batch_tokens") != nullptr) return FileKind::kProjection;
    const YamlNode* base = root->find("extends");
    if (base == nullptr || base->kind != YamlNode::Kind::kScalar) return std::nullopt;
    const fs::path beside = at.parent_path() / base->text;
    std::error_code error;
    at = fs::is_regular_file(beside, error) ? beside : configs / run_section().folder / (base->text + ".yaml");
  }
  return std::nullopt;
}

bool is_hugging_face(const fs::path& file) {
  Loader loader(default_configs_dir());
  const std::optional<YamlNode> root = loader.read(file);
  return root && root->find("model_type") != nullptr;
}

bool is_kernel_run(const fs::path& file) { return run_kind(file) == FileKind::kKernelRun; }

}  // namespace waferloom::config
