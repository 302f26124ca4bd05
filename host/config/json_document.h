// A JSON file as a tree in which every value knows its place. nlohmann-json parses; what it lets through is refused here: repeated keys, a number that is not finite or does
// not fit its type. Nothing is converted silently: 4.9 is not an integer, -1 not a size, null not a number.
//
// Reading is done through JsonReader, which gathers located errors and goes on, so that one call reports everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"
#include "host/config/yaml_document.h"

namespace waferloom::config {

struct JsonEntry;

struct JsonNode {
  enum class Kind { kNull, kBoolean, kInteger, kReal, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  SourceLocation where;
  bool boolean = false;
  std::int64_t integer = 0;  // kInteger
  double real = 0;           // kInteger, kReal; finite
  std::string text;          // kString
  std::vector<JsonNode> items;
  std::vector<JsonEntry> entries;

  // The entry's value, or nullptr.
  const JsonNode* find(const std::string& key) const;
};

struct JsonEntry {
  std::string key;
  SourceLocation key_where;
  JsonNode value;
};

// Parses one JSON value. Refuses what is not JSON, repeated keys, numbers beyond 64 bits or a double, nesting deeper than 64.
Result<JsonNode> parse_json(const std::string& file, const std::string& text, SourceText& sources);

// Members of one object, strictly typed. Errors go to the list given at construction.
class JsonReader {
 public:
  JsonReader(const JsonNode& object, std::string title, const SourceText& sources, Diagnostics& errors);

  // A member that is absent or null counts as not there.
  bool has(const std::string& key) const;
  const JsonNode* at(const std::string& key) const;

  // Each returns the fallback after reporting a value of another type or outside the range; a key without a value is an error unless it is optional.
  std::int64_t integer(const std::string& key, std::int64_t minimum, std::int64_t maximum);
  std::int64_t integer(const std::string& key, std::int64_t minimum, std::int64_t maximum, std::int64_t fallback);
  double real(const std::string& key, double minimum, double maximum);
  bool boolean(const std::string& key, bool fallback);
  std::string text(const std::string& key);
  std::string text(const std::string& key, const std::string& fallback);
  // The array of that key, or an empty list after an error.
  const std::vector<JsonNode>& array(const std::string& key);

  void fail(const std::string& key, std::string message, std::string hint = {}) const;
  const SourceLocation& where(const std::string& key) const;

 private:
  const JsonNode* need(const std::string& key);

  const JsonNode& object_;
  std::string title_;
  const SourceText& sources_;
  Diagnostics& errors_;
};

}  // namespace waferloom::config
