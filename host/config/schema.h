// What a configuration may say: one table per kind of section, with the type, range, default and meaning of every key.
// The resolver checks against it, fills defaults from it and prints in its order; nothing else knows keys or defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waferloom::config {

enum class FieldType {
  kInteger,
  kReal,
  kBoolean,
  kText,
  kName,    // letters, digits, '.', '_', '-'
  kChoice,  // one of `choices`
  kIntegerList,
  kChoiceList,   // no choice twice
  kSection,      // a mapping of `section`
  kSectionList,  // a list of them
  kReference,    // a name or file of `section`'s kind, or such a mapping in place
};

struct Section;

struct Field {
  std::string key;
  FieldType type = FieldType::kInteger;
  std::string help;
  std::string fallback;   // YAML text of the default; empty: the key must be given
  bool optional = false;  // may be absent and then has no value at all
  bool sourced = false;   // {value: ..., source: ...}, or a plain value, whose source is "assumed"
  double minimum = 0;     // kInteger, kIntegerList, kReal
  double maximum = 0;
  bool above_minimum = false;         // the minimum itself is not allowed
  std::vector<std::int64_t> allowed;  // kInteger: nothing but these
  std::vector<std::string> choices;
  int minimum_items = 0;
  int maximum_items = 0;
  const Section* section = nullptr;
};

struct Section {
  std::string title;   // "a machine", for messages
  std::string folder;  // configs/<folder>/ for kinds that live in files of their own, else empty
  std::vector<Field> fields;
  // A scalar in place of the mapping stands for this key ("loss_scale: 128" is {initial: 128}); `word_key` takes it if
  // it is not a number.
  std::string number_key;
  std::string word_key;

  // The field of that key, or nullptr.
  const Field* find(const std::string& key) const;
  std::vector<std::string> keys() const;
};

const Section& machine_section();
const Section& model_section();
const Section& cluster_section();
const Section& run_section();
const Section& transformer_section();
const Section& projection_section();
const Section& accelerator_section();
const Section& kernel_run_section();  // kernel_schema.cpp, with its parts:
const Section& kernel_case_section();
const Section& kernel_expectation_section();
const Section& kernel_checkpoint_section();

}  // namespace waferloom::config
