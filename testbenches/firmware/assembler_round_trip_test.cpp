// assemble(disassemble(w)) == w.
//
// State space: all 32-bit words. Covered: every value of every field of every instruction (in each of its variants: plain, async, with scalar),
// all pairs of fields at their corners, and random words, legal or not. Left out: three fields at once beyond what random words reach.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "firmware/assembler/assembler.h"
#include "firmware/assembler/disassembler.h"
#include "firmware/generated/isa_table.h"
#include "sim/generated/isa.h"
#include "testbenches/lib/catch.h"

using namespace waferloom::assembler;

namespace {

// Collects words and assembles their disassembly in programs of 16,000 lines.
class RoundTrip {
 public:
  void add(uint32_t word) {
    words_.push_back(word);
    if (words_.size() == 16000) flush();
  }

  void flush() {
    if (words_.empty()) return;
    std::string text = ".org 0\n";
    for (const uint32_t word : words_) text += disassemble(word) + "\n";
    Assembler assembler;
    assembler.set_sram_bytes(65536);
    const Outcome outcome = assembler.assemble_text("words.s", text);
    INFO(render(outcome.errors));
    REQUIRE(outcome.ok());
    REQUIRE(outcome.program->image.size() >= 4 * words_.size());
    for (size_t i = 0; i < words_.size(); ++i) {
      if (outcome.program->word(static_cast<uint32_t>(4 * i)) != words_[i]) {
        INFO(disassemble(words_[i]));
        REQUIRE(outcome.program->word(static_cast<uint32_t>(4 * i)) == words_[i]);
      }
    }
    checked_ += words_.size();
    words_.clear();
  }

  size_t checked() const { return checked_; }

 private:
  std::vector<uint32_t> words_;
  size_t checked_ = 0;
};

// The fields that are free in one variant of an instruction, and the bits that the variant sets.
struct Variant {
  uint32_t base = 0;
  std::vector<spec::FieldId> fields;
};

std::vector<Variant> variants(const spec::Instruction& row) {
  using spec::FieldId;
  const uint32_t async = spec::field(FieldId::kAsync).mask();
  const uint32_t scalar = spec::field(FieldId::kScalar).mask();
  std::vector<Variant> all;
  for (int choice = 0; choice < (row.layout().vector ? 4 : 1); ++choice) {
    const bool with_async = (choice & 1) != 0;
    const bool with_scalar = (choice & 2) != 0;
    if (with_scalar != (row.scalar == spec::ScalarUse::kAlways) && row.scalar != spec::ScalarUse::kAllowed) continue;
    Variant v;
    v.base = static_cast<uint32_t>(row.opcode) | (with_async ? async : 0) | (with_scalar ? scalar : 0);
    for (int i = 0; i < row.layout().operand_count; ++i) {
      const FieldId id = row.layout().operands[i];
      if (id == FieldId::kSReg && !with_scalar) continue;
      if (with_scalar && row.scalar == spec::ScalarUse::kAllowed && i == row.layout().operand_count - 2) continue;
      v.fields.push_back(id);
    }
    if (with_async) v.fields.push_back(FieldId::kUt);
    if (with_scalar) v.fields.push_back(FieldId::kShalf);
    if (row.fn != spec::EnumId::kNone) v.fields.push_back(FieldId::kFn);
    all.push_back(v);
  }
  return all;
}

uint32_t limit(const spec::Instruction& row, spec::FieldId id) {
  return id == spec::FieldId::kFn ? row.names().count : 1u << spec::field(id).width;
}

std::vector<uint32_t> corners(uint32_t count) {
  std::vector<uint32_t> values;
  for (const uint32_t v : {0u, 1u, count / 2 - 1, count / 2, count - 2, count - 1}) {
    if (v < count) values.push_back(v);
  }
  return values;
}

}  // namespace

