#pragma once
// Small programs on small fabrics: microcode as text, assembled, loaded into every tile and started at boot.
#include <memory>
#include <string>
#include <vector>

#include "firmware/assembler/assembler.h"
#include "testbenches/system/traffic.h"

namespace waferloom::test {

inline plugin::UnitSpec small_pe_spec() {
  plugin::UnitSpec spec;
  spec.top = "wl_pe";
  spec.params = {{"Lanes", "4"}, {"SramBytes", "4096"}, {"WindowBytes", "256"}};
  spec.optimise = 1;
  return spec;
}

inline plugin::Unit open_small_pe() {
  plugin::Unit unit;
  const std::string error = unit.open(small_pe_spec());
  INFO(error);
  REQUIRE(error.empty());
  return unit;
}

inline assembler::Program assemble(const std::string& text) {
  assembler::Assembler assembler;
  assembler.set_sram_bytes(4096);
  const auto outcome = assembler.assemble_text("program.wl", text);
  INFO(assembler::render(outcome.errors));
  REQUIRE(outcome.ok());
  return *outcome.program;
}

inline void load_program(Fabric* f, const fabric::Region& region, const assembler::Program& program) {
  const std::string memory = f->unit(fabric::UnitKind::kPe).api().memory(f->arena(fabric::UnitKind::kPe), 0)->name;
  std::vector<uint64_t> words;
  for (uint32_t a = 0; a + 4 <= program.image.size(); a += 4) words.push_back(program.word(a));
  REQUIRE(f->load_image(region, memory, 0, words) == "");
  REQUIRE(f->set_register(region, fabric::UnitKind::kPe, f->unit(fabric::UnitKind::kPe).reg_ending("task_act_q")->name, 1ull << 24) == "");
}

// A fabric of tiles; every tile gets the same program ("": PEs without one).
inline std::unique_ptr<Fabric> program_fabric(uint32_t width, uint32_t height, const std::string& text) {
  fabric::FabricOptions o;
  o.width = width;
  o.height = height;
  o.router = open_router();
  o.pe = open_small_pe();
  std::unique_ptr<Fabric> f = make_fabric(o);
  if (!text.empty()) load_program(f.get(), {0, 0, width, height}, assemble(text));
  return f;
}

}  // namespace waferloom::test
