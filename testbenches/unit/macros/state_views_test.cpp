// The two views of the macros with state: accumulators, SFU pipeline, SRAM, accumulator window.
//
// State space: sequences of random operations against a model of a few lines (the host arithmetic; an array). Parameter space: lanes
// 2, 4, 8; 128 and 1536 rows; windows of 0, 256, 512 bytes. Reset values 0, 1, random: results after the first write or clear may
// not depend on them. Left out: simultaneous use of several SRAM instances (plug-in and fabric tests), timing beyond the latency.
#include <deque>
#include <optional>

#include "sim/macros/arith_group.h"
#include "testbenches/lib/bench.h"
#include "testbenches/lib/catch.h"
#include "testbenches/unit/macros/operands.h"

using namespace waferloom;
using namespace waferloom::macros;
using namespace waferloom::macros_test;

namespace {

constexpr plugin::View kViews[] = {plugin::View::kFast, plugin::View::kRtl};
const char* name(plugin::View view) { return view == plugin::View::kFast ? "fast" : "rtl"; }
BenchOptions options(plugin::View view) {
  BenchOptions o;
  o.view = view;
  return o;
}

void set_group(Bench& bench, const std::string& port, int lanes, const Group& g) {
  if (lanes <= 4) {
    bench.set(port, g.w[0]);
  } else {
    bench.set_wide(port, {static_cast<uint32_t>(g.w[0]), static_cast<uint32_t>(g.w[0] >> 32), static_cast<uint32_t>(g.w[1]),
                          static_cast<uint32_t>(g.w[1] >> 32)});
  }
}

}  // namespace

TEST_CASE("wl_acc: random sequences") {
  for (int lanes : {2, 4, 8}) {
    for (plugin::View view : kViews) {
      for (uint32_t reset : kAllResets) {
        INFO("lanes " << lanes << " view " << name(view) << " reset " << reset);
        Bench bench("wl_acc", {{"Lanes", std::to_string(lanes)}}, reset, options(view));
        Random random("macros acc");
        Accumulators model[9];
        uint32_t y = 0;
        bench.set("en_i", 1);
        bench.set("op_i", static_cast<uint64_t>(AccOp::kClear));
        for (uint64_t slot = 0; slot < 9; ++slot) {
          bench.set("slot_i", slot);
          bench.tick();
        }
        bench.set("op_i", static_cast<uint64_t>(AccOp::kResultSum));
        bench.tick();
        REQUIRE(bench.get("y_o") == 0);
        const uint32_t count = static_cast<uint32_t>(lanes) / 2;
        for (uint64_t i = 0; i < scaled(6000); ++i) {
          // Long runs of one operation, now and then another.
          const AccOp op = static_cast<AccOp>(random.chance(3, 4) ? (i / 32) % 4 : random.below(8));
          const uint32_t fmt = random.chance(3, 4) ? 0u : static_cast<uint32_t>(random.below(4));
          const bool first = random.chance(1, 12);
          const uint32_t mask = random.chance(2, 3) ? (1u << count) - 1 : static_cast<uint32_t>(random.below(1u << count));
          const int start = static_cast<int>(random.below(4));
          Group a, b;
          for (uint32_t k = 0; k < count; ++k) {
            const uint32_t junk = static_cast<uint32_t>(random.next()) << 16;
            const bool tame = random.chance(7, 8);  // keep the sums finite most of the time
            a.put(true, static_cast<int>(k),
                  fmt & 1 ? (tame ? 0x3f000000u + (operand32(random) & 0x80ffffffu) : operand32(random))
                          : junk | (tame ? 0x3800u + (operand16(random) & 0x87ffu) : operand16(random)));
            b.put(true, static_cast<int>(k),
                  fmt & 2 ? (tame ? 0x3f000000u + (operand32(random) & 0x80ffffffu) : operand32(random))
                          : junk | (tame ? 0x3800u + (operand16(random) & 0x87ffu) : operand16(random)));
          }
          const bool enabled = !random.chance(1, 10);
          bench.set("en_i", enabled);
          bench.set("op_i", static_cast<uint64_t>(op));
          bench.set("first_i", first);
          bench.set("fmt_i", fmt);
          bench.set("mask_i", mask);
          bench.set("sel_i", static_cast<uint64_t>(start));
          const uint32_t slot = static_cast<uint32_t>(random.chance(1, 2) ? 3 : random.below(9));
          bench.set("slot_i", slot);
          set_group(bench, "a_i", lanes, a);
          set_group(bench, "b_i", lanes, b);
          bench.tick();
          if (!enabled) continue;
          const uint32_t saturated =
              acc_step(op, first, (fmt & 1) != 0, (fmt & 2) != 0, lanes, mask, start, a, b, &model[slot], &y);
          if (bench.get("y_o") != y || bench.get("sat_o") != saturated) {
            INFO("step " << i << " op " << static_cast<int>(op) << std::hex << " y " << bench.get("y_o") << " expected " << y);
            FAIL("first difference");
          }
        }
      }
    }
  }
}

