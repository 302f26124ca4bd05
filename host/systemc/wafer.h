// The wafer as the port model sees it: words in at the north edge, words out of it, cycles in between. Implemented over the fabric engine (fabric_wafer.h);
// tests implement it in a few lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/checkpoint/archive.h"

namespace waferloom::systemc {

// Why run_to returned.
enum class WaferState { kRunning, kTrapped };

// Counters of all units of the wafer, summed.
struct WaferCounters {
  std::vector<std::uint64_t> pe_classes;      // by class id, cycles
  std::vector<std::uint64_t> pe_events;       // by event id
  std::vector<std::uint64_t> router_classes;  // by class id, cycles
  std::uint64_t link_wavelets = 0;            // driven on links and ramps by routers
  std::uint64_t delivered = 0;                // of them to PEs and over the north edge to the host
  std::int64_t cycle = 0;                     // when they were read
  std::uint64_t evaluated = 0;                // unit-cycles evaluated
  std::uint64_t skipped = 0;                  // unit-cycles skipped

  void transfer(checkpoint::Archive& archive) { archive(pe_classes, pe_events, router_classes, link_wavelets, delivered, cycle, evaluated, skipped); }
};

class Wafer {
 public:
  virtual ~Wafer() = default;

  virtual std::int64_t cycle() const = 0;
  // Gives packed edge words (message.h) to the ports in this cycle. A port sends the words of one colour in order, when the tile is ready for that colour; all ports together
  // send at most io_words_per_cycle; a word for every column counts once.
  virtual void offer(const std::uint64_t* words, std::size_t count) = 0;
  // Copies of words that have entered the wafer so far.
  virtual std::uint64_t taken() const = 0;
  // Lets this many more words leave the wafer; at the beginning none may.
  virtual void allow(std::uint64_t words) = 0;
  // Words that have left since the last call, packed, in the order in which they left.
  virtual std::vector<std::uint64_t> results() = 0;
  // Advances to `cycle` (>= cycle()). A trapped wafer stays where it is.
  virtual WaferState run_to(std::int64_t cycle) = 0;
  // Nothing on the wafer can change without a word from outside.
  virtual bool quiet() const = 0;
  // The traps that stopped it, one per line: tile, cycle, cause, instruction.
  virtual std::string traps() const = 0;
  // Who waits for whom, for a person to read.
  virtual std::string waiting() const = 0;
  // What keeps a wafer busy that makes no progress, for a person to read. May run on for a while: for a run that has ended anyway.
  virtual std::string busy() { return {}; }
  virtual WaferCounters counters() = 0;
  // Saves or loads what the port side holds (words offered, words allowed out). The tiles are the owner's to save and load.
  virtual void transfer(checkpoint::Archive& archive) = 0;
};

}  // namespace waferloom::systemc
