// JSON with places: what a value's place is, that no key comes twice, and that a large file costs no more than its length.
// Left out: the schemas (readers of host/report, host/extrapolate, host/models).
#include <chrono>
#include <string>

#include "host/config/json_document.h"
#include "testbenches/lib/catch.h"

using namespace waferloom::config;

namespace {

Result<JsonNode> parsed(const std::string& text) {
  SourceText sources;
  return parse_json("x.json", text, sources);
}

std::string place(const SourceLocation& where) { return std::to_string(where.line) + ":" + std::to_string(where.column) + "+" + std::to_string(where.length); }

// One number a line, in a list; or one key a line, in an object.
std::string long_text(int lines, bool object) {
  std::string text = object ? "{\n" : "[\n";
  for (int i = 0; i < lines; ++i) text += (object ? "\"k" + std::to_string(i) + "\": " : "") + std::to_string(i) + (i + 1 < lines ? ",\n" : "\n");
  return text + (object ? "}" : "]");
}

}  // namespace

TEST_CASE("every value and key knows its place") {
  const Result<JsonNode> root = parsed("{\"a\": [1, -2.5e3,\n  true, null],\n\n\"b c\": {\"d\": \"x\\\"y\"}}\n");
  REQUIRE(root.ok());
  CHECK(place(root->where) == "1:1+1");
  const JsonNode& a = *root->find("a");
  CHECK(place(a.where) == "1:7+1");
  CHECK(place(a.items[0].where) == "1:8+1");
  CHECK(place(a.items[1].where) == "1:11+6");
  CHECK(place(a.items[2].where) == "2:3+4");
  CHECK(place(a.items[3].where) == "2:9+4");
  CHECK(place(root->entries[1].key_where) == "4:1+5");
  CHECK(place(root->find("b c")->find("d")->where) == "4:14+6");
}

TEST_CASE("an integer of more than 64 bits is called that") {
  for (const char* text : {"[9223372036854775808]", "[1000000000000000000000000000000]", "[-9223372036854775809]"}) {
    const Result<JsonNode> root = parsed(text);
    REQUIRE(!root.ok());
    CHECK(root.errors()[0].message == "the number does not fit in 64 bits");
  }
  CHECK(parsed("[1e30, 9223372036854775807, -9223372036854775808]").ok());
}

TEST_CASE("a key that comes twice in one object, and not in two") {
  CHECK(parsed("[{\"a\": 1}, {\"a\": 2}, {\"b\": {\"a\": 1}, \"a\": 3}]").ok());
  const Result<JsonNode> twice = parsed("{\"a\": 1,\n \"b\": {\"a\": 2}, \"a\": 3}");
  REQUIRE(!twice.ok());
  CHECK(place(twice.errors()[0].where) == "2:17+3");
  CHECK(twice.errors()[0].message == "key 'a' is given twice");
}

TEST_CASE("a file ten times as long takes about ten times as long") {
  for (const bool object : {false, true}) {
    const auto seconds = [&](int lines) {
      const std::string text = long_text(lines, object);
      const auto begin = std::chrono::steady_clock::now();
      const Result<JsonNode> root = parsed(text);
      const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      REQUIRE(root.ok());
      CHECK((object ? root->entries.back().value : root->items.back()).where.line == lines + 1);
      return taken;
    };
    const double one = seconds(10000);
    const double ten = seconds(100000);
    INFO(one << " s, " << ten << " s");
    CHECK(ten < 30 * one + 0.5);  // a search from the beginning for each value would take a hundred times as long: tens of seconds
  }
}
