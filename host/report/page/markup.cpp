#include "host/report/page/markup.h"

#include <cstddef>

namespace waferloom::report::page {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

// Length of the UTF-8 sequence at `at`, 0 if it is none.
std::size_t sequence(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(at);
  std::size_t length = 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte(at + 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

std::string class_of(const Table::Head& head) { return head.column == Table::Column::kText ? " class=\"text\"" : head.column == Table::Column::kName ? " class=\"name\"" : ""; }

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence(text, at);
    if (length == 0) {
      out += kReplacement;
      ++at;
      continue;
    }
    const char c = text[at];
    if (length > 1) {
      out += text.substr(at, length);
    } else {
      switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        case '\n':
        case '\t': out += c; break;
        default: (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) ? out += kReplacement : out += c; break;
      }
    }
    at += length;
  }
  return out;
}

std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (plain) {
      out += lower;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "part" : out;
}

std::string origin_mark(Origin origin, const std::string& source, bool focusable) {
  const std::string name = to_string(origin);
  std::string out = "<span class=\"origin o-" + name + "\"";
  if (!source.empty()) out += " data-hint=\"" + escaped(source) + "\"";
  if (focusable && !source.empty()) out += " tabindex=\"0\" role=\"note\" aria-label=\"" + name + ": " + escaped(source) + "\"";
  return out + ">" + name + "</span>";
}

Table::Table(const std::string& caption, std::vector<Head> heads) : heads_(std::move(heads)) {
  head_ = "<table>";
  if (!caption.empty()) head_ += "<caption>" + escaped(caption) + "</caption>";
  head_ += "<thead><tr>";
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const std::string kind = i == 0 ? " class=\"text\"" : class_of(heads_[i]);
    head_ += "<th scope=\"col\"" + kind + ">" + escaped(heads_[i].name) + "</th>";
  }
  head_ += "</tr></thead><tbody>\n";
}

void Table::row(const std::vector<std::string>& cells, Row kind) {
  body_ += kind == Row::kSum ? "<tr class=\"sum\">" : kind == Row::kMarked ? "<tr class=\"off\">" : "<tr>";
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const std::string cell = i < cells.size() ? cells[i] : "";
    body_ += i == 0 ? "<th scope=\"row\">" + cell + "</th>" : "<td" + class_of(heads_[i]) + ">" + cell + "</td>";
  }
  body_ += "</tr>\n";
  ++rows_;
}

std::string Table::html(const std::string& name) const {
  const char* box = rows_ > 14 ? "wide tall" : "wide";
  return std::string("<div class=\"") + box + "\" tabindex=\"0\" role=\"region\" aria-label=\"" + escaped(name) + "\">" + head_ + body_ + "</tbody></table></div>\n";
}

}  // namespace waferloom::report::page
