// Types, ranges, defaults and missing keys: from an expanded mapping to a value for every field of the schema, and from
// there to canonical text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/config/loader.h"
#include "host/config/schema.h"

namespace waferloom::config {

// What one field was given. Sections hold one item per field of their section, in the schema's order; lists hold their
// elements.
struct Value {
  const Field* field = nullptr;  // of a section in a list: null
  SourceLocation where;
  bool present = false;
  bool written = false;   // present, and not a default
  SourceLocation named;   // of a section of its own: where it was chosen, which is not where its file begins
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::string text;
  std::string source = "assumed";
  std::vector<Value> items;

  // Member of a section by key. The key is in the schema: anything else is our own mistake.
  const Value& at(const Section& section, const char* key) const;
};

// Errors go to loader.fail(). The result is complete only if there were none.
Value bind(const YamlNode& mapping, const Section& section, Loader& loader);

// Block style for sections, one line per value; every default written out. Ends with a newline.
std::string canonical_yaml(const Value& value, const Section& section);

}  // namespace waferloom::config
