// The page's pieces without a browser: escaping, numbers, gathering of long runs and timelines, charts as data, in any locale. What a browser makes of it: browser_test.mjs.
#include <algorithm>
#include <clocale>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "host/report/html.h"
#include "host/report/page/chart.h"
#include "host/report/page/figure.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"
#include "host/report/page/projection_parts.h"
#include "host/report/page/run_parts.h"
#include "host/report/projection_page.h"
#include "testbenches/host/page/projection_samples.h"
#include "testbenches/host/page/run_samples.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;
using namespace waferloom::report::page;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The array that the script reads, out of the page.
nlohmann::json charts_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"charts\">";
  const std::size_t begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

nlohmann::json chart_named(const std::string& page, const std::string& title) {
  for (const nlohmann::json& chart : charts_of(page)) {
    if (chart["title"].get<std::string>().find(title) == 0) return chart;
  }
  FAIL("no chart " << title);
  return {};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

}  // namespace

TEST_CASE("what comes from outside is text") {
  CHECK(escaped("<a b=\"c\">&'") == "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
  CHECK(escaped("a\nb\tc") == "a\nb\tc");
  CHECK(escaped(std::string("\x01\x1b\x7f\0", 4)) == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(escaped("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80") == "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  // A cut sequence, an overlong one, a surrogate, a byte that starts nothing: one mark for each byte.
  CHECK(escaped("\xC3") == "\xEF\xBF\xBD");
  CHECK(count(escaped("\xC0\xAF"), "\xEF\xBF\xBD") == 2);
  CHECK(count(escaped("\xED\xA0\x80"), "\xEF\xBF\xBD") == 3);
  CHECK(escaped("\xFFz") == "\xEF\xBF\xBDz");
  CHECK(slug("Cycles of a step: <train>") == "cycles-of-a-step-train");
  CHECK(slug("\xC3\xA9") == "part");
}

TEST_CASE("numbers as people read them") {
  CHECK(number(0) == "0");
  CHECK(number(1234) == "1,234");
  CHECK(number(1234567) == "1,234,567");
  CHECK(number(-1234.5) == "−1,234");
  CHECK(number(12.345) == "12.35");
  CHECK(number(0.00012345) == "0.0001234");
  CHECK(number(1.2345e12) == "1.234 × 10¹²");
  CHECK(number(4e-300) == "4 × 10⁻³⁰⁰");
  CHECK(number(kNaN) == "not finite");
  CHECK(with_unit(0.0123, "s") == "12.3 ms");
  CHECK(with_unit(25.2, "us") == "25.2 µs");
  CHECK(with_unit(2.37e17, "FLOP/s") == "237 PFLOP/s");
  CHECK(with_unit(8.5e8, "Hz") == "850 MHz");
  CHECK(with_unit(49152, "bytes") == "48 KiB");
  CHECK(with_unit(13'402'000, "cycles") == "13.4 million cycles");
  CHECK(with_unit(3.5e12, "tokens") == "3.5 trillion tokens");
  CHECK(with_unit(3.21, "x") == "3.21×");
  CHECK(with_unit(36.42, "%") == "36.4 %");
  CHECK(with_unit(kInfinity, "s") == "not finite");
  CHECK(share_text(0.4826) == "48.3 %");
  CHECK(share_text(0.0002) == "< 0.1 %");
  CHECK(share_text(0) == "0.0 %");
  report::Quantity q{14.2, "s", report::Origin::kExtrapolated, "", 13.6, 15.1};
  CHECK(interval_text(q) == "13.6 to 15.1 s");
  CHECK(relative_interval(q) == "−4.2\u00a0/\u00a0+6.3\u00a0%");
  q.low = 14.2 * 0.95;
  q.high = 14.2 * 1.05;
  CHECK(relative_interval(q) == "±\u00a05.0\u00a0%");
  q.high.reset();
  CHECK(interval_text(q).empty());
  CHECK(relative_interval(q).empty());
  CHECK(relative_interval({0, "s", report::Origin::kAssumed, "", 0.0, 0.0}).empty());
}

TEST_CASE("a long run is gathered without losing what stood out") {
  CHECK(stretches(0).empty());
  CHECK(stretches(240).size() == 240);
  const std::vector<Stretch> parts = stretches(2000);
  CHECK(parts.size() <= 240);
  CHECK(parts.front().begin == 0);
  CHECK(parts.back().end == 2000);
  for (std::size_t i = 1; i < parts.size(); ++i) CHECK(parts[i].begin == parts[i - 1].end);

  report::RunReport r = test::digits_report(20, 100);
  r.steps[777].loss = 50;
  r.steps[778].loss = kNaN;
  const nlohmann::json chart = chart_named(report::report_html(r, test::sample_manifest()), "Training loss");
  const nlohmann::json& series = chart["series"][0];
  REQUIRE(series["points"].size() == series["band"].size());
  CHECK(series["points"].size() <= 240);
  CHECK(chart["x"]["labels"].size() == series["points"].size());
  double most = 0;
  for (const nlohmann::json& band : series["band"]) most = std::max(most, band[2].get<double>());
  CHECK(most == 50);
  double sum = 0;
  double finite = 0;
  for (const report::StepRow& s : r.steps) {
    if (s.kind != "train" || !std::isfinite(s.loss)) continue;
    sum += s.loss;
    ++finite;
  }
  // Stretches are of equal length, so the mean of their means is the mean (but for the last and the one with a gap).
  double mean = 0;
  for (const nlohmann::json& point : series["points"]) mean += point[1].get<double>() / static_cast<double>(series["points"].size());
  CHECK(std::abs(mean - sum / finite) < 0.02 * sum / finite);
  CHECK(report::report_html(r, test::sample_manifest()).find("Left out, as not finite: 1 step.") != std::string::npos);
}

TEST_CASE("a timeline is gathered until it can be read") {
  report::TimelineRow row{"wafer", 1, {}};
  for (int i = 0; i < 2000; ++i) row.intervals.push_back({i * 1e-3, i * 1e-3 + 0.9e-3, "layer " + std::to_string(i), i < 1000 ? "forward" : "delta", i});
  row.intervals.push_back({3, 4, "nothing", "idle", -1});
  double gap = 0;
  const std::vector<report::Interval> few = gathered(row, 2, 100, &gap);
  CHECK(few.size() <= 100);
  CHECK(gap > 0);
  CHECK(few.front().begin_s == 0);
  CHECK(few.back().end_s == Approx(1.9999));
  CHECK(few.front().label == "layer 0 to layer 999");
  for (std::size_t i = 1; i < few.size(); ++i) CHECK(few[i].begin_s >= few[i - 1].end_s);
  row.intervals.resize(50);
  CHECK(gathered(row, 2, 100, &gap).size() == 50);
  CHECK(gap == 0);
}

TEST_CASE("a heat map of many tiles is shown by blocks") {
  Chart c;
  c.kind = ChartKind::kHeat;
  c.width = 130;
  c.height = 65;
  c.values.assign(130 * 65, 2);
  c.values[129] = 11;  // the last block of the first row: one column of three is left, of 3 rows
  CHECK(heat_block(c) == 3);
  const std::vector<double> means = heat_means(c, 3);
  REQUIRE(means.size() == 44 * 22);
  CHECK(means[0] == 2);
  CHECK(means[43] == Approx(5));
  c.width = c.height = 8;
  CHECK(heat_block(c) == 1);
}

TEST_CASE("what cannot be drawn is not drawn") {
  Chart c;
  CHECK_FALSE(drawable(c));
  c.series.push_back({"s", 1, false, false, {{1, kNaN}}, {}, {}, {}});
  CHECK_FALSE(drawable(c));
  c.series[0].points.emplace_back(2, 3);
  CHECK(drawable(c));
  Chart heat;
  heat.kind = ChartKind::kHeat;
  heat.width = heat.height = 2;
  heat.values = {1, 2, 3};
  CHECK_FALSE(drawable(heat));
  Chart roof;
  roof.kind = ChartKind::kRoofline;
  roof.points.push_back({"p", 0, 1, 0.5, 1, false, {}});
  CHECK_FALSE(drawable(roof));
}

TEST_CASE("the chart and its table hold the same values") {
  Chart c;
  c.kind = ChartKind::kBars;
  c.title = "t";
  c.rows = {"a<", "b"};
  c.series.push_back({"cycles", 1, false, false, {}, {}, {12345, 7}, {}});
  c.whiskers = {std::array<double, 2>{12000, 13000}, std::nullopt};
  const std::string table = chart_table(c);
  for (const char* part : {"a&lt;", "12,345", "12,000 to 13,000", ">7<"}) {
    INFO(part);
    CHECK(table.find(part) != std::string::npos);
  }
  CHECK(table.find("a<<") == std::string::npos);
  CHECK(chart_words(c).find("2 bars") != std::string::npos);
}

TEST_CASE("hostile names stay text everywhere") {
  for (const std::string& page : {report::report_html(test::hostile_report(), test::sample_manifest()), report::projection_html(test::hostile_projection())}) {
    CHECK(count(page, "<script") == 2);
    CHECK(count(page, "</script") == 2);
    CHECK(page.find("<img") == std::string::npos);
    CHECK(page.find("<b>load") == std::string::npos);
    CHECK_FALSE(charts_of(page).empty());
  }
}

TEST_CASE("a page is the same in every locale, and every time") {
  const std::string run = report::report_html(test::digits_report(), test::sample_manifest());
  const std::string projection = report::projection_html(test::gpt3_projection());
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;  // not installed here: C.UTF-8 always is
    INFO(name);
    CHECK(report::report_html(test::digits_report(), test::sample_manifest()) == run);
    CHECK(report::projection_html(test::gpt3_projection()) == projection);
  }
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("a projection's page has every part, in order") {
  const std::string page = report::projection_html(test::gpt3_projection());
  std::size_t at = 0;
  for (const char* part : {"14.2", "13.29 to 15.11 s", "Where the time goes", "What limits it", "Why believe it", "id=\"step-timeline\"", "id=\"where-the-time-goes\"", "id=\"roofline\"", "id=\"scaling\"", "id=\"sparsity\"",
                           "id=\"memory-of-a-processing-element\"", "id=\"what-matters-most\"", "id=\"figures\"", "id=\"beside-other-machines\"", "id=\"what-was-measured\"", "id=\"validation\"", "id=\"model\"", "id=\"assumptions\"",
                           "id=\"reproduce\""}) {
    INFO(part);
    const std::size_t found = page.find(part, at);
    REQUIRE(found != std::string::npos);
    at = found;
  }
  CHECK(page.find("disagrees") != std::string::npos);
  CHECK(page.find("fewer than the systems") != std::string::npos);
  CHECK(count(page, "role=\"img\"") == charts_of(page).size());
  CHECK(page.size() < 1'100'000);
}

TEST_CASE("an empty projection and an empty comparison are pages") {
  for (const std::string& page : {report::projection_html({}), report::comparison_html({})}) {
    CHECK(page.find("</html>") != std::string::npos);
    CHECK(charts_of(page).empty());
  }
}

TEST_CASE("a comparison says what exceeds the uncertainty") {
  const std::string page = report::comparison_html(test::compared());
  CHECK(page.find("3 of 5 figures differ by more than the uncertainty of both") != std::string::npos);
  CHECK(page.find("−46.5 %") != std::string::npos);
  CHECK(page.find("machine.io_bits_per_s") != std::string::npos);
  CHECK(page.find("machine.clock_hz") == std::string::npos);
}
