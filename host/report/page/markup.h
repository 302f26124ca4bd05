// HTML text by text: everything that comes from outside goes through escaped(). Pure functions; the same data gives the same bytes in every locale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/report/run_report.h"

namespace waferloom::report::page {

// Safe as text and as a quoted attribute. Control characters but newline and tab become U+FFFD, and so do bytes that are not UTF-8.
std::string escaped(std::string_view text);

// Lower case letters, digits and hyphens, for ids: "Cycles of a step: train" -> "cycles-of-a-step-train".
std::string slug(std::string_view text);

// The mark that says where a number comes from. `focusable` marks are reached by the keyboard: for the few on the first screen.
std::string origin_mark(Origin origin, const std::string& source, bool focusable = false);

// A table under construction. Cells are HTML already: callers escape. The first column is the row's head.
class Table {
 public:
  enum class Column { kNumber, kText, kName };  // right; left, breaking lines; left, in one line
  struct Head {
    std::string name;
    Column column = Column::kNumber;
  };
  // `caption` may be empty.
  Table(const std::string& caption, std::vector<Head> heads);
  enum class Row { kPlain, kSum, kMarked };
  void row(const std::vector<std::string>& cells, Row kind = Row::kPlain);
  bool empty() const { return rows_ == 0; }
  int rows() const { return rows_; }
  // The whole element, in a box that scrolls where it must (and is then reached by the keyboard; `name` says what it is).
  std::string html(const std::string& name) const;

 private:
  std::vector<Head> heads_;
  std::string body_;
  std::string head_;
  int rows_ = 0;
};

}  // namespace waferloom::report::page
