// Generated from configs/spec/packet.yaml by scripts/gen; do not edit.
// Link words and payloads.
#pragma once

#include <cstdint>

namespace waferloom::spec {

inline constexpr int kLinkBits = 39;

// A link word that holds a wavelet. Requires colour < 32.
constexpr uint64_t link_word(uint32_t data, uint32_t colour, bool control = false) {
  return (static_cast<uint64_t>(data) << 0) | (static_cast<uint64_t>(colour & 0x1fu) << 32) |
         (static_cast<uint64_t>(control) << 37) | (1ull << 38);
}
inline constexpr uint64_t kNoWavelet = 0;
constexpr uint32_t link_data(uint64_t word) { return static_cast<uint32_t>((word >> 0) & 0xffffffffull); }  // payload
constexpr uint32_t link_colour(uint64_t word) { return static_cast<uint32_t>((word >> 32) & 0x1full); }  // 0 to 23
constexpr bool link_control(uint64_t word) { return ((word >> 37) & 0x1ull) != 0; }  // control wavelet
constexpr bool link_valid(uint64_t word) { return ((word >> 38) & 0x1ull) != 0; }  // the word holds a wavelet

// what it does to the colour's switch in every router it passes
enum class Command : uint8_t {
  kNone = 0,
  kAdvance = 1,
  kReset = 2,
};
inline constexpr const char* kCommandNames[] = {"none", "advance", "reset"};

// Payload of a control wavelet. Requires task < 64, argument < 65536.
constexpr uint32_t control_payload(uint32_t task, Command command, uint32_t argument = 0) {
  return ((task & 0x3fu) << 0) | (static_cast<uint32_t>(command) << 6) | ((argument & 0xffffu) << 16);
}
constexpr uint32_t control_task(uint32_t word) { return (word >> 0) & 0x3fu; }  // control task started at a PE that receives it
constexpr uint32_t control_argument(uint32_t word) { return (word >> 16) & 0xffffu; }  // r1 of the task
constexpr Command control_command(uint32_t word) { return static_cast<Command>((word >> 6) & 0x3u); }

// Payload of a streamed weight. `weight` is a binary16 bit pattern, `index` a byte offset.
constexpr uint32_t weight_payload(uint32_t weight, uint32_t index) {
  return ((weight & 0xffffu) << 0) | ((index & 0xffffu) << 16);
}
constexpr uint32_t weight_weight(uint32_t word) { return (word >> 0) & 0xffffu; }  // binary16
constexpr uint32_t weight_index(uint32_t word) { return (word >> 16) & 0xffffu; }  // offset of the feature's row in the slab

}  // namespace waferloom::spec
