#pragma once
// A fabric with the echo program (echo.wl) on every tile: words and control wavelets down the columns from north ports, answers along the rows to east ports,
// vector work on microthreads. Random, the same for the same name and seed.
#include <memory>
#include <string>
#include <vector>

#include "testbenches/system/programs.h"

namespace waferloom::test {

class EchoTraffic {
 public:
  explicit EchoTraffic(Fabric* fabric, const std::string& name) : fabric_(fabric), random_(name) {
    assembler::Assembler assembler;
    assembler.set_sram_bytes(4096);
    const auto outcome = assembler.assemble_file(std::string(WL_SOURCE_DIR) + "/testbenches/system/echo.wl");
    INFO(assembler::render(outcome.errors));
    REQUIRE(outcome.ok());
    Fabric& f = *fabric;
    const fabric::Region all{0, 0, f.width(), f.height()};
    load_program(fabric, all, *outcome.program);
    // Colour 0: north -> ramp and south; the last row ends it. Colours 5 and 6: ramp -> east in even (odd) columns, west -> ramp in the others.
    REQUIRE(f.set_route(all, 0, 0, 1, 16 | 4) == "");
    REQUIRE(f.set_route({0, f.height() - 1, f.width(), 1}, 0, 0, 1, 16) == "");
    for (uint32_t x = 0; x < f.width(); ++x) {
      const fabric::Region column{x, 0, 1, f.height()};
      REQUIRE(f.set_route(column, 5 + x % 2, 0, 16, 2) == "");
      REQUIRE(f.set_route(column, 6 - x % 2, 0, 8, 16) == "");
    }
    std::string error;
    for (uint32_t x = 0; x < f.width(); ++x) {
      north_.emplace_back();
      REQUIRE(f.attach_port(x, 0, Direction::kNorth, &north_.back(), &error));
    }
    for (uint32_t y = 0; y < f.height(); ++y) {
      east_.emplace_back();
      REQUIRE(f.attach_port(f.width() - 1, y, Direction::kEast, &east_.back(), &error));
      f.ports().set_capacity(east_.back(), 3);
    }
  }

  // Once before each cycle.
  void drive(bool sending) {
    fabric::HostPorts& ports = fabric_->ports();
    for (const PortId port : north_) {
      if (!sending || !random_.chance(1, 40)) continue;
      for (uint64_t k = 1 + random_.below(4); k > 0; --k) {
        uint64_t word = random_.next() & 0xffffffff;
        if (random_.chance(1, 6)) word = fabric::kControlBit | (word & 0xffff0000) | 30;
        ports.send(port, word, fabric_->cycle() + 200, false);
      }
    }
    for (const PortId port : east_) {
      fabric::ReceivedWord word;
      while (!(sending && random_.chance(3, 4)) && ports.receive(port, &word)) received.push_back({port, word.cycle, word.word});
    }
  }

  std::vector<Received> received;

 private:
  Fabric* fabric_;
  std::vector<PortId> north_, east_;
  Random random_;
};

}  // namespace waferloom::test
