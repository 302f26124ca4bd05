#include "host/kernels/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "firmware/assembler/disassembler.h"
#include "sim/fabric/activity.h"
#include "sim/fabric/recurrence.h"
#include "sim/fabric/trap_text.h"

namespace waferloom::kernels {
namespace {

using fabric::Fabric;
using fabric::Stop;
using fabric::UnitKind;

constexpr std::uint64_t kWatchedCycles = 1000;  // after a cycle limit, to tell a livelock from a kernel that takes longer
constexpr std::uint64_t kMostSlice = 4096;      // cycles
constexpr double kLongSlice = 0.1, kShortSlice = 0.03;  // seconds

}  // namespace

CaseRun::CaseRun(const CaseHooks& hooks, std::uint64_t limit_cycles, Transfer transfer) : hooks_(hooks), limit_cycles_(limit_cycles), transfer_(std::move(transfer)) {}

CaseRun::~CaseRun() { finish(); }

std::string CaseRun::create(const fabric::FabricOptions& build) {
  std::string error;
  fabric_ = Fabric::create(build, &error);
  if (fabric_ == nullptr) return error;
  const WlRegister* active = build.pe.reg_ending("task_act_q");
  if (active == nullptr) return "wl_pe has no register task_act_q";
  active_ = active->name;
  arena_ = fabric_->arena(UnitKind::kPe);
  api_ = &build.pe.api();
  const auto bytes = [&](std::uint32_t index) { return std::uint64_t{api_->memory(arena_, index)->words} * api_->memory(arena_, index)->bits / 8; };
  if (api_->memory_count(arena_) == 0) return "wl_pe has no memory to load a program into";
  for (std::uint32_t i = 1; i < api_->memory_count(arena_); ++i) {
    if (bytes(i) > bytes(sram_)) sram_ = i;
  }
  if (api_->memory(arena_, sram_)->bits != 32) return "the memory of wl_pe does not have words of 32 bits";
  memory_ = api_->memory(arena_, sram_)->name;
  return {};
}

std::uint32_t CaseRun::word(std::uint32_t x, std::uint32_t y, std::uint32_t address) const {
  return static_cast<std::uint32_t>(api_->memory_get(arena_, y * fabric_->width() + x, sram_, address / 4));
}

void CaseRun::set_word(std::uint32_t x, std::uint32_t y, std::uint32_t address, std::uint32_t value) {
  api_->memory_set(arena_, y * fabric_->width() + x, sram_, address / 4, value);
}

bool CaseRun::start() {
  if (goes_on()) {
    if (!hooks_.restore || !hooks_.restore(*fabric_)) return false;
    checkpoint::Archive archive(hooks_.progress);
    archive(begin_);
    transfer_(archive);
    continues_ = true;
  }
  started_ = true;
  return !hooks_.ready || hooks_.ready(*fabric_, names_);
}

std::string CaseRun::activate(unsigned task) {
  const auto change = [&] { return fabric_->set_register({0, 0, fabric_->width(), fabric_->height()}, UnitKind::kPe, active_, std::uint64_t{1} << task); };
  return hooks_.around_write ? hooks_.around_write(change) : change();
}

void CaseRun::save() {
  if (!hooks_.on_checkpoint) return;
  checkpoint::Archive archive;
  archive(begin_);
  transfer_(archive);
  hooks_.on_checkpoint(*fabric_, archive.bytes());
}

void CaseRun::finish() {
  if (!started_ || std::exchange(finished_, true)) return;
  if (hooks_.finished) hooks_.finished();
}

Ending CaseRun::ended(Ending how, std::string message) {
  message_ = std::move(message);
  return how;
}

std::string CaseRun::stuck() const { return fmt::format("nothing has moved since cycle {}\n", fabric_->last_active_cycle()) + fabric::waits_for(*fabric_, names_).text(); }

Ending CaseRun::rest(bool may_wait) {
  if (!std::exchange(continues_, false)) begin_ = fabric_->cycle();
  const std::uint64_t limit = limit_cycles_ == 0 ? std::numeric_limits<std::uint64_t>::max() : begin_ + limit_cycles_;
  const std::uint64_t every = hooks_.checkpoint_cycles;
  fabric::Recurrence circle(fabric_.get());
  while (true) {
    const auto began = std::chrono::steady_clock::now();
    const std::uint64_t cycle = fabric_->cycle();
    std::uint64_t until = std::min(limit, cycle + slice_);
    if (every != 0) until = std::min(until, (cycle / every + 1) * every);
    until = std::min(until, circle.next());
    const Stop stop = fabric_->run(until);
    if (stop == Stop::kIdle || (stop == Stop::kDeadlock && may_wait && fabric_->ports().pending_total() == 0)) return Ending::kDone;
    if (stop == Stop::kFault) return ended(Ending::kFault, fabric_->error());
    if (stop == Stop::kTrap) return ended(Ending::kTrap, fabric::traps_text(*fabric_, [](std::uint32_t word) { return assembler::disassemble(word); }));
    if (stop == Stop::kDeadlock) return ended(Ending::kDeadlock, stuck());
    if (circle.look()) {
      finish();  // what follows is no part of the case
      return ended(Ending::kLivelock, fmt::format("for ever: the same {} cycles follow each other again and again, and nothing passes the edge\n", circle.period()) +
                                          fabric::watch_activity(fabric_.get(), kWatchedCycles).text(names_));
    }
    if (fabric_->cycle() >= limit) {
      finish();  // what follows is no part of the case
      return ended(Ending::kCycleLimit, fmt::format("not finished after {} cycles\n", limit_cycles_) + fabric::watch_activity(fabric_.get(), kWatchedCycles).text(names_));
    }
    if (hooks_.interrupted && hooks_.interrupted()) {
      save();
      return ended(Ending::kInterrupted, "interrupted");
    }
    if (hooks_.wants_checkpoint && hooks_.wants_checkpoint(fabric_->cycle())) save();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (seconds > kLongSlice) slice_ = std::max<std::uint64_t>(slice_ / 2, 1);
    if (seconds < kShortSlice && until == cycle + slice_) slice_ = std::min(slice_ * 2, kMostSlice);
  }
}

}  // namespace waferloom::kernels
