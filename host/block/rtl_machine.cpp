#include "host/block/machine.h"
#include "sim/fabric/fabric.h"
#include "sim/generated/isa.h"
#include "sim/generated/registers.h"

namespace waferloom::block {
namespace {

class RtlMachine : public Machine {
 public:
  explicit RtlMachine(const RtlOptions& options) : options_(options), run_(options_.hooks, options_.limit_cycles, [this](checkpoint::Archive& archive) { transfer(archive); }) {}

  void carry(kernels::CaseRun::Transfer transfer) override { carried_ = std::move(transfer); }

  std::string start(const Program& program) override {
    const Shape& shape = program.shape;
    fabric::FabricOptions build;
    build.width = static_cast<std::uint32_t>(shape.width);
    build.height = static_cast<std::uint32_t>(shape.height);
    build.router = options_.router;
    build.pe = options_.pe;
    build.hop = options_.hop;
    build.skip = options_.skip;
    build.audit = options_.audit;
    build.threads = options_.threads;
    build.ranks = options_.ranks;
    build.edge_in = {options_.io_words_per_cycle, 1};
    std::string error = run_.create(build);
    if (!error.empty()) return error;
    ports_.clear();
    for (std::uint32_t x = 0; x < build.width; ++x) {
      fabric::PortId port = 0;
      if (!run_.fabric().attach_port(x, 0, fabric::Direction::kNorth, &port, &error)) return error;
      ports_.push_back(port);
      for (std::uint32_t y = 0; y < build.height && !run_.goes_on(); ++y) {
        const std::vector<std::uint8_t>& image = program.tile(static_cast<int>(x), static_cast<int>(y)).bytes;
        std::vector<std::uint64_t> words((image.size() + 3) / 4, 0);
        for (std::size_t i = 0; i < image.size(); ++i) words[i / 4] |= std::uint64_t{image[i]} << (8 * (i % 4));
        error = run_.fabric().load_image({x, y, 1, 1}, run_.memory(), 0, words);
        if (!error.empty()) return error;
      }
    }
    if (!run_.start()) return end(Ended::kFault, "it is not run");
    goes_on_ = booted_;
    if (booted_) return {};
    if (!run_.goes_on()) error = run_.activate(spec::kBootTask);
    if (error.empty()) error = rest(false);
    booted_ = error.empty();
    return error;
  }

  bool goes_on() const override { return goes_on_; }

  void send(const plan::EdgeWord& word) override {
    for (std::size_t x = 0; x < ports_.size(); ++x) {
      const bool all = word.column == plan::kEveryColumn;
      if (all || word.column == x) run_.fabric().ports().send(ports_[x], word.link, run_.fabric().cycle(), all && x != 0);
    }
  }

  std::string rest(bool may_wait) override {
    switch (run_.rest(may_wait)) {
      case kernels::Ending::kDone: break;
      case kernels::Ending::kTrap: return end(Ended::kTrap, run_.message());
      case kernels::Ending::kDeadlock: return end(Ended::kDeadlock, run_.message());
      case kernels::Ending::kLivelock: return end(Ended::kLivelock, run_.message());
      case kernels::Ending::kCycleLimit: return end(Ended::kLimit, run_.message());
      case kernels::Ending::kInterrupted: return end(Ended::kInterrupted, run_.message());
      case kernels::Ending::kFault: return end(Ended::kFault, run_.message());
    }
    cycles_ = run_.rest_cycles();
    const fabric::Fabric& fabric = run_.fabric();
    fabric.collect();  // for peek: nothing to do unless other ranks have tiles
    if (!fabric.error().empty()) return end(Ended::kFault, fabric.error());
    if (options_.audit && fabric.audit_report().violations != 0) return end(Ended::kFault, "skipping is not exact: " + fabric.audit_report().first_violation);
    return end(Ended::kRest, {});
  }

  bool receive(int column, std::uint64_t* link) override {
    fabric::ReceivedWord word;
    if (!run_.fabric().ports().receive(ports_[static_cast<std::size_t>(column)], &word)) return false;
    *link = word.word;
    return true;
  }

  std::uint32_t peek(int x, int y, std::uint32_t address, std::uint32_t bytes) const override {
    const std::uint32_t word = run_.word(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), address) >> (8 * (address % 4));
    return bytes == 2 ? word & 0xffffu : word;
  }

  std::uint64_t phase_cycles() const override { return cycles_; }

 private:
  void transfer(checkpoint::Archive& archive) {
    archive(booted_);
    if (carried_) carried_(archive);
  }

  RtlOptions options_;
  std::vector<fabric::PortId> ports_;
  std::uint64_t cycles_ = 0;
  bool booted_ = false, goes_on_ = false;
  kernels::CaseRun::Transfer carried_;
  kernels::CaseRun run_;
};

}  // namespace

std::unique_ptr<Machine> rtl_machine(const RtlOptions& options) { return std::make_unique<RtlMachine>(options); }

}  // namespace waferloom::block
