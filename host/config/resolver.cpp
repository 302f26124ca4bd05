#include "host/config/resolver.h"

#include <algorithm>
#include <cstdlib>

#include "host/config/convert.h"

namespace waferloom::config {
namespace {

namespace fs = std::filesystem;

const Section& section_of(FileKind kind) {
  switch (kind) {
    case FileKind::kRun:
      return run_section();
    case FileKind::kMachine:
      return machine_section();
    case FileKind::kModel:
      return model_section();
    case FileKind::kCluster:
      return cluster_section();
    case FileKind::kTransformer:
      return transformer_section();
    case FileKind::kProjection:
      return projection_section();
    case FileKind::kAccelerator:
      return accelerator_section();
    case FileKind::kKernelRun:
      return kernel_run_section();
  }
  return run_section();
}

fs::path configs_of(const ResolveOptions& options) {
  return options.configs.empty() ? default_configs_dir() : options.configs;
}

template <class T>
T convert(Value& value, Loader& loader);
template <>
Run convert<Run>(Value& value, Loader& loader) {
  return to_run(value, loader);
}
template <>
KernelRun convert<KernelRun>(Value& value, Loader& loader) {
  return to_kernel_run(value, loader);
}
template <>
Machine convert<Machine>(Value& value, Loader& loader) {
  return to_machine(value, loader);
}
template <>
Model convert<Model>(Value& value, Loader& loader) {
  return to_model(value, loader);
}
template <>
Cluster convert<Cluster>(Value& value, Loader& loader) {
  return to_cluster(value, loader);
}

template <>
Transformer convert<Transformer>(Value& value, Loader& loader) {
  return to_transformer(value, loader);
}
template <>
ProjectionRun convert<ProjectionRun>(Value& value, Loader& loader) {
  return to_projection(value, loader);
}
template <>
AcceleratorFigures convert<AcceleratorFigures>(Value& value, Loader& loader) {
  return to_accelerator(value, loader);
}

// In the order of the text: file by file as they were read, then by line.
Diagnostics sorted(Loader& loader) {
  Diagnostics errors = loader.errors();
  std::stable_sort(errors.begin(), errors.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    if (loader.rank(a.where) != loader.rank(b.where)) return loader.rank(a.where) < loader.rank(b.where);
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  return errors;
}

// Folders of kernels, which are named relative to the file that names them, by their whole path.
void anchor_folders(YamlNode& run) {
  for (YamlEntry& entry : run.entries) {
    if (entry.key != "kernels") continue;
    for (YamlNode& item : entry.value.items) {
      for (YamlEntry& field : item.entries) {
        if (field.key != "folder" || field.value.kind != YamlNode::Kind::kScalar || field.value.text.empty()) continue;
        std::error_code error;
        field.value.text = fs::absolute(fs::path(field.value.where.file).parent_path() / field.value.text, error).lexically_normal().string();
      }
    }
  }
}

template <class T>
Result<Resolved<T>> finish(std::optional<YamlNode> root, const Section& section, Loader& loader) {
  // Types are looked at even when a key was unknown, so that one call reports everything; not when a file is missing,
  // as half of the keys would be.
  if (!root) return sorted(loader);
  if (std::is_same_v<T, KernelRun>) anchor_folders(*root);
  Value value = bind(*root, section, loader);
  if (!loader.errors().empty()) return sorted(loader);
  T typed = convert<T>(value, loader);
  if (!loader.errors().empty()) return sorted(loader);
  return Resolved<T>{std::move(typed), canonical_yaml(value, section), loader.files()};
}

template <class T>
Result<Resolved<T>> resolve_named(const std::string& name_or_file, FileKind kind, const ResolveOptions& options) {
  Loader loader(configs_of(options));
  return finish<T>(loader.load(name_or_file, section_of(kind), SourceLocation{}), section_of(kind), loader);
}

void drop_machine(YamlNode& mapping) {
  auto& entries = mapping.entries;
  entries.erase(std::remove_if(entries.begin(), entries.end(), [](const YamlEntry& e) { return e.key == "machine"; }), entries.end());
}

// A file of configs/runs. `machine` (a name or a file; empty: none) takes the place of the file's own and of those of its kernels.
template <class T>
Result<Resolved<T>> resolve_on(const fs::path& file, const std::string& machine, const Section& section, const ResolveOptions& options) {
  Loader loader(configs_of(options));
  std::optional<YamlNode> other;
  if (!machine.empty()) {
    other = loader.load(machine, machine_section(), SourceLocation{"--machine", 0, 0, 1});
    if (!other) return sorted(loader);
  }
  std::optional<YamlNode> root = loader.read(file);
  if (root) root = loader.expand_file(file, std::move(*root), section);
  if (root && other) {
    drop_machine(*root);
    for (YamlEntry& entry : root->entries) {
      if (entry.key != "kernels") continue;
      for (YamlNode& item : entry.value.items) drop_machine(item);
    }
    root->entries.push_back({"machine", root->where, std::move(*other)});
  }
  return finish<T>(std::move(root), section, loader);
}

constexpr FileKind kKinds[] = {FileKind::kRun, FileKind::kMachine, FileKind::kModel, FileKind::kCluster, FileKind::kTransformer, FileKind::kProjection, FileKind::kAccelerator};

// Among the kinds of the folder it lies in (all kinds, if the folder says nothing), the one whose schema knows most of its keys, where a name that it extends and that
// lies on the kind's shelf in `configs` counts as one more; the first of equals.
FileKind kind_of(const fs::path& file, const YamlNode& root, const fs::path& configs) {
  if (root.find("kernels") != nullptr) return FileKind::kKernelRun;
  std::error_code error;
  const std::string folder = fs::weakly_canonical(file, error).parent_path().filename().string();
  const bool shelved = std::any_of(std::begin(kKinds), std::end(kKinds), [&](FileKind kind) { return section_of(kind).folder == folder; });
  FileKind best = FileKind::kRun;
  bool chosen = false;
  std::size_t most = 0;
  for (const FileKind kind : kKinds) {
    const Section& section = section_of(kind);
    if (shelved && section.folder != folder) continue;
    std::size_t known = 0;
    for (const YamlEntry& entry : root.entries) {
      known += section.find(entry.key) != nullptr ? 1 : 0;
      if (entry.key == "extends" && fs::exists(configs / section.folder / (entry.value.text + ".yaml"), error)) ++known;
    }
    if (known > most || (shelved && !chosen)) {
      most = known;
      best = kind;
      chosen = true;
    }
  }
  return best;
}

template <class T>
Result<Checked> checked(FileKind kind, Result<Resolved<T>> resolved) {
  if (!resolved) return resolved.errors();
  return Checked{kind, resolved.value().yaml};
}

}  // namespace

fs::path default_configs_dir() {
  const char* chosen = std::getenv("WAFERLOOM_CONFIGS");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return fs::path(WL_SOURCE_DIR) / "configs";
}

Result<Resolved<Run>> resolve_run(const fs::path& file, const ResolveOptions& options) { return resolve_on<Run>(file, {}, run_section(), options); }

Result<Resolved<Run>> resolve_run_on(const fs::path& file, const std::string& machine, const ResolveOptions& options) { return resolve_on<Run>(file, machine, run_section(), options); }

Diagnostic error_at_key(const fs::path& file, const std::string& key, std::string message, std::string hint, const ResolveOptions& options) {
  Loader loader(configs_of(options));
  SourceLocation where;
  where.file = file.string();
  std::optional<YamlNode> root = loader.read(file);
  if (root && root->find(key) == nullptr) root = loader.expand_file(file, std::move(*root), run_section());
  if (const YamlNode* value = root ? root->find(key) : nullptr) where = value->where;
  return located(loader.sources(), where, std::move(message), std::move(hint));
}

Result<Resolved<KernelRun>> resolve_kernel_run(const fs::path& file, const std::string& machine, const ResolveOptions& options) {
  Result<Resolved<KernelRun>> result = resolve_on<KernelRun>(file, machine, kernel_run_section(), options);
  if (result.ok()) result.value().value.other_machine = !machine.empty();
  return result;
}

Result<Resolved<Machine>> resolve_machine(const std::string& name_or_file, const ResolveOptions& options) {
  return resolve_named<Machine>(name_or_file, FileKind::kMachine, options);
}
Result<Resolved<Model>> resolve_model(const std::string& name_or_file, const ResolveOptions& options) {
  return resolve_named<Model>(name_or_file, FileKind::kModel, options);
}
Result<Resolved<Cluster>> resolve_cluster(const std::string& name_or_file, const ResolveOptions& options) {
  return resolve_named<Cluster>(name_or_file, FileKind::kCluster, options);
}

Result<Resolved<Transformer>> resolve_transformer(const std::string& name_or_file, const ResolveOptions& options) {
  return resolve_named<Transformer>(name_or_file, FileKind::kTransformer, options);
}
Result<Resolved<AcceleratorFigures>> resolve_accelerator(const std::string& name_or_file, const ResolveOptions& options) {
  return resolve_named<AcceleratorFigures>(name_or_file, FileKind::kAccelerator, options);
}

Result<Resolved<ProjectionRun>> resolve_projection(const fs::path& file, const std::string& machine, const ResolveOptions& options) {
  return resolve_on<ProjectionRun>(file, machine, projection_section(), options);
}

Result<Resolved<ProjectionRun>> resolve_projection_text(const std::string& file, const std::string& text, const ResolveOptions& options) {
  Loader loader(configs_of(options));
  Result<YamlNode> parsed = parse_yaml(file, text, loader.sources());
  if (!parsed) return parsed.errors();
  return finish<ProjectionRun>(loader.expand_file(file, std::move(parsed).value(), projection_section()), projection_section(), loader);
}

FileKind kind_of_file(const fs::path& file, const ResolveOptions& options) {
  Loader loader(configs_of(options));
  const std::optional<YamlNode> root = loader.read(file);
  return root ? kind_of(file, *root, configs_of(options)) : FileKind::kRun;
}

Result<Checked> check_file(const fs::path& file, const ResolveOptions& options) {
  Loader loader(configs_of(options));
  std::optional<YamlNode> root = loader.read(file);
  if (!root) return sorted(loader);
  const FileKind kind = kind_of(file, *root, configs_of(options));
  root = loader.expand_file(file, std::move(*root), section_of(kind));
  switch (kind) {
    case FileKind::kMachine:
      return checked(kind, finish<Machine>(std::move(root), machine_section(), loader));
    case FileKind::kModel:
      return checked(kind, finish<Model>(std::move(root), model_section(), loader));
    case FileKind::kCluster:
      return checked(kind, finish<Cluster>(std::move(root), cluster_section(), loader));
    case FileKind::kTransformer:
      return checked(kind, finish<Transformer>(std::move(root), transformer_section(), loader));
    case FileKind::kProjection:
      return checked(kind, finish<ProjectionRun>(std::move(root), projection_section(), loader));
    case FileKind::kAccelerator:
      return checked(kind, finish<AcceleratorFigures>(std::move(root), accelerator_section(), loader));
    case FileKind::kKernelRun:
      return checked(kind, finish<KernelRun>(std::move(root), kernel_run_section(), loader));
    case FileKind::kRun:
      break;
  }
  return checked(kind, finish<Run>(std::move(root), run_section(), loader));
}

std::vector<std::string> list_names(FileKind kind, const ResolveOptions& options) {
  const fs::path configs = configs_of(options);
  const std::string& folder = section_of(kind).folder;
  std::vector<std::string> names = names_in(configs, folder);
  const bool shared = std::count_if(std::begin(kKinds), std::end(kKinds), [&](FileKind other) { return section_of(other).folder == folder; }) > 1;
  if (shared) {
    names.erase(std::remove_if(names.begin(), names.end(), [&](const std::string& name) { return kind_of_file(configs / folder / (name + ".yaml"), options) != kind; }), names.end());
  }
  return names;
}

}  // namespace waferloom::config
