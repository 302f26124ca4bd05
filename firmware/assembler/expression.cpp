#include "firmware/assembler/expression.h"

#include <cmath>
#include <cstring>

namespace waferloom::assembler {

uint16_t half_bits(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7e00;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (magnitude >= 65520.0) return static_cast<uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(magnitude, &exponent);               // magnitude = m * 2**exponent, m in [0.5, 1)
  const int unit = std::max(exponent - 11, -24);  // weight of the last place
  const double scaled = std::ldexp(magnitude, -unit);
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) != 0)) whole += 1;
  // whole < 2**11 or a carry to the next binade; subnormals (unit -24, whole < 1024) need no bias.
  const int bits = static_cast<int>(whole);
  return static_cast<uint16_t>(sign | (bits < 1024 ? bits : bits - 1024 + ((unit + 25) << 10)));
}

uint32_t float_bits(double value) {
  if (std::isnan(value)) return 0x7fc00000u;
  const float narrow = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

struct Expressions::Parser {
  Expressions& owner;
  const std::vector<Token>& tokens;
  size_t& at;
  uint32_t file;
  int line;
  int64_t here;
  Fault& fault;
  int depth = 0;

  const Token& token() const { return tokens[at]; }
  Place place_of(const Token& t) const { return {file, line, t.column, t.length()}; }

  Expression fail(const Token& t, std::string message, std::string hint = {}) {
    fault = {place_of(t), std::move(message), std::move(hint)};
    return -1;
  }

  static int precedence(const Token& t, Op& op) {
    struct Row {
      const char* text;
      int level;
      Op op;
    };
    static constexpr Row kRows[] = {
        {"*", 10, Op::kMultiply}, {"/", 10, Op::kDivide},     {"%", 10, Op::kModulo},      {"+", 9, Op::kAdd},          {"-", 9, Op::kSubtract}, {"<<", 8, Op::kLeft},
        {">>", 8, Op::kRight},    {"<", 7, Op::kLess},        {">", 7, Op::kGreater},      {"<=", 7, Op::kLessEqual},   {">=", 7, Op::kGreaterEqual}, {"==", 6, Op::kEqual},
        {"!=", 6, Op::kNotEqual}, {"&", 5, Op::kAnd},         {"^", 4, Op::kXor},          {"|", 3, Op::kOr},           {"&&", 2, Op::kBothTrue}, {"||", 1, Op::kEitherTrue}};
    if (t.kind != TokenKind::kPunctuation) return 0;
    for (const Row& row : kRows) {
      if (t.text == row.text) {
        op = row.op;
        return row.level;
      }
    }
    return 0;
  }

  Expression binary(int least) {
    if (++depth > 200) return fail(token(), "the expression is nested too deeply");
    Expression left = primary();
    while (left >= 0) {
      Op op{};
      const int level = precedence(token(), op);
      if (level == 0 || level < least) break;
      Node node;
      node.op = op;
      node.place = place_of(token());
      ++at;
      node.a = left;
      node.b = binary(level + 1);
      if (node.b < 0) return -1;
      left = owner.add(node);
    }
    --depth;
    return left;
  }

  Expression unary(Op op) {
    if (++depth > 200) return fail(token(), "the expression is nested too deeply");
    Node node;
    node.op = op;
    node.place = place_of(token());
    ++at;
    node.a = primary();
    --depth;
    return node.a < 0 ? -1 : owner.add(node);
  }

  Expression parenthesis() {
    const Token open = token();
    ++at;
    const Expression inner = binary(1);
    if (inner < 0) return -1;
    if (!token().is(")")) return fail(open, "this parenthesis is never closed");
    ++at;
    return inner;
  }

  Expression primary() {
    const Token& t = token();
    Node node;
    node.place = place_of(t);
    if (t.kind == TokenKind::kInteger || t.kind == TokenKind::kReal) {
      node.value = t.kind == TokenKind::kReal ? Value::of_real(t.real) : Value::of(t.integer);
      ++at;
      return owner.add(node);
    }
    if (t.kind == TokenKind::kName) {
      static constexpr std::pair<std::string_view, Op> kFunctions[] = {{"hi16", Op::kHigh16}, {"lo16", Op::kLow16}, {"f16", Op::kHalfBits}, {"f32", Op::kFloatBits}};
      for (const auto& [name, op] : kFunctions) {
        if (t.text == name && tokens[at + 1].is("(")) {
          ++at;
          node.op = op;
          node.a = parenthesis();
          return node.a < 0 ? -1 : owner.add(node);
        }
      }
      node.op = Op::kSymbol;
      node.name = t.text;
      ++at;
      return owner.add(node);
    }
    if (t.is(".")) {
      node.value = Value::of(here);
      ++at;
      return owner.add(node);
    }
    if (t.is("(")) return parenthesis();
    if (t.is("-")) return unary(Op::kNegate);
    if (t.is("~")) return unary(Op::kInvert);
    if (t.is("!")) return unary(Op::kNot);
    if (t.is("+")) {
      ++at;
      return primary();
    }
    if (t.kind == TokenKind::kBad) return fail(t, t.fault);
    if (t.kind == TokenKind::kEnd) return fail(t, "an expression is missing here");
    return fail(t, "expected an expression, found '" + std::string(t.text) + "'");
  }
};

Expression Expressions::add(Node node) {
  nodes_.push_back(node);
  return static_cast<Expression>(nodes_.size() - 1);
}

Expression Expressions::literal(int64_t value, const Place& place) {
  Node node;
  node.value = Value::of(value);
  node.place = place;
  return add(node);
}

Expression Expressions::parse(const std::vector<Token>& tokens, size_t& at, uint32_t file, int line, int64_t here, Fault& fault) {
  Parser parser{*this, tokens, at, file, line, here, fault};
  return parser.binary(1);
}

bool Expressions::binary(const Node& node, const Value& a, const Value& b, Value& value, Fault& fault) const {
  const bool real = a.real || b.real;
  const auto truth = [](bool t) { return Value::of(t ? 1 : 0); };
  const auto wrap = [](uint64_t v) { return Value::of(static_cast<int64_t>(v)); };
  const uint64_t ua = static_cast<uint64_t>(a.integer);
  const uint64_t ub = static_cast<uint64_t>(b.integer);
  switch (node.op) {
    case Op::kMultiply: value = real ? Value::of_real(a.number * b.number) : wrap(ua * ub); return true;
    case Op::kAdd: value = real ? Value::of_real(a.number + b.number) : wrap(ua + ub); return true;
    case Op::kSubtract: value = real ? Value::of_real(a.number - b.number) : wrap(ua - ub); return true;
    case Op::kLess: value = truth(a.number < b.number); return true;
    case Op::kGreater: value = truth(a.number > b.number); return true;
    case Op::kLessEqual: value = truth(a.number <= b.number); return true;
    case Op::kGreaterEqual: value = truth(a.number >= b.number); return true;
    case Op::kEqual: value = truth(real ? a.number == b.number : a.integer == b.integer); return true;
    case Op::kNotEqual: value = truth(real ? a.number != b.number : a.integer != b.integer); return true;
    case Op::kBothTrue: value = truth(a.number != 0 && b.number != 0); return true;
    case Op::kEitherTrue: value = truth(a.number != 0 || b.number != 0); return true;
    case Op::kDivide:
      if (real) {
        value = Value::of_real(a.number / b.number);
        return true;
      }
      break;
    default: break;
  }
  if (real) {
    fault = {node.place, "this operation needs integers", "f32(x) and f16(x) give the bit pattern of a real number"};
    return false;
  }
  switch (node.op) {
    case Op::kDivide:
    case Op::kModulo:
      if (b.integer == 0) {
        fault = {node.place, "division by zero", {}};
        return false;
      }
      if (b.integer == -1) {
        value = node.op == Op::kDivide ? wrap(0 - ua) : Value::of(0);
      } else {
        value = Value::of(node.op == Op::kDivide ? a.integer / b.integer : a.integer % b.integer);
      }
      return true;
    case Op::kLeft:
    case Op::kRight:
      if (b.integer < 0 || b.integer > 63) {
        fault = {node.place, "a shift by " + std::to_string(b.integer) + " is not possible", "0 to 63"};
        return false;
      }
      value = node.op == Op::kLeft ? wrap(ua << ub) : Value::of(a.integer >> b.integer);
      return true;
    case Op::kAnd: value = wrap(ua & ub); return true;
    case Op::kOr: value = wrap(ua | ub); return true;
    default: value = wrap(ua ^ ub); return true;
  }
}

bool Expressions::evaluate(Expression expression, const Lookup& lookup, Value& value, Fault& fault) const {
  const Node& node = nodes_[static_cast<size_t>(expression)];
  if (node.op == Op::kLiteral) {
    value = node.value;
    return true;
  }
  if (node.op == Op::kSymbol) {
    fault.place = node.place;
    return lookup(node.name, node.place, value, fault);
  }
  Value a;
  if (!evaluate(node.a, lookup, a, fault)) return false;
  if (node.b >= 0) {
    Value b;
    return evaluate(node.b, lookup, b, fault) && binary(node, a, b, value, fault);
  }
  switch (node.op) {
    case Op::kNegate: value = a.real ? Value::of_real(-a.number) : Value::of(static_cast<int64_t>(0 - static_cast<uint64_t>(a.integer))); return true;
    case Op::kNot: value = Value::of(a.number == 0 ? 1 : 0); return true;
    case Op::kHalfBits: value = Value::of(half_bits(a.number)); return true;
    case Op::kFloatBits: value = Value::of(float_bits(a.number)); return true;
    default: break;
  }
  if (a.real) {
    fault = {node.place, "this operation needs an integer", "f32(x) and f16(x) give the bit pattern of a real number"};
    return false;
  }
  switch (node.op) {
    case Op::kInvert: value = Value::of(~a.integer); return true;
    case Op::kHigh16: value = Value::of((a.integer >> 16) & 0xffff); return true;
    default: value = Value::of(static_cast<int16_t>(a.integer & 0xffff)); return true;
  }
}

}  // namespace waferloom::assembler
