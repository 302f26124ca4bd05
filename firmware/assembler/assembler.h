// The assembler of tile microcode: text in, an SRAM image out. Table-driven (firmware/generated/isa_table.h, from configs/spec).
// The language is described in docs/user/assembler.md.
//
// Ownership: a Program owns everything it refers to. Threads: different Assembler objects may be used by different threads.
// Errors: a user's mistake is a located Error in the Outcome, as many as are found (at most kMaxErrors); nothing is thrown, nothing printed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waferloom::assembler {

inline constexpr int kMaxErrors = 50;

// A place in a text; lines and columns count from 1. line 0: the file as a whole.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;  // columns to underline
};

struct Error {
  Location where;
  std::string message;      // one sentence, no trailing full stop
  std::string source_line;  // the whole line, or empty
  std::string hint;         // what to write instead, or empty
  bool unreadable = false;  // a file that could not be read (the command line's exit code 4)
};

// "file:line:column: error: message", the source line, a caret line, "hint: ...". Ends with a newline.
std::string render(const Error& error);
std::string render(const std::vector<Error>& errors);

struct Symbol {
  enum class Kind : uint8_t { kLabel, kConstant, kDescriptor, kGiven };  // kGiven: from outside, with define()
  Kind kind = Kind::kConstant;
  int64_t value = 0;
  double real = 0;  // the same value; differs from `value` only for constants with a fraction
};

// What one source line put into the image. Entries are in order of emission; one line may have several (include, rept).
struct LineEntry {
  uint32_t address = 0;  // bytes
  uint32_t bytes = 0;
  uint32_t file = 0;  // index into Program::sources
  uint32_t line = 0;
  bool code = false;  // instructions (else data)
};

struct Source {
  std::string name;                         // as it appears in messages
  std::shared_ptr<const std::string> text;  // whole
};

struct Program {
  // SRAM from byte 0 to the last byte used, a multiple of 8 bytes long (zeros at the end); bytes that nothing put there are zero.
  std::vector<uint8_t> image;
  std::map<std::string, Symbol, std::less<>> symbols;
  std::vector<Source> sources;
  std::vector<LineEntry> lines;
  uint32_t used_bytes = 0;  // bytes that something put there (the rest of the image is free)

  // The image as 64-bit little-endian words.
  std::vector<uint64_t> words64() const;
  uint32_t word(uint32_t address) const;  // requires address + 4 <= image.size()

  // Value of a symbol; empty when there is none.
  std::optional<int64_t> symbol(std::string_view name) const;
  // Where the code at this address was written ("file:line"); empty when nothing was.
  std::string where(uint32_t address) const;
  // Address, word, source line: one text line per word, then the symbols.
  std::string listing() const;
};

// By task id: the label of its entry in the program's task table, or "".
std::vector<std::string> task_names(const Program& program);

// Either a program, or at least one error.
struct Outcome {
  std::optional<Program> program;
  std::vector<Error> errors;
  bool ok() const { return program.has_value(); }
};

class Assembler {
 public:
  // A symbol given from outside. A later value replaces an earlier one. Names follow the rules of the language.
  void define(std::string_view name, int64_t value);
  void define_real(std::string_view name, double value);

  // Folders in which .include looks after the including file's own.
  void add_include_folder(std::string folder);

  // Bytes of SRAM that the program may occupy (default: the whole map's SRAM).
  void set_sram_bytes(uint32_t bytes);

  Outcome assemble_file(const std::string& path) const;

  // `name` stands in messages; .include looks relative to its folder.
  Outcome assemble_text(const std::string& name, std::string text) const;

 private:
  struct Given {
    bool real = false;
    int64_t value = 0;
    double number = 0;
  };
  friend class Session;
  std::map<std::string, Given, std::less<>> given_;
  std::vector<std::string> include_folders_;
  uint32_t sram_bytes_ = 0;
};

}  // namespace waferloom::assembler
