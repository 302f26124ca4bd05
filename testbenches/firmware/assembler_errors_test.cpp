// Every message of the assembler, provoked: place, sentence, hint.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "firmware/assembler/assembler.h"
#include "firmware/assembler/command.h"
#include "testbenches/lib/catch.h"

using namespace waferloom::assembler;

namespace {

struct Case {
  const char* text;
  int line;
  int column;
  const char* message;
  const char* hint;
};

const Case kCases[] = {
    {"vad d1, d2, d3", 1, 1, "unknown instruction 'vad'", "did you mean 'vadd'?"},
    {"frobnicate r1", 1, 1, "unknown instruction 'frobnicate'", "docs/reference/isa.md"},
    {"nop\n  add r1, r2", 2, 13, "operand 3 of add is missing", "written: add rA, rB, rC"},
    {"add r1, r2,", 1, 12, "operand 3 of add is missing: a scalar register (r0 to r15)", "written: add rA, rB, rC"},
    {"add r1, d2, r3", 1, 9, "operand 2 of add must be a scalar register (r0 to r15), found 'd2'", "add rA, rB, rC"},
    {"vadd d1, r2, d3", 1, 10, "operand 2 of vadd must be a descriptor (d0 to d15), found 'r2'", "vadd dA, dB, dC (or rS)"},
    {"vdot d1, d2, r3", 1, 14, "operand 3 of vdot must be a descriptor", "vdot dA, dB, dC"},
    {"vmacs d1, d2, d3, d4", 1, 19, "operand 4 of vmacs must be a scalar register", "vmacs dA, dB, dC, rS"},
    {"add r1, r2, r16", 1, 13, "found 'r16'", ""},
    {"add r1, r2, r3, r4", 1, 15, "unexpected ',' at the end of the statement", "written: add rA, rB, rC"},
    {"addi r1, r2, r3", 1, 14, "must be a number, found the register 'r3'", "addi rA, rB, imm"},
    {"addi r1, r2, 32768", 1, 14, "imm of addi must be -32768 to 32767, got 32768", ""},
    {"li r1, 40000", 1, 8, "imm of li must be -32768 to 32767, got 40000", "li32 takes any 32-bit value"},
    {"lih r1, -1", 1, 9, "uimm of lih must be 0 to 65535, got -1", ""},
    {"li32 r1, 1 << 40", 1, 12, "the value of li32 must be", ""},
    {"li32 r1", 1, 8, "operand 2 of li32 is missing", "li32 rA, value"},
    {"li r1, 1.5", 1, 8, "needs an integer here", "f32(x)"},
    {"lw r1, 70000(r2)", 1, 8, "imm of lw must be -32768 to 65535, got 70000", ""},
    {"lw r1, 4", 1, 9, "expected '(' and the base register", "lw rA, offset(rB)"},
    {"lw r1, 4(d2)", 1, 10, "must be a scalar register", ""},
    {"lw r1, 4(r2", 1, 12, "expected ')'", ""},
    {"act r0, 64", 1, 9, "task of act must be 0 to 63, got 64", ""},
    {"dset d1, 4, r2", 1, 10, "word of dset must be 0 to 3, got 4", ""},
    {"waitu 8", 1, 7, "ut of waitu must be 0 to 7, got 8", ""},
    {"vadd.async(8) d1, d2, d3", 1, 12, "ut of vadd must be 0 to 7, got 8", ""},
    {"vadd.async d1, d2, d3", 1, 1, ".async needs the microthread", "vadd.async(3)"},
    {"vadd.async(1).async(2) d1, d2, d3", 1, 1, "'.async' is given twice", ""},
    {"vadd.async(1 d1, d2, d3", 1, 14, "expected ')'", ""},
    {"vadd.h d1, d2, d3", 1, 1, "the suffix .h needs a scalar register", "vadd dA, dB, dC (or rS)"},
    {"vred.h d1, d2", 1, 1, "'.h' is not a suffix of vred", ""},
    {"vsfu d1, d2", 1, 1, "vsfu needs a function", "vsfu.{exp2,log2,rcp,rsqrt} dA, dB"},
    {"vsfu.exp d1, d2", 1, 1, "'.exp' is not a suffix of vsfu", "did you mean '.exp2'?"},
    {"vsfu.exp2.rcp d1, d2", 1, 1, "vsfu has two functions", ""},
    {"add.exp2 r1, r2, r3", 1, 1, "'.exp2' is not a suffix of add", ""},
    {"beq r1, r2, nowhere", 1, 13, "unknown symbol 'nowhere'", ""},
    {"loop: nop\nj lop", 2, 3, "unknown symbol 'lop'", "did you mean 'loop'?"},
    {"j .+6", 1, 4, "is not a multiple of 4 bytes away", ""},
    {"j . + 4 * 32768", 1, 5, "the target is 32768 words away; jal reaches -32768 to 32767", ""},
    {"a: nop\na: nop", 2, 1, "'a' is already defined in test.s:1", ""},
    {"r1: nop", 1, 1, "'r1' is a register and cannot be a symbol", ""},
    {"BOOT_TASK = 3", 1, 1, "'BOOT_TASK' is already defined (it is built in)", ""},
    {"W = 3", 1, 1, "'W' is already defined (it is given from outside)", ".param"},
    {".param H", 1, 1, "the parameter 'H' is not given and has no default", ""},
    {".word r1", 1, 7, "'r1' is a register; a number is needed here", ""},
    {".alias acc d1\n.word acc", 2, 7, "'acc' is a register", ""},
    {".alias acc 3", 1, 12, "expected a register (r0 to r15, d0 to d15)", ".alias NAME d3"},
    {"a = b\nb = a\n.word a", 2, 5, "'a' is defined by itself", ""},
    {"a = a + 1", 1, 5, "'a' is defined by itself", ""},
    {"unused = missing", 1, 10, "unknown symbol 'missing'", ""},
    {".word 1 / 0", 1, 9, "division by zero", ""},
    {".word 5 % (3 - 3)", 1, 9, "division by zero", ""},
    {".word 1 << 64", 1, 9, "a shift by 64 is not possible", ""},
    {".word 1.5 & 1", 1, 11, "this operation needs integers", "f32(x)"},
    {".word (1 + 2", 1, 7, "this parenthesis is never closed", ""},
    {".word 1 +", 1, 10, "an expression is missing here", ""},
    {".word ,", 1, 7, "expected an expression, found ','", ""},
    {".word 12ab", 1, 7, "this is not a number", ""},
    {".word 0x", 1, 7, "this is not a number", ""},
    {".word 99999999999999999999", 1, 7, "the number is too large", ""},
    {".word 1 << 32", 1, 9, "a word must be -2147483648 to 4294967295", ""},
    {".half 65536", 1, 7, "a half word must be -32768 to 65535, got 65536", ""},
    {".word 1.5", 1, 7, "a word needs an integer here", "f32(x)"},
    {".half 1\nnop", 2, 1, "the address 130 is not a multiple of 4", "put .align 4 before it"},
    {".org 0x80\nnop\n.org 0x80\nnop", 4, 1, "byte 128 is already used by test.s:2", ""},
    {"main: nop\n.task 3, main\n.task 3, main", 3, 1, "byte 6 is already used by test.s:2", ""},
    {".org 49150\n.word 1", 2, 1, "is not a multiple of 4", ""},
    {".org 49152\n.word 1", 2, 1, "this ends at byte 49156, beyond the 49152 bytes of SRAM", ""},
    {".org later\nlater: nop", 1, 6, "'later' is not known here", "define it above"},
    {".org 65536", 1, 6, "the address must be 0 to 65535, got 65536", ""},
    {".align 3", 1, 8, "the alignment must be a power of two, got 3", ""},
    {".space -1", 1, 8, "the size must be 0 to", ""},
    {".task 64, 4", 1, 7, "the task must be 0 to 63, got 64", ""},
    {".task 1, 6", 1, 10, "a task's entry must be a multiple of 4, got 6", ""},
    {".task 1", 1, 8, "operand 2 of .task is missing", ".task ID, label"},
    {".section data", 1, 10, "the section 'data' is new and needs an address", ".section data, 0x2000"},
    {".section a, 0x200\n.section text\n.section a, 0x300", 3, 13, "the section 'a' has an address already", ""},
    {".desc d knd=mem1d", 1, 9, "unknown descriptor field 'knd'", "did you mean 'kind'?"},
    {".desc d kind=mem3d", 1, 14, "'mem3d' is not a value of kind", "did you mean 'mem"},
    {".desc d kind=6", 1, 14, "kind must be 0 to 5, got 6", ""},
    {".desc d len0=65536", 1, 14, "len0 must be 0 to 65535, got 65536", ""},
    {".desc d stride0=40000", 1, 17, "stride0 must be -32768 to 32767, got 40000", ""},
    {".desc d len0=1, len0=2", 1, 17, "the field 'len0' is given twice", ""},
    {".desc d len0", 1, 13, "expected '=' after 'len0'", ""},
    {".desc d len0=1,", 1, 16, "a field is missing after the comma", ""},
    {".desc kind=mem1d", 1, 7, "expected the descriptor's name", ".desc NAME kind=mem1d"},
    {".wrod 1", 1, 1, "unknown directive '.wrod'", "did you mean '.word'?"},
    {".if 1\nnop", 1, 1, ".if is never closed", "add .endif"},
    {".endif", 1, 1, ".endif closes nothing", "a block starts with .if"},
    {".if 0\n.else\n.elif 1\n.endif", 2, 1, ".else must be the last branch", ""},
    {".rept 3\nnop", 1, 1, ".rept is never closed", "add .endr"},
    {".endr", 1, 1, ".endr closes nothing", "a block starts with .rept"},
    {".rept 65537\n.endr", 1, 7, "the number of repetitions must be 0 to 65536", ""},
    {".assert W == 4, \"W must be 4\"", 1, 1, "W must be 4", ""},
    {".include \"missing.s\"", 1, 10, "the file 'missing.s' cannot be read", ""},
    {".include missing.s", 1, 10, "expected a file name in quotes", ""},
    {".include \"missing.s", 1, 10, "expected a file name in quotes", ""},
    {"add r1 r2 r3", 1, 8, "expected ',', found 'r2'", "add rA, rB, rC"},
    {"@", 1, 1, "this character means nothing here", ""},
    {"= 3", 1, 1, "expected a label, a directive or an instruction, found '='", ""},
    {".x = 3", 1, 1, "a symbol cannot start with '.'", ""},
};

}  // namespace

