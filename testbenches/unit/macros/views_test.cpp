// The two views of each macro against each other and against the host arithmetic, vector by vector.
//
// State space: operations x formats x operands; accumulators and memories as sequences. Parameter space: lanes 2, 4, 8; both SRAM
// sizes; window 256 and 512 bytes. Operands: corners crossed for the two- and three-operand operations, then random with close
// exponents (operands.h); binary16 unary operations exhaustively. What the host arithmetic computes is checked by arith_test against
// exact integers; here it is the yardstick for both views. Left out: registers before the first enable (no reset, nobody looks).
#include <array>
#include <memory>

#include "sim/macros/arith_group.h"
#include "testbenches/lib/bench.h"
#include "testbenches/lib/catch.h"
#include "testbenches/unit/macros/operands.h"

using namespace waferloom;
using namespace waferloom::macros;
using namespace waferloom::macros_test;

namespace {

constexpr LaneOp kLaneOps[] = {LaneOp::kMove, LaneOp::kAdd,  LaneOp::kSub,  LaneOp::kMul, LaneOp::kFma,  LaneOp::kMax, LaneOp::kMin,
                               LaneOp::kSel,  LaneOp::kLt,   LaneOp::kLe,   LaneOp::kEq,  LaneOp::kItof, LaneOp::kFtoi, LaneOp::kIadd,
                               LaneOp::kIsub, LaneOp::kSll,  LaneOp::kSrl,  LaneOp::kSra, LaneOp::kAnd,  LaneOp::kOr,  LaneOp::kXor};

const char* name(plugin::View view) { return view == plugin::View::kFast ? "fast" : "rtl"; }
constexpr plugin::View kViews[] = {plugin::View::kFast, plugin::View::kRtl};

BenchOptions options(plugin::View view) {
  BenchOptions o;
  o.view = view;
  return o;
}

// A port of 16 * lanes bits as a Group.
class GroupPort {
 public:
  GroupPort(Bench& bench, std::string port, int lanes) : bench_(bench), name_(std::move(port)), lanes_(lanes) {
    if (lanes <= 4) handle_ = bench.port(name_);
  }
  void set(const Group& g) {
    if (lanes_ <= 4) {
      handle_ = g.w[0];
    } else {
      bench_.set_wide(name_, {static_cast<uint32_t>(g.w[0]), static_cast<uint32_t>(g.w[0] >> 32), static_cast<uint32_t>(g.w[1]),
                              static_cast<uint32_t>(g.w[1] >> 32)});
    }
  }
  Group get() const {
    if (lanes_ <= 4) return {{handle_.get(), 0}};
    const auto w = bench_.get_wide(name_);
    return {{w[0] | static_cast<uint64_t>(w[1]) << 32, w[2] | static_cast<uint64_t>(w[3]) << 32}};
  }

 private:
  Bench& bench_;
  std::string name_;
  int lanes_;
  Bench::Port handle_;
};

// Random contents of a group; the unused high halves of 16-bit operands are random too, and must not matter.
Group random_group(Random& random, bool wide, bool is32, int lanes) {
  Group g;
  for (int k = 0; k < (wide ? lanes / 2 : lanes); ++k) {
    const uint32_t bits = is32 ? operand32(random) : operand16(random) | (wide ? static_cast<uint32_t>(random.next()) << 16 : 0u);
    g.put(wide, k, bits);
  }
  return g;
}

struct LanesBench {
  Bench bench;
  int lanes;
  Bench::Port en, op, fmt, mask, sat;
  GroupPort a, b, c, y;
  LanesBench(plugin::View view, int n)
      : bench("wl_lanes", {{"Lanes", std::to_string(n)}}, WL_RESET_RANDOM, options(view)), lanes(n), en(bench.port("en_i")),
        op(bench.port("op_i")), fmt(bench.port("fmt_i")), mask(bench.port("mask_i")), sat(bench.port("sat_o")),
        a(bench, "a_i", n), b(bench, "b_i", n), c(bench, "c_i", n), y(bench, "y_o", n) {}

