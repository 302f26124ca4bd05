// Lockstep of a whole array: every traced PE of a fabric beside its own golden PE, edge by edge. Routers need no model here: what they
// deliver is taken from the trace, and a wavelet that went astray shows at the PE that misses it.
//
// Ownership: refers to the fabric, which must outlive it. Threads: the fabric's own.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/fabric/fabric.h"
#include "sim/lockstep/checker.h"
#include "sim/trace/pe_trace.h"

namespace waferloom::lockstep {

class FabricLockstep {
 public:
  // Takes over memory and task flags as loaded; call when everything is loaded and nothing has run. "" or what is missing (a PE built
  // without the tracer, a name that the RTL does not have).
  std::string attach(fabric::Fabric* fabric, golden::PeParameters parameters);
  // Replays what the last cycle did. Called for every cycle by the observer that attach installs.
  void observe();
  // The fabric is at rest: nothing may be due.
  bool finish();

  bool ok() const { return found_ == nullptr; }
  // Requires !ok().
  const Finding& finding() const { return found_->finding(); }
  uint64_t scalars() const;
  uint64_t elements() const;
  const Checker& checker(uint32_t x, uint32_t y) const { return checkers_[y * fabric_->width() + x]; }
  void set_disassembler(std::function<std::string(uint32_t word)> disassembler);

 private:
  std::string take_state(uint32_t tile, golden::Pe* golden) const;
  fabric::Fabric* fabric_ = nullptr;
  trace::PeTrace trace_;
  std::vector<Checker> checkers_;
  std::vector<uint32_t> serials_;
  const Checker* found_ = nullptr;
};

}  // namespace waferloom::lockstep
