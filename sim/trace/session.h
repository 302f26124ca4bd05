#pragma once
// A trace of a window of tiles and cycles of a running fabric, written into a folder:
//
//   waves.fst                  every signal of the window's units (waves.h)
//   instructions/tile_X_Y.txt  what each PE executed (instruction_trace.h)
//   timeline.json              tasks, microthreads, queues, links (timeline.h)
//   counters.csv, utilisation.svg, stalls.svg, link-load.svg   of the whole array over the window's cycles (heat_map.h)
//   trace.json                 window, cycles covered, files, why it stopped early
//
// The window runs a second time beside the fabric, as traced twins that take its state over and are driven with what its border sees (window.h); at the
// end both must agree in every register and memory word. The fabric itself is only read: a trace never changes a result.
//
// Files are written into FOLDER.partial-trace and renamed when they are whole. The trace stops by itself, and stays valid, before it is larger than its limit or
// leaves less free space than `kKeepFree` on the disk.
// Ownership: refers to the fabric from start() to finish(). Threads: the fabric's own. Errors: texts, with the kind of fault.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/fabric/waits_for.h"
#include "sim/trace/heat_map.h"
#include "sim/trace/instruction_trace.h"
#include "sim/trace/timeline.h"
#include "sim/trace/waves.h"
#include "sim/trace/window.h"

namespace waferloom::trace {

enum Kinds : unsigned { kWaves = 1, kInstructions = 2, kTimeline = 4, kCounters = 8, kAllKinds = 15 };

struct TraceOptions {
  fabric::Region region;
  uint64_t first_cycle = 0;
  uint64_t last_cycle = UINT64_MAX;  // included
  unsigned kinds = kAllKinds;
  uint64_t limit_bytes = 1ull << 30;
  std::string folder;                // is replaced when the trace is whole
};

// Tiles of a window that is traced by more than counters: each is a model of its own and a file.
inline constexpr uint32_t kTilesAtMost = 512;

// Bytes that a trace leaves free on the disk.
inline constexpr uint64_t kKeepFree = 64ull << 20;

enum class TraceFault { kNone, kInput, kOutput, kDiffers };
struct TraceResult {
  TraceFault fault = TraceFault::kNone;
  std::string message;      // of the fault
  std::string note;         // why the trace ends before its window does, or ""
  uint64_t first_cycle = 0, end_cycle = 0;  // covered: from, to before
  uint64_t bytes = 0;
};

class TraceSession {
 public:
  // Units: twins of the fabric's, the PE with the tracer attached (pe_trace.h). Not loaded if `kinds` holds counters only.
  TraceSession(const TraceOptions& options, const plugin::Unit& router, const plugin::Unit& pe, fabric::TaskNames names, Disassembler disassembler);
  ~TraceSession();
  TraceSession(const TraceSession&) = delete;
  TraceSession& operator=(const TraceSession&) = delete;

  // Hooks itself into the fabric, between two steps. A fault if the window lies outside or nothing can be written.
  TraceResult start(fabric::Fabric* fabric);
  // Whoever writes into the fabric from outside, between two steps, does it through here: the window is compared, `change` runs, the window takes the result
  // over. Returns what `change` returns.
  std::string write(const std::function<std::string()>& change);
  // Ends the trace where the fabric is, puts the folder in its place and takes the hook back. To be called once, also after a fault of start().
  TraceResult finish();

 private:
  void before(fabric::Fabric& fabric);
  std::string begin(fabric::Fabric& fabric);
  void end();
  void check_space();
  uint64_t bytes_written() const;
  void fail(TraceFault fault, const std::string& message);

  TraceOptions options_;
  plugin::Unit router_, pe_;
  fabric::TaskNames names_;
  Disassembler disassembler_;
  fabric::Fabric* fabric_ = nullptr;
  std::string partial_;
  std::unique_ptr<TileGrid> grid_;
  std::unique_ptr<Waves> waves_;
  std::unique_ptr<InstructionTrace> instructions_;
  std::unique_ptr<Timeline> timeline_;
  CounterMap counters_before_;
  bool begun_ = false, ended_ = false;
  uint64_t started_ = 0;       // cycle of the fabric at start()
  uint64_t next_cycle_ = 0;    // of the grid
  uint64_t steps_ = 0;
  TraceResult result_;
};

}  // namespace waferloom::trace
