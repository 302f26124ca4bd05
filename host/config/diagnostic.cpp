#include "host/config/diagnostic.h"

#include <algorithm>
#include <cctype>

namespace waferloom::config {
namespace {

constexpr std::size_t kShownWidth = 96;  // of a source line; the rest is cut away around the caret

// A source line in printable ASCII, one character per code point, and where the caret's column ends up in it.
struct Shown {
  std::string text;
  std::size_t caret = 0;
};

Shown printable(const std::string& line, int column) {
  Shown shown;
  const std::size_t target = column > 0 ? static_cast<std::size_t>(column - 1) : 0;
  bool placed = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    if (!placed && i >= target) {
      shown.caret = shown.text.size();
      placed = true;
    }
    if ((byte & 0xC0U) == 0x80U && i > 0) continue;  // inside a code point that already has its character
    if (byte == '\t') {
      shown.text += ' ';
    } else {
      shown.text += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '?';
    }
  }
  if (!placed) shown.caret = shown.text.size();
  return shown;
}

std::string without_controls(const std::string& text) {
  std::string out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return out;
}

const char* word(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "error";
}

// Optimal string alignment: insertions, deletions, substitutions and neighbouring swaps.
int distance(const std::string& a, const std::string& b) {
  const std::size_t n = a.size();
  const std::size_t m = b.size();
  std::vector<std::vector<int>> d(n + 1, std::vector<int>(m + 1));
  for (std::size_t i = 0; i <= n; ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= m; ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      const int cost = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[n][m];
}

}  // namespace

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string render(const Diagnostic& diagnostic) {
  std::string out = without_controls(diagnostic.where.file);
  if (diagnostic.where.line > 0) {
    out += ':' + std::to_string(diagnostic.where.line);
    if (diagnostic.where.column > 0) out += ':' + std::to_string(diagnostic.where.column);
  }
  if (!out.empty()) out += ": ";
  out += word(diagnostic.severity);
  out += ": " + without_controls(diagnostic.message) + '\n';
  if (!diagnostic.source_line.empty() && diagnostic.where.column > 0) {
    Shown shown = printable(diagnostic.source_line, diagnostic.where.column);
    std::size_t length = diagnostic.where.length > 0 ? static_cast<std::size_t>(diagnostic.where.length) : 1;
    std::size_t begin = 0;
    if (shown.caret > kShownWidth * 3 / 4) begin = shown.caret - kShownWidth / 2;
    std::string text = shown.text.substr(begin, kShownWidth);
    const std::size_t caret = shown.caret - begin;
    const std::size_t room = text.size() > caret ? text.size() - caret : 1;
    length = std::min(length, room);
    out += "  " + text + '\n';
    out += "  " + std::string(caret, ' ') + '^' + std::string(length - 1, '~') + '\n';
  }
  if (!diagnostic.hint.empty()) out += "  hint: " + without_controls(diagnostic.hint) + '\n';
  return out;
}

std::string render(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += render(diagnostic);
  return out;
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  if (word.size() > 64) return {};
  const std::string wanted = lower(word);
  int best = 1 + static_cast<int>(wanted.size()) / 3;  // a third of the word may be wrong, and at least one letter
  std::string found;
  for (const std::string& candidate : candidates) {
    const int d = distance(wanted, lower(candidate));
    if (d < best || (d == best && found.empty())) {
      best = d;
      found = candidate;
    }
  }
  return found;
}

}  // namespace waferloom::config
