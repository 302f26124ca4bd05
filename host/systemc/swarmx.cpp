#include "host/systemc/swarmx.h"

#include <algorithm>
#include <string>

#include "sim/macros/arith.h"

namespace waferloom::systemc {

SwarmX::SwarmX(const sc_core::sc_module_name& name, const CycleClock& clock, std::int64_t up_latency, std::int64_t down_latency, int systems, int columns)
    : HostModel(name, clock),
      to_memoryx("to_memoryx", clock, up_latency),
      from_memoryx("from_memoryx", inbox()),
      waiting_(static_cast<std::size_t>(systems), std::vector<std::deque<std::uint64_t>>(static_cast<std::size_t>(columns))),
      taken_(static_cast<std::size_t>(systems), 0) {
  for (int i = 0; i < systems; ++i) {
    to_system.push_back(std::make_unique<LinkSource>(("to_system" + std::to_string(i)).c_str(), clock, down_latency));
    from_system.push_back(std::make_unique<LinkSink>(("from_system" + std::to_string(i)).c_str(), inbox()));
  }
}

void SwarmX::state(checkpoint::Archive& archive) {
  archive(waiting_, taken_, passed_, step_, to_memoryx);
  for (auto& link : to_system) archive(*link);
}

void SwarmX::accept(Message message) {
  switch (message.channel) {
    case Channel::kWeights:
    case Channel::kResultsCredit:
      for (auto& system : to_system) system->send(message, now());
      return;
    case Channel::kResults:
      step_ = message.step;
      for (std::uint64_t word : message.words) waiting_[message.source][edge_column(word)].push_back(edge_link(word));
      return;
    case Channel::kWeightsCredit:
      taken_[message.source] += message.words.at(0);
      return;
    case Channel::kLoad:
    case Channel::kLoadCredit:
    case Channel::kScale:
      SC_REPORT_FATAL("waferloom/swarmx", "a message for the input server reached SwarmX");
  }
}

void SwarmX::sum_results() {
  Message sums;
  sums.channel = Channel::kResults;
  sums.step = step_;
  const std::size_t columns = waiting_[0].size();
  for (std::size_t column = 0; column < columns; ++column) {
    for (;;) {
      const bool all = std::all_of(waiting_.begin(), waiting_.end(), [&](const auto& system) { return !system[column].empty(); });
      if (!all) break;
      std::uint64_t link = waiting_[0][column].front();
      std::uint32_t sum = static_cast<std::uint32_t>(link);
      waiting_[0][column].pop_front();
      for (std::size_t system = 1; system < waiting_.size(); ++system) {
        sum = macros::add32(sum, static_cast<std::uint32_t>(waiting_[system][column].front()));
        waiting_[system][column].pop_front();
      }
      sums.words.push_back(pack_edge(static_cast<std::uint16_t>(column), (link & ~0xffffffffULL) | sum));
    }
  }
  if (!sums.words.empty()) to_memoryx.send(std::move(sums), now());
}

void SwarmX::pass_credit() {
  const std::uint64_t least = *std::min_element(taken_.begin(), taken_.end());
  if (least == passed_) return;
  Message credit;
  credit.channel = Channel::kWeightsCredit;
  credit.words = {least - passed_};
  passed_ = least;
  to_memoryx.send(std::move(credit), now());
}

void SwarmX::tick() {
  Message message;
  while (inbox().take(now(), message)) accept(std::move(message));
  sum_results();
  pass_credit();
}

}  // namespace waferloom::systemc
