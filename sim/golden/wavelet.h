// A wavelet as the models hold it; the link word and the payloads are in sim/generated/packet.h.
#pragma once
#include <cstdint>

#include "sim/generated/packet.h"

namespace waferloom::golden {

struct Wavelet {
  uint32_t data = 0;
  uint8_t colour = 0;
  bool control = false;

  bool operator==(const Wavelet& o) const { return data == o.data && colour == o.colour && control == o.control; }
  bool operator!=(const Wavelet& o) const { return !(*this == o); }
};

constexpr uint64_t link_word(const Wavelet& w) { return spec::link_word(w.data, w.colour, w.control); }
// Requires spec::link_valid(word).
constexpr Wavelet link_wavelet(uint64_t word) {
  return {spec::link_data(word), static_cast<uint8_t>(spec::link_colour(word)), spec::link_control(word)};
}

}  // namespace waferloom::golden
