// What travels between MemoryX, SwarmX, the input server and the systems, and how it looks in a TLM-2.0 generic payload.
#pragma once

#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

#include "host/plan/edge_stream.h"
#include "sim/checkpoint/archive.h"

namespace waferloom::systemc {

enum class Channel : std::uint8_t {
  kLoad = 0,     // input server -> system: edge words of the load phase
  kWeights = 1,  // MemoryX -> SwarmX -> system: edge words of every other phase
  kResults = 2,  // system -> SwarmX -> MemoryX: words that left the edge
  kLoadCredit = 3,     // the receiver took `words[0]` words: back-pressure, against the direction of the data
  kWeightsCredit = 4,
  kResultsCredit = 5,
  kScale = 6,  // MemoryX -> input server: the loss scale of step `step` (binary32), when it is dynamic
};

// Words of kLoad, kWeights: EdgeWord packed as column << 48 | link word. kResults: column << 48 | link word. Credits: one word, the count.
struct Message {
  Channel channel = Channel::kLoad;
  bool last = false;         // kLoad, kWeights: the last words of step `step`
  std::uint16_t source = 0;  // number of the system, or 0
  std::uint16_t phase = 0;   // kLoad, kWeights: index of the phase of the step; one message holds words of one phase
  std::int64_t step = 0;
  std::int64_t arrival = 0;  // wafer cycle from which the receiver may see it
  std::vector<std::uint64_t> words;

  void transfer(checkpoint::Archive& archive) { archive(channel, last, source, phase, step, arrival, words); }
};

constexpr std::uint64_t pack_edge(std::uint16_t column, std::uint64_t link) { return (std::uint64_t{column} << 48U) | link; }
constexpr std::uint16_t edge_column(std::uint64_t word) { return static_cast<std::uint16_t>(word >> 48U); }
constexpr std::uint64_t edge_link(std::uint64_t word) { return word & 0xffffffffffffULL; }
// Copies that the port makes of an edge word; buffers and credits count copies.
constexpr std::int64_t edge_copies(std::uint64_t word, int columns) { return edge_column(word) == plan::kEveryColumn ? columns : 1; }

// Carries messages over a TLM-2.0 socket: a write whose address is the channel and whose data is a header of three 64-bit words (step, arrival,
// phase, source and last) and the words, in the byte order of the host. The transport does not wait; the annotated delay is the link's latency.
inline std::vector<std::uint64_t> to_payload(const Message& message) {
  std::vector<std::uint64_t> data;
  data.reserve(message.words.size() + 3);
  data.push_back(static_cast<std::uint64_t>(message.step));
  data.push_back(static_cast<std::uint64_t>(message.arrival));
  data.push_back((std::uint64_t{message.phase} << 32U) | (std::uint64_t{message.source} << 1U) | (message.last ? 1U : 0U));
  data.insert(data.end(), message.words.begin(), message.words.end());
  return data;
}

// Empty answer (false): the payload is not one of ours; its response status says so.
inline bool from_payload(tlm::tlm_generic_payload& payload, Message& message) {
  const unsigned bytes = payload.get_data_length();
  if (payload.get_command() != tlm::TLM_WRITE_COMMAND) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return false;
  }
  if (payload.get_address() > 6 || bytes < 24 || bytes % 8 != 0 || payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return false;
  }
  std::vector<std::uint64_t> data(bytes / 8);
  std::memcpy(data.data(), payload.get_data_ptr(), bytes);
  message.channel = static_cast<Channel>(payload.get_address());
  message.step = static_cast<std::int64_t>(data[0]);
  message.arrival = static_cast<std::int64_t>(data[1]);
  message.source = static_cast<std::uint16_t>(data[2] >> 1U);
  message.phase = static_cast<std::uint16_t>(data[2] >> 32U);
  message.last = (data[2] & 1U) != 0;
  message.words.assign(data.begin() + 3, data.end());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return true;
}

}  // namespace waferloom::systemc
