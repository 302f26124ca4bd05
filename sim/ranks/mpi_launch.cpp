// The ranks of one mpirun: the only file that knows MPI. Built into a library of its own, which launch.cpp loads when a launcher started the program.
#include <mpi.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "sim/fabric/patience.h"
#include "sim/ranks/guard.h"
#include "sim/ranks/launch.h"
#include "sim/ranks/lifelines.h"
#include "sim/ranks/shared_boxes.h"

namespace waferloom::ranks {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kPart = std::size_t{1} << 30;        // of a message, for MPI's int
constexpr std::size_t kUnderWay = std::size_t{64} << 20;   // bytes that may wait to be taken by others
constexpr std::size_t kNameBytes = 128;
constexpr int kLostCode = 4;  // input or output: another process is gone
using Clock = fabric::Patience::Clock;
using std::chrono::microseconds;
constexpr microseconds kLookAtLines(2000);
constexpr microseconds kSleep(20'000);                       // until a bell rings, at most
constexpr microseconds kNap(20), kLongNap(500);              // between looks at other hosts, which cannot ring
constexpr microseconds kNapLongAfter(1'000'000);

// Between ranks of one host by shared memory, between hosts (or where there is no such memory) by MPI.
class MpiTransport : public fabric::Transport {
 public:
  using Wanted = SharedBoxes::Wanted;

  // `near`: by rank, its place among those that share `boxes`, -1 for others. `crowded`: more ranks than processors here.
  MpiTransport(unsigned rank, std::vector<int> near, bool crowded, SharedBoxes* boxes, Lifelines* lines, const std::vector<std::string>* names)
      : rank_(rank), near_(std::move(near)), patience_(crowded), boxes_(*boxes), lines_(*lines), names_(*names) {
    for (unsigned other = 0; other < near_.size(); ++other) far_ = far_ || (other != rank_ && near_[other] < 0);
  }

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return static_cast<unsigned>(near_.size()); }
  const std::string& fault() const override { return fault_; }

  bool send(unsigned to, std::string bytes) override {
    if (!fault_.empty()) return false;
    if (near_[to] >= 0) {
      std::size_t done = 0;
      return wait(Wanted::kRoom, [&] { return boxes_.put(static_cast<unsigned>(near_[to]), bytes, &done); });
    }
    // A message longer than a part is announced by a full part: the receiver takes parts until one is not full.
    const std::size_t length = bytes.size();
    for (std::size_t at = 0;; at += kPart) {
      const std::size_t count = std::min(kPart, length - at);
      pending_.push_back({at == 0 && count < kPart ? std::move(bytes) : bytes.substr(at, count), MPI_REQUEST_NULL});
      Pending& p = pending_.back();
      if (MPI_Isend(p.bytes.data(), static_cast<int>(count), MPI_BYTE, static_cast<int>(to), kTag, MPI_COMM_WORLD, &p.request) != MPI_SUCCESS) return lose(to);
      under_way_ += count;
      if (count < kPart) break;
    }
    return wait(Wanted::kData, [this] { return under_way_ <= kUnderWay; });
  }

  bool receive(unsigned from, std::string* bytes) override {
    bytes->clear();
    if (!fault_.empty()) return false;
    if (near_[from] < 0) return receive_far(from, bytes);
    const auto place = static_cast<unsigned>(near_[from]);
    return wait(Wanted::kData, [&] {
      if (boxes_.get(place, bytes)) return true;
      boxes_.drain(place);
      return boxes_.get(place, bytes);
    });
  }

  // What is still under way, before the end.
  void drain() {
    wait(Wanted::kData, [this] { return pending_.empty(); });
  }

 private:
  struct Pending {
    std::string bytes;
    MPI_Request request;
  };

  bool receive_far(unsigned from, std::string* bytes) {
    for (;;) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      int there = 0;
      bool broken = false;
      const bool arrived = wait(Wanted::kData, [&] {
        broken = MPI_Improbe(static_cast<int>(from), kTag, MPI_COMM_WORLD, &there, &message, &status) != MPI_SUCCESS;
        return there != 0 || broken;
      });
      if (!arrived) return false;
      int count = 0;
      if (broken || MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS) return lose(from);
      const std::size_t at = bytes->size();
      bytes->resize(at + static_cast<std::size_t>(count));
      MPI_Request request = MPI_REQUEST_NULL;
      if (MPI_Imrecv(bytes->data() + at, count, MPI_BYTE, &message, &request) != MPI_SUCCESS) return lose(from);
      int done = 0;
      if (!wait(Wanted::kData, [&] {
            broken = MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS;
            return done != 0 || broken;
          })) {
        return false;
      }
      if (broken) return lose(from);
      if (static_cast<std::size_t>(count) < kPart) return true;
    }
  }

