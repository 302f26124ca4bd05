#include "host/config/dataset.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "host/config/scalar.h"

namespace waferloom::config {
namespace {

namespace fs = std::filesystem;

// From here on a number rounds to infinity in binary16, the format of activations.
constexpr double kHalfOverflows = 65520;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30U;

// A mark of byte order at the beginning of a text, as some spreadsheets write it: what it says and its length. Nothing if there is none.
std::pair<std::string, std::size_t> byte_order_mark(const std::string& text) {
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) return {"UTF-8", 3};
  if (text.compare(0, 2, "\xFF\xFE") == 0 || text.compare(0, 2, "\xFE\xFF") == 0) return {"UTF-16", 2};
  return {};
}

Diagnostic io_fault(const fs::path& file, std::string message, std::string hint = {}) {
  Diagnostic fault;
  fault.fault = Fault::kInputOutput;
  fault.where.file = file.string();
  fault.message = std::move(message);
  fault.hint = std::move(hint);
  return fault;
}

// The unpacked text; plain files come through unchanged.
Result<std::string> unpack(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return io_fault(file, "no such data file");
  if (!fs::is_regular_file(file, error)) return io_fault(file, "is not a regular file");
  errno = 0;
  gzFile in = gzopen(file.c_str(), "rb");
  if (in == nullptr) return io_fault(file, std::string("cannot be opened: ") + std::strerror(errno));
  gzbuffer(in, 1U << 17U);
  std::string text;
  std::string block(1U << 17U, '\0');
  int got = 0;
  while ((got = gzread(in, block.data(), static_cast<unsigned>(block.size()))) > 0) {
    text.append(block, 0, static_cast<std::size_t>(got));
    if (text.size() > kMaxBytes) {
      gzclose(in);
      return io_fault(file, "is too large: more than 1 GiB unpacked");
    }
  }
  int code = Z_OK;
  std::string reason = got < 0 ? gzerror(in, &code) : "";
  if (const std::string name = file.string() + ": "; reason.compare(0, name.size(), name) == 0) reason.erase(0, name.size());  // zlib says it too
  if (code == Z_ERRNO) reason = std::strerror(errno);
  const int closed = gzclose(in);
  const std::string lines = std::to_string(std::count(text.begin(), text.end(), '\n'));
  if (closed == Z_BUF_ERROR || code == Z_BUF_ERROR)
    return io_fault(file, "the gzip stream is truncated after " + lines + " whole rows", "fetch the file again");
  if (got < 0)
    return io_fault(file, "cannot be unpacked after " + lines + " whole rows: " + reason, "fetch the file again");
  return text;
}

// Cuts one line into cells and turns them into numbers.
class RowReader {
 public:
  RowReader(const Data& data, int features, int classes) : data_(data), features_(features), classes_(classes) {}

  // Appends one row, or says what is wrong with it.
  Status read(const std::string& line, int number, Samples& into) {
    cells_.clear();
    std::size_t begin = 0;
    for (std::size_t comma = 0; comma != std::string::npos; begin = comma + 1) {
      comma = line.find(',', begin);
      cells_.push_back({begin, comma == std::string::npos ? line.size() - begin : comma - begin});
    }
    const std::size_t wanted = static_cast<std::size_t>(features_) + 1;
    if (cells_.size() != wanted) {
      const bool more = cells_.size() > wanted;
      const Cell& at = more ? cells_[wanted] : cells_.back();
      if (std::optional<Diagnostic> other = other_layout(line, number)) return *other;
      return fault(line, number, at,
                   "the row has " + std::to_string(cells_.size()) + (cells_.size() == 1 ? " column" : " columns") + ", expected " + std::to_string(wanted) +
                       " (" + std::to_string(features_) + " inputs of the model and the label)",
                   "the model's inputs and the data set must agree");
    }
    for (int i = 0; i < features_; ++i) {
      const Cell& cell = cells_[static_cast<std::size_t>(i)];
      const std::string text = trimmed(line, cell);
      const ParsedReal value = parse_real(text);
      if (value.fault != NumberFault::kNone && !(value.fault == NumberFault::kLeadingZero)) {
        if (std::optional<Diagnostic> other = other_layout(line, number)) return *other;
        return fault(line, number, cell, "'" + text + "' is not a number", "a row is numbers, then the label");
      }
      double read = value.value;
      if (value.fault == NumberFault::kLeadingZero) {
        const std::size_t sign = text[0] == '+' ? 1 : 0;  // which from_chars does not take
        if (std::from_chars(text.data() + sign, text.data() + text.size(), read).ec != std::errc())
          return fault(line, number, cell, "the number " + text.substr(0, 20) + "... is too large", "the largest is " + format_real(data_.value_max));
      }
      if (read < data_.value_min || read > data_.value_max) {
        return fault(line, number, cell, "the value " + text + " is out of range",
                     "data.value_min is " + format_real(data_.value_min) + ", data.value_max is " +
                         format_real(data_.value_max));
      }
      const double scaled = read * data_.scale;
      if (std::fabs(scaled) >= kHalfOverflows) {
        return fault(line, number, cell, "the value " + text + " is " + format_real(scaled) + " after `scale`; activations are binary16 and hold -65504 to 65504",
                     "data.scale is " + format_real(data_.scale) + ": take a smaller one, or narrow value_min and value_max");
      }
      into.values.push_back(static_cast<float>(scaled));
    }
    const Cell& last = cells_.back();
    const std::string text = trimmed(line, last);
    ParsedInteger label = parse_integer(text);
    if (label.fault == NumberFault::kLeadingZero) label = parse_integer(text.substr(std::min(text.find_first_not_of('0'), text.size() - 1)));  // as in the other columns
    if (label.fault != NumberFault::kNone)
      return fault(line, number, last, "the label '" + text + "' is not a whole number",
                   "labels are 0 to " + std::to_string(classes_ - 1));
    if (label.value < 0 || label.value >= classes_) {
      return fault(
          line, number, last, "the label " + text + " is out of range",
          "the model has " + std::to_string(classes_) + " outputs: labels are 0 to " + std::to_string(classes_ - 1));
    }
    into.labels.push_back(static_cast<int>(label.value));
    return ok_status();
  }

