// SwarmX: weights down to every system, results up and summed. With one system it passes them on.
//
// Results are binary32 words in a fixed order per column. The sum of a word is taken in ascending order of the systems' numbers, each addition rounded once, so it does not
// depend on who comes first. A system may be ahead by as many results as its port buffers: MemoryX gives all systems leave to send the next only when it has a sum.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "host/systemc/host_model.h"

namespace waferloom::systemc {

class SwarmX : public HostModel {
 public:
  LinkSource to_memoryx;
  LinkSink from_memoryx;
  std::vector<std::unique_ptr<LinkSource>> to_system;
  std::vector<std::unique_ptr<LinkSink>> from_system;

  // `up_latency`, `down_latency`: cycles to MemoryX and to a system, the tree's levels included. `columns` of each system.
  SwarmX(const sc_core::sc_module_name& name, const CycleClock& clock, std::int64_t up_latency, std::int64_t down_latency, int systems, int columns);

 protected:
  void tick() override;
  void state(checkpoint::Archive& archive) override;

 private:
  void accept(Message message);
  void sum_results();
  void pass_credit();

  std::vector<std::vector<std::deque<std::uint64_t>>> waiting_;  // [system][column]: results not yet summed
  std::vector<std::uint64_t> taken_;                             // weight words that each system has taken, in all
  std::uint64_t passed_ = 0;                                     // of them passed on as credit
  std::int64_t step_ = 0;
};

}  // namespace waferloom::systemc
