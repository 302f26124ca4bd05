#pragma once
// What rank 0 tells the others to do: the first byte of each message that is not part of something under way.
#include <cstdint>

namespace waferloom::fabric {

enum class Order : uint8_t {
  kPlace,    // take a rectangle of a fabric, with the state of its tiles
  kRun,      // run it
  kCollect,  // send the state of its tiles
  kDrop,     // forget it
  kEnd       // the run is over
};

}  // namespace waferloom::fabric
