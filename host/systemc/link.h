// One direction of a host link: a TLM-2.0 initiator that stamps messages with their arrival, and a target that puts them into an inbox.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "host/systemc/cycle_clock.h"
#include "host/systemc/inbox.h"

namespace waferloom::systemc {

class LinkSource : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<LinkSource> socket;

  // `latency`: cycles from sending to arrival, at least 1.
  LinkSource(const sc_core::sc_module_name& name, const CycleClock& clock, std::int64_t latency)
      : sc_core::sc_module(name), socket("socket"), clock_(clock), latency_(latency) {}

  std::int64_t latency() const { return latency_; }

  // Sends at wafer cycle `now`. A refusal by the target is a fault of ours.
  void send(Message message, std::int64_t now) {
    message.arrival = now + latency_;
    std::vector<std::uint64_t> data = to_payload(message);
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(static_cast<sc_dt::uint64>(message.channel));
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
    payload.set_data_length(static_cast<unsigned>(data.size() * sizeof(std::uint64_t)));
    payload.set_streaming_width(payload.get_data_length());
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = clock_.at(message.arrival) - clock_.at(now);
    socket->b_transport(payload, delay);
    if (payload.is_response_error()) SC_REPORT_FATAL("waferloom/link", payload.get_response_string().c_str());
    words_ += message.words.size();
  }

  std::uint64_t words() const { return words_; }
  void transfer(checkpoint::Archive& archive) { archive(words_); }

 private:
  const CycleClock& clock_;
  std::int64_t latency_;
  std::uint64_t words_ = 0;
};

class LinkSink : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<LinkSink> socket;

  LinkSink(const sc_core::sc_module_name& name, Inbox& inbox) : sc_core::sc_module(name), socket("socket"), inbox_(inbox) {
    socket.register_b_transport(this, &LinkSink::receive);
  }

 private:
  void receive(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    Message message;
    if (from_payload(payload, message)) inbox_.put(std::move(message));
  }

  Inbox& inbox_;
};

}  // namespace waferloom::systemc
