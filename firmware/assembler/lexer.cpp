#include "firmware/assembler/lexer.h"

#include <cctype>
#include <cstdlib>

namespace waferloom::assembler {
namespace {

bool name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.'; }
bool name_part(char c) { return name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// Parses the number at `at`; sets kind, text and value. Returns the index after it.
size_t number(std::string_view line, size_t at, Token& token) {
  const size_t start = at;
  int radix = 10;
  if (line[at] == '0' && at + 1 < line.size() && (line[at + 1] == 'x' || line[at + 1] == 'X')) radix = 16;
  if (line[at] == '0' && at + 1 < line.size() && (line[at + 1] == 'b' || line[at + 1] == 'B')) radix = 2;
  if (radix != 10) at += 2;
  uint64_t value = 0;
  bool overflow = false;
  size_t digits = 0;
  while (at < line.size() && (digit_value(line[at]) < radix || line[at] == '_')) {
    if (line[at] != '_') {
      if (value > (UINT64_MAX >> 1) / static_cast<uint64_t>(radix)) overflow = true;
      value = value * static_cast<uint64_t>(radix) + static_cast<uint64_t>(digit_value(line[at]));
      ++digits;
    }
    ++at;
  }
  token.kind = TokenKind::kInteger;
  const bool fraction = radix == 10 && at < line.size() && line[at] == '.' && at + 1 < line.size() && digit(line[at + 1]);
  const bool exponent = radix == 10 && at < line.size() && (line[at] == 'e' || line[at] == 'E') && at + 1 < line.size() &&
                        (digit(line[at + 1]) || ((line[at + 1] == '-' || line[at + 1] == '+') && at + 2 < line.size() && digit(line[at + 2])));
  if (fraction || exponent) {
    if (fraction) {
      ++at;
      while (at < line.size() && digit(line[at])) ++at;
    }
    if (at < line.size() && (line[at] == 'e' || line[at] == 'E')) {
      size_t e = at + 1;
      if (e < line.size() && (line[e] == '-' || line[e] == '+')) ++e;
      if (e < line.size() && digit(line[e])) {
        while (e < line.size() && digit(line[e])) ++e;
        at = e;
      }
    }
    token.kind = TokenKind::kReal;
    token.real = std::strtod(std::string(line.substr(start, at - start)).c_str(), nullptr);
  }
  size_t end = at;
  while (end < line.size() && name_part(line[end])) ++end;
  token.text = line.substr(start, end - start);
  if (end != at || digits == 0) {
    token.kind = TokenKind::kBad;
    token.fault = "this is not a number";
    return end;
  }
  if (token.kind == TokenKind::kInteger && (overflow || value > static_cast<uint64_t>(INT64_MAX))) {
    token.kind = TokenKind::kBad;
    token.fault = "the number is too large";
    return end;
  }
  token.integer = static_cast<int64_t>(value);
  if (token.kind == TokenKind::kInteger) token.real = static_cast<double>(value);
  return end;
}

size_t quoted(std::string_view line, size_t at, Token& token) {
  const size_t end = line.find('"', at + 1);
  if (end == std::string_view::npos) {
    token.kind = TokenKind::kBad;
    token.fault = "the string does not end on this line";
    token.text = line.substr(at);
    return line.size();
  }
  token.kind = TokenKind::kString;
  token.text = line.substr(at + 1, end - at - 1);
  return end + 1;
}

}  // namespace

void tokenize(std::string_view line, std::vector<Token>& tokens) {
  static constexpr std::string_view kPairs[] = {"<<", ">>", "==", "!=", "<=", ">=", "&&", "||"};
  size_t at = 0;
  bool glued = false;
  while (true) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) {
      ++at;
      glued = false;
    }
    Token token;
    token.column = static_cast<int>(at) + 1;
    token.glued = glued;
    glued = true;
    const bool comment = at < line.size() && (line[at] == ';' || line[at] == '#' || (line[at] == '/' && at + 1 < line.size() && line[at + 1] == '/'));
    if (at >= line.size() || comment) {
      tokens.push_back(token);
      return;
    }
    const char c = line[at];
    if (digit(c)) {
      at = number(line, at, token);
    } else if (c == '"') {
      at = quoted(line, at, token);
    } else if (name_start(c)) {
      size_t end = at + 1;
      while (end < line.size() && name_part(line[end])) ++end;
      token.text = line.substr(at, end - at);
      token.kind = token.text == "." ? TokenKind::kPunctuation : TokenKind::kName;
      at = end;
    } else if (c == '\'' && at + 2 < line.size() && line[at + 2] == '\'') {
      token.kind = TokenKind::kInteger;
      token.integer = static_cast<unsigned char>(line[at + 1]);
      token.real = static_cast<double>(token.integer);
      token.text = line.substr(at, 3);
      at += 3;
    } else {
      size_t length = 1;
      for (const std::string_view pair : kPairs) {
        if (line.substr(at, 2) == pair) length = 2;
      }
      token.text = line.substr(at, length);
      token.kind = TokenKind::kPunctuation;
      if (length == 1 && std::string_view("+-*/%&|^~!<>(),:=").find(c) == std::string_view::npos) {
        token.kind = TokenKind::kBad;
        token.fault = "this character means nothing here";
      }
      at += length;
    }
    tokens.push_back(token);
  }
}

}  // namespace waferloom::assembler
