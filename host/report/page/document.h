// The page: first screen, parts, data and script in one text that needs nothing from elsewhere. Same calls, same bytes.
#pragma once

#include <string>
#include <vector>

#include "host/report/page/chart.h"
#include "host/report/run_report.h"

namespace waferloom::report::page {

// One of the large figures of the first screen.
struct AnswerCard {
  std::string what;   // "time of a step"
  Quantity quantity;
  std::string value;  // instead of the quantity's own text, where it is not a number
  std::string more;   // a line below; plain text
};

// A part of the whole as a strip of colour with its legend.
struct StripPart {
  std::string name;
  double share = 0;  // 0 to 1
  int colour = 1;
};

class Document {
 public:
  // All plain text. `kind` is what sort of report it is ("Training run").
  Document(const std::string& kind, const std::string& title, const std::string& sentence);

  // First screen, in the order of the calls.
  void answers(const std::vector<AnswerCard>& cards);
  void strip(const std::string& title, const std::string& sentence, const std::vector<StripPart>& parts);
  // Each item is HTML already.
  void reasons(const std::string& title, const std::vector<std::string>& items);
  // A warning that the reader must see; plain text. `bad` for what makes the result wrong or incomplete.
  void warn(const std::string& text, bool bad = false);

  // A part with a heading, linked from the top (there `in_short`, if given); all that follows goes into it. `lead` is plain text, may be empty.
  void part(const std::string& name, const std::string& lead = "", const std::string& in_short = "");
  // A chart (nothing if there is nothing to draw). Charts that follow each other share a grid.
  void chart(Chart chart);
  void html(const std::string& html);
  void paragraph(const std::string& text);

  std::string text() const;

 private:
  void close_grid();
  std::string kind_;
  std::string title_;
  std::string hero_;
  std::string body_;
  std::vector<std::pair<std::string, std::string>> parts_;  // id, name
  std::vector<Chart> charts_;
  bool grid_ = false;
};

// Value and interval as a small drawing: the range as a bar, the value as a dot. Empty without both bounds or a range.
std::string interval_drawing(const Quantity& quantity);

}  // namespace waferloom::report::page
