// What each construct of the language becomes. Expected words are written out by hand from the reference, not computed from the table.
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "firmware/assembler/assembler.h"
#include "firmware/assembler/command.h"
#include "firmware/assembler/expression.h"
#include "testbenches/lib/catch.h"

using namespace waferloom::assembler;

namespace {

Program assembled(const std::string& text, const Assembler& assembler = {}) {
  const Outcome outcome = assembler.assemble_text("test.s", text);
  INFO(text << "\n" << render(outcome.errors));
  REQUIRE(outcome.ok());
  return *outcome.program;
}

uint32_t word_of(const std::string& line) { return assembled(line).word(0x80); }

int64_t value_of(const std::string& expression) { return *assembled("x = " + expression).symbol("x"); }

uint32_t half_at(const Program& program, uint32_t address) { return static_cast<uint32_t>(program.image[address] | program.image[address + 1] << 8); }

}  // namespace

TEST_CASE("instructions have the encodings of the reference") {
  CHECK(word_of("add r1, r2, r3") == (0x01u | 1u << 7 | 2u << 11 | 3u << 15));
  CHECK(word_of("addi r15, r0, -1") == (0x0bu | 15u << 7 | 0xffffu << 16));
  CHECK(word_of("li r4, 32767") == (0x0cu | 4u << 7 | 0x7fffu << 16));
  CHECK(word_of("lih r4, 65535") == (0x0du | 4u << 7 | 0xffffu << 16));
  CHECK(word_of("lw r5, -8(r6)") == (0x10u | 5u << 7 | 6u << 11 | 0xfff8u << 16));
  CHECK(word_of("sw r5, (r6)") == (0x12u | 5u << 7 | 6u << 11));
  CHECK(word_of("sh r5, MMIO_COORD(r0)") == (0x13u | 5u << 7 | 0xf000u << 16));
  CHECK(word_of("beq r1, r2, .+8") == (0x14u | 1u << 7 | 2u << 11 | 2u << 16));
  CHECK(word_of("jal r15, .-4") == (0x18u | 15u << 7 | 0xffffu << 16));
  CHECK(word_of("fcvt.i32_f32 r1, r2") == 0u + (0x25u | 1u << 7 | 2u << 11 | 3u << 27));
  CHECK(word_of("vadd d1, d2, d3") == (0x31u | 1u << 7 | 2u << 11 | 3u << 15));
  CHECK(word_of("vadd d1, d2, r5") == (0x31u | 1u << 7 | 2u << 11 | 5u << 19 | 1u << 31));
  CHECK(word_of("vadd.h d1, d2, r5") == (0x31u | 1u << 7 | 2u << 11 | 5u << 19 | 1u << 30 | 1u << 31));
  CHECK(word_of("vadd.async(3) d1, d2, d3") == (0x31u | 1u << 7 | 2u << 11 | 3u << 15 | 3u << 23 | 1u << 26));
  CHECK(word_of("vadd.async(3).h d1, d2, r5") == word_of("vadd.h.async(3) d1, d2, r5"));
  CHECK(word_of("vmov d1, r0") == (0x30u | 1u << 7 | 1u << 31));
  CHECK(word_of("vsfu.rcp d1, d2") == (0x3au | 1u << 7 | 2u << 11 | 2u << 27));
  CHECK(word_of("vred.max.async(7) d1, d2") == (0x3eu | 1u << 7 | 2u << 11 | 1u << 27 | 7u << 23 | 1u << 26));
  CHECK(word_of("vmacs d1, d2, d3, r4") == (0x34u | 1u << 7 | 2u << 11 | 3u << 15 | 4u << 19 | 1u << 31));
  CHECK(word_of("vshift.sra d1, d2, d3") == (0x3cu | 1u << 7 | 2u << 11 | 3u << 15 | 2u << 27));
  CHECK(word_of("saxpy d1, d2, d3") == (0x40u | 1u << 7 | 2u << 11 | 3u << 15));
  CHECK(word_of("sdot d1, d2, d3, d4") == (0x41u | 1u << 7 | 2u << 11 | 3u << 15 | 4u << 19));
  CHECK(word_of("ldd d3, 16(r2)") == (0x48u | 3u << 7 | 2u << 11 | 16u << 16));
  CHECK(word_of("dset d3, 2, r7") == (0x49u | 3u << 7 | 7u << 11 | 2u << 16));
  CHECK(word_of("dget r7, d3, 1") == (0x4au | 7u << 7 | 3u << 11 | 1u << 16));
  CHECK(word_of("act r0, 63") == (0x50u | 63u << 16));
  CHECK(word_of("waitu 5") == (0x54u | 5u << 23));
  CHECK(word_of("trap 9") == (0x5au | 9u << 16));
  CHECK(word_of("yield") == 0x53u);
}

