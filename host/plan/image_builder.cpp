#include "host/plan/image_builder.h"

#include <algorithm>
#include <cassert>

#include "firmware/assembler/assembler.h"
#include "host/plan/protocol.h"

namespace waferloom::plan {
namespace {

constexpr unsigned kTasks = 64;  // entries of the task table

void put(std::vector<std::uint8_t>& bytes, std::uint32_t address, std::uint32_t value) {
  assert(address + 4 <= bytes.size());
  for (int i = 0; i < 4; ++i) bytes[address + static_cast<std::uint32_t>(i)] = static_cast<std::uint8_t>(value >> (8 * i));
}

// No position has more stores than an inner tile's: 3 + 2 + 1 routes of load and ring, and so on; counted, not guessed.
std::size_t most_boot_stores() {
  std::size_t most = 0;
  for (int mask = 0; mask < 32; ++mask) {
    const Position p{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0, (mask & 8) != 0, (mask & 16) != 0};
    most = std::max(most, boot_stores(p).size());
  }
  return most;
}

}  // namespace

std::uint32_t boot_table_bytes() { return static_cast<std::uint32_t>(8 * most_boot_stores() + 8); }

std::variant<Microcode, std::string> assemble_training_program(const std::filesystem::path& folder) {
  assembler::Assembler assembler;
  const assembler::Outcome outcome = assembler.assemble_file((folder / "train.wl").string());
  if (!outcome.ok()) return assembler::render(outcome.errors);
  Microcode microcode;
  microcode.bytes = outcome.program->image;
  if (microcode.bytes.size() < kCodeBase) return std::string("train.wl has no code behind its task table");
  std::string missing;
  const auto entry = [&](const char* name) {
    const std::optional<std::int64_t> value = outcome.program->symbol(name);
    if (!value) missing += missing.empty() ? name : std::string(", ") + name;
    return static_cast<std::uint16_t>(value.value_or(0));
  };
  microcode.task_names = assembler::task_names(*outcome.program);
  Entries& e = microcode.entries;
  e.load = entry("load");
  e.pass = entry("pass");
  e.gradient = entry("gradient");
  e.gradient_stored = entry("gradient_stored");
  e.loss = entry("loss");
  e.relu = entry("relu");
  e.relu_gradient = entry("relu_gradient");
  if (!missing.empty()) return "train.wl lacks the label(s) " + missing;
  return microcode;
}

std::vector<std::uint8_t> build_image(const Microcode& microcode, const NetworkSpec& network, const Layout& layout, const Share& share, int tokens_padded,
                                      config::Accumulate accumulate, const std::vector<RecordId>& records) {
  std::vector<std::uint8_t> bytes = microcode.bytes;
  assert(bytes.size() <= layout.boot_table);
  bytes.resize(layout.image_end, 0);
  put(bytes, kBootPointer, layout.boot_table);
  std::uint32_t at = layout.boot_table;
  for (const BootStore& store : boot_stores(share.position)) {
    put(bytes, at, store.address);
    put(bytes, at + 4, store.value);
    at += 8;
  }
  put(bytes, at, 0);
  put(bytes, layout.zero, 0);
  put(bytes, layout.infinity, 0xff800000u);
  at = layout.records;
  for (const RecordId& id : records) {
    for (const std::uint32_t word : record_words(id, network, layout, share, tokens_padded, accumulate, microcode.entries)) {
      put(bytes, at, word);
      at += 4;
    }
  }
  return bytes;
}

}  // namespace waferloom::plan
