// The one resolver: a YAML file becomes a typed, complete, checked structure, or a list of located errors.
//
// Rules. Every key is known to the schema (schema.cpp) or it is an error; no key twice; no value of another type than
// the schema's; nothing missing that has no default. `extends: NAME` takes another file of the same kind as a base: a
// name is looked up in configs/<kind>/NAME.yaml, a path (with a slash or ending in .yaml) is relative to the file that
// says it. Mappings merge key by key, values and lists replace. YAML's own shortcuts (anchors, merge keys, several
// documents, octal numbers) are refused, because they do not mean what they seem to. A run names its machine, model and
// cluster in the same way, or writes them in place.
//
// Thread-safe; no global state. Never throws for anything a file can contain.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"
#include "host/config/run.h"

namespace waferloom::config {

enum class FileKind { kRun, kMachine, kModel, kCluster };
const char* to_string(FileKind kind);

struct ResolveOptions {
  std::filesystem::path
      configs;  // folder that holds machines/, models/, clusters/, runs/, data/; empty: default_configs_dir()
};

// $WAFERLOOM_CONFIGS when it is set, else the folder of the source tree this program was built from.
std::filesystem::path default_configs_dir();

template <class T>
struct Resolved {
  T value;
  std::string yaml;  // canonical text of the whole, defaults filled in, no `extends`; resolves to itself
  std::vector<std::filesystem::path> files;  // every file that was read, in order
};

Result<Resolved<Run>> resolve_run(const std::filesystem::path& file, const ResolveOptions& options = {});
Result<Resolved<Machine>> resolve_machine(const std::string& name_or_file, const ResolveOptions& options = {});
Result<Resolved<Model>> resolve_model(const std::string& name_or_file, const ResolveOptions& options = {});
Result<Resolved<Cluster>> resolve_cluster(const std::string& name_or_file, const ResolveOptions& options = {});

// Same as resolve_run, with the machine replaced by another (a name or a file). For `waferloom run --machine`.
Result<Resolved<Run>> resolve_run_on(const std::filesystem::path& file, const std::string& machine,
                                     const ResolveOptions& options = {});

// What a file is, by its folder name or by its keys; and its canonical text. For `waferloom check`.
struct Checked {
  FileKind kind;
  std::string yaml;
};
Result<Checked> check_file(const std::filesystem::path& file, const ResolveOptions& options = {});

// Names (without .yaml) of the files of a kind in configs/, sorted.
std::vector<std::string> list_names(FileKind kind, const ResolveOptions& options = {});

}  // namespace waferloom::config
