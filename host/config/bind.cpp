#include "host/config/bind.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "host/config/scalar.h"

namespace waferloom::config {
namespace {

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMapping:
      return "a mapping";
    case YamlNode::Kind::kScalar:
      break;
  }
  if (node.quoted) return "the text \"" + node.text + "\"";
  return "'" + node.text + "'";
}

std::string whole(double value) { return format_real(value); }

void relocate(YamlNode& node, const SourceLocation& where) {
  node.where = where;
  for (YamlNode& item : node.items) relocate(item, where);
  for (YamlEntry& entry : node.entries) {
    entry.key_where = where;
    relocate(entry.value, where);
  }
}

class Binder {
 public:
  explicit Binder(Loader& loader) : loader_(loader) {}

  Value section(const YamlNode& mapping, const Section& schema) {
    Value value;
    value.where = mapping.where;
    value.present = true;
    for (const Field& field : schema.fields) value.items.push_back(member(mapping, schema, field));
    return value;
  }

 private:
  Value member(const YamlNode& mapping, const Section& schema, const Field& field) {
    Value value;
    value.field = &field;
    value.where = mapping.where;
    const YamlNode* node = mapping.find(field.key);
    if (node != nullptr) {
      // An absent value was reported when the file was read.
      if (node->kind != YamlNode::Kind::kNull) value = sourced(*node, field);
      value.written = value.present;
    } else if (!field.fallback.empty()) {
      value = fallback(mapping, field);
    } else if (!field.optional && !mapping.incomplete) {
      std::string example = field.type == FieldType::kSection || field.type == FieldType::kSectionList ? "" : " ...";
      loader_.fail(mapping.where, "missing key '" + field.key + "' in " + schema.title,
                   "add '" + field.key + ":" + example + "' (" + field.help + ")");
    }
    value.field = &field;
    return value;
  }

  Value fallback(const YamlNode& mapping, const Field& field) {
    SourceText scratch;
    Result<YamlNode> parsed = parse_yaml("<default>", field.fallback, scratch);
    assert(parsed.ok() && "a default in the schema is not YAML");
    YamlNode node = std::move(parsed).value();
    relocate(node, mapping.where);
    if (field.type == FieldType::kReference) {
      std::optional<YamlNode> loaded = loader_.load(node.text, *field.section, mapping.where);
      if (!loaded) return {};
      return typed(*loaded, field);
    }
    return typed(node, field);
  }

  Value sourced(const YamlNode& node, const Field& field) {
    if (!field.sourced || node.kind != YamlNode::Kind::kMapping) return typed(node, field);
    Value value;
    for (const YamlEntry& entry : node.entries) {
      if (entry.key != "value" && entry.key != "source") {
        const std::string guess = nearest(entry.key, {"value", "source"});
        loader_.fail(entry.key_where, "unknown key '" + entry.key + "' in '" + field.key + "'",
                     guess.empty() ? "known keys: value, source" : "did you mean '" + guess + "'?");
      }
    }
    const YamlNode* inner = node.find("value");
    const YamlNode* source = node.find("source");
    if (inner == nullptr || inner->kind == YamlNode::Kind::kNull) {
      loader_.fail(node.where, "missing key 'value' in '" + field.key + "'",
                   "write {value: ..., source: ...}, or the plain value, which is then marked as assumed");
      return value;
    }
    value = typed(*inner, field);
    if (source == nullptr) {
      loader_.fail(node.where, "missing key 'source' in '" + field.key + "'",
                   "name the publication that states it, or write 'source: assumed'");
    } else if (source->kind != YamlNode::Kind::kScalar || source->text.empty()) {
      loader_.fail(source->where, "the source of '" + field.key + "' must be text, found " + describe(*source),
                   "name the publication that states it, or write 'assumed'");
    } else {
      value.source = source->text;
    }
    return value;
  }

  Value typed(const YamlNode& node, const Field& field) {
    Value value;
    value.where = node.where;
    value.named = node.named;
    value.present = true;
    switch (field.type) {
      case FieldType::kInteger:
        value.integer = integer(node, field);
        break;
      case FieldType::kReal:
        value.real = real(node, field);
        break;
      case FieldType::kBoolean:
        value.boolean = boolean(node, field);
        break;
      case FieldType::kText:
      case FieldType::kName:
        value.text = text(node, field);
        break;
      case FieldType::kChoice:
        value.text = choice(node, field);
        break;
      case FieldType::kIntegerList:
      case FieldType::kChoiceList:
        value.items = list(node, field);
        break;
      case FieldType::kSectionList:
        value.items = sections(node, field);
        break;
      case FieldType::kSection:
      case FieldType::kReference:
        // Anything but a mapping was reported when the file was read.
        if (node.kind == YamlNode::Kind::kMapping) value.items = section(node, *field.section).items;
        break;
    }
    return value;
  }

