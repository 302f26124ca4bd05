#include "host/extrapolate/store.h"

#include <sqlite3.h>

#include <system_error>
#include <utility>

#include "host/report/files.h"
#include "sim/plugin/builder.h"
#include "sim/plugin/sha256.h"

namespace waferloom::extrapolate {
namespace {

// "WLCS": tells our file from another program's.
constexpr int kApplication = 0x574c4353;
constexpr int kVersion = 1;
constexpr int kWaitMilliseconds = 30'000;

constexpr const char* kTables =
    "CREATE TABLE run("
    " key TEXT NOT NULL PRIMARY KEY, label TEXT NOT NULL, router TEXT NOT NULL, pe TEXT NOT NULL, program TEXT NOT NULL,"
    " width INTEGER NOT NULL CHECK(width > 0), height INTEGER NOT NULL CHECK(height > 0), seconds REAL NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE measurement("
    " key TEXT NOT NULL REFERENCES run(key) ON DELETE CASCADE, phase TEXT NOT NULL, place INTEGER NOT NULL, cycles INTEGER NOT NULL CHECK(cycles > 0),"
    " PRIMARY KEY(key, phase)) WITHOUT ROWID;"
    "CREATE TABLE busy("
    " key TEXT NOT NULL REFERENCES run(key) ON DELETE CASCADE, tile INTEGER NOT NULL, cycles INTEGER NOT NULL CHECK(cycles >= 0), PRIMARY KEY(key, tile)) WITHOUT ROWID;";

// Of all that a later fit depends on: a page that was altered on the disk without SQLite's knowledge does not go unnoticed.
std::string digest_of(const Measurement& m) {
  plugin::Sha256 hash;
  hash.field(m.key);
  hash.field(std::to_string(m.width) + "x" + std::to_string(m.height));
  for (const MeasuredPhase& phase : m.phases) hash.field(phase.phase + " " + std::to_string(phase.cycles));
  for (const std::int64_t cycles : m.busy) hash.field(std::to_string(cycles));
  return hash.hex();
}

// A statement that is finished when it goes out of scope.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) { status_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  bool ok() const { return status_ == SQLITE_OK; }
  void bind(int at, const std::string& text) { sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT); }
  void bind(int at, std::int64_t value) { sqlite3_bind_int64(statement_, at, value); }
  void bind(int at, double value) { sqlite3_bind_double(statement_, at, value); }
  int step() { return sqlite3_step(statement_); }
  void reset() { sqlite3_reset(statement_); }
  std::int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }
  double real(int column) { return sqlite3_column_double(statement_, column); }
  std::string text(int column) {
    const unsigned char* at = sqlite3_column_text(statement_, column);
    return at == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(at), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int status_ = SQLITE_ERROR;
};

}  // namespace

std::filesystem::path Store::default_file() { return std::filesystem::path(plugin::default_cache_directory()) / "calibration.sqlite"; }

Store::~Store() { sqlite3_close(database_); }

config::Diagnostic Store::fault(const std::string& doing) const {
  const int code = database_ == nullptr ? SQLITE_CANTOPEN : sqlite3_errcode(database_);
  std::string message = "the calibration store cannot be " + doing;
  std::string hint;
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      message = "the calibration store is damaged, or no store at all";
      hint = "move the file away: what it held is measured again";
      break;
    case SQLITE_FULL:
    case SQLITE_IOERR: message += ": no space left, or the disk fails"; break;
    case SQLITE_READONLY:
    case SQLITE_PERM: message += ": it is read-only"; break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      message += ": another process holds it";
      hint = "try again when the other calibration has ended";
      break;
    case SQLITE_CANTOPEN:
      message += ": it cannot be opened";
      hint = "set WAFERLOOM_CACHE to a folder that you may write to";
      break;
    default: message += std::string(": ") + (database_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database_));
  }
  return report::file_fault(file_, std::move(message), std::move(hint));
}

config::Status Store::execute(const char* sql, const std::string& doing) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return fault(doing);
  return std::monostate{};
}

config::Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& file, StoreAccess access) {
  std::unique_ptr<Store> store(new Store(file));
  std::error_code code;
  const bool exists = std::filesystem::exists(file, code);
  if (access == StoreAccess::kReadOnly && !exists) return store;
  if (!exists && file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), code);
  const int flags = access == StoreAccess::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (sqlite3_open_v2(file.c_str(), &store->database_, flags | SQLITE_OPEN_FULLMUTEX, nullptr) != SQLITE_OK) return store->fault("opened");
  sqlite3_extended_result_codes(store->database_, 0);
  sqlite3_busy_timeout(store->database_, kWaitMilliseconds);
  const config::Status ready = store->prepare_tables(access);
  if (!ready) return ready.errors();
  return store;
}

