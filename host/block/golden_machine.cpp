#include "host/block/machine.h"
#include "sim/golden/fabric.h"

namespace waferloom::block {
namespace {

constexpr std::uint64_t kMostSteps = 400'000'000;  // of a phase: far more than any shape that fits takes

class GoldenMachine : public Machine {
 public:
  explicit GoldenMachine(std::uint64_t shuffle_seed) { options_.shuffle_seed = shuffle_seed; }

  std::string start(const Program& program) override {
    const Shape& shape = program.shape;
    options_.width = static_cast<std::uint32_t>(shape.width);
    options_.height = static_cast<std::uint32_t>(shape.height);
    options_.pe.lanes = static_cast<std::uint32_t>(shape.lanes);
    options_.pe.sram_bytes = static_cast<std::uint32_t>(shape.sram_bytes);
    options_.pe.window_bytes = static_cast<std::uint32_t>(shape.window_bytes);
    fabric_ = std::make_unique<golden::Fabric>(options_);
    std::string error;
    ports_.clear();
    for (std::uint32_t x = 0; x < options_.width; ++x) {
      golden::PortId port = 0;
      error += fabric_->attach_port(x, 0, spec::Direction::kNorth, &port);
      ports_.push_back(port);
      for (std::uint32_t y = 0; y < options_.height; ++y) error += fabric_->load({x, y, 1, 1}, {program.tile(static_cast<int>(x), static_cast<int>(y)).bytes, 0, {}});
    }
    error += fabric_->boot({0, 0, options_.width, options_.height});
    return error.empty() ? rest(false) : error;
  }

  void send(const plan::EdgeWord& word) override {
    for (std::size_t x = 0; x < ports_.size(); ++x) {
      if (word.column == plan::kEveryColumn || word.column == x) fabric_->send(ports_[x], word.link);
    }
  }

  std::string rest(bool may_wait) override {
    const golden::Halt halt = fabric_->run(kMostSteps);
    std::string text;
    for (const golden::PortId port : ports_) may_wait = may_wait && fabric_->pending(port) == 0;
    if (halt == golden::Halt::kIdle || (may_wait && halt == golden::Halt::kDeadlock)) return end(Ended::kRest, {});
    text = halt == golden::Halt::kDeadlock ? "a deadlock" : halt == golden::Halt::kTrap ? "a trap" : "no end";
    for (const golden::FabricTrap& trap : fabric_->traps()) text += "\n  " + trap.text();
    for (const golden::Waiting& w : fabric_->waiting(16)) text += "\n  (" + std::to_string(w.x) + ", " + std::to_string(w.y) + ") " + w.text;
    return end(halt == golden::Halt::kDeadlock ? Ended::kDeadlock : halt == golden::Halt::kTrap ? Ended::kTrap : Ended::kLimit, text);
  }

  bool receive(int column, std::uint64_t* link) override { return fabric_->receive(ports_[static_cast<std::size_t>(column)], link); }

  std::uint32_t peek(int x, int y, std::uint32_t address, std::uint32_t bytes) const override {
    return fabric_->pe(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)).peek(static_cast<std::uint16_t>(address), bytes);
  }

  std::uint64_t phase_cycles() const override { return 0; }

 private:
  golden::FabricOptions options_;
  std::unique_ptr<golden::Fabric> fabric_;
  std::vector<golden::PortId> ports_;
};

}  // namespace

std::unique_ptr<Machine> golden_machine(std::uint64_t shuffle_seed) { return std::make_unique<GoldenMachine>(shuffle_seed); }

}  // namespace waferloom::block