  bool lose(unsigned rank) {
    if (fault_.empty()) fault_ = (rank < names_.size() ? names_[rank] : "rank " + std::to_string(rank)) + " was lost";
    return false;
  }

  // In order: the oldest are done first, nearly always.
  void reap() {
    while (!pending_.empty()) {
      int done = 0;
      if (MPI_Test(&pending_.front().request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done == 0) return;
      under_way_ -= pending_.front().bytes.size();
      pending_.pop_front();
    }
  }

  // Looks for some time, then sleeps; now and then at whether all are alive. Whoever waits takes what comes from anybody, so that two that wait for each other's
  // room go on.
  template <typename Ready>
  bool wait(Wanted wanted, Ready&& ready) {
    const auto look = [&] {
      if (ready()) return true;
      if (boxes_.ready()) boxes_.drain_all();
      if (far_) reap();
      return ready();
    };
    if (patience_.look(look)) return true;
    const auto start = Clock::now();
    bool found = false;
    for (auto looked = start; !found;) {
      const auto now = Clock::now();
      if (now - looked > kLookAtLines) {
        looked = now;
        const int lost = lines_.cut();
        if (lost >= 0 && !look()) return lose(static_cast<unsigned>(lost));
      }
      const microseconds nap = !far_ ? kSleep : now - start > kNapLongAfter ? kLongNap : kNap;
      if (boxes_.ready()) {
        boxes_.sleep(wanted, nap, [&] { return found = look(); });
      } else {
        std::this_thread::sleep_for(nap);
      }
      found = found || look();
    }
    return true;
  }

  unsigned rank_;
  std::vector<int> near_;
  bool far_ = false;
  fabric::Patience patience_;
  SharedBoxes& boxes_;
  Lifelines& lines_;
  const std::vector<std::string>& names_;
  std::string fault_;
  std::deque<Pending> pending_;
  std::size_t under_way_ = 0;
};

// What rank 0 tells all about how to call it.
struct Calling {
  uint64_t token = 0;
  uint16_t port = 0;
  uint16_t addresses = 0;
  char address[16][16] = {};
};

class MpiLaunch : public Launch {
 public:
  std::string start() {
    // What MPI itself waits for (start and end) shall not keep others from the processor.
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    ::prctl(PR_SET_TIMERSLACK, 1000ul);  // nanoseconds by which a nap may be too long
    guard_.start(kLostCode);
    int provided = 0, rank = 0, size = 1;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return "MPI does not start";
    if (provided < MPI_THREAD_FUNNELED) return "this MPI allows no threads beside it";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char host[64] = {};
    ::gethostname(host, sizeof host - 1);
    const std::string own = "rank " + std::to_string(rank) + " (process " + std::to_string(::getpid()) + " on " + host + ")";
    std::vector<char> name(kNameBytes, 0), all(kNameBytes * static_cast<std::size_t>(size), 0);
    std::memcpy(name.data(), own.data(), std::min(own.size(), kNameBytes - 1));
    MPI_Allgather(name.data(), static_cast<int>(kNameBytes), MPI_BYTE, all.data(), static_cast<int>(kNameBytes), MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r) names_.emplace_back(all.data() + kNameBytes * static_cast<std::size_t>(r));
    int here = 1;
    std::vector<int> near = share_boxes(rank, size, &here);
    lay_lines(static_cast<unsigned>(rank), static_cast<unsigned>(size), here == size);
    guard_.joined(static_cast<unsigned>(rank), rank == 0 ? -1 : lines_.first());
    const bool crowded = static_cast<unsigned>(here) > std::thread::hardware_concurrency();
    transport_ = std::make_unique<MpiTransport>(static_cast<unsigned>(rank), std::move(near), crowded, &boxes_, &lines_, &names_);
    return "";
  }