TEST_CASE("every value of every field of every instruction comes back") {
  RoundTrip trip;
  std::mt19937 random(20240801);
  size_t words = 0;
  for (const spec::Instruction& row : spec::kInstructionTable) {
    const std::vector<Variant> all = variants(row);
    REQUIRE_FALSE(all.empty());
    for (const Variant& v : all) {
      uint32_t elsewhere = v.base;
      for (const spec::FieldId id : v.fields) elsewhere |= spec::field(id).put(random() % limit(row, id));
      for (const spec::FieldId id : v.fields) {
        for (uint32_t value = 0; value < limit(row, id); ++value) {
          const uint32_t word = (elsewhere & ~spec::field(id).mask()) | spec::field(id).put(value);
          INFO(row.name << " " << spec::field(id).name << " = " << value);
          if (!spec::is_legal(word)) REQUIRE(spec::is_legal(word));
          trip.add(word);
          ++words;
        }
      }
      trip.add(v.base);
    }
  }
  trip.flush();
  REQUIRE(words > 900000);
}

TEST_CASE("all pairs of fields at their corners come back") {
  RoundTrip trip;
  for (const spec::Instruction& row : spec::kInstructionTable) {
    for (const Variant& v : variants(row)) {
      for (const spec::FieldId a : v.fields) {
        for (const spec::FieldId b : v.fields) {
          if (a == b) continue;
          for (const uint32_t x : corners(limit(row, a))) {
            for (const uint32_t y : corners(limit(row, b))) trip.add(v.base | spec::field(a).put(x) | spec::field(b).put(y));
          }
        }
      }
    }
  }
  trip.flush();
  REQUIRE(trip.checked() > 10000);
}

TEST_CASE("random words come back, illegal ones as data") {
  RoundTrip trip;
  std::mt19937 random(7);
  size_t legal = 0;
  for (int i = 0; i < 300000; ++i) {
    uint32_t word = random();
    if (i % 2 != 0) {  // near a legal word: an opcode and few bits
      word = static_cast<uint32_t>(spec::kInstructionTable[random() % spec::kInstructionCount].opcode) | (random() & random() & random());
    }
    const std::string text = disassemble(word);
    const bool as_data = text.rfind(".word", 0) == 0;
    if (as_data == spec::is_legal(word)) REQUIRE(as_data != spec::is_legal(word));
    legal += as_data ? 0 : 1;
    trip.add(word);
  }
  trip.flush();
  REQUIRE(legal > 1000);
  REQUIRE(trip.checked() == 300000);
}

TEST_CASE("the assembler's table and the simulator's agree") {
  namespace sim = waferloom::spec;
  std::mt19937 random(11);
  for (int i = 0; i < 200000; ++i) {
    const uint32_t word = (random() & (i % 3 == 0 ? 0xffffffffu : random())) & ~0x7fu;
    const uint32_t full = word | (random() % 128);
    if (spec::is_legal(full) != sim::is_legal(full)) REQUIRE(spec::is_legal(full) == sim::is_legal(full));
  }
  REQUIRE_FALSE(sim::is_legal(0));
  REQUIRE_FALSE(sim::is_legal(0xffffffffu));
}

TEST_CASE("an image becomes text that assembles to the same bytes") {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<uint8_t> image(128 + 4 * (random() % 200), 0);
    image.resize((image.size() + 7) / 8 * 8, 0);
    for (int task = 0; task < 5; ++task) {
      const uint32_t slot = 2 * (random() % 64);
      const uint32_t entry = random() % 4 == 0 ? random() % 65536 : 128 + 4 * (random() % 100);
      image[slot] = static_cast<uint8_t>(entry);
      image[slot + 1] = static_cast<uint8_t>(entry >> 8);
    }
    for (size_t at = 128; at + 4 <= image.size(); at += 4) {
      uint32_t word = random() % 3 == 0 ? 0 : random();
      if (random() % 2 == 0) word = static_cast<uint32_t>(spec::kInstructionTable[random() % 30].opcode) | (random() & 0x0007ff80u);
      for (size_t i = 0; i < 4; ++i) image[at + i] = static_cast<uint8_t>(word >> (8 * i));
    }
    const std::string text = disassemble_image(image);
    Outcome outcome = Assembler().assemble_text("image.s", text);
    INFO(text << render(outcome.errors));
    REQUIRE(outcome.ok());
    std::vector<uint8_t>& back = outcome.program->image;
    back.resize(std::max(back.size(), image.size()), 0);
    std::vector<uint8_t> expected = image;
    expected.resize(back.size(), 0);
    REQUIRE(back == expected);
  }
}
