// The ranks of one mpirun: the only file that knows MPI. Built into a library of its own, which launch.cpp loads when a launcher started the program.
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "sim/ranks/launch.h"
#include "sim/ranks/lifelines.h"

namespace waferloom::ranks {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kPart = std::size_t{1} << 30;        // of a message, for MPI's int
constexpr std::size_t kUnderWay = std::size_t{64} << 20;   // bytes that may wait to be taken by others
constexpr unsigned kLooks = 20000;                         // some milliseconds
constexpr auto kLookAtLines = std::chrono::milliseconds(2);
constexpr std::size_t kNameBytes = 128;

class MpiTransport : public fabric::Transport {
 public:
  MpiTransport(unsigned rank, unsigned size, bool crowded, Lifelines* lines, const std::vector<std::string>* names)
      : rank_(rank), size_(size), looks_(crowded ? 1 : kLooks), lines_(*lines), names_(*names) {}

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return size_; }
  const std::string& fault() const override { return fault_; }

  bool send(unsigned to, std::string bytes) override {
    if (!fault_.empty()) return false;
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
    return wait([this] {
      reap();
      return under_way_ <= kUnderWay;
    });
  }

  bool receive(unsigned from, std::string* bytes) override {
    bytes->clear();
    while (fault_.empty()) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      int there = 0;
      bool broken = false;
      const bool arrived = wait([&] {
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
      if (!wait([&] {
            broken = MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS;
            return done != 0 || broken;
          })) {
        return false;
      }
      if (broken) return lose(from);
      if (static_cast<std::size_t>(count) < kPart) return true;
    }
    return false;
  }

  // What is still under way, before the end.
  void drain() {
    wait([this] {
      reap();
      return pending_.empty();
    });
  }

 private:
  struct Pending {
    std::string bytes;
    MPI_Request request;
  };

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

  // Looks for some time, then gives the processor away, then sleeps; now and then at whether all are alive.
  template <typename Ready>
  bool wait(Ready&& ready) {
    for (unsigned i = 0; i < looks_; ++i) {
      if (ready()) return true;
    }
    auto looked = std::chrono::steady_clock::now();
    const auto start = looked;
    for (;;) {
      if (ready()) return true;
      const auto now = std::chrono::steady_clock::now();
      if (now - looked > kLookAtLines) {
        looked = now;
        const int lost = lines_.cut();
        if (lost >= 0 && !ready()) return lose(static_cast<unsigned>(lost));
      }
      if (now - start > std::chrono::milliseconds(20)) {
        std::this_thread::sleep_for(std::chrono::microseconds(now - start > std::chrono::seconds(1) ? 500 : 50));
      } else {
        ::sched_yield();
      }
    }
  }

  unsigned rank_, size_, looks_;
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
    int provided = 0, rank = 0, size = 1;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return "MPI does not start";
    if (provided < MPI_THREAD_FUNNELED) return "this MPI allows no threads beside it";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm near;
    int here = 1;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near) == MPI_SUCCESS) {
      MPI_Comm_size(near, &here);
      MPI_Comm_free(&near);
    }
    char host[64] = {};
    ::gethostname(host, sizeof host - 1);
    const std::string own = "rank " + std::to_string(rank) + " (process " + std::to_string(::getpid()) + " on " + host + ")";
    std::vector<char> name(kNameBytes, 0), all(kNameBytes * static_cast<std::size_t>(size), 0);
    std::memcpy(name.data(), own.data(), std::min(own.size(), kNameBytes - 1));
    MPI_Allgather(name.data(), static_cast<int>(kNameBytes), MPI_BYTE, all.data(), static_cast<int>(kNameBytes), MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r) names_.emplace_back(all.data() + kNameBytes * static_cast<std::size_t>(r));
    lay_lines(static_cast<unsigned>(rank), static_cast<unsigned>(size), here == size);
    const bool crowded = static_cast<unsigned>(here) > std::thread::hardware_concurrency();
    transport_ = std::make_unique<MpiTransport>(static_cast<unsigned>(rank), static_cast<unsigned>(size), crowded, &lines_, &names_);
    return "";
  }

  fabric::Transport& transport() override { return *transport_; }
  std::string name_of(unsigned rank) const override { return names_[rank]; }

  void finish(int code) override {
    if (!transport_->fault().empty()) {
      // MPI's own end would wait for the lost one. The launcher ends the others when rank 0 is gone, and they see it themselves.
      const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (transport_->rank() != 0 && lines_.cut() < 0 && std::chrono::steady_clock::now() < patience) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      ::_exit(code);
    }
    transport_->drain();
    lines_.let_go();
    MPI_Finalize();
  }

 private:
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
  std::unique_ptr<MpiTransport> transport_;
};

}  // namespace
}  // namespace waferloom::ranks

extern "C" __attribute__((visibility("default"))) waferloom::ranks::Launch* wl_mpi_join(std::string* error) {
  auto launch = std::make_unique<waferloom::ranks::MpiLaunch>();
  *error = launch->start();
  return error->empty() ? launch.release() : nullptr;
}
