// The calibration store: what verilated arrays were measured to take, in one SQLite file that lasts.
//
// A run of one array is one transaction: either all that it measured is there or nothing. A measurement's key is the hash of everything that its cycles depend on (sources and
// parameters of both units, program images, every word at the edge, limits of the ports), so an edit of the RTL, the microcode or a machine's parameter makes other keys,
// and what it does not touch is found again. Fits are derived, never stored. Any number of processes may use one file (SQLite's own locks, a rollback journal); one that is
// killed leaves what it had finished.
//
// Threads: one Store may be shared, its calls are serialised.
// Errors name the file: not a store, damaged, of another version, not readable, read-only, disk full (Fault::kInputOutput).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"

struct sqlite3;

namespace waferloom::extrapolate {

// What one phase of a run took.
struct MeasuredPhase {
  std::string phase;  // unique in its measurement: "second.forward"
  std::int64_t cycles = 0;
};

struct Measurement {
  std::string key;     // 64 hexadecimal digits
  std::string label;   // "8x8 tiles, 4-16-8 features, 8 tokens": for people
  std::string router;  // hashes, for people and for cleaning up
  std::string pe;
  std::string program;
  int width = 0;
  int height = 0;
  double seconds = 0;  // that it took to measure
  std::vector<MeasuredPhase> phases;
  std::vector<std::int64_t> busy;  // issue cycles of each tile, row by row; empty unless it was asked for
};

enum class StoreAccess { kReadWrite, kReadOnly };

class Store {
 public:
  // kReadWrite makes the file and its folder when there are none. kReadOnly of a file that is not there is an empty store.
  static config::Result<std::unique_ptr<Store>> open(const std::filesystem::path& file, StoreAccess access);
  // $WAFERLOOM_CACHE or its default: calibration.sqlite.
  static std::filesystem::path default_file();

  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  config::Result<std::optional<Measurement>> find(const std::string& key);
  // Replaces what was there under that key.
  config::Status keep(const Measurement& measurement);
  config::Result<std::int64_t> count();
  const std::filesystem::path& file() const { return file_; }

 private:
  explicit Store(std::filesystem::path file) : file_(std::move(file)) {}
  config::Diagnostic fault(const std::string& doing) const;
  config::Status execute(const char* sql, const std::string& doing);
  config::Status prepare_tables(StoreAccess access);

  std::filesystem::path file_;
  sqlite3* database_ = nullptr;  // nullptr: a read-only store that does not exist
  std::mutex mutex_;
};

}  // namespace waferloom::extrapolate
