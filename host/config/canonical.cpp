// Prints resolved values as YAML that resolves to itself.
#include <cctype>

#include "host/config/bind.h"
#include "host/config/scalar.h"

namespace waferloom::config {
namespace {

bool plain_word(const std::string& text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
  for (const char* reserved : {"true", "false", "null", "Null", "NULL", "yes", "no", "on", "off"}) {
    if (text == reserved) return false;
  }
  for (char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-' && c != '.' && c != '/') return false;
  }
  return true;
}

std::string quoted(const std::string& text) {
  if (plain_word(text)) return text;
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      constexpr const char* kHex = "0123456789abcdef";
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string inline_value(const Value& value, const Field& field) {
  switch (field.type) {
    case FieldType::kInteger:
      return std::to_string(value.integer);
    case FieldType::kReal:
      return format_real(value.real);
    case FieldType::kBoolean:
      return value.boolean ? "true" : "false";
    case FieldType::kText:
    case FieldType::kName:
    case FieldType::kChoice:
      return quoted(value.text);
    case FieldType::kIntegerList:
    case FieldType::kChoiceList: {
      std::string out;
      for (const Value& item : value.items) {
        out += (out.empty() ? "" : ", ") +
               (field.type == FieldType::kIntegerList ? std::to_string(item.integer) : quoted(item.text));
      }
      return "[" + out + "]";
    }
    case FieldType::kSection:
    case FieldType::kSectionList:
    case FieldType::kReference:
      break;
  }
  return {};
}

void print(const std::vector<Value>& values, const Section& section, const std::string& indent,
           std::string first_indent, std::string& out) {
  for (std::size_t i = 0; i < section.fields.size(); ++i) {
    const Field& field = section.fields[i];
    const Value& value = values[i];
    if (!value.present) continue;
    out += first_indent + field.key + ":";
    first_indent = indent;
    if (field.type == FieldType::kSection || field.type == FieldType::kReference) {
      out += '\n';
      print(value.items, *field.section, indent + "  ", indent + "  ", out);
    } else if (field.type == FieldType::kSectionList) {
      if (value.items.empty()) out += " []";
      out += '\n';
      for (const Value& item : value.items) print(item.items, *field.section, indent + "    ", indent + "  - ", out);
    } else if (field.sourced) {
      out += " {value: " + inline_value(value, field) + ", source: " + quoted(value.source) + "}\n";
    } else {
      out += ' ' + inline_value(value, field) + '\n';
    }
  }
}

}  // namespace

std::string canonical_yaml(const Value& value, const Section& section) {
  std::string out;
  print(value.items, section, "", "", out);
  return out;
}

}  // namespace waferloom::config
