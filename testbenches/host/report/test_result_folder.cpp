// The result folder: files are whole or absent, earlier results give way, other people's files do not, and every fault
// of the disk is a located error.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "host/report/files.h"
#include "host/report/result_folder.h"
#include "testbenches/host/report/sample_report.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::report;
using waferloom::test::read_file;
using waferloom::test::sample_manifest;
using waferloom::test::sample_report;
using waferloom::test::sample_weights;
using waferloom::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a result is complete and its manifest comes last") {
  const TemporaryFolder scratch;
  const auto folder = ResultFolder::open(scratch.path() / "deep" / "out");
  REQUIRE(folder.ok());
  CHECK(entries(folder->path()) == 0);
  REQUIRE(folder->write_results(sample_report(), "name: sample\n", sample_weights(), sample_manifest()).ok());
  CHECK(entries(folder->path()) == 7);
  CHECK(read_file(folder->path() / "resolved.yaml") == "name: sample\n");
  CHECK(nlohmann::json::parse(read_file(folder->path() / "manifest.json"))["files"].size() == 6);
}

TEST_CASE("the same results are the same bytes, wall clock aside") {
  const TemporaryFolder scratch;
  RunReport report = sample_report();
  const auto one = ResultFolder::open(scratch.path() / "one");
  REQUIRE(one.ok());
  REQUIRE(one->write_results(report, "a: 1\n", sample_weights(), sample_manifest()).ok());
  report.wall = {"2027-12-31T23:59:59Z", 99, 1, 64};
  const auto two = ResultFolder::open(scratch.path() / "two");
  REQUIRE(two.ok());
  REQUIRE(two->write_results(report, "a: 1\n", sample_weights(), sample_manifest()).ok());
  for (const auto& file : fs::directory_iterator(one->path())) {
    const std::string name = file.path().filename().string();
    INFO(name);
    if (name != "manifest.json") CHECK(read_file(file.path()) == read_file(two->path() / name));
  }
  auto a = nlohmann::json::parse(read_file(one->path() / "manifest.json"));
  auto b = nlohmann::json::parse(read_file(two->path() / "manifest.json"));
  CHECK(a != b);
  a.erase("wall_clock");
  b.erase("wall_clock");
  CHECK(a == b);
}

TEST_CASE("an earlier result is removed, manifest first; other files stay") {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  const auto first = ResultFolder::open(out);
  REQUIRE(first.ok());
  REQUIRE(first->write_results(sample_report(), "a: 1\n", sample_weights(), sample_manifest()).ok());
  scratch.write("out/notes.txt", "mine");
  scratch.write("out/.metrics.json.partial-123", "half");
  const auto second = ResultFolder::open(out);
  REQUIRE(second.ok());
  CHECK(entries(out) == 9);  // opening removes nothing
  REQUIRE(second->write_results(sample_report(), "b: 1\n", sample_weights(), sample_manifest()).ok());
  CHECK(entries(out) == 8);  // the cut-off file is gone, the note is not
  CHECK(read_file(out / "resolved.yaml") == "b: 1\n");
  CHECK(read_file(out / "notes.txt") == "mine");
  // Again: the folder is still known as ours.
  CHECK(ResultFolder::open(out).ok());
}

TEST_CASE("a result that was cut off between two of its files leaves a folder that is still ours") {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  const auto first = ResultFolder::open(out);
  REQUIRE(first.ok());
  fs::create_directories(out / "two.csv");  // no file can take this name: the write ends here
  REQUIRE(!first->write_set({{"one.csv", "1"}, {"two.csv", "2"}}, sample_report(), sample_manifest()).ok());
  fs::remove(out / "two.csv");
  REQUIRE(fs::exists(out / "one.csv"));
  const auto second = ResultFolder::open(out);
  REQUIRE(second.ok());
  REQUIRE(second->write_set({{"one.csv", "1"}, {"two.csv", "2"}}, sample_report(), sample_manifest()).ok());
  CHECK(entries(out) == 3);  // the mark is gone
  // A trace is put in before the results.
  const fs::path traced = scratch.path() / "traced";
  REQUIRE(ResultFolder::open(traced)->claim().ok());
  scratch.write("traced/trace/waves.fst", "half");
  CHECK(ResultFolder::open(traced).ok());
}

