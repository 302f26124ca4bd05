#pragma once
// A wave file in GTKWave's FST format, written through the writer that Verilator ships.
// FST writers fail silently: this one proves that the file can be opened, and tells its size and what is still in memory, so that the caller can stop in time.
// Threads: one. Errors: open() returns the reason.
#include <cstdint>
#include <string>

namespace waferloom::trace {

class FstWriter {
 public:
  using Signal = uint32_t;

  FstWriter() = default;
  ~FstWriter() { close(); }
  FstWriter(const FstWriter&) = delete;
  FstWriter& operator=(const FstWriter&) = delete;

  // "" or why not. One unit of time is one nanosecond in the file.
  std::string open(const std::string& path);

  // Hierarchy, before the first time.
  void enter(const std::string& scope);
  void leave();
  enum class Kind { kInput, kOutput, kRegister, kWire };
  Signal signal(const std::string& name, uint32_t width, Kind kind);

  // Times ascend.
  void time(uint64_t t);
  // `bytes`: little-endian, as models keep it, of the signal's width.
  void value(Signal signal, const void* bytes, uint32_t width);

  // Bytes in the file, and bytes that wait in memory, before compression.
  uint64_t written() const;
  uint64_t pending() const { return pending_; }
  void flush();
  void close();

 private:
  void* context_ = nullptr;
  std::string path_;
  std::string digits_;
  uint64_t pending_ = 0;
};

}  // namespace waferloom::trace