  fabric::Transport& transport() override { return *transport_; }
  std::string name_of(unsigned rank) const override { return names_[rank]; }

  void finish(int code) override {
    if (!transport_->fault().empty()) {
      // MPI's own end would wait for the lost one. The launcher ends the others when rank 0 is gone, and they see it themselves.
      const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (transport_->rank() != 0 && lines_.cut() < 0 && std::chrono::steady_clock::now() < patience) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      leave(code);
    }
    transport_->drain();
    lines_.let_go();
    guard_.let_go();
    if (guard_.launcher_gone()) leave(code);  // MPI would ask it
    MPI_Finalize();
  }

 private:
  // The ranks of this host, which share memory if all of them can have it: by rank the place there, or -1. *here: how many they are.
  std::vector<int> share_boxes(int rank, int size, int* here) {
    std::vector<int> near(static_cast<std::size_t>(size), -1);
    MPI_Comm host;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host) != MPI_SUCCESS) return near;
    int place = 0;
    MPI_Comm_size(host, here);
    MPI_Comm_rank(host, &place);
    std::vector<int> ranks(static_cast<std::size_t>(*here));
    MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, host);
    char name[48] = {};
    const auto members = static_cast<unsigned>(*here);
    int good = members > 1 ? 1 : 0;
    if (place == 0 && good != 0) {
      std::random_device random;
      std::snprintf(name, sizeof name, "/waferloom-%08x%08x", random(), random());
      good = boxes_.create(name, members, 0) ? 1 : 0;
    }
    MPI_Bcast(name, sizeof name, MPI_BYTE, 0, host);
    if (place != 0 && good != 0) good = boxes_.open(name, members, static_cast<unsigned>(place)) ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, host);
    if (place == 0) SharedBoxes::forget(name);
    MPI_Comm_free(&host);
    if (all == 0) {
      boxes_.close();
      return near;
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) near[static_cast<std::size_t>(ranks[i])] = static_cast<int>(i);
    return near;
  }

  void lay_lines(unsigned rank, unsigned size, bool one_host) {
    Calling calling;
    if (rank == 0) {
      std::random_device random;
      calling.token = uint64_t{random()} << 32 | random();
      calling.port = lines_.listen(!one_host, calling.token);
      std::vector<std::string> addresses = {"127.0.0.1"};
      if (!one_host) addresses = Lifelines::own_addresses();
      for (const std::string& text : addresses) {
        if (calling.addresses < 16 && text.size() < 16) std::memcpy(calling.address[calling.addresses++], text.data(), text.size());
      }
    }
    MPI_Bcast(&calling, sizeof calling, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      if (calling.port != 0) lines_.accept(size);
      return;
    }
    std::vector<std::string> addresses;
    for (unsigned i = 0; i < calling.addresses; ++i) addresses.emplace_back(calling.address[i]);
    lines_.call(addresses, calling.port, calling.token, rank);
  }

  std::vector<std::string> names_;
  Lifelines lines_;
  Guard guard_;
  SharedBoxes boxes_;
  std::unique_ptr<MpiTransport> transport_;
};

}  // namespace
}  // namespace waferloom::ranks

extern "C" __attribute__((visibility("default"))) waferloom::ranks::Launch* wl_mpi_join(std::string* error) {
  auto launch = std::make_unique<waferloom::ranks::MpiLaunch>();
  *error = launch->start();
  return error->empty() ? launch.release() : nullptr;
}
