// Drives one processing element for scripts/bench.d/pe_cost, which counts host instructions: pe_cost LOAD CYCLES.
// Loads: see kLoads. A load first runs until it is in full swing; then CYCLES edges are counted. The counters of cycle classes must
// show that the PE did in them what the load is for. `pe_cost --list` prints the loads, `pe_cost --state` the bytes of an instance.
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "testbenches/unit/pe/snippets.h"

using namespace waferloom;
using namespace waferloom::pe;

// What is counted.
extern "C" __attribute__((noinline)) int pe_cost_tick(const WlUnitApi* api, WlArena* arena) { return api->tick(arena, 0); }

namespace {

struct Load {
  const char* name;
  ClassId shows;      // the class that most of its cycles have
  unsigned percent;   // at least
  int lanes;
};
const Load kLoads[] = {
    {"idle", kIdle, 100, 4},          // nothing runs, evaluated all the same
    {"wait", kWaitIn, 100, 4},        // a stream waits for a wavelet
    {"scalar", kScalar, 85, 4},       // a loop of eight additions
    {"axpy32", kAxpy, 95, 4},         // streamed AXPY over 16 tokens, binary32 accumulators in SRAM
    {"axpy32_s8", kAxpy, 95, 8},      // the same with eight lanes and the accumulators in the window
    {"axpy16", kAxpy, 95, 4},         // binary16 accumulators in the window
    {"add", kElementwise, 90, 4},     // vectors of 2048 binary16 elements in memory
    {"chain", kReduce, 95, 4},        // ramp plus memory to ramp, binary32
    {"dot", kDot, 90, 4},             // vectors of 2048 binary16 elements in memory
    {"sdot", kDot, 40, 4},            // streamed dot of 16 elements
};

const Load& find(const std::string& name) {
  for (const Load& load : kLoads) {
    if (name == load.name) return load;
  }
  throw std::invalid_argument("no load " + name);
}

BenchOptions as_in_runs() {
  BenchOptions options;
  options.assertions = false;
  return options;
}

// Boots the load's program.
void prepare(PeBench& b, const std::string& load) {
  const uint32_t many = 65535, tokens = 16, row = 2 * tokens;
  for (uint32_t a = 0x1000; a < 0xa000; a += 4) b.word(a, f16(1) | f16(1) << 16);
  std::vector<uint32_t> code = bind(0, 1);
  if (load == "idle") {
    append(&code, {plain(Opcode::kYield)});
  } else if (load == "scalar") {
    for (int k = 0; k < 8; ++k) code.push_back(ri(Opcode::kAddi, 3, 3, 1));
    append(&code, {ri(Opcode::kBne, 3, 2, -8)});
  } else if (load == "add") {
    append(&code, load_descs(b, {mem(kF16, 0x7000, 2048), mem(kF16, 0x2000, 2048), mem(kF16, 0x4008, 2048)}));
    append(&code, {vec(Opcode::kVadd, 1, 2, 3), ri(Opcode::kJal, 0, 0, -1)});
  } else if (load == "dot") {
    append(&code, load_descs(b, {mem(kF32, 0x7000, 1), mem(kF16, 0x2000, 2048), mem(kF16, 0x4008, 2048)}));
    append(&code, {vec(Opcode::kVdot, 1, 2, 3), ri(Opcode::kJal, 0, 0, -1)});
  } else if (load == "chain") {
    append(&code, load_descs(b, {fabric_out(kF32, 1, 5, many), fabric_in(kF32, 0, many), mem(kF32, 0x2000, 64)}));
    append(&code, {vec(Opcode::kVadd, 1, 2, 3) | async(2), plain(Opcode::kYield)});
  } else if (load == "sdot") {
    append(&code, load_descs(b, {mem(kF32, 0x7000, 1), fabric_in(kF16, 0, 0, 1), mem(kF16, 0x2000, tokens), mem(kF16, 0x1800, tokens)}));
    append(&code, {vec(Opcode::kSdot, 1, 2, 3, 4) | async(0), plain(Opcode::kYield)});
  } else {
    const Type type = load == "axpy16" ? kF16 : kF32;
    const uint32_t accumulators = load == "axpy32" || load == "wait" ? 0x1000 : 0xc000;
    append(&code, load_descs(b, {mem(type, accumulators, tokens), fabric_in(kF16, 0, 0, 1), mem(kF16, 0x2000, row / 2)}));
    append(&code, {vec(Opcode::kSaxpy, 1, 2, 3) | async(0), plain(Opcode::kYield)});
  }
  b.boot(code);
}

void feed(PeBench& b, const std::string& load, uint64_t n) {
  if (!b.to_pe.empty()) return;
  if (load == "chain") {
    b.to_pe.push_back(data(1, f32(static_cast<float>(n & 1023u))));
  } else if (load.compare(0, 4, "axpy") == 0 || load == "sdot") {
    b.to_pe.push_back(data(1, f16((n & 1u) != 0 ? 1.0f : -1.0f) | (32 * (n * 7 % 24)) << 16));
  }
}

int run(const Load& load, uint64_t cycles) {
  Machine machine;
  machine.lanes = load.lanes;
  machine.window_bytes = 512;
  PeBench b(machine, WL_RESET_ZERO, false, as_in_runs());
  prepare(b, load.name);
  const uint64_t first = 400;
  uint64_t before = 0;
  for (uint64_t k = 0; k < first + cycles; ++k) {
    if (k == first) {
      before = b.count(load.shows);
      b.edge = [](Bench& bench) {
        if (pe_cost_tick(&bench.unit().api(), bench.arena())) throw std::runtime_error(bench.unit().api().last_error());
      };
    }
    feed(b, load.name, k);
    b.cycle();
  }
  const uint64_t shown = b.count(load.shows) - before;
  if (b.trap() == 0 && 100 * shown >= load.percent * cycles) return 0;
  std::cerr << "pe_cost: " << load.name << ": " << shown << " of " << cycles << " cycles do what is measured; trap " << b.trap() << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  try {
    if (first == "--list") {
      for (const Load& load : kLoads) std::cout << load.name << '\n';
      return 0;
    }
    if (first == "--state") {
      for (const int lanes : {4, 8}) {
        Machine machine;
        machine.lanes = lanes;
        machine.window_bytes = 512;
        const PeBench b(machine, WL_RESET_ZERO, false, as_in_runs());
        std::cout << lanes << " lanes: " << b.bench.unit().api().stride(b.bench.arena()) << " bytes\n";
      }
      return 0;
    }
    const uint64_t cycles = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    if (argc != 3 || cycles == 0 || cycles > 60000) throw std::invalid_argument("wants a load and 1 to 60000 cycles");
    return run(find(first), cycles);
  } catch (const std::invalid_argument& error) {
    std::cerr << "pe_cost: " << error.what() << "\nusage: pe_cost LOAD CYCLES | --list | --state\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
