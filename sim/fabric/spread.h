#pragma once
// A fabric spread over several processes (ranks). Rank 0 has the whole array and the host; while it runs, each rank evaluates a rectangle of it.
//
// Between runs rank 0 reads and writes its own copy of the array: collect() brings what the others have, take_over() ends their part, and the next run hands it out
// again, cut anew by measured activity. So whatever works on a fabric of one process works on a spread one.
//
// In a run all ranks go through the same windows of cycles. A window ends with the first cycle in which some rank's boundary can change: a word moves one tile a
// cycle, so a rank whose nearest due unit lies d tiles from its boundary changes nothing there for d cycles. Then changed boundary words are exchanged and
// the next window is agreed on. A busy boundary makes windows of one cycle, a quiet one of as many as rest allows.
//
// Exactness: registers, memories, counters, port words, activity and the ending are those of one process. One exception: a rank stops in the cycle of its trap, the
// others may have gone on to the end of the window, and cycle() with them. The record of the trap and all tiles of its rank are exact. Such a fabric can be read, but
// does not run on.
// Ownership: owned by its fabric. Threads: the fabric's own. Errors: a lost rank is Stop::kFault and Fabric::error(); what was collected before stays readable.
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/fabric/fabric.h"
#include "sim/fabric/rectangles.h"
#include "sim/fabric/transport.h"

namespace waferloom::fabric {

class Spread {
 public:
  // Rank 0: nothing is sent before the first run.
  Spread(Fabric* fabric, Transport* transport);
  ~Spread();

  // ---- Rank 0.
  Stop run(uint64_t until, bool through_idle);
  Stop step();
  void collect(bool memory);
  // The same for writing. Without `memory` only registers may be written.
  void take_over(bool memory);
  // Whether others evaluate tiles now; then these do.
  bool out() const { return placed_ && !registers_here_; }
  bool away(uint32_t tile) const;
  uint64_t due_elsewhere() const { return due_elsewhere_; }
  // The inputs that ports drive at a tile of another rank have changed.
  void port_inputs(uint32_t tile);

  // ---- Every rank.
  // An output that leaves this rank, with where it goes.
  void crossing(const Fabric::Crossing& c);
  bool lost() const { return lost_; }
  const SpreadStatistics& statistics() const { return statistics_; }

  // ---- The other ranks (serve.h). `message`: what follows the kind of command.
  static std::string place(Transport* transport, checkpoint::Archive* message, std::unique_ptr<Fabric>* fabric);
  static Spread& of(Fabric& fabric) { return *fabric.spread_; }
  void serve_run(checkpoint::Archive* message);
  void serve_collect(checkpoint::Archive* message);

 private:
  // What one rank tells another: an input of a router there, or (to rank 0) an output towards a port.
  struct Word {
    uint32_t tile;   // of the whole array
    uint32_t place;  // direction * 2, + 1 for ready, + kOutput
    uint64_t value;
  };
  struct Partner {
    unsigned rank = 0;
    std::vector<Word> words;
  };
  // Of all ranks the least.
  struct Agreement {
    int64_t boundary = INT64_MAX;  // first cycle at whose end a boundary may change
    int64_t due = INT64_MAX;       // first cycle with something to do
    int64_t trap = 1;              // 0: somebody trapped
    int64_t fault = 1;
    int64_t waits = 1;             // 0: somebody waits
    int64_t worked_to = 0;         // less the cycle before which the last has had something to do
  };
  // How a run goes; the same on all ranks.
  struct Course {
    uint64_t cycle = 0, until = 0;
    uint8_t through_idle = 0, single = 0;
    void transfer(checkpoint::Archive& archive);
  };
  // Of one rank, since its last.
  struct Account {
    Activity activity;
    uint64_t last_active = 0;
    uint64_t due = 0;
    uint64_t busy_ns = 0;
    std::vector<Trap> traps;
    std::string error;
    void transfer(checkpoint::Archive& archive);
  };

  bool send(unsigned to, std::string bytes);
  bool receive(unsigned from, std::string* bytes);
  bool order(const std::string& bytes);  // rank 0: to all others
  void fail(const std::string& reason);
  void hand_out();
  void cut();
  bool worth_cutting() const;
  void note_busy();
  std::string place_message(unsigned rank) const;
  bool send_registers(unsigned to, const std::vector<uint32_t>& all);
  bool send_tiles(unsigned rank);
  std::string take_tiles();
  std::vector<uint32_t> tiles_of(unsigned rank) const;
  void settle(unsigned rank, std::vector<Rectangle> rectangles);
  void go_home();
  Stop run_together(const Course& course);
  Stop run_watched(uint64_t until, bool through_idle);
  bool windows(const Course& course, Agreement* ending);
  void window(uint64_t last);
  bool exchange_and_agree(bool exchange, const Agreement& own, Agreement* all);
  Agreement here() const;
  uint64_t boundary_distance() const;
  void take_words(const std::string& bytes, size_t at);
  void take(const Word& word);
  Partner* partner(unsigned rank);
  unsigned owner(uint32_t x, uint32_t y) const;
  void settle_accounts(Account* account);

  Fabric& fabric_;
  Transport& transport_;
  uint32_t number_ = 0;  // of this fabric among those of rank 0
  unsigned rank_ = 0;
  uint32_t width_ = 0, height_ = 0;  // of the whole array
  std::vector<Rectangle> rectangles_;
  Rectangle home_;
  std::vector<Partner> partners_;        // ranks that words are exchanged with
  bool inner_[4] = {};                   // sides that another rank or a port of rank 0 lies behind
  bool ramp_ports_ = false;
  uint64_t port_distance_ = UINT64_MAX;  // rank 0: cycles from a port's move to the boundary, at least
  std::vector<uint8_t> port_mask_;       // other ranks: per tile, directions with a port
  std::vector<uint64_t> sent_changes_;   // other ranks: of each tile's memories when rank 0 last had them
  Activity told_;                        // what has been accounted for
  bool placed_ = false, registers_here_ = true, memory_here_ = true;
  bool registers_fresh_ = false, memory_fresh_ = false;  // rank 0's copy, while others have the truth
  bool lost_ = false, words_out_ = false;
  bool trapped_ = false;                 // some rank
  uint64_t due_elsewhere_ = 0;
  uint64_t worked_to_ = 0;               // in this run: cycle behind the last with something to do here
  uint64_t busy_ns_ = 0;
  std::vector<uint64_t> rank_busy_ns_;   // since they were cut
  std::vector<uint64_t> busy_cycles_;    // of each tile, up to the last cut
  std::vector<uint64_t> work_;           // of each tile, between the last two
  std::chrono::steady_clock::duration cutting_{};
  SpreadStatistics statistics_;
};

}  // namespace waferloom::fabric
