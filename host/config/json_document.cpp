#include "host/config/json_document.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "host/config/scalar.h"

namespace waferloom::config {
namespace {

constexpr std::size_t kDeepest = 64;

// Counts what the parser has taken, so that callbacks know where they are.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* taken) : at_(at), taken_(taken) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*taken_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* taken_;
};

bool in_number(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; }

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(const std::string& file, const std::string& text, const SourceText& sources) : file_(file), text_(text), sources_(sources) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) lines_.push_back(at + 1);
  }

  std::size_t taken = 0;
  JsonNode root;
  Diagnostics errors;

  bool null() override {
    JsonNode node;
    return value(std::move(node), 4);
  }
  bool boolean(bool val) override {
    JsonNode node;
    node.kind = JsonNode::Kind::kBoolean;
    node.boolean = val;
    return value(std::move(node), val ? 4 : 5);
  }
  bool number_integer(number_integer_t val) override { return number(val); }
  bool number_unsigned(number_unsigned_t val) override {
    if (val > static_cast<number_unsigned_t>(INT64_MAX)) return stop(number_place(), "the number does not fit in 64 bits", {});
    return number(static_cast<std::int64_t>(val));
  }
  bool number_float(number_float_t val, const string_t& text) override {
    const SourceLocation where = number_place();
    // An integer beyond 64 bits arrives here too.
    if (text.find_first_of(".eE") == std::string::npos) return stop(where, "the number does not fit in 64 bits", {});
    if (!std::isfinite(val)) return stop(where, "the number is too large", {});
    JsonNode node;
    node.kind = JsonNode::Kind::kReal;
    node.real = val;
    node.where = where;
    return put(std::move(node));
  }
  bool string(string_t& val) override {
    JsonNode node;
    node.kind = JsonNode::Kind::kString;
    node.text = val;
    node.where = string_place();
    return put(std::move(node));
  }
  bool binary(binary_t& /*val*/) override { return false; }
  bool start_object(std::size_t /*elements*/) override { return open(JsonNode::Kind::kObject); }
  bool start_array(std::size_t /*elements*/) override { return open(JsonNode::Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& val) override {
    const SourceLocation where = string_place();
    if (!keys_.back().insert(val).second) return stop(where, "key '" + val + "' is given twice", "remove one of them");
    open_.back()->entries.push_back({val, where, {}});
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/, const nlohmann::detail::exception& error) override {
    const std::size_t at = position > 0 ? position - 1 : 0;
    const std::string rest = text_.substr(std::min(at > 2 ? at - 2 : 0, text_.size()), 12);
    if (error.id == 406) return stop(number_place(), "the number is too large", {});
    const bool special = rest.find("NaN") != std::string::npos || rest.find("nan") != std::string::npos || rest.find("Inf") != std::string::npos;
    if (special) return stop(place(at), "NaN and infinity are not numbers of JSON", "give a finite number");
    if (at >= text_.size()) return stop(place(text_.size()), "the file ends inside a value", "is it complete?");
    return stop(place(at), "this is not JSON", "expected a value, a comma or a closing bracket here");
  }

 private:
  SourceLocation place(std::size_t offset, int length = 1) const {
    SourceLocation where;
    where.file = file_;
    const std::size_t end = std::min(offset, text_.size());
    const auto line = std::upper_bound(lines_.begin(), lines_.end(), end) - 1;
    where.line = 1 + static_cast<int>(line - lines_.begin());
    where.column = static_cast<int>(end - *line) + 1;
    where.length = std::max(length, 1);
    return where;
  }
  // The parser has taken a number and, unless the text ended, one character more.
  SourceLocation number_place() const {
    std::size_t end = std::min(taken, text_.size());
    if (end > 0 && !in_number(text_[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && in_number(text_[begin - 1])) --begin;
    return place(begin, static_cast<int>(end - begin));
  }
  // Its closing quote was taken last.
  SourceLocation string_place() const {
    const std::size_t end = std::min(taken, text_.size());
    std::size_t begin = end > 1 ? end - 2 : 0;
    for (; begin > 0; --begin) {
      if (text_[begin] != '"') continue;
      std::size_t slashes = 0;
      while (slashes < begin && text_[begin - 1 - slashes] == '\\') ++slashes;
      if (slashes % 2 == 0) break;
    }
    return place(begin, static_cast<int>(end - begin));
  }
  bool number(std::int64_t val) {
    JsonNode node;
    node.kind = JsonNode::Kind::kInteger;
    node.integer = val;
    node.real = static_cast<double>(val);
    node.where = number_place();
    return put(std::move(node));
  }
  bool value(JsonNode node, std::size_t length) {
    node.where = place(taken >= length ? taken - length : 0, static_cast<int>(length));
    return put(std::move(node));
  }
  JsonNode* slot(JsonNode node) {
    if (open_.empty()) {
      root = std::move(node);
      return &root;
    }
    JsonNode& parent = *open_.back();
    if (parent.kind == JsonNode::Kind::kArray) {
      parent.items.push_back(std::move(node));
      return &parent.items.back();
    }
    parent.entries.back().value = std::move(node);
    return &parent.entries.back().value;
  }
  bool put(JsonNode node) {
    slot(std::move(node));
    return true;
  }
  bool open(JsonNode::Kind kind) {
    if (open_.size() >= kDeepest) return stop(place(taken > 0 ? taken - 1 : 0), "nested more than 64 deep", {});
    JsonNode node;
    node.kind = kind;
    node.where = place(taken > 0 ? taken - 1 : 0);
    open_.push_back(slot(std::move(node)));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }
  bool stop(const SourceLocation& where, std::string message, std::string hint) {
    errors.push_back(located(sources_, where, std::move(message), std::move(hint)));
    return false;
  }

  const std::string& file_;
  const std::string& text_;
  const SourceText& sources_;
  std::vector<std::size_t> lines_ = {0};               // where each begins
  std::vector<JsonNode*> open_;                        // a parent does not grow while a child is open
  std::vector<std::unordered_set<std::string>> keys_;  // of each of them, so far
};

const char* describe(JsonNode::Kind kind) {
  switch (kind) {
    case JsonNode::Kind::kNull: return "null";
    case JsonNode::Kind::kBoolean: return "true or false";
    case JsonNode::Kind::kInteger: return "an integer";
    case JsonNode::Kind::kReal: return "a number with a fraction or an exponent";
    case JsonNode::Kind::kString: return "a text";
    case JsonNode::Kind::kArray: return "a list";
    case JsonNode::Kind::kObject: return "an object";
  }
  return "";
}

const JsonNode& nothing() {
  static const JsonNode node;
  return node;
}

}  // namespace

const JsonNode* JsonNode::find(const std::string& key) const {
  for (const JsonEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Result<JsonNode> parse_json(const std::string& file, const std::string& text, SourceText& sources) {
  sources.add(file, text);
  Builder builder(file, text, sources);
  const CountingIterator begin(text.data(), &builder.taken);
  const CountingIterator end(text.data() + text.size(), &builder.taken);
  if (!nlohmann::json::sax_parse(begin, end, &builder)) {
    if (builder.errors.empty()) builder.errors.push_back(located(sources, SourceLocation{file, 1, 1, 1}, "this is not JSON"));
    return builder.errors;
  }
  return std::move(builder.root);
}

JsonReader::JsonReader(const JsonNode& object, std::string title, const SourceText& sources, Diagnostics& errors)
    : object_(object.kind == JsonNode::Kind::kObject ? object : nothing()), title_(std::move(title)), sources_(sources), errors_(errors) {
  if (object.kind != JsonNode::Kind::kObject) errors_.push_back(located(sources_, object.where, "expected " + title_ + " as an object, found " + describe(object.kind)));
}

const JsonNode* JsonReader::at(const std::string& key) const {
  const JsonNode* node = object_.find(key);
  return node == nullptr || node->kind == JsonNode::Kind::kNull ? nullptr : node;
}

bool JsonReader::has(const std::string& key) const { return at(key) != nullptr; }

const SourceLocation& JsonReader::where(const std::string& key) const {
  const JsonNode* node = object_.find(key);
  return node == nullptr ? object_.where : node->where;
}

void JsonReader::fail(const std::string& key, std::string message, std::string hint) const {
  errors_.push_back(located(sources_, where(key), std::move(message), std::move(hint)));
}

const JsonNode* JsonReader::need(const std::string& key) {
  const JsonNode* node = at(key);
  if (node == nullptr && object_.kind == JsonNode::Kind::kObject) fail(key, "missing key '" + key + "' in " + title_);
  return node;
}

std::int64_t JsonReader::integer(const std::string& key, std::int64_t minimum, std::int64_t maximum) {
  const JsonNode* node = need(key);
  if (node == nullptr) return minimum;
  if (node->kind != JsonNode::Kind::kInteger) {
    fail(key, "'" + key + "' must be an integer, found " + describe(node->kind));
    return minimum;
  }
  if (node->integer < minimum || node->integer > maximum) {
    fail(key, "'" + key + "' must lie between " + std::to_string(minimum) + " and " + std::to_string(maximum) + ", is " + std::to_string(node->integer));
    return minimum;
  }
  return node->integer;
}

std::int64_t JsonReader::integer(const std::string& key, std::int64_t minimum, std::int64_t maximum, std::int64_t fallback) {
  return has(key) ? integer(key, minimum, maximum) : fallback;
}

double JsonReader::real(const std::string& key, double minimum, double maximum) {
  const JsonNode* node = need(key);
  if (node == nullptr) return minimum;
  if (node->kind != JsonNode::Kind::kInteger && node->kind != JsonNode::Kind::kReal) {
    fail(key, "'" + key + "' must be a number, found " + describe(node->kind));
    return minimum;
  }
  if (node->real < minimum || node->real > maximum) {
    fail(key, "'" + key + "' must lie between " + format_real(minimum) + " and " + format_real(maximum) + ", is " + format_real(node->real));
    return minimum;
  }
  return node->real;
}

bool JsonReader::boolean(const std::string& key, bool fallback) {
  const JsonNode* node = at(key);
  if (node == nullptr) return fallback;
  if (node->kind == JsonNode::Kind::kBoolean) return node->boolean;
  fail(key, "'" + key + "' must be true or false, found " + describe(node->kind));
  return fallback;
}

std::string JsonReader::text(const std::string& key) {
  const JsonNode* node = need(key);
  if (node == nullptr) return {};
  if (node->kind == JsonNode::Kind::kString) return node->text;
  fail(key, "'" + key + "' must be a text, found " + describe(node->kind));
  return {};
}

std::string JsonReader::text(const std::string& key, const std::string& fallback) { return has(key) ? text(key) : fallback; }

const std::vector<JsonNode>& JsonReader::array(const std::string& key) {
  const JsonNode* node = need(key);
  if (node == nullptr) return nothing().items;
  if (node->kind == JsonNode::Kind::kArray) return node->items;
  fail(key, "'" + key + "' must be a list, found " + describe(node->kind));
  return nothing().items;
}

}  // namespace waferloom::config
