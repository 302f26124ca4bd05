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
#include "host/config/kernel_run.h"
#include "host/config/projection.h"
#include "host/config/run.h"
#include "host/config/transformer.h"

namespace waferloom::config {

enum class FileKind { kRun, kMachine, kModel, kCluster, kTransformer, kProjection, kAccelerator, kKernelRun };
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

Result<Resolved<Transformer>> resolve_transformer(const std::string& name_or_file, const ResolveOptions& options = {});
Result<Resolved<AcceleratorFigures>> resolve_accelerator(const std::string& name_or_file, const ResolveOptions& options = {});

// `machine`: another machine, by name or file; empty: the run's own.
Result<Resolved<ProjectionRun>> resolve_projection(const std::filesystem::path& file, const std::string& machine = {}, const ResolveOptions& options = {});
// The same from YAML text that stands for a file of that name (which need not exist): what a command line says.
Result<Resolved<ProjectionRun>> resolve_projection_text(const std::string& file, const std::string& text, const ResolveOptions& options = {});

// Same as resolve_run, with the machine replaced by another (a name or a file). For `waferloom run --machine`.
Result<Resolved<Run>> resolve_run_on(const std::filesystem::path& file, const std::string& machine,
                                     const ResolveOptions& options = {});

// An error about the value of `key` of a run, found after it was resolved: at its place in the file, or in the base that gives it; without a line where
// no file says it.
Diagnostic error_at_key(const std::filesystem::path& file, const std::string& key, std::string message, std::string hint, const ResolveOptions& options = {});

// A run file with the key `kernels`. Any `machine` (a name or a file; empty: none) takes the place of all that the file names.
Result<Resolved<KernelRun>> resolve_kernel_run(const std::filesystem::path& file, const std::string& machine = {}, const ResolveOptions& options = {});
// Whether that is what the file is. False also for a file that cannot be read or parsed: resolving it says why.
bool is_kernel_run(const std::filesystem::path& file);

// What a file is, by its folder name or by its keys; and its canonical text. For `waferloom check`.
struct Checked {
  FileKind kind;
  std::string yaml;
};
Result<Checked> check_file(const std::filesystem::path& file, const ResolveOptions& options = {});

// What a file is. A file that cannot be read or is no mapping counts as a run: resolving it then says what is wrong.
FileKind kind_of_file(const std::filesystem::path& file, const ResolveOptions& options = {});

// Names (without .yaml) of the files of a kind in configs/, sorted. Kinds that share a folder are told apart.
std::vector<std::string> list_names(FileKind kind, const ResolveOptions& options = {});

}  // namespace waferloom::config
