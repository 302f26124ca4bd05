// Messages on their way to a model, in an order that depends on their time stamps and senders alone, never on the order in which
// SystemC ran the senders.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "host/systemc/message.h"

namespace waferloom::systemc {

class Inbox {
 public:
  void put(Message message) {
    const Entry entry{std::move(message), sequence_++};
    entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), entry, before), entry);
  }

  bool empty() const { return entries_.empty(); }
  // Arrival of the earliest message. Requires !empty().
  std::int64_t next_arrival() const { return entries_.front().message.arrival; }

  // Arrival of the last message that was taken; 0 before the first.
  std::int64_t last_arrival() const { return last_arrival_; }

  // Takes the earliest message if it has arrived by `cycle`.
  bool take(std::int64_t cycle, Message& message) {
    if (entries_.empty() || entries_.front().message.arrival > cycle) return false;
    message = std::move(entries_.front().message);
    last_arrival_ = message.arrival;
    entries_.erase(entries_.begin());
    return true;
  }

  void transfer(checkpoint::Archive& archive) { archive(entries_, sequence_, last_arrival_); }

 private:
  struct Entry {
    Message message;
    std::uint64_t sequence = 0;
    void transfer(checkpoint::Archive& archive) { archive(message, sequence); }
  };
  // Messages of one sender on one channel keep their order (the sequence); between senders and channels the names decide.
  static bool before(const Entry& a, const Entry& b) {
    return std::tie(a.message.arrival, a.message.source, a.message.channel, a.sequence) <
           std::tie(b.message.arrival, b.message.source, b.message.channel, b.sequence);
  }

  std::vector<Entry> entries_;
  std::uint64_t sequence_ = 0;
  std::int64_t last_arrival_ = 0;
};

}  // namespace waferloom::systemc
