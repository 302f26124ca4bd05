// The store of measured cycles: what is remembered is recalled, what is damaged or unknown is not, and a store that cannot be written does no harm.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/extrapolate/measurements.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::extrapolate;

TEST_CASE("cycles are remembered by name") {
  const waferloom::test::TemporaryFolder folder;
  setenv("WAFERLOOM_CACHE", folder.path().c_str(), 1);
  std::vector<std::int64_t> cycles{1, 2, 3};
  CHECK(!recall("abc", 3, &cycles));
  CHECK(cycles == std::vector<std::int64_t>{1, 2, 3});
  remember("abc", {10, 20, 9007199254740993});
  remember("abd", {0, 0, 1});
  REQUIRE(recall("abc", 3, &cycles));
  CHECK(cycles == std::vector<std::int64_t>{10, 20, 9007199254740993});
  REQUIRE(recall("abd", 3, &cycles));
  CHECK(cycles == std::vector<std::int64_t>{0, 0, 1});
  const auto file = folder.path() / "measured" / "abc";
  for (const char* text : {"", "10", "10 20", "10 20 90071", "10 20 30 en", "x 20 30 end", "10 -20 30 end", "10 20 end", "10 20 30 40 end"}) {
    std::ofstream(file) << text;
    INFO(text);
    CHECK(!recall("abc", 3, &cycles));
  }
  CHECK(cycles == std::vector<std::int64_t>{0, 0, 1});
  setenv("WAFERLOOM_CACHE", "/proc/nowhere", 1);
  remember("abc", {1, 1, 1});
  CHECK(!recall("abc", 3, &cycles));
}
