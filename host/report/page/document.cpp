#include "host/report/page/document.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "host/report/numbers.h"
#include "host/report/page/assets.h"
#include "host/report/page/figure.h"
#include "host/report/page/format.h"
#include "host/report/page/markup.h"

namespace waferloom::report::page {

std::string interval_drawing(const Quantity& q) {
  if (!q.low || !q.high || !std::isfinite(*q.low) || !std::isfinite(*q.high) || !(*q.high > *q.low)) return {};
  // The range takes the middle three fifths, whatever its width: the text beside it says how wide it is.
  const double begin = 40;
  const double end = 160;
  const double at = begin + (end - begin) * std::clamp((q.value - *q.low) / (*q.high - *q.low), 0.0, 1.0);
  return "<svg class=\"interval\" viewBox=\"0 0 200 16\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"track\" d=\"M0 8H200\" stroke-width=\"2\"/>"
         "<path class=\"span\" d=\"M" + fixed(begin, 0) + " 8H" + fixed(end, 0) + "\" stroke-width=\"8\" stroke-opacity=\".55\"/><rect class=\"dot\" x=\"" + fixed(at - 1, 2) + "\" y=\"1\" width=\"2\" height=\"14\"/></svg>";
}

Document::Document(const std::string& kind, const std::string& title, const std::string& sentence) : kind_(kind), title_(title) {
  hero_ = "<p class=\"eyebrow\">" + escaped(kind) + "</p>\n<h1>" + escaped(title) + "</h1>\n";
  if (!sentence.empty()) hero_ += "<p class=\"sentence\">" + escaped(sentence) + "</p>\n";
}

void Document::answers(const std::vector<AnswerCard>& cards) {
  if (cards.empty()) return;
  hero_ += "<ul class=\"answers n" + std::to_string(cards.size()) + "\">\n";
  for (const AnswerCard& card : cards) {
    const Quantity& q = card.quantity;
    const Shown s = card.value.empty() ? shown(q.value, q.unit) : Shown{card.value, ""};
    hero_ += "<li><div class=\"what\"><span>" + escaped(card.what) + "</span>" + origin_mark(q.origin, q.source, true) + "</div><div class=\"value\">" + escaped(s.value) +
             (s.unit.empty() ? "" : " <small>" + escaped(s.unit) + "</small>") + "</div>" + interval_drawing(q);
    const std::string interval = interval_text(q);
    if (!interval.empty()) {
      const std::string relative = relative_interval(q);
      hero_ += "<div class=\"more\">" + escaped(interval) + (relative.empty() ? "" : " (" + escaped(relative) + ")") + "</div>";
    }
    if (!card.more.empty()) hero_ += "<div class=\"more\">" + escaped(card.more) + "</div>";
    hero_ += "</li>\n";
  }
  hero_ += "</ul>\n";
}

void Document::strip(const std::string& title, const std::string& sentence, const std::vector<StripPart>& parts) {
  std::vector<LegendEntry> legend;
  std::string bars;
  for (const StripPart& p : parts) {
    if (!(p.share > 0)) continue;
    legend.push_back({p.name, p.colour, LegendEntry::Shape::kBox, share_text(p.share)});
    bars += "<i class=\"b" + std::to_string(p.colour) + "\" style=\"flex:" + fixed(p.share * 100, 3) + " 0 0\"></i>";
  }
  if (legend.empty()) return;
  hero_ += "<div class=\"share\"><h2>" + escaped(title) + "</h2>";
  if (!sentence.empty()) hero_ += "<p>" + escaped(sentence) + "</p>";
  hero_ += "<div class=\"strip\" aria-hidden=\"true\">" + bars + "</div>" + legend_html(legend) + "</div>\n";
}

void Document::reasons(const std::string& title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  hero_ += "<div class=\"share\"><h2>" + escaped(title) + "</h2><ul class=\"why\">";
  for (const std::string& item : items) hero_ += "<li>" + item + "</li>";
  hero_ += "</ul></div>\n";
}

void Document::warn(const std::string& text, bool bad) {
  std::string& where = parts_.empty() ? hero_ : body_;
  if (!parts_.empty()) close_grid();
  where += std::string("<p class=\"note") + (bad ? " bad" : "") + "\">" + escaped(text) + "</p>\n";
}

void Document::close_grid() {
  if (grid_) body_ += "</div>\n";
  grid_ = false;
}

void Document::part(const std::string& name, const std::string& lead, const std::string& in_short) {
  close_grid();
  if (!parts_.empty()) body_ += "</section>\n";
  std::string id = slug(name);
  const auto taken = [&](const std::string& other) { return std::any_of(parts_.begin(), parts_.end(), [&](const auto& p) { return p.first == other; }); };
  for (int i = 2; taken(id); ++i) id = slug(name) + "-" + std::to_string(i);
  parts_.emplace_back(id, in_short.empty() ? name : in_short);
  body_ += "<section class=\"part\" id=\"" + id + "\" aria-labelledby=\"" + id + "-head\"><h2 id=\"" + id + "-head\">" + escaped(name) + "</h2>\n";
  if (!lead.empty()) body_ += "<p class=\"soft\">" + escaped(lead) + "</p>\n";
}

void Document::chart(Chart chart) {
  assert(!parts_.empty());
  if (!drawable(chart)) return;
  chart.id = "chart-" + std::to_string(charts_.size() + 1);
  if (!grid_) body_ += "<div class=\"figures\">\n";
  grid_ = true;
  body_ += figure_html(chart);
  charts_.push_back(std::move(chart));
}

void Document::html(const std::string& html) {
  assert(!parts_.empty());
  close_grid();
  body_ += html;
}

void Document::paragraph(const std::string& text) { html("<p>" + escaped(text) + "</p>\n"); }

std::string Document::text() const {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n<title>" +
      escaped(title_) + " - " + escaped(kind_) + " - Waferloom</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>" + std::string(page_style()) + "</style></head><body>\n";
  out += "<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header class=\"top\"><nav class=\"bar\" aria-label=\"Parts of the report\"><b>Waferloom</b>";
  for (const auto& [id, name] : parts_) out += "<a href=\"#" + id + "\">" + escaped(name) + "</a>";
  out += "</nav></header>\n<main id=\"main\" tabindex=\"-1\">\n<div class=\"hero\">\n" + hero_ + "</div>\n" + body_;
  if (grid_) out += "</div>\n";
  if (!parts_.empty()) out += "</section>\n";
  out += "</main>\n<footer><p>Where a figure comes from: " + origin_mark(Origin::kMeasured, "") + " on verilated tiles, " + origin_mark(Origin::kFitted, "") + " to such measurements, " +
         origin_mark(Origin::kExtrapolated, "") + " from the fit to the wafer, " + origin_mark(Origin::kPublished, "") + " by others, or " + origin_mark(Origin::kAssumed, "") +
         ". This file needs no network.</p></footer>\n"
         "<div id=\"spoken\" class=\"unseen\" role=\"status\" aria-live=\"polite\"></div><div id=\"hint\" role=\"tooltip\" hidden></div>\n"
         "<noscript><style>.chart{display:none}</style></noscript>\n<script type=\"application/json\" id=\"charts\">" +
         charts_json(charts_) + "</script>\n<script>" + std::string(page_script()) + "</script>\n</body></html>\n";
  return out;
}

}  // namespace waferloom::report::page
