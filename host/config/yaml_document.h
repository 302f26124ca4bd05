// A YAML file as a tree in which every key and value knows its place. Built from yaml-cpp's events, so that what its
// node interface hides (repeated keys, quoting, anchors, merge keys, further documents) is seen and refused here.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"

namespace waferloom::config {

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  Kind kind = Kind::kNull;
  SourceLocation where;
  std::string text;     // kScalar
  bool quoted = false;  // kScalar written in quotes or as a block
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;
  SourceLocation named;   // set by the resolver: where a section of its own was chosen, by name or by keys
  bool replaces = false;  // set by the resolver: stands for a whole section of its own, is not merged into a base's
  bool incomplete =
      false;  // set by the resolver: what it extends could not be read, so nothing can be said about missing keys

  // The entry's value, or nullptr.
  const YamlNode* find(const std::string& key) const;
};

struct YamlEntry {
  std::string key;
  SourceLocation key_where;
  YamlNode value;
};

// The text of every file read so far, to show the line of an error.
class SourceText {
 public:
  void add(const std::string& file, const std::string& text);
  std::string line(const SourceLocation& where) const;
  // Whether the quote at `where` has a partner further on. True when there is no quote.
  bool quote_closes(const SourceLocation& where) const;

 private:
  std::map<std::string, std::vector<std::string>> lines_;
};

// An error at `where` with its source line filled in.
Diagnostic located(const SourceText& sources, const SourceLocation& where, std::string message, std::string hint = {});

// The bytes of a regular file of at most `limit` bytes, or an input/output error without a line.
Result<std::string> read_text_file(const std::filesystem::path& file, std::size_t limit = std::size_t{16} << 20U);

// Parses `text`. Refuses repeated keys, keys that are not plain words, anchors, aliases, merge keys, tags, a second
// document and an empty file.
Result<YamlNode> parse_yaml(const std::string& file, const std::string& text, SourceText& sources);

}  // namespace waferloom::config