  // Reports what is wrong with a number; says what to write when it can be guessed.
  void not_a_number(const YamlNode& node, const Field& field, NumberFault fault, const char* wanted) {
    const std::string lead = "'" + field.key + "' must be " + wanted + ", found " + describe(node);
    if (node.kind != YamlNode::Kind::kScalar) {
      loader_.fail(node.where, lead, field.help);
      return;
    }
    if (const std::optional<double> converted = value_with_unit(node.text, field.key)) {
      loader_.fail(node.where, lead, "the unit stands in the key; write " + field.key + ": " + format_real(*converted));
      return;
    }
    std::string hint = field.help;
    if (fault == NumberFault::kLeadingZero) {
      std::string digits = node.text;
      while (digits.size() > 1 && (digits[0] == '0' || digits[0] == '+')) digits.erase(0, 1);
      hint = "leading zeros could mean octal; write " + digits;
    } else if (fault == NumberFault::kNotWhole) {
      const double number = parse_real(node.text).value;
      if (std::floor(number) == number && std::abs(number) < 9e15)
        hint = "write " + std::to_string(static_cast<std::int64_t>(number));
    } else if (node.quoted && parse_real(node.text).fault == NumberFault::kNone) {
      hint = "remove the quotes";
    } else if (fault == NumberFault::kTooLarge) {
      hint = "the number is too large to be stored";
    }
    loader_.fail(node.where, lead, hint);
  }

  bool in_range(const YamlNode& node, const Field& field, double number) {
    const bool low = field.above_minimum ? number <= field.minimum : number < field.minimum;
    if (!low && number <= field.maximum) return true;
    std::string range = field.above_minimum
                            ? "more than " + whole(field.minimum) + " and at most " + whole(field.maximum)
                            : "from " + whole(field.minimum) + " to " + whole(field.maximum);
    std::string message = "'" + field.key + "' is out of range: " + node.text;
    if (number < 0 && field.minimum >= 0) message = "'" + field.key + "' cannot be negative: " + node.text;
    loader_.fail(node.where, message, "allowed: " + range + " (" + field.help + ")");
    return false;
  }

  std::int64_t integer(const YamlNode& node, const Field& field) {
    const char* wanted = field.type == FieldType::kIntegerList ? "a list of integers" : "an integer";
    if (node.kind != YamlNode::Kind::kScalar || node.quoted) {
      not_a_number(node, field, NumberFault::kNotANumber, wanted);
      return 0;
    }
    const ParsedInteger parsed = parse_integer(node.text);
    if (parsed.fault != NumberFault::kNone) {
      not_a_number(node, field, parsed.fault, wanted);
      return 0;
    }
    if (!field.allowed.empty()) {
      if (std::find(field.allowed.begin(), field.allowed.end(), parsed.value) != field.allowed.end())
        return parsed.value;
      std::vector<std::string> words;
      for (const std::int64_t allowed : field.allowed) words.push_back(std::to_string(allowed));
      loader_.fail(node.where, "'" + field.key + "' cannot be " + node.text,
                   (words.size() == 1 ? "only " + words[0] + " is built" : "one of: " + joined(words)) + " (" +
                       field.help + ")");
      return 0;
    }
    return in_range(node, field, static_cast<double>(parsed.value)) ? parsed.value : 0;
  }

  double real(const YamlNode& node, const Field& field) {
    if (node.kind != YamlNode::Kind::kScalar || node.quoted) {
      not_a_number(node, field, NumberFault::kNotANumber, "a number");
      return 0;
    }
    const ParsedReal parsed = parse_real(node.text);
    if (parsed.fault != NumberFault::kNone) {
      not_a_number(node, field, parsed.fault, "a number");
      return 0;
    }
    return in_range(node, field, parsed.value) ? parsed.value : 0;
  }

  bool boolean(const YamlNode& node, const Field& field) {
    if (node.kind == YamlNode::Kind::kScalar && !node.quoted && (node.text == "true" || node.text == "false"))
      return node.text == "true";
    std::string hint = "write true or false";
    for (const char* yes : {"yes", "Yes", "on", "On", "True", "TRUE", "1"}) {
      if (node.text == yes) hint = "write true";
    }
    for (const char* no : {"no", "No", "off", "Off", "False", "FALSE", "0"}) {
      if (node.text == no) hint = "write false";
    }
    loader_.fail(node.where, "'" + field.key + "' must be true or false, found " + describe(node), hint);
    return false;
  }

