#include "sim/plugin/builder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "sim/plugin/cache.h"
#include "sim/plugin/glue.h"
#include "sim/plugin/process.h"
#include "sim/plugin/sha256.h"
#include "sim/plugin/unit_abi.h"

namespace waferloom::plugin {
namespace fs = std::filesystem;
namespace {

const char* const kInterfaceFiles[] = {"sim/plugin/unit_abi.h", "sim/plugin/unit_block.h", "sim/plugin/unit_glue.h", "sim/plugin/unit_memories.h"};
// A program that looks for data races looks for them in its plug-ins too.
#if defined(__SANITIZE_THREAD__)
const std::vector<const char*> kSanitizer = {"-fsanitize=thread"};
#else
const std::vector<const char*> kSanitizer;
#endif
// Part of the build hash: raise it when the generated glue or the compiler's options change.
const char* const kGlueRevision = "9";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const std::string path = environment("PATH");
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    const std::string candidate = path.substr(at, end - at) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    at = end + 1;
  }
  return "";
}

std::string cxx_name() {
  const std::string chosen = environment("CXX");
  return chosen.empty() ? "c++" : chosen;
}

// Identity of a program file, cheap: a new version is a new file.
std::string file_identity(const std::string& path) {
  struct stat info;
  if (path.empty() || stat(path.c_str(), &info) != 0) return "absent";
  return path + ":" + std::to_string(info.st_size) + ":" + std::to_string(info.st_mtime);
}

// Writes through a temporary name, so that no reader sees half a file.
bool write_file(const std::string& path, const std::string& content) {
  static std::atomic<unsigned> counter{0};
  const std::string temporary = path + "." + std::to_string(getpid()) + "." + std::to_string(counter++);
  {
    std::ofstream out(temporary, std::ios::binary);
    out << content;
    out.flush();
    if (!out) {
      unlink(temporary.c_str());
      return false;
    }
  }
  if (rename(temporary.c_str(), path.c_str()) == 0) return true;
  unlink(temporary.c_str());
  return false;
}

// Whether a file of a few megabytes can be written in a folder.
bool room_in(const std::string& folder) {
  const std::string path = folder + "/room-" + std::to_string(getpid());
  const bool room = write_file(path, std::string(size_t{4} << 20, ' '));
  unlink(path.c_str());
  return room;
}

// Whether a program's output says that a disk is full (or a quota, or the largest size of a file is reached).
bool says_disk_full(const std::string& output) {
  for (const int reason : {ENOSPC, EDQUOT, EFBIG, EROFS}) {
    if (output.find(std::strerror(reason)) != std::string::npos) return true;
  }
  return false;
}

// Version texts, remembered in the cache per program file, so that a cached open starts no program.
std::string version_of(const std::string& program, const std::string& cache, const std::function<bool()>& interrupted = {}) {
  const std::string path = find_program(program);
  const std::string record = cache + "/tool-" + sha256_hex(file_identity(path)).substr(0, 16);
  std::string text;
  if (!cache.empty() && read_file(record, &text) && !text.empty()) return text;
  const ProcessResult result = run_process({program, "--version"}, "", interrupted);
  if (result.exit_code != 0) return "";
  text = result.output.substr(0, result.output.find('\n'));
  if (!cache.empty()) write_file(record, text);
  return text;
}

