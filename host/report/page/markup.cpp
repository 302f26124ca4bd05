#include "host/report/page/markup.h"

#include <cstddef>

#include "host/config/utf8.h"

namespace waferloom::report::page {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

std::string class_of(const Table::Head& head) { return head.column == Table::Column::kText ? " class=\"text\"" : head.column == Table::Column::kName ? " class=\"name\"" : ""; }

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = config::utf8_length(text, at);
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
