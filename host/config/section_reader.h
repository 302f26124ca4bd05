// From bound values to typed members: what every conversion (convert.cpp, convert_projection.cpp) reads through.
#pragma once

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "host/config/bind.h"
#include "host/config/machine.h"

namespace waferloom::config {

// A member that is to be changed: what the canonical text says in place of what was written.
inline Value& member(Value& value, const Section& section, const char* key) { return const_cast<Value&>(value.at(section, key)); }

// Of values that do not go together, each in order, the place of the one that was written last: in a file before those that it extends. The first of equals; defaults
// and what a command line says do not count.
inline SourceLocation blamed(const Loader& loader, std::initializer_list<const Value*> values) {
  const Value* found = nullptr;
  for (const Value* value : values) {
    if (!value->written || value->where.line == 0) continue;
    if (found == nullptr || loader.rank(value->where) < loader.rank(found->where)) found = value;
  }
  return found == nullptr ? (*values.begin())->where : found->where;
}

// A member of a section of its own as `blamed` counts it for whoever names the section: where the member is written if that is in the file that names the section, else
// where the section is named.
inline Value named_member(const Value& section, const char* key) {
  Value member = section.at(*section.field->section, key);
  member.written = section.written;
  if (!member.present || member.where.file != section.named.file) member.where = section.named;
  return member;
}

// Reads members of one bound section by key. Keys are in the schema: anything else is our own mistake.
class SectionReader {
 public:
  SectionReader(const Value& value, const Section& section) : value_(value), section_(section) {}

  const Value& at(const char* key) const { return value_.at(section_, key); }
  bool has(const char* key) const { return at(key).present; }
  int integer(const char* key) const { return static_cast<int>(at(key).integer); }
  std::int64_t wide(const char* key) const { return at(key).integer; }
  double real(const char* key) const { return at(key).real; }
  bool boolean(const char* key) const { return at(key).boolean; }
  const std::string& text(const char* key) const { return at(key).text; }
  SectionReader section(const char* key) const { return {at(key), *at(key).field->section}; }

  Sourced<int> sourced_integer(const char* key) const { return {integer(key), at(key).source}; }
  Sourced<double> sourced_real(const char* key) const { return {real(key), at(key).source}; }
  Sourced<std::vector<int>> sourced_list(const char* key) const {
    Sourced<std::vector<int>> list;
    for (const Value& item : at(key).items) list.value.push_back(static_cast<int>(item.integer));
    list.source = at(key).source;
    return list;
  }
  std::optional<Sourced<double>> optional_real(const char* key) const {
    if (!has(key)) return std::nullopt;
    return sourced_real(key);
  }

  std::optional<std::int64_t> optional_wide(const char* key) const { return has(key) ? std::optional(wide(key)) : std::nullopt; }
  std::optional<double> optional_plain(const char* key) const { return has(key) ? std::optional(real(key)) : std::nullopt; }

  // The enumerator whose to_string is the chosen word; enumerators are numbered in the order of the schema's choices.
  template <class Enum>
  Enum choice(const char* key) const {
    return word<Enum>(at(key).text, *at(key).field);
  }
  template <class Enum>
  std::vector<Enum> choices(const char* key) const {
    std::vector<Enum> all;
    for (const Value& item : at(key).items) all.push_back(word<Enum>(item.text, *at(key).field));
    return all;
  }

 private:
  template <class Enum>
  static Enum word(const std::string& text, const Field& field) {
    for (std::size_t i = 0; i < field.choices.size(); ++i) {
      if (text != field.choices[i]) continue;
      const Enum found = static_cast<Enum>(i);
      assert(text == to_string(found) && "schema and enumeration disagree");
      return found;
    }
    assert(false && "not one of the choices");
    return Enum{};
  }

  const Value& value_;
  const Section& section_;
};

}  // namespace waferloom::config
