// How rows of the schema's tables are written: one small function for each type and each property of a field.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/config/schema.h"

namespace waferloom::config::fields {

inline constexpr double kMaxInt = 2147483647.0;
inline constexpr double kMaxExact = 9007199254740992.0;  // 2^53: whole numbers that every reader of JSON keeps exactly

inline Field integer(std::string key, double minimum, double maximum, std::string help, std::string fallback = {}) {
  Field field;
  field.key = std::move(key);
  field.type = FieldType::kInteger;
  field.minimum = minimum;
  field.maximum = maximum;
  field.help = std::move(help);
  field.fallback = std::move(fallback);
  return field;
}

inline Field one_of(std::string key, std::vector<std::int64_t> allowed, std::string help, std::string fallback = {}) {
  Field field = integer(std::move(key), static_cast<double>(allowed.front()), static_cast<double>(allowed.back()),
                        std::move(help), std::move(fallback));
  field.allowed = std::move(allowed);
  return field;
}

inline Field real(std::string key, double minimum, double maximum, std::string help, std::string fallback = {}) {
  Field field = integer(std::move(key), minimum, maximum, std::move(help), std::move(fallback));
  field.type = FieldType::kReal;
  return field;
}

inline Field above(Field field) {
  field.above_minimum = true;
  return field;
}

inline Field sourced(Field field) {
  field.sourced = true;
  return field;
}

inline Field optional(Field field) {
  field.optional = true;
  return field;
}

inline Field text(FieldType type, std::string key, std::string help, std::string fallback = {}) {
  Field field;
  field.key = std::move(key);
  field.type = type;
  field.help = std::move(help);
  field.fallback = std::move(fallback);
  return field;
}

inline Field choice(std::string key, std::vector<std::string> choices, std::string help, std::string fallback = {}) {
  Field field = text(FieldType::kChoice, std::move(key), std::move(help), std::move(fallback));
  field.choices = std::move(choices);
  return field;
}

inline Field list(FieldType type, Field item, int minimum_items, int maximum_items) {
  item.type = type;
  item.minimum_items = minimum_items;
  item.maximum_items = maximum_items;
  return item;
}

inline Field section(FieldType type, std::string key, const Section& of, std::string help, std::string fallback = {}) {
  Field field = text(type, std::move(key), std::move(help), std::move(fallback));
  field.section = &of;
  return field;
}

// Fields that several kinds have.
inline Field name(const std::string& what) { return text(FieldType::kName, "name", "what results call " + what); }
inline Field description() { return text(FieldType::kText, "description", "one line", "\"\""); }
inline Field machine() { return section(FieldType::kReference, "machine", machine_section(), "a name in configs/machines, a file, or a machine in place"); }
inline Field cluster() { return section(FieldType::kReference, "cluster", cluster_section(), "a name in configs/clusters, a file, or a cluster in place", "single"); }
inline Field accumulate() { return choice("accumulate", {"fp16", "fp32"}, "format of the sums; values are fp16", "fp32"); }
inline Field density() { return real("density", 1e-6, 1, "share of the weights that is not zero", "1"); }
inline Field outputs() { return optional(text(FieldType::kText, "outputs", "result folder, relative to the working directory; out/NAME if not given")); }

}  // namespace waferloom::config::fields
