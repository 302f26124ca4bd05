#pragma once
// Tasks, microthreads and streams of the tiles of a grid over time, in Chrome's trace event format (JSON), which Perfetto and chrome://tracing open. One cycle is
// shown as one microsecond. A tile is a process; its tracks: the main thread with its tasks, each microthread with its vector instructions, input and
// output queues while they hold wavelets, and the links that the router drives, while wavelets of one colour follow each other.
// Events stand in order of time; slices of one track never overlap, and each that began ends.
// Threads: one. Errors: open() and close() return the reason.
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/fabric/tile_state.h"
#include "sim/fabric/waits_for.h"
#include "sim/trace/instruction_trace.h"
#include "sim/trace/text_file.h"
#include "sim/trace/window.h"

namespace waferloom::trace {

class Timeline {
 public:
  std::string open(const std::string& path, const TileGrid& grid, const fabric::TaskNames& names, Disassembler disassembler);
  // The grid is settled and stands before edge `cycle`.
  void show(const TileGrid& grid, uint64_t cycle);
  uint64_t written() const { return file_.bytes(); }
  // Ends what is under way at `cycle`.
  std::string close(uint64_t cycle);

 private:
  static constexpr unsigned kMain = 0, kContexts = 1, kInputs = 10, kOutputs = 18, kLinks = 22, kTracks = 27;
  struct Track {
    uint64_t key = 0;  // of the slice under way; 0: none
    uint64_t count = 0;
  };
  // `key` 0: nothing is under way. A key other than before ends a slice and begins the next.
  template <typename Name>
  void track(uint32_t tile, unsigned track, uint64_t key, uint64_t cycle, Name&& name);
  void event(const std::string& text);
  std::string instruction(const TileGrid& grid, uint32_t tile, uint16_t pc);

  TextFile file_;
  fabric::TaskNames names_;
  Disassembler disassembler_;
  CodeReader code_;
  std::vector<fabric::TileState> state_;  // one, once open
  std::vector<std::array<Track, kTracks>> tracks_;
  uint32_t link_offset_[5] = {};
  fabric::Region region_;
  bool first_ = true;
};

}  // namespace waferloom::trace
