// The words behind --trace: what they mean, and what is said about words that make no sense. Left out: traces themselves (trace_program_test.py).
#include "host/cli/trace_words.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;
using cli::parse_trace;
using trace::TraceOptions;

namespace {

TraceOptions good(const std::vector<std::string>& words) {
  const auto parsed = parse_trace(words, 30, 20);
  if (const auto* fault = std::get_if<cli::WordFault>(&parsed)) FAIL(fault->message);
  return std::get<TraceOptions>(parsed);
}

std::string bad(const std::vector<std::string>& words) {
  const auto parsed = parse_trace(words, 30, 20);
  REQUIRE(std::holds_alternative<cli::WordFault>(parsed));
  return std::get<cli::WordFault>(parsed).message + " | " + std::get<cli::WordFault>(parsed).hint;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("trace words: a rectangle and a window, both ends included") {
  const TraceOptions options = good({"tiles=3,4:6,8", "cycles=1000:2000"});
  CHECK((options.region.x == 3 && options.region.y == 4 && options.region.width == 4 && options.region.height == 5));
  CHECK(options.first_cycle == 1000);
  CHECK(options.last_cycle == 2000);
  CHECK(options.kinds == trace::kAllKinds);
  CHECK(options.limit_bytes == 1u << 30);
}

TEST_CASE("trace words: one tile, an open end, kinds and a limit") {
  const TraceOptions options = good({"limit=20M", "kinds=timeline,waves", "cycles=7:", "tiles=29,19"});
  CHECK((options.region.x == 29 && options.region.y == 19 && options.region.width == 1 && options.region.height == 1));
  CHECK(options.first_cycle == 7);
  CHECK(options.last_cycle == UINT64_MAX);
  CHECK(options.kinds == (trace::kTimeline | trace::kWaves));
  CHECK(options.limit_bytes == 20u << 20);
}

TEST_CASE("trace words: what makes no sense names the word") {
  CHECK(has(bad({"tiles=6,8:3,4"}), "--trace tiles=6,8:3,4: the rectangle is inverted: (3,4) is not south-east of (6,8)"));
  CHECK(has(bad({"tiles=28,0:30,1"}), "the array has 30x20 tiles, the last is (29,19)"));
  CHECK(has(bad({"tiles=70000,0"}), "70000 is no coordinate"));
  CHECK(has(bad({"tiles=1"}), "'1' is not a tile"));
  CHECK(has(bad({"tiles=1,2,3"}), "'1,2,3' is not a tile"));
  CHECK(has(bad({"tiles="}), "not of the form name=value"));
  CHECK(has(bad({"tiles=0,0", "cycles=9:8"}), "--trace cycles=9:8: the window is inverted: 8 is before 9"));
  CHECK(has(bad({"tiles=0,0", "cycles=:8"}), "is not a window of cycles"));
  CHECK(has(bad({"tiles=0,0", "cycles=1:2:3"}), "is not a window of cycles"));
  CHECK(has(bad({"tiles=0,0", "cycles=1:99999999999999999999"}), "is not a window of cycles"));
  CHECK(has(bad({"tiles=0,0", "kinds=waves,"}), "unknown kind ''"));
  CHECK(has(bad({"tiles=0,0", "kinds=timelines"}), "did you mean 'timeline'?"));
  CHECK(has(bad({"tile=0,0"}), "did you mean 'tiles'?"));
  CHECK(has(bad({"tiles=0,0", "limit=0"}), "'0' is no size"));
  CHECK(has(bad({"tiles=0,0", "limit=99999999999G"}), "is no size"));
  CHECK(has(bad({"tiles=0,0", "limit=1T"}), "'1T' is no size"));
  CHECK(has(bad({"tiles=0,0", "limit=1G", "limit=2G"}), "'limit' is given twice"));
  CHECK(has(bad({"kinds=waves"}), "no tiles are given"));
}

TEST_CASE("trace words: a large window may count, not trace") {
  CHECK(has(bad({"tiles=0,0:29,19"}), "the window has 600 tiles, at most 512 are traced | kinds=counters covers the whole array"));
  CHECK(good({"tiles=0,0:29,19", "kinds=counters"}).region.width == 30);
}
