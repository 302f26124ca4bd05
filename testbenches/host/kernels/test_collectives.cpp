// Collectives on verilated tiles, small: values bit-exact against the golden order, cycles against the published formulas.
//
// State space: every kernel, rows, columns and rectangles of odd and even sizes down to one tile, one to a few hundred words, both precisions. Parameter space:
// wse2, wse1, wse3. Left out here: true sizes (collectives_full_test).
#include <cmath>
#include <tuple>

#include "host/kernels/collectives.h"
#include "testbenches/host/kernels/tiles.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;
using namespace waferloom::kernels;
using test::machine;
using config::KernelKind;
using config::Precision;

namespace {

struct Wanted {
  KernelKind kernel;
  int width, height, words;
  Precision precision = Precision::kFp32;
  int group = 0;
};

Measurement measure(const Wanted& w, const std::string& name = "wse2", bool audit = false) {
  config::KernelCase c;
  c.kernel = w.kernel;
  c.width = w.width;
  c.height = w.height;
  c.words = w.words;
  c.precision = w.precision;
  c.group = w.group;
  c.seed = 3;
  MachineOptions options = machine(name, &c.machine);
  options.audit = audit;
  const LayoutOutcome laid_out = lay_out(c, 0);
  const auto* layout = std::get_if<KernelLayout>(&laid_out);
  REQUIRE(layout != nullptr);
  return run_layout(*layout, options);
}

std::string text(const Wanted& w) {
  return std::string(config::to_string(w.kernel)) + " " + std::to_string(w.width) + "x" + std::to_string(w.height) + " B=" + std::to_string(w.words) + " " +
         config::to_string(w.precision);
}

void holds(const Wanted& w, const std::string& name = "wse2", bool audit = false) {
  const Measurement m = measure(w, name, audit);
  INFO(name << ": " << text(w) << ": " << m.message);
  CHECK(m.ending == Ending::kDone);
  CHECK(m.checked_words >= static_cast<std::uint64_t>(w.words));
  CHECK(m.wrong_words == 0);
}

const std::vector<KernelKind> kAll{KernelKind::kBroadcast, KernelKind::kReduceStar, KernelKind::kReduceChain, KernelKind::kReduceTree, KernelKind::kReduceTwoPhase,
                                   KernelKind::kAllreduceChain};

int group_of(KernelKind kind) { return kind == KernelKind::kReduceTwoPhase ? 3 : 0; }

}  // namespace

TEST_CASE("every kernel gives the golden values on every shape") {
  for (const KernelKind kind : kAll) {
    for (const auto& [width, height] : {std::pair(1, 1), std::pair(2, 1), std::pair(3, 1), std::pair(9, 1), std::pair(1, 2), std::pair(1, 6), std::pair(2, 2), std::pair(7, 5), std::pair(16, 4)}) {
      if (width * height == 1 && kind == KernelKind::kReduceTwoPhase) continue;
      for (const int words : {1, 2, 5, 24}) {
        for (const Precision precision : {Precision::kFp32, Precision::kFp16}) holds({kind, width, height, words, precision, group_of(kind)});
      }
    }
  }
}

TEST_CASE("the ring gives the golden values where the vector divides") {
  for (const auto& [width, height, words] : {std::tuple(1, 1, 1), std::tuple(2, 1, 2), std::tuple(3, 1, 12), std::tuple(8, 1, 16), std::tuple(1, 5, 10), std::tuple(4, 3, 24), std::tuple(2, 2, 8)}) {
    for (const Precision precision : {Precision::kFp32, Precision::kFp16}) holds({KernelKind::kAllreduceRing, width, height, words, precision});
  }
  for (const char* name : {"wse1", "wse3"}) holds({KernelKind::kAllreduceRing, 4, 3, 24}, name);
  holds({KernelKind::kAllreduceRing, 4, 2, 8}, "wse2", true);
}

TEST_CASE("the centre-rooted allreduce gives the golden values on every shape") {
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(2, 1), std::pair(1, 2), std::pair(2, 2), std::pair(3, 3), std::pair(9, 1), std::pair(1, 6), std::pair(7, 6), std::pair(12, 9)}) {
    for (const Precision precision : {Precision::kFp32, Precision::kFp16}) holds({KernelKind::kAllreduceCentre, width, height, 1, precision});
  }
  for (const char* name : {"wse1", "wse3"}) holds({KernelKind::kAllreduceCentre, 7, 6, 1}, name);
  holds({KernelKind::kAllreduceCentre, 7, 6, 1}, "wse2", true);
}

TEST_CASE("a vector that a ring cannot cut, or more than a word in the centre, is refused") {
  for (const auto& [kind, words] : {std::pair(KernelKind::kAllreduceRing, 7), std::pair(KernelKind::kAllreduceCentre, 2)}) {
    config::KernelCase c;
    c.kernel = kind;
    c.width = 4;
    c.words = words;
    machine("wse2", &c.machine);
    const LayoutOutcome laid_out = lay_out(c, 0);
    const auto* refusal = std::get_if<Refusal>(&laid_out);
    REQUIRE(refusal != nullptr);
    CHECK(refusal->key == "words");
  }
}

