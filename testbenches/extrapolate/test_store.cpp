// The store of measurements: what is kept is found, whole or not at all, by several processes at once and after a kill; what is damaged, foreign, read-only or full is an
// error that names the file, never a wrong number.
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "host/extrapolate/store.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom;
using extrapolate::Measurement;
using extrapolate::Store;
using extrapolate::StoreAccess;

namespace {

Measurement measurement(int number, int phases = 7) {
  Measurement m;
  m.key = "key" + std::to_string(number);
  m.label = "array " + std::to_string(number);
  m.router = "r";
  m.pe = "p";
  m.program = "f";
  m.width = 4;
  m.height = 2;
  m.seconds = 0.5;
  for (int p = 0; p < phases; ++p) m.phases.push_back({"phase" + std::to_string(p), 9007199254740993 + 1000 * number + p});
  for (int t = 0; t < 8; ++t) m.busy.push_back(number * t);
  return m;
}

std::unique_ptr<Store> opened(const std::filesystem::path& file, StoreAccess access = StoreAccess::kReadWrite) {
  config::Result<std::unique_ptr<Store>> store = Store::open(file, access);
  INFO((store ? std::string() : config::render(store.errors())));
  REQUIRE(store.ok());
  return std::move(store).value();
}

std::string open_error(const std::filesystem::path& file) {
  const config::Result<std::unique_ptr<Store>> store = Store::open(file, StoreAccess::kReadWrite);
  return store ? std::string() : config::render(store.errors());
}

bool same(const Measurement& a, const Measurement& b) {
  if (a.key != b.key || a.label != b.label || a.width != b.width || a.height != b.height || a.busy != b.busy || a.phases.size() != b.phases.size()) return false;
  for (std::size_t i = 0; i < a.phases.size(); ++i) {
    if (a.phases[i].phase != b.phases[i].phase || a.phases[i].cycles != b.phases[i].cycles) return false;
  }
  return true;
}

bool has(Store& store, const Measurement& m) {
  const config::Result<std::optional<Measurement>> found = store.find(m.key);
  INFO((found ? std::string() : config::render(found.errors())));
  REQUIRE(found.ok());
  return *found && same(**found, m);
}

void raw(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

// Runs `body` in a process of its own; returns its pid.
template <class Body>
pid_t forked(Body body) {
  const pid_t pid = fork();
  if (pid == 0) {
    body();
    _exit(0);
  }
  return pid;
}

int exit_code(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("what is kept is found, to the last digit, and only under its key") {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "deep" / "store.sqlite";
  {
    const auto store = opened(file);
    CHECK_FALSE(has(*store, measurement(1)));
    REQUIRE(store->keep(measurement(1)).ok());
    REQUIRE(store->keep(measurement(2, 3)).ok());
    REQUIRE(store->keep(measurement(2)).ok());  // replaces
    CHECK(has(*store, measurement(1)));
    CHECK(has(*store, measurement(2)));
    CHECK_FALSE(has(*store, measurement(3)));
  }
  const auto again = opened(file, StoreAccess::kReadOnly);
  CHECK(has(*again, measurement(2)));
  CHECK(*again->count() == 2);
  const config::Status refused = again->keep(measurement(4));
  REQUIRE_FALSE(refused.ok());
  CHECK(config::render(refused.errors()).find("store.sqlite: error: the calibration store cannot be written: it is read-only") != std::string::npos);
  CHECK(refused.errors().front().fault == config::Fault::kInputOutput);
  CHECK(*opened(folder.path() / "nothing.sqlite", StoreAccess::kReadOnly)->count() == 0);
}

TEST_CASE("two processes write one store at the same time, and make it at the same time") {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "store.sqlite";
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    children.push_back(forked([&] {
      const config::Result<std::unique_ptr<Store>> store = Store::open(file, StoreAccess::kReadWrite);
      if (!store) _exit(2);
      for (int i = 0; i < 25; ++i) {
        if (!(*store)->keep(measurement(i % 2 == 0 ? i : 100 * child + i)).ok()) _exit(3);
        if (!(*store)->find("key0").ok()) _exit(4);
      }
    }));
  }
  for (const pid_t pid : children) CHECK(exit_code(pid) == 0);
  const auto store = opened(file);
  for (int child = 0; child < 3; ++child) {
    for (int i = 0; i < 25; ++i) CHECK(has(*store, measurement(i % 2 == 0 ? i : 100 * child + i)));
  }
}

TEST_CASE("a killed writer leaves whole measurements and an open store") {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "store.sqlite";
  for (int round = 0; round < 6; ++round) {
    const pid_t pid = forked([&] {
      const config::Result<std::unique_ptr<Store>> store = Store::open(file, StoreAccess::kReadWrite);
      for (int i = 0; store; ++i) {
        Measurement m = measurement(i, 60);
        m.busy.assign(3000, i);
        (*store)->keep(m);
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 17 * round));
    kill(pid, SIGKILL);
    exit_code(pid);
    const auto store = opened(file);
    const std::int64_t count = *store->count();
    for (int i = 0; i < count; ++i) {
      Measurement m = measurement(i, 60);
      m.busy.assign(3000, i);
      CHECK(has(*store, m));
    }
  }
}

TEST_CASE("a damaged store is named, and no number comes out of it") {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "store.sqlite";
  const std::string text = "not a database, although it is longer than the hundred bytes of a header that SQLite looks at before it says that a file is none of its own";
  folder.write("store.sqlite", text);
  CHECK(open_error(file).find("store.sqlite: error: the calibration store is damaged, or no store at all") != std::string::npos);
  CHECK(open_error(file).find("hint: move the file away") != std::string::npos);
  CHECK(test::read_file(file) == text);  // not ours to overwrite

  std::filesystem::remove(file);
  {
    const auto store = opened(file);
    for (int i = 0; i < 40; ++i) REQUIRE(store->keep(measurement(i)).ok());
  }
  const std::string good = test::read_file(file);
  // Cut off.
  folder.write("store.sqlite", good.substr(0, good.size() / 2));
  {
    const config::Result<std::unique_ptr<Store>> store = Store::open(file, StoreAccess::kReadWrite);
    bool complained = !store.ok();
    for (int i = 0; i < 40 && store; ++i) {
      const config::Result<std::optional<Measurement>> found = (*store)->find(measurement(i).key);
      complained |= !found.ok();
      if (found.ok() && *found) CHECK(same(**found, measurement(i)));
    }
    CHECK(complained);
  }
  // One byte at a time.
  int complaints = 0;
  for (std::size_t at = 120; at < good.size(); at += 331) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x11);
    folder.write("store.sqlite", bad);
    const config::Result<std::unique_ptr<Store>> store = Store::open(file, StoreAccess::kReadWrite);
    complaints += store ? 0 : 1;
    for (int i = 0; i < 40 && store; ++i) {
      const config::Result<std::optional<Measurement>> found = (*store)->find(measurement(i).key);
      complaints += found ? 0 : 1;
      if (!found || !*found) continue;
      for (std::size_t p = 0; p < (*found)->phases.size(); ++p) CHECK((*found)->phases[p].cycles == measurement(i).phases.at(p).cycles);
    }
  }
  CHECK(complaints > 0);
  // Cycles that were written by another hand.
  folder.write("store.sqlite", good);
  raw(file, "UPDATE measurement SET cycles = cycles + 1 WHERE key = 'key7' AND phase = 'phase2'");
  const auto store = opened(file);
  const config::Result<std::optional<Measurement>> changed = store->find("key7");
  REQUIRE_FALSE(changed.ok());
  CHECK(config::render(changed.errors()).find("the cycles of 'array 7' are not those that were written") != std::string::npos);
  CHECK(has(*store, measurement(8)));
}

TEST_CASE("another program's file and another version are refused") {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "store.sqlite";
  raw(file, "CREATE TABLE mine(x)");
  CHECK(open_error(file).find("this is not a calibration store") != std::string::npos);
  std::filesystem::remove(file);
  opened(file);
  raw(file, "PRAGMA user_version = 9");
  CHECK(open_error(file).find("the calibration store is of version 9, this program knows 1") != std::string::npos);
}

TEST_CASE("a place that cannot be written and a full disk are input/output errors, and what was there stays") {
  CHECK(open_error("/proc/nowhere/store.sqlite").find("store.sqlite: error: the calibration store cannot be opened") != std::string::npos);
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "store.sqlite";
  {
    const auto store = opened(file);
    REQUIRE(store->keep(measurement(1)).ok());
  }
  // A file that may not grow, as on a full disk.
  const pid_t pid = forked([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{static_cast<rlim_t>(std::filesystem::file_size(file)), RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    const config::Result<std::unique_ptr<Store>> store = Store::open(file, StoreAccess::kReadWrite);
    if (!store) _exit(2);
    Measurement m = measurement(2, 200);
    m.busy.assign(20000, 5);
    const config::Status kept = (*store)->keep(m);
    if (kept.ok()) _exit(3);
    if (config::render(kept.errors()).find("store.sqlite: error: the calibration store cannot be written: no space left") == std::string::npos) _exit(4);
    if (kept.errors().front().fault != config::Fault::kInputOutput) _exit(5);
  });
  CHECK(exit_code(pid) == 0);
  const auto store = opened(file);
  CHECK(has(*store, measurement(1)));
  CHECK(*store->count() == 1);
}
