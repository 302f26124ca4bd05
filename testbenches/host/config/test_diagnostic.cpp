// Diagnostics as a person sees them: the exact text, the caret under the right character, whatever bytes the source
// line holds.
#include "host/config/diagnostic.h"
#include "testbenches/lib/catch.h"

using namespace waferloom::config;

TEST_CASE("a located error shows its line, a caret and a hint") {
  Diagnostic d;
  d.where = {"run.yaml", 3, 8, 5};
  d.message = "something is wrong";
  d.source_line = "batch: sixty";
  d.hint = "write a number";
  CHECK(render(d) ==
        "run.yaml:3:8: error: something is wrong\n"
        "  batch: sixty\n"
        "         ^~~~~\n"
        "  hint: write a number\n");
}

TEST_CASE("an error without a line shows only the file") {
  Diagnostic d;
  d.where.file = "missing.yaml";
  d.message = "no such file";
  CHECK(render(d) == "missing.yaml: error: no such file\n");
}

TEST_CASE("an error without a file still says error") {
  Diagnostic d;
  d.message = "no machine is called 'x'";
  CHECK(render(d) == "error: no machine is called 'x'\n");
}

TEST_CASE("tabs, control characters and characters outside ASCII keep the caret in place") {
  Diagnostic d;
  d.where = {"f", 1, 8, 1};
  d.message = "m";
  d.source_line = "\ta\xC3\xA9\x1b[\xE2\x82\xAC";  // tab a e-acute escape [ euro: the euro sign begins at byte 7
  d.where.column = 7;
  CHECK(render(d) ==
        "f:1:7: error: m\n"
        "   a??[?\n"
        "       ^\n");
}

TEST_CASE("a long line is cut around the caret") {
  Diagnostic d;
  d.where = {"f", 1, 1001, 400};
  d.message = "m";
  d.source_line = std::string(1000, 'a') + "X" + std::string(1000, 'b');
  const std::string text = render(d);
  const std::string line = text.substr(text.find('\n') + 1, text.find('\n', text.find('\n') + 1) - text.find('\n') - 1);
  CHECK(line.size() <= 100);
  const std::string carets = text.substr(text.find('\n', text.find('\n') + 1) + 1);
  CHECK(line[carets.find('^')] == 'X');
  CHECK(carets.size() <= 100);
}

TEST_CASE("a caret past the end of the line stands right behind it") {
  Diagnostic d;
  d.where = {"f", 1, 40, 9};
  d.message = "m";
  d.source_line = "abc";
  CHECK(render(d) == "f:1:40: error: m\n  abc\n     ^\n");
}

TEST_CASE("control characters in a message cannot move the cursor") {
  Diagnostic d;
  d.message = "bad '\x1b[31m'";
  CHECK(render(d) == "error: bad '?[31m'\n");
}

TEST_CASE("warnings and notes are called so") {
  Diagnostic d;
  d.message = "m";
  d.severity = Severity::kWarning;
  CHECK(render(d) == "warning: m\n");
  d.severity = Severity::kNote;
  CHECK(render(d) == "note: m\n");
}

TEST_CASE("nearest finds slips and refuses guesses") {
  const std::vector<std::string> keys = {"batch", "epochs", "machine", "model", "seed"};
  CHECK(nearest("bacth", keys) == "batch");
  CHECK(nearest("Batch", keys) == "batch");
  CHECK(nearest("epoch", keys) == "epochs");
  CHECK(nearest("machnie", keys) == "machine");
  CHECK(nearest("sed", keys) == "seed");
  CHECK(nearest("throughput", keys).empty());
  CHECK(nearest("", keys).empty());
  CHECK(nearest(std::string(5000, 'a'), keys).empty());
}

TEST_CASE("a result is a value or errors") {
  const Result<int> good(3);
  CHECK(good.ok());
  CHECK(*good == 3);
  const Result<int> bad(Diagnostic{});
  CHECK(!bad);
  CHECK(bad.errors().size() == 1);
}
