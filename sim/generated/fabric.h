// Generated from configs/spec/fabric.yaml by scripts/gen; do not edit.
// Directions, router configuration, queues.
#pragma once

#include <cstdint>

namespace waferloom::spec {

// x grows east, y grows south.
enum class Direction : uint8_t {
  kNorth = 0,
  kEast = 1,
  kSouth = 2,
  kWest = 3,
  kRamp = 4,
};
inline constexpr int kDirections = 5;
inline constexpr const char* kDirectionNames[] = {"north", "east", "south", "west", "ramp"};
// The direction seen from the other side of a link; the ramp is its own opposite.
constexpr Direction opposite(Direction d) {
  return d == Direction::kRamp ? d : static_cast<Direction>((static_cast<int>(d) + 2) % 4);
}
constexpr uint32_t direction_bit(Direction d) { return 1u << static_cast<int>(d); }
inline constexpr int kColours = 24;
inline constexpr int kReadyBits = 24;
inline constexpr int kInputQueues = 8;
inline constexpr int kOutputQueues = 4;
inline constexpr int kOutputQueueDepth = 4;
inline constexpr int kMicrothreads = 8;
inline constexpr int kSwitchPositions = 4;
inline constexpr uint32_t kControlWordIndex = 4;
inline constexpr int kConfigBits = 41;

// One switch position: masks of directions (direction_bit).
constexpr uint32_t route_word(uint32_t receive, uint32_t transmit) {
  return ((static_cast<uint32_t>(receive) & 0x1fu) << 0) |
         ((static_cast<uint32_t>(transmit) & 0x1fu) << 5);
}
constexpr uint32_t route_receive(uint32_t word) { return (word >> 0) & 0x1fu; }  // ports that may send, bit d = direction d
constexpr uint32_t route_transmit(uint32_t word) { return (word >> 5) & 0x1fu; }  // ports that are sent to (several: multicast)

// A colour's control word.
constexpr uint32_t switch_word(uint32_t position, uint32_t last, bool ring) {
  return ((static_cast<uint32_t>(position) & 0x3u) << 0) |
         ((static_cast<uint32_t>(last) & 0x3u) << 2) |
         ((static_cast<uint32_t>(ring) & 0x1u) << 4);
}
constexpr uint32_t switch_position(uint32_t word) { return (word >> 0) & 0x3u; }  // current switch position
constexpr uint32_t switch_last(uint32_t word) { return (word >> 2) & 0x3u; }  // last switch position in use
constexpr bool switch_ring(uint32_t word) { return ((word >> 4) & 0x1u) != 0; }  // advance from the last position goes to 0

// A configuration write as it travels on cfg_o and cfg_i; word 0 to 3: switch position, 4: control.
constexpr uint64_t config_word(uint32_t colour, uint32_t word, uint32_t data) {
  return (static_cast<uint64_t>(data) << 0) | (static_cast<uint64_t>(word & 0x7u) << 32) | (static_cast<uint64_t>(colour & 0x1fu) << 35) | (1ull << 40);
}
constexpr uint32_t config_data(uint64_t word) { return static_cast<uint32_t>((word >> 0) & 0xffffffffull); }
constexpr uint32_t config_word(uint64_t word) { return static_cast<uint32_t>((word >> 32) & 0x7ull); }
constexpr uint32_t config_colour(uint64_t word) { return static_cast<uint32_t>((word >> 35) & 0x1full); }
constexpr bool config_valid(uint64_t word) { return ((word >> 40) & 0x1ull) != 0; }
// Index of a configuration word in the PE's mmio register `route`.
constexpr uint32_t route_index(uint32_t colour, uint32_t word) { return (colour << 3) | word; }

}  // namespace waferloom::spec
