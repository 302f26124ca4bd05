#include "sim/fabric/program_readers.h"

#include <array>
#include <set>
#include <string>

#include "sim/generated/isa.h"
#include "sim/generated/registers.h"

namespace waferloom::fabric {
namespace {

constexpr unsigned kTasks = 64;

}  // namespace

ProgramReaders::ProgramReaders(const Fabric& fabric) : fabric_(fabric) {
  if (!fabric.has_pe()) return;
  const plugin::Unit& pe = fabric.unit(UnitKind::kPe);
  WlArena* arena = fabric.arena(UnitKind::kPe);
  std::string missing;
  queue_words_ = RegisterReader(pe, arena, "u_launch.word2_q", &missing);
  kind_words_ = RegisterReader(pe, arena, "u_launch.word3_q", &missing);
  for (uint32_t m = 0; m < pe.api().memory_count(arena); ++m) {
    const WlMemory* memory = pe.api().memory(arena, m);
    const std::string name = memory->name;
    if (name.size() < 6 || name.compare(name.size() - 6, 6, "u_sram") != 0) continue;
    memory_ = m;
    word_bytes_ = memory->bits / 8;
    bytes_ = memory->words * word_bytes_;
  }
  usable_ = missing.empty() && word_bytes_ >= 4;
}

uint32_t ProgramReaders::word(uint32_t tile, uint16_t address) const {
  if (uint32_t{address} + 4 > bytes_) return 0;
  const uint64_t line = fabric_.unit(UnitKind::kPe).api().memory_get(fabric_.arena(UnitKind::kPe), tile, memory_, address / word_bytes_);
  return static_cast<uint32_t>(line >> (8 * (address % word_bytes_)));
}

std::vector<unsigned> ProgramReaders::tasks_reading(uint32_t tile, unsigned queue) const {
  std::vector<unsigned> tasks;
  if (!usable_) return tasks;
  std::array<uint32_t, kTasks> sources{};    // descriptor registers that vector instructions of a task read
  std::array<std::set<uint16_t>, 16> loads;  // of all tasks: one loads what another reads
  for (unsigned id = 0; id < kTasks; ++id) {
    const uint16_t entry = static_cast<uint16_t>(word(tile, static_cast<uint16_t>(2 * id & ~3u)) >> (id % 2 == 0 ? 0 : 16));
    std::set<uint16_t> seen;
    std::vector<uint16_t> todo;
    if (entry != 0 && entry % 4 == 0) todo.push_back(entry);
    while (!todo.empty()) {
      const uint16_t pc = todo.back();
      todo.pop_back();
      if (!seen.insert(pc).second) continue;
      const spec::Decoded d = spec::decode(word(tile, pc));
      if (!d.legal) continue;
      const spec::Instruction& i = *d.instruction;
      bool goes_on = true;
      switch (i.opcode) {
        case spec::Opcode::kJal:
          todo.push_back(static_cast<uint16_t>(pc + 4 * d.rel));
          goes_on = d.a != 0;  // a call comes back
          break;
        case spec::Opcode::kJalr: goes_on = d.a != 0; break;
        case spec::Opcode::kYield:
        case spec::Opcode::kHalt:
        case spec::Opcode::kTrap: goes_on = false; break;
        case spec::Opcode::kLdd:
          if (d.b == 0) loads[d.a].insert(static_cast<uint16_t>(d.imm));
          break;
        case spec::Opcode::kBeq:
        case spec::Opcode::kBne:
        case spec::Opcode::kBlt:
        case spec::Opcode::kBge: todo.push_back(static_cast<uint16_t>(pc + 4 * d.rel)); break;
        default:
          if (spec::is_vector(i)) sources[id] |= 1u << d.b | 1u << d.c;
          break;
      }
      if (goes_on) todo.push_back(static_cast<uint16_t>(pc + 4));
    }
  }
  uint32_t readers = 0;  // descriptor registers that are the queue, now or after some load
  for (unsigned n = 0; n < 16; ++n) {
    spec::Descriptor d;
    const auto reads = [&] { return d.kind() == spec::Kind::kFabricIn && d.queue() == queue; };
    d.words[2] = static_cast<uint32_t>(queue_words_(tile, n));
    d.words[3] = static_cast<uint32_t>(kind_words_(tile, n));
    if (reads()) readers |= 1u << n;
    for (const uint16_t address : loads[n]) {
      for (unsigned w = 0; w < 4; ++w) d.words[w] = word(tile, static_cast<uint16_t>(address + 4 * w));
      if (reads()) readers |= 1u << n;
    }
  }
  for (unsigned id = 0; id < kTasks; ++id) {
    if ((sources[id] & readers) != 0) tasks.push_back(id);
  }
  return tasks;
}

}  // namespace waferloom::fabric