TEST_CASE("each mistake is found where it is") {
  for (const Case& c : kCases) {
    Assembler assembler;
    assembler.define("W", 8);
    const Outcome outcome = assembler.assemble_text("test.s", c.text);
    INFO(c.text << "\n" << render(outcome.errors));
    REQUIRE_FALSE(outcome.ok());
    REQUIRE_FALSE(outcome.errors.empty());
    const Error& error = outcome.errors.front();
    CHECK(error.message.find(c.message) != std::string::npos);
    CHECK(error.hint.find(c.hint) != std::string::npos);
    CHECK(error.where.file == "test.s");
    CHECK(error.where.line == c.line);
    CHECK(error.where.column == c.column);
  }
}

TEST_CASE("mistakes are collected, in order of lines") {
  const Outcome outcome = Assembler().assemble_text("test.s", "vad d1\nj lop\nadd r1\nli r1, 99999\nnop");
  REQUIRE(outcome.errors.size() == 4);
  for (int i = 0; i < 4; ++i) CHECK(outcome.errors[static_cast<size_t>(i)].where.line == i + 1);
}

TEST_CASE("no more than fifty") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "bad\n";
  CHECK(Assembler().assemble_text("test.s", text).errors.size() == static_cast<size_t>(kMaxErrors));
}

