// Tokens of one source line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waferloom::assembler {

enum class TokenKind : uint8_t { kName, kInteger, kReal, kString, kPunctuation, kEnd, kBad };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // the characters in the line (a string without its quotes)
  int column = 1;         // from 1
  bool glued = false;     // no blank before it
  int64_t integer = 0;
  double real = 0;
  const char* fault = nullptr;  // why a kBad token is bad

  bool is(std::string_view punctuation) const { return kind == TokenKind::kPunctuation && text == punctuation; }
  int length() const { return text.empty() ? 1 : static_cast<int>(text.size()); }
};

// Appends the line's tokens and one kEnd. Comments start with ';', '#' or "//". Names are letters, digits, '_', '$' and '.', not starting with
// a digit; a lone '.' is the punctuation for the current address. The tokens point into `line`.
void tokenize(std::string_view line, std::vector<Token>& tokens);

}  // namespace waferloom::assembler
