// Random programs for one PE that use every instruction and always end: legal descriptors over a small, shared stretch of memory (so that
// operands overlap and hazards happen), microthreads, streams, local, data and control tasks. And the random wavelets that feed them.
//
// The programs rely on this from whoever feeds them: once a queue is bound to it (the boot task does that), every colour of `colours` gets
// wavelets from its WaveletSource for ever, as flow control allows, and what the PE sends is taken in the end.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/golden/program.h"
#include "sim/golden/wavelet.h"
#include "sim/lockstep/random.h"

namespace waferloom::lockstep {

struct GeneratorOptions {
  uint32_t blocks = 40;          // a block is one vector instruction or some scalar ones
  uint32_t window_bytes = 512;   // of the machine
  uint32_t sram_bytes = 49152;   // below 32 KiB a program ends early when its code meets its descriptors; at least 4096
  uint32_t colours = 24;         // of the machine; at least 8
  uint32_t tasks = 4;            // in the chain that the blocks are spread over
};

struct RandomProgram {
  golden::Program program;
  std::vector<uint8_t> colours;  // to be fed
};

RandomProgram generate_program(uint64_t seed, const GeneratorOptions& options);

// A program that must trap: a random one cut short by an instruction with a fault.
RandomProgram generate_trap(uint64_t seed, const GeneratorOptions& options);

// The wavelets of one colour: wavelet k depends on seed, colour and k alone.
class WaveletSource {
 public:
  WaveletSource(uint64_t seed, uint8_t colour) : draws_(seed, 0x77a7e1e7ull + colour), colour_(colour) {}
  golden::Wavelet next();

 private:
  Draws draws_;
  uint8_t colour_;
};

}  // namespace waferloom::lockstep