TEST_CASE("an error reads as file, place, line, caret and hint") {
  const Outcome outcome = Assembler().assemble_text("dir/test.s", "\tvad d1, d2, d3");
  CHECK(render(outcome.errors) == "dir/test.s:1:2: error: unknown instruction 'vad'\n vad d1, d2, d3\n ^~~\nhint: did you mean 'vadd'?\n");
}

TEST_CASE("a program that would never end is stopped") {
  CHECK(Assembler().assemble_text("test.s", ".rept 65536\n.rept 65536\nx = 1\n.endr\n.endr").errors.size() <= static_cast<size_t>(kMaxErrors));
  const Outcome outcome = Assembler().assemble_text("test.s", ".rept 65536\n.rept 65536\n.align 1\n.endr\n.endr");
  REQUIRE(outcome.errors.size() == 1);
  CHECK(outcome.errors[0].message.find("longer than 1000000 statements") != std::string::npos);
}

TEST_CASE("a deep expression and a long line are refused, not fatal") {
  const Outcome deep = Assembler().assemble_text("test.s", ".word " + std::string(5000, '(') + "1" + std::string(4000, ')'));
  REQUIRE_FALSE(deep.ok());
  CHECK(deep.errors[0].message.find("nested too deeply") != std::string::npos);
  const Outcome wide = Assembler().assemble_text("test.s", ".word 1" + std::string(20000, ' ') + "x");
  REQUIRE_FALSE(wide.ok());
  CHECK(wide.errors[0].message.find("longer than 10000 characters") != std::string::npos);
}