 private:
  struct Cell {
    std::size_t begin;
    std::size_t length;
  };

  struct Separator {
    char sign;
    const char* name;
  };

  // What stands between the columns of a row that has no commas, or has them within its numbers only ("1,5;2").
  const Separator* other_separator(const std::string& line) const {
    static constexpr Separator kOthers[] = {{';', "semicolons"}, {'\t', "tabs"}, {'|', "bars"}, {' ', "blanks"}};
    for (const Separator& other : kOthers) {
      const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), other.sign));
      if (count == static_cast<std::size_t>(features_) && (other.sign == ';' || cells_.size() == 1)) return &other;
    }
    return nullptr;
  }

  // There are letters, and no cell is a number: these are names.
  bool is_heading(const std::string& line) const {
    const bool letters = std::any_of(line.begin(), line.end(), [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
    return letters && std::none_of(cells_.begin(), cells_.end(), [&](const Cell& cell) {
             const NumberFault fault = parse_real(trimmed(line, cell)).fault;
             return fault == NumberFault::kNone || fault == NumberFault::kLeadingZero;
           });
  }

  // What is wrong with a row that cannot be read, if it is the layout of the whole file.
  std::optional<Diagnostic> other_layout(const std::string& line, int number) const {
    if (const Separator* other = other_separator(line)) {
      return fault(line, number, {line.find(other->sign), 1}, std::string("the row is separated by ") + other->name + ", columns are separated by commas",
                   "write commas between the columns and a point within a number");
    }
    if (number > 1 || !is_heading(line)) return std::nullopt;
    return fault(line, number, cells_.front(), "the file begins with a heading, not with a row of numbers", "remove the line: a row is numbers, then the label");
  }

  static std::string trimmed(const std::string& line, const Cell& cell) {
    std::size_t begin = cell.begin;
    std::size_t end = cell.begin + cell.length;
    while (begin < end && (line[begin] == ' ' || line[begin] == '\t')) ++begin;
    while (end > begin && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
    return line.substr(begin, end - begin);
  }

  Diagnostic fault(const std::string& line, int number, const Cell& cell, std::string message, std::string hint) const {
    Diagnostic d;
    d.where = {data_.path.string(), number, static_cast<int>(cell.begin) + 1,
               std::max(1, static_cast<int>(cell.length))};
    d.message = std::move(message);
    d.hint = std::move(hint);
    d.source_line = line;
    return d;
  }

  const Data& data_;
  int features_;
  int classes_;
  std::vector<Cell> cells_;
};

}  // namespace

Result<Dataset> load_dataset(const Data& data, int features, int classes) {
  Result<std::string> text = unpack(data.path);
  if (!text) return text.errors();
  Dataset set;
  set.train.features = features;
  set.test.features = features;
  RowReader reader(data, features, classes);
  const std::string& all = *text;
  if (const auto [mark, length] = byte_order_mark(all); length > 0) {
    Diagnostic fault;
    fault.where = {data.path.string(), 1, 1, 1};
    fault.message = "the file begins with a byte order mark of " + mark;
    fault.hint = mark == "UTF-8" ? "save it as plain text, without the mark: tail -c +4 takes it off" : "save it as plain text (ASCII): iconv -f UTF-16 -t ASCII";
    return fault;
  }
  int number = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = all.find('\n', begin);
    if (end == std::string::npos) end = all.size();
    std::string line = all.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() && begin >= all.size()) break;
    Samples& into = set.train.rows() < data.train_rows ? set.train : set.test;
    if (&into == &set.test && data.test_rows > 0 && set.test.rows() == data.test_rows) break;
    const Status status = reader.read(line, number, into);
    if (status) continue;
    Diagnostics errors = status.errors();
    // The last row of a file that was cut off has too few columns and no end of line: that is not the file that it was.
    if (end == all.size() && std::count(line.begin(), line.end(), ',') < features && errors.front().message.rfind("the row has", 0) == 0) {
      errors.front().fault = Fault::kInputOutput;
      errors.front().hint = "the file ends within this row: it is truncated, fetch it again";
    }
    return errors;
  }
  const int wanted = std::max(data.test_rows, 1);
  if (set.train.rows() < data.train_rows || set.test.rows() < wanted) {
    return io_fault(data.path,
                    "has " + std::to_string(set.train.rows() + set.test.rows()) + " rows; " +
                        std::to_string(data.train_rows) + " to train and " + (data.test_rows > 0 ? "" : "at least ") +
                        std::to_string(wanted) + " to test are needed",
                    "the file is truncated, or data.train_rows and data.test_rows are too large");
  }
  return set;
}

}  // namespace waferloom::config
