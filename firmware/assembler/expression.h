// Expressions over integers and reals: parsed into nodes once, evaluated when the symbols are known.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/assembler/lexer.h"

namespace waferloom::assembler {

// A place inside the sources: file index, line, column.
struct Place {
  uint32_t file = 0;
  int line = 0;
  int column = 1;
  int length = 1;
};

// An integer, or a real that came from a literal with a fraction.
struct Value {
  bool real = false;
  int64_t integer = 0;
  double number = 0;

  static Value of(int64_t v) { return {false, v, static_cast<double>(v)}; }
  static Value of_real(double v) { return {true, 0, v}; }
};

// Why an expression has no value.
struct Fault {
  Place place;
  std::string message;
  std::string hint;
};

using Expression = int32_t;  // index of a node; negative: none

class Expressions {
 public:
  // Finds a symbol's value. Returns false with `fault.message` set when it has none.
  using Lookup = std::function<bool(std::string_view name, const Place& place, Value& value, Fault& fault)>;

  // Parses the longest expression at tokens[at]; moves `at` behind it. Returns -1 and sets `fault` on a mistake. `file` and `line` say where
  // the tokens are; `here` is the value of '.'. Precedence as in C; functions hi16, lo16, f16, f32.
  Expression parse(const std::vector<Token>& tokens, size_t& at, uint32_t file, int line, int64_t here, Fault& fault);

  Expression literal(int64_t value, const Place& place);

  // Returns false and sets `fault` when a symbol is unknown or an operation impossible.
  bool evaluate(Expression expression, const Lookup& lookup, Value& value, Fault& fault) const;

  const Place& place(Expression expression) const { return nodes_[static_cast<size_t>(expression)].place; }

 private:
  enum class Op : uint8_t {
    kLiteral, kSymbol, kNegate, kInvert, kNot, kMultiply, kDivide, kModulo, kAdd, kSubtract, kLeft, kRight, kLess, kGreater, kLessEqual,
    kGreaterEqual, kEqual, kNotEqual, kAnd, kXor, kOr, kBothTrue, kEitherTrue, kHigh16, kLow16, kHalfBits, kFloatBits
  };
  struct Node {
    Op op = Op::kLiteral;
    Expression a = -1;
    Expression b = -1;
    Value value;
    std::string_view name;
    Place place;
  };
  struct Parser;

  Expression add(Node node);
  bool binary(const Node& node, const Value& a, const Value& b, Value& value, Fault& fault) const;

  std::vector<Node> nodes_;
};

// Nearest binary16 (ties to even); overflow gives infinity, NaN the canonical one.
uint16_t half_bits(double value);
uint32_t float_bits(double value);

}  // namespace waferloom::assembler
