#pragma once
// SHA-256 (FIPS 180-4) over strings; used for content hashes, not for security.
#include <cstdint>
#include <string>
#include <string_view>

namespace waferloom::plugin {

// Incremental hash. `field` frames each part with its length, so that no two lists of parts collide.
class Sha256 {
 public:
  void update(std::string_view bytes);
  void field(std::string_view bytes);
  std::string hex();  // finishes; the object must not be used afterwards

 private:
  void block(const uint8_t* p);
  uint32_t h_[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                    0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
  uint8_t buffer_[64] = {};
  uint64_t length_ = 0;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace waferloom::plugin
