// One assembly, in two passes: run() reads the lines, places every statement and puts what is known into the image; finish() fills in what
// depends on symbols. Internal to the assembler.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "firmware/assembler/assembler.h"
#include "firmware/assembler/expression.h"
#include "firmware/assembler/lexer.h"
#include "firmware/generated/isa_table.h"

namespace waferloom::assembler {

// The candidate nearest to `word` (edit distance), or empty when none is near enough to be a slip.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// How an instruction is written, e.g. "vadd dA, dB, dC (or rS)".
std::string usage(const spec::Instruction& instruction);

class Session {
 public:
  explicit Session(const Assembler& setup);

  void run_file(const std::string& path);
  void run_text(const std::string& name, std::string text);
  Outcome finish();

 private:
  struct Line {
    uint32_t file = 0;
    int number = 0;
    std::string_view text;
  };

  enum class EntryKind : uint8_t { kLabel, kConstant, kDescriptor, kGiven, kBuiltIn, kAlias };
  struct Entry {
    EntryKind kind = EntryKind::kConstant;
    enum class State : uint8_t { kPending, kBusy, kDone } state = State::kDone;
    Value value;
    Expression expression = -1;
    Place place;
    bool descriptor = false;  // alias of a dN (else of an rN)
    int index = 0;            // alias: which register
  };

  enum class Patch : uint8_t { kField, kAddressField, kRelative, kLow16, kHigh16, kWord, kHalf, kFloat16, kFloat32, kTaskEntry, kDescriptorField };
  struct Fixup {
    Patch kind = Patch::kWord;
    spec::FieldId field = spec::FieldId::kImm;
    uint8_t index = 0;  // kDescriptorField: which; kField: unused
    uint32_t address = 0;
    Expression expression = -1;
    const char* owner = "";  // mnemonic, for messages
  };

  enum class RegisterKind : uint8_t { kNone, kScalar, kDescriptor };
  struct Register {
    RegisterKind kind = RegisterKind::kNone;
    int index = 0;
  };

  // session.cpp: sources, lines, blocks, symbols, errors
  uint32_t add_source(std::string name, std::string text);
  void run_source(uint32_t file);
  void run_lines(const std::vector<Line>& lines, size_t first, size_t last);
  size_t run_condition(const std::vector<Line>& lines, size_t at, size_t last);
  size_t run_repeat(const std::vector<Line>& lines, size_t at, size_t last);
  void load(const Line& line);
  void statement();
  void define_label(const Token& name);
  void define_constant(const Token& name, Expression expression);
  bool add_symbol(const Token& name, Entry entry);
  bool lookup(std::string_view name, const Place& place, Value& value, Fault& fault, bool first_pass);
  bool evaluate(Expression expression, Value& value, bool first_pass);
  std::string nearest_symbol(std::string_view name) const;
  Place place_of(const Token& token) const;
  bool fail(const Place& place, std::string message, std::string hint = {});
  bool fail(const Token& token, std::string message, std::string hint = {}) { return fail(place_of(token), std::move(message), std::move(hint)); }
  bool fail(Fault fault) { return fail(fault.place, std::move(fault.message), std::move(fault.hint)); }
  Location locate(const Place& place) const;

  // directives.cpp
  void directive(const Token& name);
  void data(Patch kind, uint32_t bytes, const Token& name);
  void equ();
  void alias();
  void param(const Token& name);
  void org();
  void align();
  void space();
  void section();
  void task();
  void descriptor();
  bool descriptor_value(const spec::DescriptorField& row, uint32_t address, uint8_t index);
  void include();
  void check(const Token& name);
  bool known_integer(int64_t& value, int64_t low, int64_t high, const char* what);

  // instructions.cpp
  void instruction(const Token& name);
  bool pseudo(std::string_view mnemonic, const Token& name);
  bool suffixes(const spec::Instruction& row, std::string_view rest, const Token& name, uint32_t& word, bool& half);
  bool suffix(const spec::Instruction& row, std::string_view text, const Token& at, uint32_t& word, bool& half);
  bool operands(const spec::Instruction& row, uint32_t& word, bool half);
  bool operand(const spec::Instruction& row, spec::FieldId field, int number, uint32_t& word);
  bool address_operand(const spec::Instruction& row, spec::FieldId offset, spec::FieldId base, uint32_t& word);
  bool register_operand(RegisterKind kind, const char* owner, int number, int& index);
  bool comma(const char* owner, int number, const std::string& how);
  bool end_of_statement(const std::string& how);
  Register register_at(const Token& token) const;
  void emit_instruction(uint32_t word);

  // layout.cpp: the image
  bool reserve(uint32_t bytes, uint32_t alignment, bool code);
  bool reserve_at(uint32_t address, uint32_t bytes, bool code);
  void put(uint32_t address, uint32_t bytes, uint32_t value);
  uint32_t get(uint32_t address, uint32_t bytes) const;
  void add_fixup(Patch kind, uint32_t address, Expression expression, const char* owner = "", spec::FieldId field = spec::FieldId::kImm, uint8_t index = 0);
  void apply(const Fixup& fixup);
  bool apply_field(const Fixup& fixup, int64_t value);

  const Assembler& setup_;
  const uint32_t sram_bytes_;
  Program program_;
  std::vector<Error> errors_;
  Expressions expressions_;
  std::unordered_map<std::string_view, Entry> symbols_;
  std::map<std::string, uint32_t, std::less<>> sections_;  // where each left off
  std::string section_ = "text";
  std::vector<Fixup> fixups_;
  std::vector<uint32_t> owner_;  // per byte of the image: 1 + index into program_.lines, or 0
  std::vector<std::pair<std::string_view, int64_t>> loop_variables_;
  std::vector<std::string> including_;
  uint32_t here_ = 0;
  uint64_t statements_ = 0;
  bool stopped_ = false;  // nothing more is read

  // the statement being read
  Line line_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace waferloom::assembler
