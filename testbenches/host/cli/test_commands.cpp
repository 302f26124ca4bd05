// The command line within the process: what goes to which stream, which exit code, which suggestion.
#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>

#include "host/cli/application.h"
#include "host/cli/progress.h"
#include "testbenches/host/config/run_text.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::cli;
using waferloom::test::kRun;
using waferloom::test::TemporaryFolder;
using waferloom::test::with;

namespace {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome call(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const std::atomic<int> stop{0};
  Context context{out, err, false, stop};
  const int code = run_application(arguments, context);
  return {code, out.str(), err.str()};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("help and version go to stdout") {
  const Outcome help = call({"--help"});
  CHECK(help.code == kDone);
  CHECK(help.err.empty());
  for (const auto& command : make_commands()) {
    INFO(command->name());
    CHECK(has(help.out, "  " + command->name() + " "));
    CHECK(has(help.out, command->summary()));
    const Outcome sub = call({command->name(), "--help"});
    CHECK(sub.code == kDone);
    CHECK(has(sub.out, command->summary()));
    CHECK(sub.err.empty());
  }
  CHECK(has(help.out, "Exit codes: 0 done, 1 a check failed"));
  const Outcome version = call({"--version"});
  CHECK(version.code == kDone);
  CHECK(version.out.find("waferloom ") == 0);
  CHECK(version.out.back() == '\n');
}

TEST_CASE("an option that is given twice") {
  for (const std::vector<std::string>& line : {std::vector<std::string>{"run", "x.yaml", "--threads", "1", "--threads=2"}, {"run", "--threads", "2", "--threads", "2", "x.yaml"}}) {
    const Outcome twice = call(line);
    CHECK(twice.code == kUsage);
    CHECK(twice.err == "waferloom: error: option '--threads' is given more than once\n  hint: leave one\n");
  }
  CHECK(call({"run", "x.yaml", "-o", "a", "--output", "b"}).err == "waferloom: error: option '--output' is given more than once\n  hint: leave one\n");
  CHECK(has(call({"run", "x.yaml", "--threads"}).err, "--threads"));
  CHECK(!has(call({"run", "x.yaml", "--threads"}).err, "more than once"));
}

TEST_CASE("commands have distinct names and one line of summary") {
  std::set<std::string> names;
  for (const auto& command : make_commands()) {
    CHECK(names.insert(command->name()).second);
    CHECK(!command->summary().empty());
    CHECK(!has(command->summary(), "\n"));
  }
}

TEST_CASE("no command at all shows the help as an error") {
  const Outcome none = call({});
  CHECK(none.code == kUsage);
  CHECK(none.out.empty());
  CHECK(has(none.err, "Usage: waferloom"));
}

TEST_CASE("a misspelt command, option or word") {
  const Outcome command = call({"chekc", "x.yaml"});
  CHECK(command.code == kUsage);
  CHECK(command.out.empty());
  CHECK(command.err == "waferloom: error: unknown command 'chekc'\n  hint: did you mean 'check'?\n");
  CHECK(has(call({"frobnicate"}).err, "hint: commands: "));
  const Outcome option = call({"check", "--quite", "x.yaml"});
  CHECK(option.code == kUsage);
  CHECK(option.err == "waferloom: error: unknown option '--quite'\n  hint: did you mean '--quiet'?\n");
  const Outcome unlike = call({"check", "--frobnicate", "x.yaml"});
  CHECK(unlike.code == kUsage);
  CHECK(has(unlike.err, "unknown option '--frobnicate'\n  hint: see 'waferloom check --help'"));
  const Outcome top = call({"--versoin"});
  CHECK(top.code == kUsage);
  CHECK(has(top.err, "did you mean '--version'?"));
  const Outcome word = call({"check", "a.yaml", "b.yaml"});
  CHECK(word.code == kUsage);
  CHECK(has(word.err, "unexpected argument 'b.yaml'"));
  const Outcome missing = call({"check"});
  CHECK(missing.code == kUsage);
  CHECK(has(missing.err, "file is required"));
  CHECK(has(missing.err, "hint: see 'waferloom check --help'"));
}

TEST_CASE("check prints the resolved file, which checks again to the same") {
  const TemporaryFolder folder;
  const Outcome first = call({"check", folder.write("run.yaml", kRun).string()});
  CHECK(first.code == kDone);
  CHECK(first.err.empty());
  CHECK(first.out.find("name: tiny\n") == 0);
  const Outcome second = call({"check", folder.write("again.yaml", first.out).string()});
  CHECK(second.code == kDone);
  CHECK(second.out == first.out);
  const Outcome quiet = call({"check", "-q", (folder.path() / "run.yaml").string()});
  CHECK(quiet.code == kDone);
  CHECK(quiet.out.empty());
}

TEST_CASE("check reports to stderr and tells configuration from input faults") {
  const TemporaryFolder folder;
  const Outcome wrong = call({"check", folder.write("run.yaml", with(kRun, "batch: 64", "batch: -1")).string()});
  CHECK(wrong.code == kUsage);
  CHECK(wrong.out.empty());
  CHECK(has(wrong.err, "run.yaml:12:8: error: 'batch' cannot be negative: -1\n  batch: -1\n         ^~\n  hint: "));
  const Outcome missing = call({"check", (folder.path() / "no.yaml").string()});
  CHECK(missing.code == kInputOutput);
  CHECK(has(missing.err, "no.yaml: error: no such file\n"));
  const Outcome data = call({"check", folder.write("run.yaml", with(kRun, "digits.csv.gz", "none.csv")).string()});
  CHECK(data.code == kInputOutput);
}

TEST_CASE("check refuses what run would refuse, with the same words") {
  const TemporaryFolder folder;
  struct Case {
    const char* from;
    const char* to;
    int code;
  };
  // Too large for a tile; more rows than the file has; a label beyond the outputs; a value beyond the range stated. The last two are read well and
  // contradict what the run says of them.
  const Case cases[] = {{"outputs: 32", "outputs: 100000", kUsage},
                        {"train_rows: 898", "train_rows: 5000", kInputOutput},
                        {"{outputs: 10}", "{outputs: 9}", kUsage},
                        {"train_rows: 898", "train_rows: 898, value_max: 15", kUsage}};
  for (const auto& [from, to, code] : cases) {
    const std::string file = folder.write("run.yaml", with(kRun, from, to)).string();
    const Outcome check = call({"check", file});
    const Outcome run = call({"run", file, "-o", (folder.path() / "out").string()});
    INFO(check.err);
    CHECK(check.code == code);
    CHECK(check.out.empty());
    CHECK(!check.err.empty());
    CHECK(run.code == check.code);
    CHECK(run.err == check.err);
    CHECK(!std::filesystem::exists(folder.path() / "out"));
  }
}

TEST_CASE("options of run that mean nothing") {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& words) {
    const Outcome outcome = call(arguments);
    INFO(outcome.err);
    CHECK(outcome.code == kUsage);
    CHECK(has(outcome.err, words));
    CHECK(has(outcome.err, "hint: "));
  };
  refused({"run", "x.yaml", "--quantum", "0"}, "--quantum: '0' is not a whole number of cycles from 1 on");
  refused({"run", "x.yaml", "--quantum", "-3"}, "--quantum: '-3' is not a whole number of cycles from 1 on");
  refused({"run", "x.yaml", "--quantum", "1e3"}, "'1e3' is not a whole number");
  refused({"run", "x.yaml", "-o", ""}, "--output: the name is empty");
  refused({"run", "x.yaml", "--machine", ""}, "--machine: the name is empty");
  refused({"run", ""}, "file: the name is empty");
  refused({"check", ""}, "file: the name is empty");
  refused({"run", "x.yaml", "--rtl", "/nonexistent"}, "/nonexistent");
}

TEST_CASE("list") {
  const Outcome all = call({"list"});
  CHECK(all.code == kDone);
  CHECK(all.err.empty());
  for (const char* part :
       {"machines:\n", "  wse2  750x994 tiles, 4 lanes, 48 KiB", "models:\n", "  digits-mlp", "64-32-10, 2410 parameters",
        "clusters:\n", "runs:\n", "  digits-8x8", "digits-mlp on 8x8 wse2, batch 64", "kernels:\n"}) {
    INFO(part);
    CHECK(has(all.out, part));
  }
  const Outcome machines = call({"list", "machines"});
  CHECK(machines.code == kDone);
  CHECK(machines.out.find("nano") == 0);
  CHECK(!has(machines.out, "digits"));
  const Outcome wrong = call({"list", "machine"});
  CHECK(wrong.code == kUsage);
  CHECK(has(wrong.err, "machine"));
}

TEST_CASE("progress is silent without a terminal and one line with one") {
  std::ostringstream out;
  std::ostringstream err;
  const std::atomic<int> stop{0};
  {
    Context context{out, err, false, stop};
    Progress(context).show("step 1");
  }
  CHECK(err.str().empty());
  {
    Context context{out, err, true, stop};
    Progress progress(context);
    progress.show(std::string(200, 'x'));
    progress.show("too soon");
  }
  CHECK(err.str() == "\r" + std::string(79, 'x') + "\x1b[K\r\x1b[K");
}

TEST_CASE("interrupted codes") {
  std::ostringstream sink;
  const std::atomic<int> interrupt{SIGINT};
  const std::atomic<int> terminate{SIGTERM};
  CHECK(interrupted_code(Context{sink, sink, false, interrupt}) == 130);
  CHECK(interrupted_code(Context{sink, sink, false, terminate}) == 143);
}
