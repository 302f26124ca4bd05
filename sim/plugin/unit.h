#pragma once
// A loaded plug-in. Two units, even two variants of the same module, live side by side in one process.
// Ownership: copies share the library, which stays loaded as long as one of them lives; arenas must not outlive it.
// Threads: a Unit is immutable after load.
#include <cstdint>
#include <memory>
#include <string>

#include "sim/plugin/builder.h"
#include "sim/plugin/unit_abi.h"

namespace waferloom::plugin {

class Unit {
 public:
  Unit() = default;
  // Builds if necessary and loads. Returns "" or the message.
  std::string open(const UnitSpec& spec);
  // Loads a library that build_unit made.
  std::string load(const std::string& library_path);

  bool loaded() const { return api_ != nullptr; }
  const WlUnitApi& api() const { return *api_; }
  const BuildResult& build() const { return build_; }

  // Null if there is none of that name.
  const WlPort* port(const std::string& name) const;
  const WlRegister* reg(const std::string& name) const;
  // The register of that last name in whatever module of the unit ("class_cnt_q" finds "u_mmio.class_cnt_q").
  const WlRegister* reg_ending(const std::string& last_name) const;
  // Bits of an output in change masks; 0 if it is not an output.
  uint32_t changed_bits(const std::string& name) const;

 private:
  std::shared_ptr<void> handle_;
  const WlUnitApi* api_ = nullptr;
  BuildResult build_;
};

// Words of a port or register of at most 64 bits, given its address.
inline uint64_t load_value(const void* at, uint32_t bytes) {
  switch (bytes) {
    case 1: return *static_cast<const uint8_t*>(at);
    case 2: return *static_cast<const uint16_t*>(at);
    case 4: return *static_cast<const uint32_t*>(at);
    default: return *static_cast<const uint64_t*>(at);
  }
}
inline void store_value(void* at, uint32_t bytes, uint64_t value) {
  switch (bytes) {
    case 1: *static_cast<uint8_t*>(at) = static_cast<uint8_t>(value); break;
    case 2: *static_cast<uint16_t*>(at) = static_cast<uint16_t>(value); break;
    case 4: *static_cast<uint32_t*>(at) = static_cast<uint32_t>(value); break;
    default: *static_cast<uint64_t*>(at) = value; break;
  }
}

}  // namespace waferloom::plugin
