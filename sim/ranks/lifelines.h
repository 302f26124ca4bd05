#pragma once
// One TCP connection from every rank to rank 0 on which nothing is ever said: the operating system closes it when a process ends, however it ends.
// MPI itself may wait for ever for a process that is gone.
//
// Threads: the owner's. Errors: a rank whose line cannot be laid (a firewall) is not watched.
#include <cstdint>
#include <string>
#include <vector>

namespace waferloom::ranks {

class Lifelines {
 public:
  Lifelines() = default;
  ~Lifelines();
  Lifelines(const Lifelines&) = delete;
  Lifelines& operator=(const Lifelines&) = delete;

  // Rank 0: opens the place to call. `everywhere`: from other hosts too. Returns the port, 0 if that cannot be had.
  uint16_t listen(bool everywhere, uint64_t token);
  // Rank 0: waits for the calls of ranks 1 to ranks - 1, some seconds at most.
  void accept(unsigned ranks);
  // The other ranks: by the first address that answers.
  void call(const std::vector<std::string>& addresses, uint16_t port, uint64_t token, unsigned rank);

  // The rank whose line was cut, -1 if none. Takes a system call.
  int cut();
  // Descriptor of the first line, -1 if there is none; the object keeps it.
  int first() const { return lines_.empty() ? -1 : lines_.front().descriptor; }
  // From here on ends are in order.
  void let_go() { watching_ = false; }

  // Numeric addresses of this host.
  static std::vector<std::string> own_addresses();

 private:
  struct Line {
    int descriptor = -1;
    unsigned rank = 0;
  };
  int listener_ = -1;
  uint64_t token_ = 0;
  bool watching_ = true;
  std::vector<Line> lines_;
};

}  // namespace waferloom::ranks
