// SwarmX between two systems: results are summed per column in the order of the systems, whoever comes first; credit is what the slower system has taken; weights and
// credits of results go to both. Left out: MemoryX and the wafer (run_program_test.py). One scenario, because SystemC elaborates once per process.
#include <cstring>

#include "host/systemc/swarmx.h"
#include "testbenches/lib/catch.h"

namespace sy = waferloom::systemc;

namespace {

std::uint64_t result_word(std::uint16_t column, float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return sy::pack_edge(column, (std::uint64_t{1} << 38U) | bits);
}

float value_of(std::uint64_t word) {
  const std::uint32_t bits = static_cast<std::uint32_t>(word);
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// What arrives at one end, and a link to send from there.
struct End {
  End(const std::string& name, const sy::CycleClock& clock) : source((name + "_out").c_str(), clock, 3), sink((name + "_in").c_str(), inbox) {}
  sy::Inbox inbox;
  sy::LinkSource source;
  sy::LinkSink sink;

  std::vector<sy::Message> all() {
    std::vector<sy::Message> messages;
    sy::Message message;
    while (inbox.take(INT64_MAX, message)) messages.push_back(message);
    return messages;
  }
};

}  // namespace

TEST_CASE("two systems: sums, credits, broadcast", "[swarmx]") {
  const sy::CycleClock clock(1e9);
  sy::SwarmX swarmx("swarmx", clock, 5, 5, 2, 2);
  End memoryx("memoryx", clock);
  End system0("system0", clock);
  End system1("system1", clock);
  memoryx.source.socket.bind(swarmx.from_memoryx.socket);
  swarmx.to_memoryx.socket.bind(memoryx.sink.socket);
  system0.source.socket.bind(swarmx.from_system[0]->socket);
  system1.source.socket.bind(swarmx.from_system[1]->socket);
  swarmx.to_system[0]->socket.bind(system0.sink.socket);
  swarmx.to_system[1]->socket.bind(system1.sink.socket);

  sy::Message weights;
  weights.channel = sy::Channel::kWeights;
  weights.words = {1, 2, 3};
  weights.last = true;
  memoryx.source.send(weights, 0);

  // System 1 is first and sends columns in another order; system 0 has one word more in column 1.
  sy::Message results;
  results.channel = sy::Channel::kResults;
  results.source = 1;
  results.words = {result_word(1, 0.5F), result_word(0, 1.0F), result_word(0, 16777216.0F)};
  system1.source.send(results, 0);
  results.source = 0;
  results.words = {result_word(0, 2.0F), result_word(0, 1.0F), result_word(1, 4.0F), result_word(1, 9.0F)};
  system0.source.send(results, 100);

  sy::Message credit;
  credit.channel = sy::Channel::kWeightsCredit;
  credit.source = 0;
  credit.words = {3};
  system0.source.send(credit, 100);
  credit.source = 1;
  credit.words = {2};
  system1.source.send(credit, 300);

  sc_core::sc_start(clock.at(1000));

  const std::vector<sy::Message> up = memoryx.all();
  std::vector<float> column0;
  std::vector<float> column1;
  std::uint64_t credits = 0;
  for (const sy::Message& message : up) {
    if (message.channel == sy::Channel::kWeightsCredit) credits += message.words.at(0);
    if (message.channel != sy::Channel::kResults) continue;
    CHECK(message.arrival > 100);
    for (std::uint64_t word : message.words) (sy::edge_column(word) == 0 ? column0 : column1).push_back(value_of(word));
  }
  CHECK(column0 == std::vector<float>{3.0F, 16777216.0F});  // 1 + 2^24 rounds to even
  CHECK(column1 == std::vector<float>{4.5F});               // the second word of system 0 waits for its partner
  CHECK(credits == 2);

  for (End* system : {&system0, &system1}) {
    const std::vector<sy::Message> down = system->all();
    REQUIRE(down.size() == 1);
    CHECK(down[0].channel == sy::Channel::kWeights);
    CHECK(down[0].words == std::vector<std::uint64_t>{1, 2, 3});
    CHECK(down[0].last);
  }
}
