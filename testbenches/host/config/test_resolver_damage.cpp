// Random damage: whatever the bytes, the resolver answers with a value or with errors that point into the file. Nothing
// is asserted about which. Seed and count are fixed; WAFERLOOM_DAMAGE_ROUNDS asks for more.
#include <cstdlib>
#include <random>

#include "host/config/resolver.h"
#include "testbenches/host/config/run_text.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::config;
using waferloom::test::kRun;

namespace {

std::string damaged(std::string text, std::mt19937& random) {
  static const std::vector<std::string> pieces = {"\n",
                                                  "  ",
                                                  ": ",
                                                  "{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  "- ",
                                                  "\"",
                                                  "'",
                                                  "#",
                                                  "&a ",
                                                  "*a",
                                                  "!!x ",
                                                  "|\n",
                                                  ">\n",
                                                  "? ",
                                                  "---\n",
                                                  "...\n",
                                                  "<<: ",
                                                  "~",
                                                  "extends: wse2\n",
                                                  "extends: run.yaml\n",
                                                  "-1",
                                                  "1e400",
                                                  "48 KiB",
                                                  "\t",
                                                  "\xff",
                                                  "\xC3\xA9",
                                                  "%YAML 9.9\n",
                                                  ",",
                                                  "name: tiny\n",
                                                  "{value: 3, source: x}",
                                                  "[1, 2]",
                                                  std::string(1, '\0')};
  const int edits = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < edits; ++i) {
    const std::size_t at = random() % (text.size() + 1);
    switch (random() % 4) {
      case 0:
        text.insert(at, pieces[random() % pieces.size()]);
        break;
      case 1:
        text.erase(at, 1 + random() % 12);
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random() % 256);
        break;
      default: {
        const std::size_t from = random() % (text.size() + 1);
        text.insert(at, text.substr(from, 1 + random() % 30));
      }
    }
  }
  return text;
}

}  // namespace

TEST_CASE("damaged files give located errors or values") {
  const char* more = std::getenv("WAFERLOOM_DAMAGE_ROUNDS");
  const int rounds = more != nullptr ? std::atoi(more) : 1000;
  const waferloom::test::TemporaryFolder folder;
  std::mt19937 random(20);
  int values = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::string text = damaged(kRun, random);
    const Result<Resolved<Run>> result = resolve_run(folder.write("run.yaml", text));
    if (result.ok()) {
      ++values;
      // What was accepted prints as something that is accepted again.
      const Result<Resolved<Run>> again = resolve_run(folder.write("again.yaml", result->yaml));
      INFO(text);
      REQUIRE(again.ok());
      REQUIRE(again->yaml == result->yaml);
      continue;
    }
    REQUIRE(!result.errors().empty());
    for (const Diagnostic& error : result.errors()) {
      INFO(text);
      INFO(render(error));
      REQUIRE(!error.message.empty());
      REQUIRE(error.where.line >= 1);
      REQUIRE(error.where.column >= 1);
    }
  }
  CHECK(values > 0);
  CHECK(values < rounds);
}