TEST_CASE("wl_sfu: both views against the host arithmetic, three cycles, one per cycle") {
  for (plugin::View view : kViews) {
    INFO("view " << name(view));
    Bench bench("wl_sfu", {}, WL_RESET_RANDOM, options(view));
    bench.set("valid_i", 0);
    bench.reset();
    CHECK(bench.get("valid_o") == 0);
    CHECK(bench.get("busy_o") == 0);
    Random random("macros sfu");
    struct Request {
      SfuOp op;
      uint32_t fmt;
      uint32_t a;
    };
    std::vector<Request> requests;
    for (int op = 0; op < 4; ++op) {
      for (uint32_t a : corners32()) requests.push_back({static_cast<SfuOp>(op), 3, a});
      for (uint32_t h = 0; h < 0x10000; h += 7) requests.push_back({static_cast<SfuOp>(op), h % 3 == 0 ? 2u : 0u, h | 0xabcd0000u});
      for (uint64_t i = 0; i < scaled(20000); ++i) {
        // exp2 has its interest below 256; the others everywhere.
        uint32_t a = operand32(random);
        if (op == 0 && random.chance(3, 4)) a = static_cast<uint32_t>((random.below(2) << 31) | ((96 + random.below(40)) << 23) | (a & 0x7fffff));
        requests.push_back({static_cast<SfuOp>(op), random.chance(1, 8) ? 1u : 3u, a});
      }
    }
    std::deque<std::optional<Request>> pipeline(2);
    auto valid = bench.port("valid_i");
    auto op = bench.port("op_i");
    auto fmt = bench.port("fmt_i");
    auto a = bench.port("a_i");
    auto y = bench.port("y_o");
    uint32_t held = 0;
    bool seen = false;
    for (size_t i = 0; i < requests.size();) {
      std::optional<Request> next;
      if (!random.chance(1, 8)) next = requests[i++];
      valid = next.has_value();
      op = next ? static_cast<uint64_t>(next->op) : random.below(4);
      fmt = next ? next->fmt : random.below(4);
      a = next ? next->a : random.below(1ull << 32);
      bench.tick();
      pipeline.push_back(next);
      const std::optional<Request> done = pipeline.front();
      pipeline.pop_front();
      REQUIRE(bench.get("valid_o") == (done ? 1u : 0u));
      REQUIRE(bench.get("busy_o") == (pipeline[0] || pipeline[1] ? 1u : 0u));
      if (!done) {
        if (seen) REQUIRE(y.get() == held);
        continue;
      }
      const Result expected = sfu_element(done->op, done->fmt & 1 ? 32 : 16, done->fmt & 2 ? 32 : 16, done->a);
      INFO("op " << static_cast<int>(done->op) << std::hex << " a " << done->a << " fmt " << done->fmt);
      REQUIRE(y.get() == expected.bits);
      REQUIRE(bench.get("sat_o") == (expected.saturated ? 1u : 0u));
      held = expected.bits;
      seen = true;
    }
  }
}

