#pragma once
// The bench library: one verilated module, driven from a Catch2 test.
//
//   TEST_CASE("wl_fifo keeps order") {
//     for (uint32_t mode : waferloom::kAllResets) {          // registers start as 0, 1, random: no result may change
//       waferloom::Bench b("wl_fifo", {{"Depth", "4"}}, mode);
//       auto data = b.port("data_i");                        // a handle: a set or get is one load or store
//       b.reset();                                           // rst_ni low for two edges
//       data = 42;
//       b.tick();                                            // one rising edge, then outputs are valid
//       REQUIRE(b.get("data_o") == 42);
//     }
//   }
//
// After tick() or settle() every output is up to date. Inputs may be set at any time; a combinational output follows at
// the next settle() or tick(). The model is built on first use and cached (sim/plugin/builder.h).
// Environment: WL_SEED=n (printed by every bench), WL_WAVE=file.fst (traced twin; further benches of the process write
// file-2.fst, ...), WL_SCALE=n (multiplies the numbers of vectors that scaled() returns).
// Failures (no such port, RTL that does not build, a failed assertion of the RTL) throw std::runtime_error: Catch2 reports it.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/plugin/unit.h"

namespace waferloom {

inline constexpr uint32_t kAllResets[] = {WL_RESET_ZERO, WL_RESET_ONE, WL_RESET_RANDOM};

// WL_SEED, or 1. Printed once per process.
uint64_t bench_seed();
// n times WL_SCALE (default 1).
uint64_t scaled(uint64_t n);

// Random numbers as a hash of (seed, domain, index): the same on every machine and in every order of use.
class Random {
 public:
  explicit Random(const std::string& domain, uint64_t seed = bench_seed());
  uint64_t next();
  uint64_t below(uint64_t n) { return n == 0 ? 0 : next() % n; }
  // True with probability numerator / denominator.
  bool chance(uint64_t numerator, uint64_t denominator) { return below(denominator) < numerator; }

 private:
  uint64_t key_;
  uint64_t index_ = 0;
};

using Params = std::vector<std::pair<std::string, std::string>>;

struct BenchOptions {
  plugin::View view = plugin::View::kFast;
  std::vector<std::string> rtl_roots;  // searched before the project's rtl/, for wrappers that only a bench needs
  bool assertions = true;
  std::vector<std::string> attached;   // modules of rtl_roots that attach themselves with `bind`
};

class Bench {
 public:
  // A port of at most 64 bits. Writing keeps the bits above its width zero.
  class Port {
   public:
    Port() = default;
    Port(void* at, uint32_t bytes, uint32_t width) : at_(at), bytes_(bytes), mask_(width >= 64 ? ~0ull : (1ull << width) - 1) {}
    uint64_t get() const { return plugin::load_value(at_, bytes_); }
    void set(uint64_t value) { plugin::store_value(at_, bytes_, value & mask_); }
    operator uint64_t() const { return get(); }
    Port& operator=(uint64_t value) {
      set(value);
      return *this;
    }

   private:
    void* at_ = nullptr;
    uint32_t bytes_ = 8;
    uint64_t mask_ = 0;
  };

  explicit Bench(const std::string& top, const Params& params = {}, uint32_t reset_mode = WL_RESET_RANDOM,
                 const BenchOptions& options = {});
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  Port port(const std::string& name);
  void set(const std::string& name, uint64_t value) { port(name).set(value); }
  uint64_t get(const std::string& name) { return port(name).get(); }
  // Ports of more than 64 bits: words of 32 bits, least significant first. set_wide keeps the bits above the width zero.
  void set_wide(const std::string& name, const std::vector<uint32_t>& words);
  std::vector<uint32_t> get_wide(const std::string& name);
  // A register or array element by its hierarchical name below the top ("u_fifo.count_q"), at most 64 bits.
  // Verilator may have optimised a register away: then this throws, and the names that exist are in the message.
  uint64_t reg(const std::string& name, uint32_t element = 0);
  void set_reg(const std::string& name, uint64_t value, uint32_t element = 0);
  // Memory words (both views), by the name of the macro instance.
  uint64_t memory(const std::string& name, uint32_t word);
  void set_memory(const std::string& name, uint32_t word, uint64_t value);

  // One rising edge (of clk_i). Throws if an assertion of the RTL fails.
  void tick() {
    if (api_->tick(arena_, 0)) fail();
    ++cycle_;
  }
  void ticks(uint64_t n) {
    while (n-- > 0) tick();
  }
  // Combinational outputs follow the inputs; no edge.
  void settle() {
    if (api_->settle(arena_, 0)) fail();
  }
  // rst_ni low for `edges` rising edges, then high.
  void reset(unsigned edges = 2);

  uint64_t cycle() const { return cycle_; }  // edges so far
  const plugin::Unit& unit() const { return unit_; }
  WlArena* arena() const { return arena_; }

 private:
  [[noreturn]] void fail() const;
  const WlPort& find_port(const std::string& name) const;
  uint32_t find_memory(const std::string& name) const;
  char* at(uint32_t offset) const { return static_cast<char*>(api_->state(arena_, 0)) + offset; }

  plugin::Unit unit_;
  const WlUnitApi* api_ = nullptr;
  WlArena* arena_ = nullptr;
  uint64_t cycle_ = 0;
};

}  // namespace waferloom