TEST_CASE("random bytes never crash it") {
  std::mt19937 random(5);
  const std::string alphabet = "adrv0123 ,.()+-*/<>=&|^~!\"';:#\n\t%hbnf";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += round % 3 == 0 ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
    const Outcome outcome = Assembler().assemble_text("test.s", text);
    REQUIRE(outcome.ok() == outcome.errors.empty());
  }
}

TEST_CASE("a file that includes itself") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("wl_cycle_" + std::to_string(std::random_device{}()));
  fs::create_directories(folder);
  std::ofstream(folder / "a.s") << ".include \"b.s\"\n";
  std::ofstream(folder / "b.s") << "nop\n.include \"a.s\"\n";
  const Outcome outcome = Assembler().assemble_file((folder / "a.s").string());
  REQUIRE(outcome.errors.size() == 1);
  CHECK(outcome.errors[0].message.find("includes itself") != std::string::npos);
  CHECK(outcome.errors[0].where.line == 2);
  fs::remove_all(folder);
}

TEST_CASE("the commands' exit codes") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("wl_command_" + std::to_string(std::random_device{}()));
  fs::create_directories(folder);
  const std::string good = (folder / "good.s").string();
  std::ofstream(good) << ".param W\n.task 24, m\nm: li r1, W\nyield\n";
  std::ofstream(folder / "bad.s") << "vad d1\n";
  std::ostringstream out;
  std::ostringstream err;
  AssembleOptions options;
  options.input = good;
  options.output = (folder / "image.bin").string();
  options.defines = {{"W", "0x10"}};
  CHECK(run_assemble(options, out, err) == 0);
  CHECK(fs::file_size(options.output) == 0x88);
  CHECK(run_disassemble(options.output, out, err) == 0);
  CHECK(out.str().find("li r1, 16") != std::string::npos);
  CHECK(err.str().empty());
  // A pipe is written to and stays a pipe.
  options.output = (folder / "pipe").string();
  REQUIRE(::mkfifo(options.output.c_str(), 0600) == 0);
  const int reader = ::open(options.output.c_str(), O_RDWR | O_NONBLOCK);
  CHECK(run_assemble(options, out, err) == 0);
  char image[0x100];
  CHECK(::read(reader, image, sizeof image) == 0x88);
  ::close(reader);
  CHECK(fs::is_fifo(options.output));
  // One file for two things.
  for (const auto& [output, listing, words] : {std::make_tuple(good, std::string(), "this file is also the source"), std::make_tuple(std::string(), good, "this file is also the source"),
                                               std::make_tuple((folder / "same").string(), (folder / "." / "same").string(), "this file is also the image")}) {
    AssembleOptions same = options;
    same.output = output;
    same.listing = listing;
    std::ostringstream refusal;
    CHECK(run_assemble(same, out, refusal) == 2);
    CHECK(refusal.str().find(words) != std::string::npos);
  }
  CHECK(fs::file_size(good) == 39);
  options.output = (folder / "missing" / "image.bin").string();
  CHECK(run_assemble(options, out, err) == 4);
  CHECK(err.str().find("cannot be written: No such file or directory") != std::string::npos);
  options.defines = {{"W", "1x"}};
  CHECK(run_assemble(options, out, err) == 2);
  CHECK(err.str().find("-D W=1x: this is not a number") != std::string::npos);
  options.defines = {};
  options.input = (folder / "bad.s").string();
  CHECK(run_assemble(options, out, err) == 2);
  options.input = (folder / "absent.s").string();
  CHECK(run_assemble(options, out, err) == 4);
  CHECK(run_disassemble((folder / "absent.bin").string(), out, err) == 4);
  CHECK(run_disassemble("/dev/zero", out, err) == 2);
  CHECK(run_disassemble(folder.string(), out, err) == 4);
  fs::remove_all(folder);
}