  // True if the macro agrees with the host arithmetic.
  bool agrees(LaneOp operation, uint32_t formats, uint32_t enabled, const Group& x, const Group& z, const Group& w) {
    en = 1;
    op = static_cast<uint64_t>(operation);
    fmt = formats;
    mask = enabled;
    a.set(x);
    b.set(z);
    c.set(w);
    bench.tick();
    const GroupResult expected = lane_group(operation, Formats::from_port(formats), lanes, enabled, x, z, w);
    const Group got = y.get();
    if (got.w[0] == expected.y.w[0] && got.w[1] == expected.y.w[1] && sat.get() == expected.saturated) return true;
    UNSCOPED_INFO("op " << static_cast<int>(operation) << " fmt " << formats << " mask " << enabled << std::hex << " a " << x.w[1] << '_'
                        << x.w[0] << " b " << z.w[1] << '_' << z.w[0] << " c " << w.w[1] << '_' << w.w[0] << " y " << got.w[1] << '_'
                        << got.w[0] << " expected " << expected.y.w[1] << '_' << expected.y.w[0] << " sat " << sat.get() << " expected "
                        << expected.saturated);
    return false;
  }
};

}  // namespace

TEST_CASE("wl_lanes: random groups, every operation and format") {
  for (int lanes : {2, 4, 8}) {
    for (plugin::View view : kViews) {
      INFO("lanes " << lanes << " view " << name(view));
      LanesBench t(view, lanes);
      Random random("macros lanes");
      for (uint64_t i = 0; i < scaled(3000); ++i) {
        for (LaneOp op : kLaneOps) {
          const uint32_t fmt = random.chance(1, 3) ? 0u : static_cast<uint32_t>(random.below(16));
          const bool wide = fmt != 0;
          const uint32_t mask =
              random.chance(1, 2) ? (1u << lanes) - 1 : static_cast<uint32_t>(random.below(uint64_t{1} << lanes));
          const Group a = random_group(random, wide, (fmt & 1) != 0, lanes);
          const Group b = random_group(random, wide, (fmt & 2) != 0, lanes);
          const Group c = random_group(random, wide, (fmt & 4) != 0, lanes);
          if (!t.agrees(op, fmt, mask, a, b, c)) FAIL("first difference");
        }
      }
      // Without enable nothing changes.
      const Group held = t.y.get();
      t.en = 0;
      t.op = 1;
      t.a.set({{0x3c003c003c003c00ull, 0}});
      t.bench.ticks(3);
      CHECK(t.y.get().w[0] == held.w[0]);
      CHECK(t.y.get().w[1] == held.w[1]);
    }
  }
}

TEST_CASE("wl_lanes: corners crossed, and every binary16 operand of the unary operations") {
  const auto& c16 = corners16();
  const auto& c32 = corners32();
  for (plugin::View view : kViews) {
    INFO("view " << name(view));
    LanesBench t(view, 4);
    // Narrow: four pairs at a time.
    for (LaneOp op : {LaneOp::kAdd, LaneOp::kSub, LaneOp::kMul, LaneOp::kMax, LaneOp::kMin, LaneOp::kLt, LaneOp::kLe, LaneOp::kEq}) {
      for (uint16_t x : c16) {
        for (size_t i = 0; i < c16.size(); i += 4) {
          Group a, b;
          for (int k = 0; k < 4; ++k) {
            a.put(false, k, x);
            b.put(false, k, c16[(i + static_cast<size_t>(k)) % c16.size()]);
          }
          if (!t.agrees(op, 0, 15, a, b, {})) FAIL("first difference");
        }
      }
    }
    // Wide: one pair at a time in both elements, swapped in the second where the operation takes two elements.
    for (LaneOp op : {LaneOp::kAdd, LaneOp::kMul, LaneOp::kMax, LaneOp::kMin, LaneOp::kLt, LaneOp::kLe, LaneOp::kEq}) {
      for (uint32_t x : c32) {
        for (uint32_t z : c32) {
          const uint64_t p = x | static_cast<uint64_t>(z) << 32;
          const uint64_t q = z | static_cast<uint64_t>(x) << 32;
          if (!t.agrees(op, 11, 3, {{p, 0}}, {{q, 0}}, {})) FAIL("first difference");
          if (op == LaneOp::kAdd && !t.agrees(op, 3, 3, {{p, 0}}, {{q, 0}}, {})) FAIL("first difference");
        }
      }
    }
    for (uint32_t h = 0; h < 0x10000; ++h) {
      const Group narrow{{h * 0x0001000100010001ull, 0}};
      if (!t.agrees(LaneOp::kMove, 8, 3, narrow, {}, {})) FAIL("first difference");
      if (!t.agrees(LaneOp::kFtoi, 0, 15, narrow, {}, {})) FAIL("first difference");
      if (!t.agrees(LaneOp::kFtoi, 8, 3, narrow, {}, {})) FAIL("first difference");
      if (!t.agrees(LaneOp::kItof, 0, 15, narrow, {}, {})) FAIL("first difference");
      // Every binary16, its neighbours in binary32 and the midpoint above it, narrowed.
      const uint32_t wide = half_to_single(static_cast<uint16_t>(h));
      const uint64_t both = (wide + 0x1000u) | static_cast<uint64_t>(wide + 0x0fffu + (h & 2u)) << 32;
      if (!t.agrees(LaneOp::kMove, 1, 3, {{both, 0}}, {}, {})) FAIL("first difference");
    }
    for (uint32_t k = 0; k < 0x400; ++k) {
      for (int offset : {-1, 0, 1}) {
        if (!t.agrees(LaneOp::kMove, 1, 3, {{subnormal_midpoint(k, offset) * 0x100000001ull, 0}}, {}, {})) FAIL("first difference");
      }
    }
    for (uint32_t x : c32) {
      for (LaneOp op : {LaneOp::kMove, LaneOp::kItof, LaneOp::kFtoi}) {
        for (uint32_t fmt : {1u, 9u}) {
          if (!t.agrees(op, fmt, 3, {{x * 0x100000001ull, 0}}, {}, {})) FAIL("first difference");
        }
      }
    }
  }
}

