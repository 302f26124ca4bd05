#pragma once
// How the processes (ranks) of one run talk: whole messages, in order between each pair. sim/ranks has it over MPI; tests have it between threads.
//
// Threads: one thread of a rank uses its transport. Errors: once a rank is lost every call returns false and fault() says which; a transport never recovers.
#include <cstdint>
#include <string>

namespace waferloom::fabric {

class Transport {
 public:
  virtual ~Transport() = default;
  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;
  // Returns at once; the message is on its way.
  virtual bool send(unsigned to, std::string bytes) = 0;
  // Waits for the next message from that rank.
  virtual bool receive(unsigned from, std::string* bytes) = 0;
  // "" or who was lost: one line for a user.
  virtual const std::string& fault() const = 0;
  // 1, 2, 3 ...: for what rank 0 has to name towards the others.
  uint32_t next_number() { return ++number_; }

 private:
  uint32_t number_ = 0;
};

}  // namespace waferloom::fabric