  std::string text(const YamlNode& node, const Field& field) {
    if (node.kind != YamlNode::Kind::kScalar) {
      loader_.fail(node.where, "'" + field.key + "' must be text, found " + describe(node), field.help);
      return {};
    }
    const bool number = parse_real(node.text).fault != NumberFault::kNotANumber;
    if (!node.quoted && (number || node.text == "true" || node.text == "false")) {
      loader_.fail(node.where, "'" + field.key + "' must be text, found " + describe(node),
                   "write \"" + node.text + "\" in quotes");
      return {};
    }
    if (field.type == FieldType::kName) {
      const auto allowed = [](unsigned char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '_' ||
               c == '-';
      };
      if (node.text.empty() || node.text.size() > 100 || node.text[0] == '.' ||
          !std::all_of(node.text.begin(), node.text.end(), allowed)) {
        loader_.fail(node.where, "'" + field.key + "' must be a name, found " + describe(node),
                     "1 to 100 letters, digits, '.', '_' and '-', not beginning with '.'");
        return {};
      }
    }
    return node.text;
  }

  std::string choice(const YamlNode& node, const Field& field) {
    if (node.kind == YamlNode::Kind::kScalar) {
      if (std::find(field.choices.begin(), field.choices.end(), node.text) != field.choices.end()) return node.text;
      const std::string guess = nearest(node.text, field.choices);
      loader_.fail(
          node.where, "'" + field.key + "' cannot be " + describe(node),
          (guess.empty() ? "" : "did you mean '" + guess + "'? ") + std::string("one of: ") + joined(field.choices));
      return {};
    }
    loader_.fail(node.where, "'" + field.key + "' must be a word, found " + describe(node),
                 "one of: " + joined(field.choices));
    return {};
  }

  bool right_length(const YamlNode& node, const Field& field) {
    if (node.kind != YamlNode::Kind::kSequence) {
      loader_.fail(node.where, "'" + field.key + "' must be a list, found " + describe(node),
                   field.type == FieldType::kSectionList
                       ? "begin each entry with '- '"
                       : "write [" + (node.kind == YamlNode::Kind::kScalar ? node.text : std::string("...")) + "]");
      return false;
    }
    const int count = static_cast<int>(node.items.size());
    if (count >= field.minimum_items && count <= field.maximum_items) return true;
    const std::string wanted = field.minimum_items == field.maximum_items
                                   ? std::to_string(field.minimum_items)
                                   : std::to_string(field.minimum_items) + " to " + std::to_string(field.maximum_items);
    loader_.fail(node.where, "'" + field.key + "' has " + std::to_string(count) + " entries, needs " + wanted,
                 field.help);
    return false;
  }

  std::vector<Value> list(const YamlNode& node, const Field& field) {
    std::vector<Value> items;
    if (!right_length(node, field)) return items;
    for (const YamlNode& item : node.items) {
      Value value;
      value.where = item.where;
      value.present = true;
      if (field.type == FieldType::kIntegerList) {
        value.integer = integer(item, field);
      } else {
        value.text = choice(item, field);
        const bool twice =
            std::any_of(items.begin(), items.end(), [&](const Value& v) { return v.text == value.text; });
        if (twice && !value.text.empty())
          loader_.fail(item.where, "'" + value.text + "' is repeated in '" + field.key + "'", "keep one of the two");
      }
      items.push_back(std::move(value));
    }
    return items;
  }

  std::vector<Value> sections(const YamlNode& node, const Field& field) {
    std::vector<Value> items;
    if (!right_length(node, field)) return items;
    for (const YamlNode& item : node.items) {
      if (item.kind == YamlNode::Kind::kMapping) items.push_back(section(item, *field.section));
    }
    return items;
  }

  Loader& loader_;
};

}  // namespace

const Value& Value::at(const Section& section, const char* key) const {
  for (std::size_t i = 0; i < section.fields.size(); ++i) {
    if (section.fields[i].key == key) return items.at(i);
  }
  assert(false && "the schema has no such key");
  return items.front();
}

Value bind(const YamlNode& mapping, const Section& section, Loader& loader) {
  return Binder(loader).section(mapping, section);
}

}  // namespace waferloom::config