config::Status Store::prepare_tables(StoreAccess access) {
  auto read_number = [&](const char* sql, std::int64_t* value) -> config::Status {
    Statement statement(database_, sql);
    if (!statement.ok() || statement.step() != SQLITE_ROW) return fault("read");
    *value = statement.integer(0);
    return std::monostate{};
  };
  std::int64_t application = 0;
  std::int64_t version = 0;
  std::int64_t tables = 0;
  auto look = [&]() -> config::Status {
    config::Status read = read_number("PRAGMA application_id", &application);
    if (read) read = read_number("PRAGMA user_version", &version);
    if (read) read = read_number("SELECT count(*) FROM sqlite_master", &tables);
    return read;
  };
  // One snapshot: a store that another process makes between two of these reads would look like somebody else's file.
  config::Status read = execute("BEGIN", "read");
  if (read) read = look();
  sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr);
  if (!read) return read;
  if (application == 0 && version == 0 && tables == 0 && access == StoreAccess::kReadWrite) {
    // A new file. Another process may be making it at the same time: look again inside the transaction.
    config::Status made = execute("BEGIN IMMEDIATE", "written");
    if (!made) return made;
    read = look();
    if (read && tables == 0) {
      const std::string marks = "PRAGMA application_id = " + std::to_string(kApplication) + "; PRAGMA user_version = " + std::to_string(kVersion) + ";";
      made = execute(kTables, "written");
      if (made) made = execute(marks.c_str(), "written");
      if (made) made = execute("COMMIT", "written");
    } else if (read) {
      made = execute("COMMIT", "written");
    }
    if (!read || !made) {
      sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
      return read ? made : read;
    }
    read = look();
    if (!read) return read;
  }
  if (application == 0 && tables == 0) return std::monostate{};  // read-only and empty
  if (application != kApplication) return report::file_fault(file_, "this is not a calibration store", "move the file away, or set WAFERLOOM_CACHE to another folder");
  if (version != kVersion) {
    return report::file_fault(file_, "the calibration store is of version " + std::to_string(version) + ", this program knows " + std::to_string(kVersion),
                              "move the file away: what it held is measured again");
  }
  return execute("PRAGMA foreign_keys = ON", "opened");
}

config::Result<std::optional<Measurement>> Store::find(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (database_ == nullptr) return std::optional<Measurement>();
  // One snapshot for the three tables.
  const config::Status begun = execute("BEGIN", "read");
  if (!begun) return begun.errors();
  struct End {
    sqlite3* database;
    ~End() { sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr); }
  } const end{database_};
  Measurement m;
  m.key = key;
  Statement run(database_, "SELECT label, router, pe, program, width, height, seconds, digest FROM run WHERE key = ?1");
  if (!run.ok()) return config::Diagnostics{fault("read")};
  run.bind(1, key);
  int status = run.step();
  if (status == SQLITE_DONE) return std::optional<Measurement>();
  if (status != SQLITE_ROW) return config::Diagnostics{fault("read")};
  m.label = run.text(0);
  m.router = run.text(1);
  m.pe = run.text(2);
  m.program = run.text(3);
  m.width = static_cast<int>(run.integer(4));
  m.height = static_cast<int>(run.integer(5));
  m.seconds = run.real(6);
  const std::string digest = run.text(7);
  Statement phases(database_, "SELECT phase, cycles FROM measurement WHERE key = ?1 ORDER BY place");
  if (!phases.ok()) return config::Diagnostics{fault("read")};
  phases.bind(1, key);
  while ((status = phases.step()) == SQLITE_ROW) m.phases.push_back({phases.text(0), phases.integer(1)});
  if (status != SQLITE_DONE) return config::Diagnostics{fault("read")};
  Statement busy(database_, "SELECT cycles FROM busy WHERE key = ?1 ORDER BY tile");
  if (!busy.ok()) return config::Diagnostics{fault("read")};
  busy.bind(1, key);
  while ((status = busy.step()) == SQLITE_ROW) m.busy.push_back(busy.integer(0));
  if (status != SQLITE_DONE) return config::Diagnostics{fault("read")};
  if (digest != digest_of(m)) {
    return report::file_fault(file_, "the calibration store is damaged: the cycles of '" + m.label + "' are not those that were written", "move the file away: what it held is measured again");
  }
  return std::optional<Measurement>(std::move(m));
}

config::Status Store::keep(const Measurement& m) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (database_ == nullptr) return report::file_fault(file_, "the calibration store cannot be written: it is read-only");
  config::Status begun = execute("BEGIN IMMEDIATE", "written");
  if (!begun) return begun;
  auto write = [&]() -> config::Status {
    Statement gone(database_, "DELETE FROM run WHERE key = ?1");
    Statement run(database_, "INSERT INTO run(key, label, router, pe, program, width, height, seconds, digest) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    Statement phase(database_, "INSERT INTO measurement(key, phase, place, cycles) VALUES(?1, ?2, ?3, ?4)");
    Statement busy(database_, "INSERT INTO busy(key, tile, cycles) VALUES(?1, ?2, ?3)");
    if (!gone.ok() || !run.ok() || !phase.ok() || !busy.ok()) return fault("written");
    gone.bind(1, m.key);
    if (gone.step() != SQLITE_DONE) return fault("written");
    run.bind(1, m.key);
    run.bind(2, m.label);
    run.bind(3, m.router);
    run.bind(4, m.pe);
    run.bind(5, m.program);
    run.bind(6, std::int64_t{m.width});
    run.bind(7, std::int64_t{m.height});
    run.bind(8, m.seconds);
    run.bind(9, digest_of(m));
    if (run.step() != SQLITE_DONE) return fault("written");
    std::int64_t place = 0;
    for (const MeasuredPhase& measured : m.phases) {
      phase.bind(1, m.key);
      phase.bind(2, measured.phase);
      phase.bind(3, place++);
      phase.bind(4, measured.cycles);
      if (phase.step() != SQLITE_DONE) return fault("written");
      phase.reset();
    }
    std::int64_t tile = 0;
    for (const std::int64_t cycles : m.busy) {
      busy.bind(1, m.key);
      busy.bind(2, tile++);
      busy.bind(3, cycles);
      if (busy.step() != SQLITE_DONE) return fault("written");
      busy.reset();
    }
    return std::monostate{};
  };
  config::Status written = write();
  if (written) written = execute("COMMIT", "written");
  if (!written) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  return written;
}

config::Result<std::int64_t> Store::count() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (database_ == nullptr) return std::int64_t{0};
  Statement statement(database_, "SELECT count(*) FROM run");
  if (!statement.ok() || statement.step() != SQLITE_ROW) return config::Diagnostics{fault("read")};
  return statement.integer(0);
}

}  // namespace waferloom::extrapolate