TEST_CASE("wl_sram: random traffic on all ports") {
  for (uint32_t rows : {128u, 1536u}) {
    for (plugin::View view : kViews) {
      INFO("rows " << rows << " view " << name(view));
      Bench bench("wl_sram", {{"Rows", std::to_string(rows)}}, WL_RESET_RANDOM, options(view));
      Random random("macros sram");
      const uint32_t lines = 4 * rows;
      std::vector<uint32_t> model(8 * rows, 0);
      std::optional<uint64_t> ra, rb;     // unknown until the first read
      REQUIRE(bench.memory("", 5) == 0);  // zero until written
      bench.set_memory("", 5, 0x12345678);
      model[5] = 0x12345678;
      // Few lines, so that reads meet writes; sometimes the last lines and beyond.
      const auto pick = [&] {
        return static_cast<uint32_t>(random.chance(1, 8) ? (lines - 4 + random.below(8)) & 0x1fff : random.below(24));
      };
      const auto line_value = [&](uint32_t line) -> uint64_t {
        return line < lines ? model[2 * line] | static_cast<uint64_t>(model[2 * line + 1]) << 32 : 0;
      };
      for (uint64_t i = 0; i < scaled(30000); ++i) {
        // The user's side of the contract: one access per pair of banks, apart from two reads of one line.
        const uint32_t w_line = pick();
        const auto w_en = static_cast<uint32_t>(random.chance(1, 2) ? 0 : random.below(16));
        const uint32_t a_line = pick();
        const bool a_en = !random.chance(1, 4) && (w_en == 0 || (a_line ^ w_line) % 4 != 0);
        const uint32_t b_line = random.chance(1, 8) ? a_line : pick();
        const bool b_en = !random.chance(1, 4) && (w_en == 0 || (b_line ^ w_line) % 4 != 0) &&
                          (!a_en || b_line == a_line || (b_line ^ a_line) % 4 != 0);
        const uint64_t data = random.next();
        if (a_en) ra = line_value(a_line);
        if (b_en) rb = line_value(b_line);
        for (uint32_t half = 0; half < 4 && w_line < lines; ++half) {
          if (((w_en >> half) & 1) == 0) continue;
          uint32_t& word = model[2 * w_line + half / 2];
          const uint32_t bits = half % 2 == 0 ? 0xffffu : 0xffff0000u;
          word = (word & ~bits) | (static_cast<uint32_t>(data >> (32 * (half / 2))) & bits);
        }
        bench.set("ra_en_i", a_en);
        bench.set("ra_line_i", a_line);
        bench.set("rb_en_i", b_en);
        bench.set("rb_line_i", b_line);
        bench.set("w_en_i", w_en);
        bench.set("w_line_i", w_line);
        bench.set("w_data_i", data);
        bench.tick();
        if (ra && bench.get("ra_data_o") != *ra) FAIL("cycle " << i << std::hex << " a " << bench.get("ra_data_o") << " expected " << *ra);
        if (rb && bench.get("rb_data_o") != *rb) FAIL("cycle " << i << std::hex << " b " << bench.get("rb_data_o") << " expected " << *rb);
      }
      uint32_t wrong = 0;
      for (uint32_t w = 0; w < 8 * rows; ++w) wrong += bench.memory("", w) != model[w] ? 1u : 0u;
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("wl_sram: the rtl view refuses two accesses to one pair of banks") {
  const auto access = [](uint32_t a_line, uint32_t b_line, uint32_t w_en, uint32_t w_line) {
    Bench bench("wl_sram", {{"Rows", "128"}}, WL_RESET_ZERO, options(plugin::View::kRtl));
    bench.set("ra_en_i", 1);
    bench.set("ra_line_i", a_line);
    bench.set("rb_en_i", 1);
    bench.set("rb_line_i", b_line);
    bench.set("w_en_i", w_en);
    bench.set("w_line_i", w_line);
    bench.tick();
  };
  CHECK_NOTHROW(access(0, 1, 1, 2));
  CHECK_NOTHROW(access(4, 4, 1, 2));
  CHECK_THROWS(access(0, 4, 0, 0));
  CHECK_THROWS(access(0, 1, 1, 8));
  CHECK_THROWS(access(0, 1, 8, 5));
}

TEST_CASE("wl_accwin: random reads and writes, new data forwarded") {
  struct Shape {
    uint32_t bytes, words;
  };
  for (Shape shape : {Shape{0, 4}, Shape{256, 2}, Shape{512, 4}, Shape{512, 1}}) {
    for (uint32_t reset : kAllResets) {
      INFO("bytes " << shape.bytes << " words " << shape.words << " reset " << reset);
      Bench bench("wl_accwin", {{"Bytes", std::to_string(shape.bytes)}, {"Words", std::to_string(shape.words)}}, reset);
      Random random("macros window");
      const uint32_t lines = shape.bytes / 4 / shape.words;
      std::vector<uint32_t> model(shape.bytes / 4, 0), expected(shape.words, 0), wdata(shape.words);
      const bool wide = shape.words > 2;
      bool seen = false;
      for (uint64_t i = 0; i < scaled(20000); ++i) {
        const bool read = random.chance(2, 3);
        const auto raddr = static_cast<uint32_t>(random.chance(1, 8) ? random.below(128) : random.below(lines + 2) & 127);
        const uint32_t waddr = random.chance(1, 2) ? raddr : static_cast<uint32_t>(random.chance(1, 8) ? random.below(128) : random.below(lines + 2) & 127);
        const auto we = static_cast<uint32_t>(random.chance(1, 4) ? 0 : random.below(uint64_t{1} << (2 * shape.words)));
        for (uint32_t j = 0; j < shape.words; ++j) {
          wdata[j] = static_cast<uint32_t>(random.next());
          const uint32_t bits = (((we >> (2 * j)) & 1) ? 0xffffu : 0u) | (((we >> (2 * j + 1)) & 1) ? 0xffff0000u : 0u);
          if (waddr >= lines) continue;
          uint32_t& word = model[waddr * shape.words + j];
          word = (word & ~bits) | (wdata[j] & bits);
        }
        if (read) {
          for (uint32_t j = 0; j < shape.words; ++j) expected[j] = raddr < lines ? model[raddr * shape.words + j] : 0;
          seen = true;
        }
        bench.set("re_i", read);
        bench.set("raddr_i", raddr);
        bench.set("waddr_i", waddr);
        bench.set("we_i", we);
        if (wide) {
          bench.set_wide("wdata_i", wdata);
        } else {
          bench.set("wdata_i", wdata[0] | (shape.words > 1 ? static_cast<uint64_t>(wdata[1]) << 32 : 0));
        }
        bench.tick();
        for (uint32_t j = 0; seen && j < shape.words; ++j) {
          const uint64_t got = wide ? bench.get_wide("rdata_o")[j] : (bench.get("rdata_o") >> (32 * j)) & 0xffffffffu;
          if (got != expected[j]) FAIL("cycle " << i << " word " << j << std::hex << " reads " << got << " expected " << expected[j]);
        }
      }
    }
  }
}
