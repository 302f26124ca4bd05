// Colours, queues and tasks of the training program (docs/developer/contracts.md, section 7): the host's view of what firmware/runtime does.
#pragma once

#include <cstdint>

namespace waferloom::plan {

enum Colour : std::uint8_t {
  kWeights = 0,
  kLoad = 1,
  kRingA = 2,
  kRingB = 3,
  kRingC = 4,
  kChainXEven = 5,
  kChainXOdd = 6,
  kBroadcastX = 7,
  kMulticastWest = 8,
  kMulticastEast = 9,
  kChainYEven = 10,
  kChainYOdd = 11,
};
inline constexpr int kColoursUsed = 12;

// Input queues. Queues 0 and 1 are the deep ones.
enum InputQueue : std::uint8_t {
  kInWeights = 0,
  kInLoad = 1,
  kInRing = 2,
  kInChainX = 3,
  kInBroadcast = 4,
  kInMulticastWest = 5,
  kInMulticastEast = 6,
  kInChainY = 7,
};

// Output queues. Both multicast colours share one, so that what is sent west leaves before what is sent east.
enum OutputQueue : std::uint8_t { kOutRing = 0, kOutChainX = 1, kOutMulticast = 2, kOutChainY = 3 };

// Control tasks. Outputs alternate between the two of a pair: each uses the other's buffer next.
enum Task : std::uint8_t {
  kTaskPhase = 32,       // r1: address of a record
  kTaskOutputA = 33,     // r1: owner column; ends an output of a matrix product
  kTaskOutputB = 34,
  kTaskGradientA = 35,   // r1: owner column; one output of a dense weight gradient
  kTaskGradientB = 36,
  kTaskStored = 37,      // r1: owner column; one output of a weight gradient at stored weights, its index stream follows
  kTaskHalt = 38,
  kTaskNothing = 39,     // never started: ends streams that consume it
};

}  // namespace waferloom::plan