TEST_CASE("a file of somebody else's that has one of our names is not touched") {
  const TemporaryFolder scratch;
  scratch.write("out/report.html", "theirs");
  const auto folder = ResultFolder::open(scratch.path() / "out");
  REQUIRE(!folder.ok());
  CHECK(read_file(scratch.path() / "out" / "report.html") == "theirs");
}

TEST_CASE("a folder of somebody else's is refused") {
  const TemporaryFolder scratch;
  scratch.write("out/photo.jpg", "x");
  const auto folder = ResultFolder::open(scratch.path() / "out");
  REQUIRE(!folder.ok());
  CHECK(folder.errors()[0].message == "the folder holds other files and no result of a run");
  CHECK(folder.errors()[0].fault == waferloom::config::Fault::kInputOutput);
  CHECK(entries(scratch.path() / "out") == 1);
}

TEST_CASE("paths that cannot be a folder") {
  const TemporaryFolder scratch;
  const fs::path file = scratch.write("file", "x");
  const auto on_file = ResultFolder::open(file);
  REQUIRE(!on_file.ok());
  CHECK(on_file.errors()[0].message == "is a file, not a folder");
  const auto under_file = ResultFolder::open(file / "out");
  REQUIRE(!under_file.ok());
  CHECK(under_file.errors()[0].message.find("the result folder cannot be made: ") == 0);
  const auto unnamed = ResultFolder::open("");
  REQUIRE(!unnamed.ok());
  CHECK(unnamed.errors()[0].message == "the result folder has no name");
  // Nobody, root included, may make folders there.
  const auto in_proc = ResultFolder::open("/proc/waferloom-out");
  REQUIRE(!in_proc.ok());
  CHECK(in_proc.errors()[0].message.find("the result folder cannot be made: ") == 0);
}

TEST_CASE("a folder that may not be written to") {
  if (::geteuid() == 0) {
    // Root may write anywhere but in the kernel's own file systems.
    const auto folder = ResultFolder::open("/proc/self/task");
    REQUIRE(!folder.ok());
    return;
  }
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  fs::create_directory(out);
  ::chmod(out.c_str(), 0500);
  const auto folder = ResultFolder::open(out);
  REQUIRE(!folder.ok());
  CHECK(folder.errors()[0].message.find("cannot be written: ") == 0);
  ::chmod(out.c_str(), 0700);
}

TEST_CASE("a write that fails half-way leaves the old file and no other") {
  // A limit on file sizes fails like a full disk does, in the middle of a write. In a child, as the limit cannot be
  // raised again.
  const TemporaryFolder scratch;
  scratch.write("metrics.json", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{100000, 100000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto status = write_whole_file(scratch.path() / "metrics.json", std::string(1000000, 'x'));
    const bool right = !status.ok() && status.errors()[0].fault == waferloom::config::Fault::kInputOutput &&
                       status.errors()[0].message.find("cannot be written: ") == 0;
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(read_file(scratch.path() / "metrics.json") == "old");
  CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("a folder that vanished is a fault, not a crash") {
  const TemporaryFolder scratch;
  const auto folder = ResultFolder::open(scratch.path() / "out");
  REQUIRE(folder.ok());
  fs::remove(scratch.path() / "out");
  const auto status = folder->write_results(sample_report(), "", sample_weights(), sample_manifest());
  REQUIRE(!status.ok());
  CHECK(status.errors()[0].message.find("cannot be written: ") == 0);
  CHECK(status.errors()[0].where.file.find((scratch.path() / "out").string()) == 0);
}

TEST_CASE("a folder under the final name is a fault and is left alone") {
  const TemporaryFolder scratch;
  fs::create_directories(scratch.path() / "metrics.json" / "x");
  const auto status = write_whole_file(scratch.path() / "metrics.json", "text");
  REQUIRE(!status.ok());
  CHECK(status.errors()[0].message.find("cannot be put in place: ") == 0);
  CHECK(entries(scratch.path()) == 1);
}
