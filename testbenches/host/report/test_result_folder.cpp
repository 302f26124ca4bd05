// The result folder: files are whole or absent, earlier results give way, other people's files do not, and every fault
// of the disk is a located error.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "host/report/files.h"
#include "host/report/result_folder.h"
#include "testbenches/host/report/sample_report.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/child.h"
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

void write_sample(const fs::path& path, const std::string& resolved) {
  const auto folder = ResultFolder::open(path);
  REQUIRE(folder.ok());
  REQUIRE(folder->write_results(sample_report(), resolved, sample_weights(), sample_manifest()).ok());
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
  write_sample(out, "a: 1\n");
  scratch.write("out/notes.txt", "mine");
  scratch.write("out/thesis.partial-draft.txt", "mine");
  scratch.write("out/.thesis.partial-2.txt", "mine");
  scratch.write("out/.metrics.json.partial-123", "half");
  {
    const auto second = ResultFolder::open(out);
    REQUIRE(second.ok());
    CHECK(entries(out) == 11);  // opening removes nothing
    REQUIRE(second->write_results(sample_report(), "b: 1\n", sample_weights(), sample_manifest()).ok());
  }
  CHECK(entries(out) == 10);  // the cut-off file is gone, the notes are not
  CHECK(read_file(out / "resolved.yaml") == "b: 1\n");
  CHECK(read_file(out / "notes.txt") == "mine");
  CHECK(read_file(out / "thesis.partial-draft.txt") == "mine");
  CHECK(read_file(out / ".thesis.partial-2.txt") == "mine");
  // Again: the folder is still known as ours.
  CHECK(ResultFolder::open(out).ok());
}

TEST_CASE("a result that was cut off between two of its files leaves a folder that is still ours") {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  const auto cut_off = [&] {
    const auto first = ResultFolder::open(out);
    REQUIRE(first.ok());
    fs::remove(out / "two.csv");
    fs::create_directories(out / "two.csv");  // no file can take this name: the write ends here
    REQUIRE(!first->write_set({{"one.csv", "1"}, {"two.csv", "2"}}, sample_report(), sample_manifest()).ok());
    fs::remove(out / "two.csv");
    REQUIRE(fs::exists(out / "one.csv"));
  };
  cut_off();
  {
    const auto second = ResultFolder::open(out);
    REQUIRE(second.ok());
    REQUIRE(second->write_set({{"one.csv", "1"}, {"two.csv", "2"}}, sample_report(), sample_manifest()).ok());
  }
  CHECK(entries(out) == 3);  // the mark is gone
  // What is left of it does not outlive a result of another kind, not even when a trace claims the folder in between.
  cut_off();
  {
    const auto third = ResultFolder::open(out);
    REQUIRE(third.ok());
    REQUIRE(third->claim().ok());
    REQUIRE(third->write_set({{"three.csv", "3"}}, sample_report(), sample_manifest()).ok());
  }
  CHECK(entries(out) == 2);
  // A trace is put in before the results.
  const fs::path traced = scratch.path() / "traced";
  REQUIRE(ResultFolder::open(traced)->claim().ok());
  scratch.write("traced/trace/waves.fst", "half");
  CHECK(ResultFolder::open(traced).ok());
}

TEST_CASE("a result of another kind takes the files of the earlier one with it") {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  {
    const auto folder = ResultFolder::open(out);
    REQUIRE(folder.ok());
    REQUIRE(folder->write_set({{"projection.json", "{}"}, {"scaling.csv", "a,b"}}, sample_report(), sample_manifest()).ok());
  }
  scratch.write("out/notes.csv", "mine");
  scratch.write("mine.txt", "mine");
  fs::create_directories(out / "mine");
  // A list that somebody edited reaches nothing but files of the folder.
  std::string manifest = read_file(out / "manifest.json");
  manifest.replace(manifest.find("\"scaling.csv\""), 13, "\"scaling.csv\", \"../mine.txt\", \"mine\", \"\", \"..\", 7");
  scratch.write("out/manifest.json", manifest);
  write_sample(out, "a: 1\n");
  CHECK(!fs::exists(out / "projection.json"));
  CHECK(!fs::exists(out / "scaling.csv"));
  CHECK(fs::exists(out / "mine"));
  CHECK(read_file(out / "notes.csv") == "mine");
  CHECK(read_file(scratch.path() / "mine.txt") == "mine");
  CHECK(entries(out) == 9);
}

TEST_CASE("one run at a time writes into a folder") {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    ::alarm(60);  // not for ever, should the test end early
    const auto folder = ResultFolder::open(out);
    const char word = folder.ok() ? 'y' : 'n';
    if (::write(ready[1], &word, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char word = 0;
  REQUIRE(::read(ready[0], &word, 1) == 1);
  CHECK(word == 'y');
  const auto second = ResultFolder::open(out);
  REQUIRE(!second.ok());
  CHECK(second.errors()[0].message == "another run of waferloom is writing into this folder");
  CHECK(second.errors()[0].where.file == out.string());
  CHECK(second.errors()[0].hint.find("-o") != std::string::npos);
  CHECK(second.errors()[0].fault == waferloom::config::Fault::kInputOutput);
  // An owner that is killed leaves no lock behind, and nothing else.
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  CHECK(entries(out) == 0);
  const auto third = ResultFolder::open(out);
  REQUIRE(third.ok());
  {
    const ResultFolder copy = *third;
  }
  CHECK(!ResultFolder::open(out).ok());  // a copy that goes leaves the lock
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("a file of somebody else's that looks like a temporary one is not taken for ours") {
  for (const char* name : {"thesis.partial-draft.txt", ".partial-thesis", "thesis.partial-7", ".thesis.partial-7", ".thesis.partial-", ".partial-7"}) {
    INFO(name);
    const TemporaryFolder scratch;
    scratch.write(std::string("out/") + name, "theirs");
    const auto folder = ResultFolder::open(scratch.path() / "out");
    REQUIRE(!folder.ok());
    CHECK(folder.errors()[0].message == "the folder holds other files and no result of a run");
    CHECK(read_file(scratch.path() / "out" / name) == "theirs");
  }
  for (const char* name : {"checkpoint-thesis.txt", "checkpoint-.wlc", ".checkpoint-12.partial-draft", "checkpoint-12.wlc.old"}) {
    INFO(name);
    const TemporaryFolder folder;
    folder.write(std::string("out/checkpoints/") + name, "theirs");
    CHECK(!ResultFolder::open(folder.path() / "out").ok());
  }
  // What a run that was killed leaves is no obstacle: at its very beginning, and in its checkpoints.
  const TemporaryFolder scratch;
  scratch.write("out/..partial-unfinished.partial-7", "");
  scratch.write("out/.partial-probe", "");
  scratch.write("out/checkpoints/checkpoint-000012.wlc", "");
  scratch.write("out/checkpoints/.checkpoint-000013.wlc.partial-7", "");
  CHECK(ResultFolder::open(scratch.path() / "out").ok());
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
  CHECK(waferloom::test::holds_with_files_of(100000, [&] {
    const auto status = write_whole_file(scratch.path() / "metrics.json", std::string(1000000, 'x'));
    return !status.ok() && status.errors()[0].fault == waferloom::config::Fault::kInputOutput && status.errors()[0].message.find("cannot be written: ") == 0;
  }));
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
