// What people read: the terminal's tables (ASCII, 80 columns) and the HTML page.
#include <algorithm>
#include <limits>
#include <sstream>

#include "host/report/html.h"
#include "host/report/terminal.h"
#include "testbenches/host/report/sample_report.h"
#include "testbenches/lib/catch.h"

using namespace waferloom::report;
using waferloom::test::sample_manifest;
using waferloom::test::sample_report;

namespace {

void check_terminal(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    INFO(line);
    CHECK(line.size() <= 80);
    CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= 0x20 && c < 0x7F; }));
    CHECK((line.empty() || line.back() != ' '));
  }
}

}  // namespace

TEST_CASE("a table") {
  CHECK(text_table({"cause", "cycles"}, {{"axpy", "1,200"}, {"waiting", "7"}}) ==
        "  cause    cycles\n"
        "  ---------------\n"
        "  axpy      1,200\n"
        "  waiting       7\n");
}

TEST_CASE("a table never gets wider than 80 columns") {
  const std::string wide(100, 'w');
  const std::string text = text_table({"a", "b", "c"}, {{wide, wide, "1"}, {"x", "y", "2"}});
  check_terminal(text);
  CHECK(text.find("~") != std::string::npos);
}

TEST_CASE("the terminal report has every table") {
  const std::string text = terminal_report(sample_report());
  check_terminal(text);
  for (const char* part :
       {"sample: digits-mlp on 8x4 wse2 tiles, seed 7, finished", "Training", "55.0 %",
        "Cycles of a step: train (mean of 3)", "Cycles of a step: evaluate (mean of 1)", "forward",
        "Where the cycles went: pe (32 x 4,006 cycles)", "Totals", "lane utilisation", "48.2 %",
        "wavelets sent on links", "Extrapolation: dense-12288 on wse2, 750x994 tiles", "4,500,000 cycles",
        "-4.4/+6.7 %", "extrapolated", "published", "fitted", "1.8 %", "bound by"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("only the tables that were asked for are shown") {
  RunReport r = sample_report();
  r.sections = {"loss"};
  const std::string text = terminal_report(r);
  CHECK(text.find("Training") != std::string::npos);
  CHECK(text.find("Where the cycles went") == std::string::npos);
  CHECK(text.find("Extrapolation") == std::string::npos);
  CHECK(text.find("utilisation") == std::string::npos);
  const std::string page = report_html(r, sample_manifest());
  CHECK(page.find(">Training</h2>") != std::string::npos);
  CHECK(page.find("On the whole wafer") == std::string::npos);
  CHECK(page.find("Where the cycles went") == std::string::npos);
}

TEST_CASE("a test loss that was not evaluated is shown as a dash") {
  RunReport r = sample_report();
  CHECK(terminal_report(r).find("1.9000") != std::string::npos);
  r.epochs[1].tested = false;
  const std::string text = terminal_report(r);
  CHECK(text.find("1.9000") == std::string::npos);
  CHECK(text.find("0.0000") == std::string::npos);
  CHECK(text.find(" - ") != std::string::npos);
}

TEST_CASE("hostile names and numbers stay harmless") {
  RunReport r = sample_report();
  r.run = "<script>alert('\x1b[31m')</script>";
  r.machine = "m\xC3\xA9";
  r.epochs[0].train_loss = std::numeric_limits<double>::quiet_NaN();
  r.lane_utilisation = std::numeric_limits<double>::infinity();
  check_terminal(terminal_report(r));
  const std::string page = report_html(r, sample_manifest());
  CHECK(page.find("<script>alert") == std::string::npos);
  CHECK(page.find("&lt;script&gt;alert") != std::string::npos);
  CHECK(page.find('\x1b') == std::string::npos);
}

TEST_CASE("an empty report can be shown") {
  check_terminal(terminal_report(RunReport{}));
  CHECK(report_html(RunReport{}, Manifest{}).find("</html>") != std::string::npos);
}

TEST_CASE("the page is whole, escaped and tells origins") {
  const std::string page = report_html(sample_report(), sample_manifest());
  for (const char* part :
       {"<!DOCTYPE html>", "prefers-color-scheme: dark", "&lt;ports&gt; share the edge&#39;s bandwidth &amp; nothing",
        ">measured<", ">fitted<", ">extrapolated<", ">published<", ">assumed<", "0123abcd", "Hot Chips 34",
        "4.3 to 4.8 million cycles", "\"kind\":\"lines\"", "Skip to the report"}) {
    INFO(part);
    CHECK(page.find(part) != std::string::npos);
  }
  CHECK(page == report_html(sample_report(), sample_manifest()));
  CHECK(page.size() < 1'000'000);
}