TEST_CASE("pseudo-instructions") {
  const Program li = assembled("li32 r3, 0x89abcdef");
  CHECK(li.word(0x80) == (0x0cu | 3u << 7 | 0xcdefu << 16));
  CHECK(li.word(0x84) == (0x0du | 3u << 7 | 0x89abu << 16));
  CHECK(assembled("li32 r3, -2").word(0x84) == (0x0du | 3u << 7 | 0xffffu << 16));
  CHECK(word_of("mv r1, r2") == word_of("addi r1, r2, 0"));
  CHECK(word_of("j .") == 0x18u);
  CHECK(word_of("call .+4") == word_of("jal r15, .+4"));
  CHECK(word_of("call r3, .+4") == word_of("jal r3, .+4"));
  CHECK(word_of("ret") == word_of("jalr r0, r15, 0"));
  CHECK(word_of("ret r3") == word_of("jalr r0, r3, 0"));
  CHECK(word_of("bgt r1, r2, .") == word_of("blt r2, r1, ."));
  CHECK(word_of("ble r1, r2, .") == word_of("bge r2, r1, ."));
  CHECK(word_of("beqz r1, .") == word_of("beq r1, r0, ."));
  CHECK(word_of("bnez r1, .") == word_of("bne r1, r0, ."));
}

TEST_CASE("expressions have C's precedence") {
  CHECK(value_of("1 + 2 * 3") == 7);
  CHECK(value_of("(1 + 2) * 3") == 9);
  CHECK(value_of("10 - 3 - 2") == 5);
  CHECK(value_of("100 / 7 % 5") == 4);
  CHECK(value_of("1 << 4 | 3 & 2 ^ 1") == (1 << 4 | ((3 & 2) ^ 1)));
  CHECK(value_of("~0 & 0xff") == 255);
  CHECK(value_of("-7 / 2") == -3);
  CHECK(value_of("-8 >> 1") == -4);
  CHECK(value_of("hi16(0x12348765)") == 0x1234);
  CHECK(value_of("lo16(0x12348765)") == static_cast<int16_t>(0x8765));
  CHECK(value_of("3 < 4 && 4 >= 4 || 0") == 1);
  CHECK(value_of("!5 + (2 == 2) + (2 != 2)") == 1);
  CHECK(value_of("'A' + 0b11 + 1_000") == 65 + 3 + 1000);
  CHECK(value_of("f32(1.0)") == 0x3f800000);
  CHECK(value_of("f16(-2)") == 0xc000);
  CHECK(value_of("f32(3 / 4.0 + 0.25)") == 0x3f800000);
}