TEST_CASE("wl_lanes: fused multiply-add, corners in three operands and near cancellation") {
  for (plugin::View view : kViews) {
    INFO("view " << name(view));
    LanesBench t(view, 4);
    Random random("macros fma");
    const auto& c16 = corners16();
    for (uint16_t x : c16) {
      for (size_t i = 0; i < c16.size(); i += 4) {
        for (size_t j = 0; j < c16.size(); j += 3) {
          Group a, b, c;
          for (int k = 0; k < 4; ++k) {
            a.put(false, k, x);
            b.put(false, k, c16[(i + static_cast<size_t>(k)) % c16.size()]);
            c.put(false, k, c16[(j + static_cast<size_t>(k)) % c16.size()]);
          }
          if (!t.agrees(LaneOp::kFma, 0, 15, a, b, c)) FAIL("first difference");
        }
      }
    }
    // c = -(a * b) rounded, off by a few units: what remains are the low bits of the product.
    for (uint64_t i = 0; i < scaled(40000); ++i) {
      const uint32_t a = operand32(random);
      const uint32_t b = operand32(random);
      const uint32_t c = (mul32(a, b) ^ 0x80000000u) + static_cast<uint32_t>(random.below(5)) - 2;
      if (!t.agrees(LaneOp::kFma, 15, 1, {{a, 0}}, {{b, 0}}, {{c, 0}})) FAIL("first difference");
      const Triple32 s = small_product(random);
      if (!t.agrees(LaneOp::kFma, 15, 1, {{s.a, 0}}, {{s.b, 0}}, {{s.c, 0}})) FAIL("first difference");
      if (!t.agrees(LaneOp::kAdd, 11, 3, {{s.c | uint64_t{s.a} << 32, 0}}, {{mul32(s.a, s.b) | uint64_t{s.c} << 32, 0}}, {})) FAIL("first difference");
      if (!t.agrees(LaneOp::kAdd, 11, 1, {{mul32(s.a, s.b), 0}}, {{s.c, 0}}, {})) FAIL("first difference");
      const uint16_t x = operand16(random);
      const uint16_t y = operand16(random);
      // Small products, narrowed among the subnormals, where what the sum lost must still be felt.
      const uint16_t x_small = static_cast<uint16_t>((x & 0x83ff) | ((random.below(4) + 1) << 10));
      const uint16_t y_small = static_cast<uint16_t>((y & 0x83ff) | ((random.below(4) + 1) << 10));
      if (!t.agrees(LaneOp::kFma, 0, 1, {{x_small, 0}}, {{y_small, 0}}, {{random.below(8), 0}})) FAIL("first difference");
      const uint16_t z = static_cast<uint16_t>((mul16(x, y) ^ 0x8000) + random.below(5) - 2);
      if (!t.agrees(LaneOp::kFma, 0, 1, {{x, 0}}, {{y, 0}}, {{z, 0}})) FAIL("first difference");
      const uint32_t w = (mul32(half_to_single(x), half_to_single(y)) ^ 0x80000000u) + static_cast<uint32_t>(random.below(5)) - 2;
      if (!t.agrees(LaneOp::kFma, 12, 1, {{x, 0}}, {{y, 0}}, {{w, 0}})) FAIL("first difference");
    }
  }
}
