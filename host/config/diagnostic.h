// Diagnostics as values: what is wrong, where, and what to do about it. Library code returns them; only the command
// line renders and exits.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace waferloom::config {

// A place in a text. Lines and columns count from 1; 0 means that the place has no line (a file that cannot be opened).
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;  // columns to underline; at least 1
};

enum class Severity { kError, kWarning, kNote };

// What kind of mistake it is: decides the exit code of the command line (kUsage 2, kInputOutput 4).
enum class Fault { kUsage, kInputOutput };

struct Diagnostic {
  Severity severity = Severity::kError;
  Fault fault = Fault::kUsage;
  SourceLocation where;
  std::string message;      // one sentence, no trailing full stop
  std::string source_line;  // the whole line the location points into, or empty
  std::string hint;         // what to write instead, or empty
};

using Diagnostics = std::vector<Diagnostic>;

// "file:line:column: error: message", the source line, a caret line, and "hint: ..." when there is one. Ends with a
// newline. Control characters in the source line are shown as '?', tabs as one blank, so that the caret stands where it
// should. A long line is cut around the caret.
std::string render(const Diagnostic& diagnostic);

// All of them, one after the other.
std::string render(const Diagnostics& diagnostics);

// A value, or at least one error. Never both, never neither.
template <class T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}                        // NOLINT(google-explicit-constructor)
  Result(Diagnostics errors) : state_(std::move(errors)) {}            // NOLINT(google-explicit-constructor)
  Result(Diagnostic error) : state_(Diagnostics{std::move(error)}) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  // Requires ok().
  const T& value() const& { return std::get<T>(state_); }
  T& value() & { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  const T* operator->() const { return &value(); }

  // Requires !ok().
  const Diagnostics& errors() const { return std::get<Diagnostics>(state_); }

 private:
  std::variant<T, Diagnostics> state_;
};

// A result without a value.
using Status = Result<std::monostate>;
inline Status ok_status() { return Status(std::monostate{}); }

// The entry of `candidates` that is nearest to `word` (edit distance with transpositions, case ignored), or empty when
// none is near enough to be a likely slip.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

// For messages: ASCII letters made small; words with ", " between them.
std::string lower(std::string text);
std::string joined(const std::vector<std::string>& words);

}  // namespace waferloom::config