TEST_CASE("labels, constants and parameters") {
  Assembler assembler;
  assembler.define("W", 8);
  assembler.define_real("rate", 0.125);
  const Program p = assembled(R"(
    .param W, 3
    .param H, 5
    .equ total, W * H + late
    late = 1
    .alias acc d3
    .alias n, r4
    a: b: vmov acc, n
    .alias acc d5
    vmov acc, n
    .word total, end - a, f32(rate)
    end:
  )", assembler);
  CHECK(p.symbol("total") == 41);
  CHECK(p.symbol("a") == 0x80);
  CHECK(p.symbol("b") == 0x80);
  CHECK_FALSE(p.symbol("acc").has_value());
  CHECK(p.word(0x80) == (0x30u | 3u << 7 | 4u << 19 | 1u << 31));
  CHECK(p.word(0x84) == (0x30u | 5u << 7 | 4u << 19 | 1u << 31));
  CHECK(p.word(0x88) == 41);
  CHECK(p.word(0x8c) == 20);
  CHECK(p.word(0x90) == 0x3e000000u);
  CHECK(p.symbols.at("W").kind == Symbol::Kind::kGiven);
  CHECK(p.symbols.at("end").kind == Symbol::Kind::kLabel);
}

TEST_CASE("data, placement, tasks and descriptors") {
  const Program p = assembled(R"(
    .task 3, entry
    .task BOOT_TASK + 1, entry
    .section data, 0x400
    .half 1
    .desc d kind=circular, base=buf, len0=7, stride0=-2, len1=3, stride1=-32768, wrap_log2=8, colour=23, queue=7, type=i32, pack=1, control=1, save=1, on_control=leave, on_done=unblock, done_task=63
    buf: .space 4
    .f16 1, 65504, 65520, 5.960464477539063e-08, -0.0
    .align 8
    .f32 0.1
    .section text
    nop
    .align 16
    entry: halt
    .section data
    .word -1
  )");
  CHECK(half_at(p, 6) == 0x90);
  CHECK(half_at(p, 50) == 0x90);
  CHECK(p.symbol("d") == 0x408);
  CHECK(p.word(0x408) == (0x418u | 7u << 16));
  CHECK(p.word(0x40c) == (0xfffeu | 3u << 16));
  CHECK(p.word(0x410) == (0x8000u | 8u << 16 | 23u << 20 | 7u << 25));
  CHECK(p.word(0x414) == (2u | 3u << 3 | 1u << 5 | 1u << 6 | 1u << 7 | 2u << 8 | 2u << 10 | 63u << 12));
  CHECK(half_at(p, 0x41c) == 0x3c00);
  CHECK(half_at(p, 0x41e) == 0x7bff);
  CHECK(half_at(p, 0x420) == 0x7c00);
  CHECK(half_at(p, 0x422) == 0x0001);
  CHECK(half_at(p, 0x424) == 0x8000);
  CHECK(p.word(0x428) == 0x3dcccccdu);
  CHECK(p.word(0x42c) == 0xffffffffu);
  CHECK(p.word(0x80) == 0x58u);
  CHECK(p.word(0x90) == 0x59u);
  CHECK(p.image.size() == 0x430);
  CHECK(p.words64()[0x428 / 8] == 0xffffffff3dcccccdull);
  CHECK(p.where(0x90) == "test.s:14");
  CHECK(p.where(0x84).empty());
}

TEST_CASE("a label is the exact address of what follows") {
  const Program p = assembled(".space 3\na: .space 2\nb:\n.align 4\nc: nop\n");
  CHECK(p.symbol("a") == 0x83);
  CHECK(p.symbol("b") == 0x85);
  CHECK(p.symbol("c") == 0x88);
}

TEST_CASE("conditions and repetitions") {
  const std::string text = R"(
    .param K, 2
    .if K == 0
    .word 10
    .elif K == 1
    .word 11
      .if 1
      .word 99
      .endif
    .else
    .word 12
    .endif
    .rept K, i
      .rept 2, j
      .half i * 2 + j
      .endr
    .endr
  )";
  for (int64_t k = 0; k < 3; ++k) {
    Assembler assembler;
    assembler.define("K", k);
    const Program p = assembled(text, assembler);
    CHECK(p.word(0x80) == 10 + k);
    const uint32_t base = k == 1 ? 0x88 : 0x84;
    if (k == 1) CHECK(p.word(0x84) == 99);
    CHECK(p.used_bytes == base - 0x80 + 4 * k);
    for (uint32_t i = 0; i < 2 * k; ++i) CHECK(half_at(p, base + 2 * i) == i);
  }
}

