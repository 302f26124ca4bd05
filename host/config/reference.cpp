#include "host/config/reference.h"

#include <vector>

#include "host/config/diagnostic.h"
#include "host/config/scalar.h"
#include "host/config/schema.h"

namespace waferloom::config {
namespace {

std::string range(const Field& field) {
  if (!field.allowed.empty()) {
    std::vector<std::string> words;
    for (const std::int64_t value : field.allowed) words.push_back(std::to_string(value));
    return joined(words);
  }
  return (field.above_minimum ? "more than " : "") + format_real(field.minimum) + " to " + format_real(field.maximum);
}

std::string type(const Field& field) {
  switch (field.type) {
    case FieldType::kInteger:
      return "integer, " + range(field);
    case FieldType::kReal:
      return "number, " + range(field);
    case FieldType::kBoolean:
      return "true or false";
    case FieldType::kText:
      return "text";
    case FieldType::kName:
      return "name";
    case FieldType::kChoice:
      return joined(field.choices);
    case FieldType::kIntegerList:
      return std::to_string(field.maximum_items) + " integers, " + range(field);
    case FieldType::kChoiceList:
      return "list of " + joined(field.choices);
    case FieldType::kSection:
      return field.section->title;
    case FieldType::kSectionList:
      return "list, each " + field.section->title;
    case FieldType::kReference:
      return field.section->title + ", by name, by file or in place";
  }
  return {};
}

std::string fallback(const Field& field, const Section& section) {
  if (!field.fallback.empty()) return field.fallback == "\"\"" ? "empty" : "`" + field.fallback + "`";
  if (field.type == FieldType::kName && !section.folder.empty()) return "the file's name";
  return field.optional ? "may be absent" : "required";
}

void describe(const Section& section, std::vector<const Section*>& seen, std::string& out) {
  for (const Section* other : seen) {
    if (other == &section) return;
  }
  seen.push_back(&section);
  std::string title = section.title;
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  out += "\n## " + title + "\n\n";
  if (!section.folder.empty())
    out += "Files of their own in `configs/" + section.folder + "/`; `extends:` takes another as a base.\n\n";
  if (!section.number_key.empty())
    out += "A plain number stands for `" + section.number_key + "`" + (section.word_key.empty() ? "" : ", a plain word for `" + section.word_key + "`") + ".\n\n";
  out += "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const Field& field : section.fields)
    out += "| `" + field.key + "` | " + type(field) + (field.sourced ? "; with source" : "") + " | " +
           fallback(field, section) + " | " + field.help + " |\n";
  for (const Field& field : section.fields) {
    if (field.section != nullptr) describe(*field.section, seen, out);
  }
}

}  // namespace

std::string reference_markdown() {
  std::string out =
      "<!-- Generated from host/config/schema.cpp by: wl_config_reference > docs/reference/configuration.md -->\n"
      "# Configuration\n\n"
      "Every key that a YAML file may hold. An unknown, repeated, missing or mistyped key is an error with its place "
      "and a hint; `waferloom check FILE` prints a file fully\n"
      "resolved, with every default written out. Units stand in the keys. A value \"with source\" is written `{value: "
      "1, source: \"who states it\"}`; a plain value counts as\n"
      "assumed. `extends: NAME` takes `configs/<kind>/NAME.yaml` as a base, `extends: path/file.yaml` a file beside; "
      "mappings merge key by key, values and lists replace.\n";
  std::vector<const Section*> seen;
  for (const Section* section : {&run_section(), &kernel_run_section(), &projection_section(), &transformer_section(), &accelerator_section()}) describe(*section, seen, out);
  return out;
}

}  // namespace waferloom::config