class FileLock {
 public:
  // Without the lock if `interrupted` says so before it comes, or the file cannot be made.
  FileLock(const std::string& path, const std::function<bool()>& interrupted) : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    while (fd_ >= 0 && flock(fd_, LOCK_EX | LOCK_NB) != 0 && (errno == EINTR || errno == EWOULDBLOCK)) {
      if (interrupted && interrupted()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  ~FileLock() {
    if (fd_ >= 0) close(fd_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_;
};

class ScratchDirectory {
 public:
  explicit ScratchDirectory(const std::string& cache) {
    std::string name = cache + "/build-" + std::to_string(getpid()) + "-XXXXXX";
    if (mkdtemp(name.data())) path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code code;
    if (!path_.empty()) fs::remove_all(path_, code);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void replace_all(std::string* text, const std::string& from, const std::string& to) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

struct Request {
  UnitSpec spec;
  std::string cache;
  std::string include_root;
  SourceSet sources;
  std::string source_hash;
  std::string build_hash;
  std::string verilator;
  std::string compiler;
  std::string error;
  mutable std::atomic<bool> unwritable{false};  // the error is the disk's, not the sources'

  // The message for a file of the cache that cannot be written.
  std::string cannot_write(const std::string& path) const {
    const int reason = errno;
    unwritable = true;
    return path + ": cannot be written" + (reason == 0 ? "" : std::string(": ") + std::strerror(reason));
  }
  // The message for a program that failed; also looks whether the disk is why (not every tool says so).
  std::string failed(const std::string& what, const std::string& output) const {
    if (says_disk_full(output) || !room_in(cache)) unwritable = true;
    return what + ":\n" + output + (unwritable ? "\n" + cache + ": the disk is full, or a file may not grow further\n" : "");
  }
  bool stopped() const { return spec.interrupted && spec.interrupted(); }
};

void prepare(const UnitSpec& given, bool with_tools, Request* request) {
  Request& r = *request;
  r.spec = given;
  r.include_root = WL_SOURCE_DIR;
  if (r.spec.rtl_roots.empty()) r.spec.rtl_roots.push_back(r.include_root + "/rtl");
  if (r.spec.macro_root.empty()) r.spec.macro_root = r.include_root + "/sim/macros";
  r.cache = given.cache_directory.empty() ? default_cache_directory() : given.cache_directory;
  const SourceRoots roots{r.spec.rtl_roots, r.spec.macro_root, r.include_root, r.spec.attached};
  r.error = collect_sources(r.spec.top, r.spec.view, roots, &r.sources);
  if (!r.error.empty()) return;

  Sha256 source;
  source.field("waferloom unit sources 1");
  source.field(r.spec.top);
  source.field(to_string(r.spec.view));
  for (const auto& [name, value] : r.spec.params) {
    source.field(name);
    source.field(value);
  }
  for (const auto* list : {&r.sources.rtl, &r.sources.headers, &r.sources.cpp}) {
    for (const SourceFile& file : *list) {
      if (file.snapshot.compare(0, 15, "cpp/sim/plugin/") == 0) continue;
      source.field(file.snapshot);
      source.field(file.content);
    }
  }
  r.source_hash = source.hex();
  if (!with_tools) return;

  std::error_code code;
  fs::create_directories(r.cache, code);
  if (code) {
    r.unwritable = true;
    r.error = r.cache + ": cannot be created: " + code.message();
    return;
  }
  r.verilator = version_of("verilator", r.cache, r.spec.interrupted);
  r.compiler = version_of(cxx_name(), r.cache, r.spec.interrupted);
  if (r.verilator.empty()) r.error = "verilator: not found or not working (apt-get install verilator)";
  if (r.compiler.empty()) r.error = cxx_name() + ": not found or not working (apt-get install g++)";
  Sha256 build;
  build.field(r.source_hash);
  build.field(r.verilator);
  build.field(r.compiler);
  build.field(kGlueRevision);
  build.field(std::to_string(WL_UNIT_ABI_VERSION) + (r.spec.trace ? "t" : "") + (r.spec.assertions ? "a" : "") +
              std::to_string(r.spec.optimise) + (r.spec.evaluation == Evaluation::kAuto ? "" : r.spec.evaluation == Evaluation::kLoop ? "l" : "b") +
              (r.spec.split == 0 ? "" : "s" + std::to_string(r.spec.split)));
  for (const char* word : kSanitizer) build.field(word);
  for (const char* name : kInterfaceFiles) {
    SourceFile file{r.include_root + "/" + name, std::string("cpp/") + name, ""};
    if (!read_file(file.path, &file.content)) r.error = file.path + ": cannot be read";
    build.field(file.content);
    r.sources.headers.push_back(file);
  }
  r.build_hash = build.hex();
}

// Compiler options that every object of a plug-in shares. Contraction would fuse a multiplication and an addition, and
// change bits.
std::vector<std::string> compile_command(const std::string& include_verilator, int optimise) {
  std::vector<std::string> command = {cxx_name(), "-std=c++17", "-O" + std::to_string(optimise), "-fPIC", "-fvisibility=hidden",
          "-fno-gnu-unique", "-ffp-contract=off", "-fno-strict-aliasing", "-pthread", "-w",
          "-DVL_USER_FATAL", "-DVL_USER_STOP", "-DVL_USER_FINISH", "-I.", "-Iobj", "-Icpp", "-I" + include_verilator,
          "-I" + include_verilator + "/vltstd"};
  for (const char* word : kSanitizer) command.push_back(word);
  return command;
}

std::string verilator_include(const std::function<bool()>& interrupted) {
  std::string root = environment("VERILATOR_ROOT");
  if (root.empty()) {
    const ProcessResult result = run_process({"verilator", "--getenv", "VERILATOR_ROOT"}, "", interrupted);
    root = result.output.substr(0, result.output.find('\n'));
  }
  return root + "/include";
}

// Verilator's run-time library: compiled once per tool version, used by every unit.
std::string runtime_objects(const Request& r, const std::string& include, std::vector<std::string>* objects) {
  std::vector<std::string> names = {"verilated.cpp", "verilated_threads.cpp", "verilated_dpi.cpp"};
  if (r.spec.trace) names.push_back("verilated_fst_c.cpp");
  Sha256 key;
  for (const std::string& part : {r.verilator, r.compiler, std::string("1")}) key.field(part);
  for (const char* word : kSanitizer) key.field(word);
  const std::string directory = r.cache + "/runtime-" + key.hex().substr(0, 16);
  std::error_code code;
  fs::create_directories(directory, code);
  const FileLock lock(directory + "/lock", r.spec.interrupted);
  std::vector<std::vector<std::string>> commands;
  std::vector<std::pair<std::string, std::string>> renames;
  for (const std::string& name : names) {
    const std::string object = directory + "/" + name + ".o";
    objects->push_back(object);
    if (fs::exists(object, code)) continue;
    std::vector<std::string> command = compile_command(include, name == "verilated_fst_c.cpp" ? 1 : 2);
    for (const std::string& word : {std::string("-c"), include + "/" + name, std::string("-o"), object + ".part"}) command.push_back(word);
    commands.push_back(command);
    renames.emplace_back(object + ".part", object);
  }
  const auto results = run_processes(commands, "", std::max(1u, std::thread::hardware_concurrency()), r.spec.interrupted);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].exit_code != 0) return r.failed("compiling Verilator's run-time library", results[i].output);
    fs::rename(renames[i].first, renames[i].second, code);
    errno = code.value();
    if (code) return r.cannot_write(renames[i].second);
  }
  return "";
}

// Messages name the snapshot; users know their own files.
std::string in_user_paths(std::string text, const SourceSet& sources) {
  for (const auto* list : {&sources.rtl, &sources.headers, &sources.cpp}) {
    for (const SourceFile& file : *list) replace_all(&text, file.snapshot, file.path);
  }
  return text;
}

std::string verilate(const Request& r, const std::string& directory) {
  std::vector<std::string> command = {
      "verilator", "--cc", "--prefix", kModelPrefix, "--Mdir", "obj", "-O3", "--x-assign", "fast", "--x-initial", "unique",
      "--inline-mult", "0", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Werror-USERERROR", "-Werror-USERFATAL", "-Isrc", "--top-module", r.spec.top, "keep.vlt"};
  // Every register stays a named member: counters that nothing reads, and the whole state for comparison and checkpoints. So do the signals
  // that ask for code of their own (one_pass.h).
  if (!write_file(directory + "/keep.vlt", "`verilator_config\npublic_flat_rd -module \"*\" -var \"*_q\"\npublic_flat_rd -module \"*\" -var \"split_*\"\n")) {
    return r.cannot_write(directory + "/keep.vlt");
  }
  command.push_back(r.spec.assertions ? "--assert" : "--no-assert");
  if (r.spec.trace) {
    for (const char* word : {"--trace-fst", "--trace-structs"}) command.push_back(word);
  }
  if (r.spec.split != 0) {
    for (const char* option : {"--output-split", "--output-split-cfuncs"}) {
      command.push_back(option);
      command.push_back(std::to_string(r.spec.split));
    }
  }
  for (const auto& [name, value] : r.spec.params) command.push_back("-G" + name + "=" + value);
  for (const SourceFile& file : r.sources.rtl) command.push_back(file.snapshot);
  const ProcessResult result = run_process(command, directory, r.spec.interrupted);
  if (result.exit_code == 0) return "";
  return r.failed("verilator could not read the sources of " + r.spec.top, result.output);
}

std::string build(const Request& r, const std::string& target) {
  const ScratchDirectory scratch(r.cache);
  if (scratch.path().empty()) return r.cannot_write(r.cache);
  std::error_code code;
  for (const auto* list : {&r.sources.rtl, &r.sources.headers, &r.sources.cpp}) {
    for (const SourceFile& file : *list) {
      const fs::path path = fs::path(scratch.path()) / file.snapshot;
      fs::create_directories(path.parent_path(), code);
      if (!write_file(path.string(), file.content)) return r.cannot_write(path.string());
    }
  }
  std::string error = verilate(r, scratch.path());
  if (!error.empty()) return error;

  GlueInput input{scratch.path() + "/obj", r.spec.top,  to_string(r.spec.view), r.source_hash,
                  r.build_hash,            r.verilator, r.spec.params,          r.spec.trace};
  input.allow_direct = r.spec.evaluation == Evaluation::kAuto;
  input.allow_clock_memory = r.spec.evaluation != Evaluation::kBothEdges;
  input.apart = r.spec.split != 0;
  GlueOutput glue;
  error = generate_glue(input, &glue);
  if (!error.empty()) return error;
  if (!write_file(scratch.path() + "/hot.cpp", glue.hot_source) || !write_file(scratch.path() + "/cold.cpp", glue.cold_source)) {
    return r.cannot_write(scratch.path());
  }
  const std::string include = verilator_include(r.spec.interrupted);
  std::vector<std::string> objects;
  error = runtime_objects(r, include, &objects);
  if (!error.empty()) return error;

  std::vector<std::vector<std::string>> commands;
  const auto compile = [&](const std::string& source, int optimise) {
    std::vector<std::string> command = compile_command(include, optimise);
    const std::string object = "o" + std::to_string(commands.size()) + ".o";
    for (const std::string& word : {std::string("-c"), source, std::string("-o"), object}) command.push_back(word);
    objects.push_back(object);
    commands.push_back(command);
  };
  // Benches check assertions and are built for one run: a short build matters more.
  const int optimise = r.spec.trace || r.spec.assertions ? std::min(1, r.spec.optimise) : r.spec.optimise;
  compile("hot.cpp", optimise);
  compile("cold.cpp", 0);
  for (const std::string& file : glue.hot_files) compile("obj/" + file, optimise);
  for (const std::string& file : glue.cold_files) compile("obj/" + file, 0);
  for (const SourceFile& file : r.sources.cpp) compile(file.snapshot, r.spec.optimise);
  const unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  for (const ProcessResult& result : run_processes(commands, scratch.path(), jobs, r.spec.interrupted)) {
    if (result.exit_code != 0) return r.failed("compiling " + r.spec.top, result.output);
  }
  const std::string exports = scratch.path() + "/exports";
  if (!write_file(exports, "{ global: wl_unit_api; local: *; };\n")) return r.cannot_write(exports);
  std::vector<std::string> link = {cxx_name(), "-shared", "-pthread", "-o", "unit.so", "-Wl,--version-script=exports", "-Wl,-z,defs"};
  if (!kSanitizer.empty()) {
    link.pop_back();  // the run-time library comes with the program
    for (const char* word : kSanitizer) link.push_back(word);
  }
  link.insert(link.end(), objects.begin(), objects.end());
  for (const char* word : {"-lz", "-latomic"}) {
    if (r.spec.trace || std::string(word) == "-latomic") link.push_back(word);
  }
  const ProcessResult linked = run_process(link, scratch.path(), r.spec.interrupted);
  if (linked.exit_code != 0) return r.failed("linking " + r.spec.top, linked.output);
  fs::rename(scratch.path() + "/unit.so", target, code);
  errno = code.value();
  return code ? r.cannot_write(target) : "";
}

}  // namespace

std::string default_cache_directory() {
  const std::string chosen = environment("WAFERLOOM_CACHE");
  if (!chosen.empty()) return chosen;
  const std::string xdg = environment("XDG_CACHE_HOME");
  if (!xdg.empty()) return xdg + "/waferloom";
  const std::string home = environment("HOME");
  return (home.empty() ? std::string("/tmp") : home + "/.cache") + "/waferloom";
}

std::string tool_version() {
  return version_of("verilator", "") + "; " + version_of(cxx_name(), "");
}

std::string unit_source_hash(const UnitSpec& spec, std::string* error) {
  Request r;
  prepare(spec, false, &r);
  *error = r.error;
  return r.error.empty() ? r.source_hash : "";
}

BuildResult build_unit(const UnitSpec& spec) {
  const auto start = std::chrono::steady_clock::now();
  Request r;
  prepare(spec, true, &r);
  BuildResult result;
  result.error = r.error;
  if (result.ok()) {
    result.source_hash = r.source_hash;
    result.build_hash = r.build_hash;
    result.library_path = r.cache + "/" + r.spec.top + "-" + r.build_hash.substr(0, 32) + ".so";
    std::error_code code;
    result.from_cache = fs::exists(result.library_path, code);
    if (result.from_cache) {
      mark_used(result.library_path);
    } else {
      const std::uint64_t limit = cache_limit_bytes(&result.error);
      if (result.ok()) prune_cache(r.cache, limit);
      const FileLock lock(r.cache + "/" + r.spec.top + ".lock", spec.interrupted);
      result.from_cache = fs::exists(result.library_path, code);  // another process was faster
      if (!result.from_cache && result.ok()) result.error = r.stopped() ? "interrupted" : in_user_paths(build(r, result.library_path), r.sources);
    }
  }
  if (!result.ok()) result.fault = r.stopped() ? BuildFault::kInterrupted : r.unwritable ? BuildFault::kInputOutput : BuildFault::kSources;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace waferloom::plugin
