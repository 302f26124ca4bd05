#pragma once
// What the benches of the small modules of rtl/macros share: wl_leaf_bench (rtl/wl_leaf_bench.sv here), driven as a function, and a tally
// of vectors. Modules without state: reset values cannot matter, order cannot matter.
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>

#include "testbenches/lib/bench.h"

namespace waferloom::macros_test {

__extension__ using Wide = unsigned __int128;

inline BenchOptions leaf_options() {
  BenchOptions options;
  options.view = plugin::View::kRtl;
  options.rtl_roots = {WL_SOURCE_DIR "/testbenches/unit/macros/rtl"};
  return options;
}

// Whose result wl_leaf_bench shows.
enum class Leaf { kNormalise = 0, kShift = 6, kRound = 10, kWiden = 13, kNarrow = 14, kInt = 15, kCompare = 16, kAlu = 17 };

struct LeafResult {
  Wide y;
  uint32_t flags;
  uint32_t low() const { return static_cast<uint32_t>(y); }
  uint32_t high() const { return static_cast<uint32_t>(y >> 64); }
};

class LeafBench {
 public:
  LeafBench()
      : bench_("wl_leaf_bench", {}, WL_RESET_RANDOM, leaf_options()), select_(bench_.port("select_i")), x_high_(bench_.port("x_high_i")),
        x_low_(bench_.port("x_low_i")), z_(bench_.port("z_i")), control_(bench_.port("control_i")), y_high_(bench_.port("y_high_o")),
        y_low_(bench_.port("y_low_o")), flags_(bench_.port("flags_o")) {}

  // `variant` counts the parameters of one module in the order of the table in wl_leaf_bench.sv.
  LeafResult operator()(Leaf module, unsigned variant, Wide x, uint32_t z, uint32_t control) {
    select_ = static_cast<uint64_t>(module) + variant;
    x_high_ = static_cast<uint64_t>(x >> 64);
    x_low_ = static_cast<uint64_t>(x);
    z_ = z;
    control_ = control;
    bench_.settle();
    return {static_cast<Wide>(y_high_.get()) << 64 | y_low_.get(), static_cast<uint32_t>(flags_.get())};
  }

 private:
  Bench bench_;
  Bench::Port select_, x_high_, x_low_, z_, control_, y_high_, y_low_, flags_;
};

// Counts vectors and differences, and keeps the first difference in words. Catch's macros cost too much in loops of millions.
class Tally {
 public:
  explicit Tally(std::string what) : what_(std::move(what)) {}
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  ~Tally() { std::printf("%s: %llu vectors, %llu wrong\n", what_.c_str(), static_cast<unsigned long long>(vectors_), static_cast<unsigned long long>(wrong_)); }

  void expect(uint64_t got, uint64_t expected, std::initializer_list<uint64_t> stimulus) {
    ++vectors_;
    if (got == expected) return;
    if (wrong_++ > 0) return;
    char text[32];
    first_ = what_ + ": first difference for";
    for (const uint64_t s : stimulus) {
      std::snprintf(text, sizeof text, " %llx", static_cast<unsigned long long>(s));
      first_ += text;
    }
    std::snprintf(text, sizeof text, ": %llx", static_cast<unsigned long long>(got));
    first_ += text;
    std::snprintf(text, sizeof text, ", expected %llx", static_cast<unsigned long long>(expected));
    first_ += text;
  }

  uint64_t vectors() const { return vectors_; }
  // "" if everything agreed.
  const std::string& first() const { return first_; }

 private:
  std::string what_, first_;
  uint64_t vectors_ = 0, wrong_ = 0;
};

}  // namespace waferloom::macros_test