TEST_CASE("other machines give the golden values too") {
  for (const char* name : {"wse1", "wse3"}) {
    for (const KernelKind kind : kAll) {
      for (const int words : {1, 12}) {
        for (const Precision precision : {Precision::kFp32, Precision::kFp16}) holds({kind, 6, 3, words, precision, group_of(kind)}, name);
      }
    }
  }
}

TEST_CASE("skipping is exact under every kernel") {
  for (const KernelKind kind : kAll) holds({kind, 5, 4, 9, Precision::kFp32, group_of(kind)}, "wse2", true);
}

TEST_CASE("cycles follow the published formulas in small too") {
  struct Case {
    Wanted wanted;
    double cycles;
    double within;
  };
  // P tiles, B words, T_R = 2: see docs/validation.md.
  for (const Case& c : std::vector<Case>{
           {{KernelKind::kBroadcast, 16, 1, 1}, 1 + 16 + 4, 2},
           {{KernelKind::kBroadcast, 16, 1, 100}, 100 + 16 + 4, 2},
           {{KernelKind::kBroadcast, 12, 9, 10}, 10 + 12 + 9 - 2 + 5, 2},
           {{KernelKind::kReduceChain, 4, 1, 256}, 274, 2},
           {{KernelKind::kReduceChain, 8, 1, 256}, 298, 2},
           {{KernelKind::kReduceChain, 16, 1, 256}, 346, 2},
           {{KernelKind::kReduceChain, 16, 16, 256}, 692, 4},
           {{KernelKind::kReduceStar, 16, 1, 1}, 15 + 5, 4},
           {{KernelKind::kReduceTree, 16, 1, 1}, 15 + 5 * 4, 4},
           {{KernelKind::kReduceTwoPhase, 16, 1, 1, Precision::kFp32, 4}, 15 + 2 + 5 * 6, 4},
       }) {
    const Measurement m = measure(c.wanted);
    INFO(text(c.wanted) << ": " << m.cycles << " cycles, formula " << c.cycles);
    CHECK(std::fabs(static_cast<double>(m.cycles) - c.cycles) <= c.within);
  }
}

TEST_CASE("a chain adds exactly 2 T_R + 1 + hop cycles for each tile") {
  for (const auto& [name, step] : {std::pair("wse2", 6), std::pair("wse1", 6), std::pair("wse3", 7)}) {
    const std::uint64_t four = measure({KernelKind::kReduceChain, 4, 1, 8}, name).cycles, twelve = measure({KernelKind::kReduceChain, 12, 1, 8}, name).cycles;
    INFO(name << ": " << four << ", " << twelve);
    CHECK(twelve - four == static_cast<std::uint64_t>(8 * step));
  }
}

TEST_CASE("a wrong value is found, and said where") {
  config::KernelCase c;
  c.kernel = KernelKind::kReduceChain;
  c.width = 4;
  c.words = 3;
  const MachineOptions& options = machine("wse2", &c.machine);
  LayoutOutcome laid_out = lay_out(c, 0);
  KernelLayout& layout = std::get<KernelLayout>(laid_out);
  const auto initial = layout.initial;
  layout.initial = [initial](std::uint32_t x, std::uint32_t y) {
    Words words = initial(x, y);
    if (x == 2) words[1] ^= 0x00400000U;
    return words;
  };
  const Measurement m = run_layout(layout, options);
  CHECK(m.ending == Ending::kDone);
  CHECK(m.wrong_words == 1);
  REQUIRE(m.differences.size() == 1);
  CHECK((m.differences[0].x == 0 && m.differences[0].word == 1));
}

TEST_CASE("a missing route is a deadlock or a trap, not a hang") {
  config::KernelCase c;
  c.kernel = KernelKind::kReduceChain;
  c.width = 4;
  c.words = 3;
  const MachineOptions& options = machine("wse2", &c.machine);
  LayoutOutcome laid_out = lay_out(c, 0);
  KernelLayout& layout = std::get<KernelLayout>(laid_out);
  layout.routes.pop_back();
  const Measurement m = run_layout(layout, options);
  INFO(m.message);
  CHECK((m.ending == Ending::kTrap || m.ending == Ending::kDeadlock));
  CHECK(m.message.find("tile (") != std::string::npos);
}

TEST_CASE("what does not fit is refused with its key") {
  config::KernelCase c;
  c.kernel = KernelKind::kReduceChain;
  c.width = 4;
  c.words = 12288;
  machine("wse2", &c.machine);
  const LayoutOutcome laid_out = lay_out(c, 0);
  const auto* refusal = std::get_if<Refusal>(&laid_out);
  REQUIRE(refusal != nullptr);
  CHECK(refusal->key == "words");
  CHECK(refusal->hint.find("the memory of wse2 has 49152") != std::string::npos);
}