TEST_CASE("include looks beside the file, then in the folders") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("wl include " + std::to_string(std::random_device{}()));
  fs::create_directories(folder / "sub");
  fs::create_directories(folder / "other");
  std::ofstream(folder / "main.s") << ".include \"sub/a.s\"\n.include \"c.s\"\n";
  std::ofstream(folder / "sub" / "a.s") << ".include \"b.s\"\n.word 1\n";
  std::ofstream(folder / "sub" / "b.s") << ".word 2";
  std::ofstream(folder / "other" / "c.s") << ".word 3\r\n.word 4\r\n";
  Assembler assembler;
  assembler.add_include_folder((folder / "other").string());
  const Outcome outcome = assembler.assemble_file((folder / "main.s").string());
  INFO(render(outcome.errors));
  REQUIRE(outcome.ok());
  const Program& p = *outcome.program;
  CHECK(p.word(0x80) == 2);
  CHECK(p.word(0x84) == 1);
  CHECK(p.word(0x88) == 3);
  CHECK(p.word(0x8c) == 4);
  CHECK(p.where(0x8c) == (folder / "other" / "c.s").string() + ":2");
  fs::remove_all(folder);
}

TEST_CASE("the listing shows address, word, line and symbols") {
  const std::string listing = assembled("start: addi r1, r0, 5 ; five\n .space 100\n .half 7\n").listing();
  CHECK(listing.find("0x0080   0005008b      1  start: addi r1, r0, 5 ; five") != std::string::npos);
  CHECK(listing.find("... 100 zero bytes") != std::string::npos);
  CHECK(listing.find("0x00e8   0007          3   .half 7") != std::string::npos);
  CHECK(listing.find("start                    0x80 (128) label") != std::string::npos);
}

TEST_CASE("binary16 literals round once to nearest even") {
  // Against every binary16 value and the midpoints between neighbours, as exact doubles.
  const auto value = [](uint32_t bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = bits & 1023;
    return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  };
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double low = value(bits);
    const double high = value(bits + 1);
    const double middle = (low + high) / 2;
    if (half_bits(low) != bits) REQUIRE(half_bits(low) == bits);
    if (half_bits(-low) != (bits | 0x8000)) REQUIRE(half_bits(-low) == (bits | 0x8000));
    const uint32_t even = bits % 2 == 0 ? bits : bits + 1;
    if (half_bits(middle) != even) REQUIRE(half_bits(middle) == even);
    if (half_bits(std::nextafter(middle, 0)) != bits) REQUIRE(half_bits(std::nextafter(middle, 0)) == bits);
    if (half_bits(std::nextafter(middle, 1e9)) != bits + 1) REQUIRE(half_bits(std::nextafter(middle, 1e9)) == bits + 1);
  }
  CHECK(half_bits(INFINITY) == 0x7c00);
  CHECK(half_bits(NAN) == 0x7e00);
}

TEST_CASE("thousands of lines take milliseconds") {
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "l" + std::to_string(i) + ": vadd.async(3) d1, d2, d3 ; comment\n  addi r1, r1, (4 + 4) * 2\n";
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t start = std::clock();  // processor time: the machine may be busy
    const Outcome outcome = Assembler().assemble_text("long.s", text);
    best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    REQUIRE(outcome.ok());
  }
  WARN("8000 lines: " << best << " ms");
#ifdef __SANITIZE_ADDRESS__
  CHECK(best < 1000);
#else
  CHECK(best < 100);  // 12 ms measured (-O1); the limit leaves room for old and busy machines
#endif
}
