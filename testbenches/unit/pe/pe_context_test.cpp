// Parts that keep and advance contexts: wl_gen, wl_launch, wl_ctx, wl_arb, wl_issue.
//
// wl_gen against the golden model's walk of addresses, element by element; wl_launch: what is kept of descriptors, order of writes, the words of a launch; wl_ctx:
// arrays; wl_arb: who may ask, round robin, kept turns; wl_issue: a group never larger than lanes, lines, rows and wavelets allow, and as large as
// they do. Left out: what groups compute (pe_vector_test, testbenches/lockstep).
#include "sim/golden/descriptor.h"
#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/pe_bench.h"

using namespace waferloom;
using namespace waferloom::pe;

namespace {

// A descriptor's words as wl_launch makes them for wl_gen.
struct Words {
  uint64_t moving, fixed;
};

Words words_of(const Desc& d, int lanes) {
  const bool rows = d.kind == kMem2d || d.kind == kCircular, memory = d.kind <= kCircular;
  const bool wide = (d.type == kF32 || d.type == kI32) && d.kind != kIota;
  const bool fits = d.wrap_log2 >= (lanes == 8 ? 4u : 3u);
  const bool near = memory && d.stride0 == (wide ? 4 : 2) && (d.kind != kCircular || fits);
  const bool lazy = d.kind == kMem1d || d.kind == kIota;
  const uint64_t misc = d.wrap_log2 | (d.kind == kCircular ? 16u : 0u) | (near ? 32u : 0u) | (lazy ? 64u : 0u) | (wide ? 128u : 0u) | (memory ? 256u : 0u);
  return {static_cast<uint64_t>(rows ? d.len1 : 1) << 48 | static_cast<uint64_t>(d.len0) << 32 | d.base << 16 | d.base,
          misc << 48 | static_cast<uint64_t>(static_cast<uint32_t>(d.stride1) & 0xffff) << 32 | (static_cast<uint32_t>(d.stride0) & 0xffff) << 16 | d.len0};
}

Desc random_desc(Random& random) {
  Desc d;
  const Kind kinds[] = {kMem1d, kMem1d, kMem2d, kCircular, kIota};
  d.kind = kinds[random.below(5)];
  d.type = static_cast<Type>(random.below(4));
  const int32_t size = (d.type == kF32 || d.type == kI32) ? 4 : 2;
  d.stride0 = random.chance(2, 3) ? size : static_cast<int32_t>(random.below(20)) - 10;
  d.stride1 = static_cast<int32_t>(random.below(200)) - 100;
  d.len0 = 1 + static_cast<uint32_t>(random.below(12));
  d.len1 = 1 + static_cast<uint32_t>(random.below(4));
  d.wrap_log2 = 1 + static_cast<uint32_t>(random.below(8));
  d.base = (random.chance(1, 4) ? 0xc000u : 0x1000u) + (static_cast<uint32_t>(random.below(64)) & ~static_cast<uint32_t>(size - 1));
  return d;
}

}  // namespace

TEST_CASE("wl_gen: addresses, rows, wrap, save, as the golden walk") {
  for (int lanes : {2, 4, 8}) {
    Bench b("wl_gen", {{"Lanes", std::to_string(lanes)}});
    Random random("pe gen");
    b.set("en_i", 1);
    for (uint64_t round = 0; round < scaled(1500); ++round) {
      const Desc d = random_desc(random);
      golden::Descriptor g;
      const auto words = d.words();
      for (size_t k = 0; k < 4; ++k) g.words[k] = words[k];
      golden::Cursor cursor;
      const uint16_t index = random.chance(1, 3) ? static_cast<uint16_t>(4 * random.below(32)) : 0;
      cursor.start(g, index);
      Words w = words_of(d, lanes);
      bool restart = false, first = true;
      uint64_t left = golden::elements(g);
      const uint32_t size = (w.fixed >> 55) & 1 ? 4 : 2;
      for (int step = 0; step < 30; ++step) {
        INFO("lanes " << lanes << " round " << round << " step " << step << " kind " << d.kind);
        b.set("moving_i", w.moving);
        b.set("fixed_i", w.fixed);
        b.set("restart_i", restart);
        b.set("index_i", first ? index : 0);
        b.set("group_i", 1);
        b.settle();
        REQUIRE(b.get("address_o") == cursor.address());
        const uint32_t avail = static_cast<uint32_t>(b.get("avail_o"));
        REQUIRE(avail >= 1);
        REQUIRE(avail <= 8);
        const uint32_t group = 1 + static_cast<uint32_t>(random.below(avail));
        b.set("group_i", group);
        b.settle();
        const uint32_t line = cursor.address() >= 0xc000 && lanes == 8 ? 16 : 8;
        for (uint32_t k = 0; k < group; ++k) {
          if (k > 0) REQUIRE(cursor.address() == ((b.get("address_o") + k * size) & 0xffff));
          REQUIRE(cursor.address() / line == b.get("address_o") / line);
          cursor.next();
        }
        REQUIRE(b.get("save_o") == cursor.saved());
        left -= group;
        REQUIRE(b.get("last_o") == (left == 0 ? 1u : 0u));
        if (left == 0) {
          left = golden::elements(g);
          // The rows go on for a source; the count of rows does not matter there.
          w.moving = b.get("moving_o") | static_cast<uint64_t>(golden::has_rows(g) ? d.len1 : 1) << 48;
        } else {
          w.moving = b.get("moving_o");
        }
        if ((w.moving >> 48) == 0) w.moving |= 1ull << 48;
        restart = b.get("restart_o") != 0;
        if (!golden::has_rows(g)) left = left == 0 ? d.len0 : left;
        first = false;
      }
    }
  }
}

TEST_CASE("wl_launch: what descriptors keep, the order of writes, words of a launch") {
  // Without assertions, as runs have it: with those of `unique case` Verilator 5.032 applies a load and a dset of one edge to word 3 of one descriptor in
  // the wrong order (it lets the words of a load wait for one another).
  BenchOptions options;
  options.assertions = false;
  for (uint32_t reset : kAllResets) {
    Bench b("wl_launch", {{"Lanes", "4"}}, reset, options);
    b.reset();
    Random random("pe launch");
    uint32_t model[16][4] = {};
    const uint32_t keep[4] = {~0u, ~0u, 0x0fffffff, 0x0003ffff};
    for (uint64_t k = 0; k < scaled(8000); ++k) {
      const bool loads = random.chance(1, 3), sets = random.chance(1, 3), second = random.chance(1, 2);
      const uint32_t ld = static_cast<uint32_t>(random.below(16)), sd = static_cast<uint32_t>(random.below(4)) + ld / 4 * 4, word = static_cast<uint32_t>(random.below(4));
      const uint32_t save = random.chance(1, 3) ? static_cast<uint32_t>(random.below(16)) : 0;
      const uint64_t ldata = random.next(), dsrs = random.below(0x10000);
      const uint32_t sdata = static_cast<uint32_t>(random.next());
      uint32_t saves[4];
      for (uint32_t& s : saves) s = static_cast<uint32_t>(random.below(0x10000));
      b.set("load_i", loads);
      b.set("load_dsr_i", ld);
      b.set("load_second_i", second);
      b.set("load_data_i", ldata);
      b.set("set_i", sets);
      b.set("set_dsr_i", sd);
      b.set("word_i", word);
      b.set("set_data_i", sdata);
      b.set("save_i", save);
      b.set("save_dsrs_i", dsrs);
      b.set("save_d_i", saves[0]);
      b.set("save_p_i", saves[1]);
      b.set("save_q_i", saves[2]);
      b.set("save_x_i", saves[3]);
      b.tick();
      if (loads) {
        for (uint32_t h = 0; h < 2; ++h) model[ld][2 * second + h] = static_cast<uint32_t>(ldata >> (32 * h)) & keep[2 * second + h];
      }
      if (sets) model[sd][word] = sdata & keep[word];
      for (int s = 3; s >= 0; --s) {
        if ((save >> s) & 1) {
          uint32_t& w = model[(dsrs >> (4 * s)) & 15][0];
          w = (w & 0xffff0000u) | saves[s];
        }
      }
      b.set("get_i", 1);
      const uint32_t gd = static_cast<uint32_t>(random.below(16)), gw = static_cast<uint32_t>(random.below(4));
      b.set("get_dsr_i", gd);
      b.set("word_i", gw);
      b.settle();
      REQUIRE(b.get("get_o") == model[gd][gw]);
    }
    // A launch.
    for (const char* name : {"load_i", "save_i"}) b.set(name, 0);
    b.set("set_i", 1);
    Desc to = mem(kF32, 0x1000, 5), from = mem(kF16, 0x2002, 9);
    to.kind = kMem2d;
    to.len1 = 3;
    to.stride1 = 64;
    const Desc both[2] = {to, from};
    for (uint32_t d = 0; d < 2; ++d) {
      for (uint32_t w = 0; w < 4; ++w) {
        b.set("set_dsr_i", d + 1);
        b.set("word_i", w);
        b.set("set_data_i", both[d].words()[w]);
        b.tick();
      }
    }
    b.set("set_i", 0);
    b.set("want_i", 1);
    b.set("instr_i", vec(Opcode::kVmul, 1, 2, 2));
    b.settle();
    CHECK(b.get("illegal_o") == 0);
    CHECK(b.get("empty_o") == 0);
    CHECK(b.get("d_moving_o") == words_of(to, 4).moving);
    CHECK(b.get("d_fixed_o") == words_of(to, 4).fixed);
    CHECK(b.get("p_moving_o") == words_of(from, 4).moving);
    CHECK(b.get("q_fixed_o") == words_of(from, 4).fixed);
    CHECK(((b.get("ctl_o") >> 51) & 15) == 2);  // 32-bit groups, exact products: two elements
    b.set("instr_i", vec(Opcode::kViadd, 1, 2, 2));
    b.settle();
    CHECK(b.get("illegal_o") == 1);
    b.set("want_i", 0);
    b.settle();
    CHECK(b.get("illegal_o") == 0);
  }
}

TEST_CASE("wl_ctx: nine contexts keep apart; steps and rewinds") {
  Bench b("wl_ctx");
  Random random("pe ctx");
  struct Context {
    uint64_t d = 0, d0 = 0, p = 0, p0 = 0, q = 0, q0 = 0, x = 0, ctl = 0;
    uint32_t scalar = 0, held = 0, pc = 0;
  } model[9];
  for (uint64_t k = 0; k < scaled(10000); ++k) {
    const bool launches = k < 9 || random.chance(1, 10);
    const uint32_t slot = static_cast<uint32_t>(k < 9 ? k : random.below(9)), select = static_cast<uint32_t>(k < 9 ? 0 : random.below(9));
    b.set("launch_i", launches);
    b.set("launch_slot_i", slot);
    Context c;
    c.ctl = random.next();
    c.scalar = static_cast<uint32_t>(random.next());
    c.pc = static_cast<uint32_t>(random.below(0x10000));
    c.d = c.d0 = random.next();
    c.p = c.p0 = random.next();
    c.q = c.q0 = random.next();
    c.x = random.next();
    b.set("launch_ctl_i", c.ctl);
    b.set("launch_scalar_i", c.scalar);
    b.set("launch_pc_i", c.pc);
    b.set("d_moving_i", c.d);
    b.set("p_moving_i", c.p);
    b.set("q_moving_i", c.q);
    b.set("x_moving_i", c.x);
    const uint32_t step = launches ? 0 : static_cast<uint32_t>(random.below(16)), rewind = static_cast<uint32_t>(random.below(8));
    const uint64_t next[4] = {random.next(), random.next(), random.next(), random.next()};
    b.set("select_en_i", !launches);
    b.set("select_i", select);
    b.set("step_i", step);
    b.set("rewind_i", rewind);
    b.set("d_next_i", next[0]);
    b.set("p_next_i", next[1]);
    b.set("q_next_i", next[2]);
    b.set("x_next_i", next[3]);
    const bool holds = !launches && random.chance(1, 3);
    b.set("hold_i", holds);
    b.set("hold_data_i", k & 0xffff);
    b.settle();
    Context& m = model[select];
    if (!launches) {
      const bool saxpy = m.ctl & 1, sdot = (m.ctl >> 1) & 1;
      REQUIRE(b.get("ctl_o") == m.ctl);
      REQUIRE(b.get("scalar_o") == m.scalar);
      REQUIRE(b.get("pc_o") == m.pc);
      REQUIRE(b.get("d_moving_o") == m.d);
      REQUIRE(b.get("q_moving_o") == m.q);
      if (!saxpy) REQUIRE(b.get("p_moving_o") == m.p);
      if (sdot) REQUIRE(b.get("x_moving_o") == m.x);
      if (sdot || saxpy) REQUIRE(b.get("q_initial_o") == m.q0);
    }
    b.tick();
    if (launches) model[slot] = c;
    if (step & 1) m.d = rewind & 1 ? m.d0 : next[0];
    if (step & 2) m.p = rewind & 2 ? m.p0 : next[1];
    if (step & 4) m.q = rewind & 4 ? m.q0 : next[2];
    if (step & 8) m.x = next[3];
  }
}

TEST_CASE("wl_arb: only who can asks, all are served, a kept turn is kept") {
  for (uint32_t reset : kAllResets) {
    INFO("reset " << reset);
    Bench b("wl_arb", {}, reset);
    b.reset();
    Random random("pe arb");
    struct Context {
      bool active = false, need_in = false, need_out = false, asleep = false;
      uint32_t in = 8, out = 4;
    } c[9];
    uint64_t waited[10] = {}, longest = 0;
    int kept = -1;
    for (uint64_t k = 0; k < scaled(30000); ++k) {
      const uint32_t nonempty = static_cast<uint32_t>(random.below(256) | random.below(256)), room = static_cast<uint32_t>(random.below(16) | random.below(16));
      const bool scalar = random.chance(1, 2), stop = random.chance(1, 50), solo = random.chance(1, 50);
      b.set("nonempty_i", nonempty);
      b.set("room_i", room);
      b.set("scalar_ask_i", scalar);
      b.set("stop_i", stop);
      b.set("solo_i", solo);
      for (const char* name : {"event_i", "complete_i", "launch_i", "wake_i", "keep_i", "no_room_i", "sleep_i"}) b.set(name, 0);
      b.settle();
      uint32_t can = 0, read = 0, written = 0;
      for (uint32_t n = 0; n < 9; ++n) {
        if (!c[n].active) continue;
        if (c[n].in < 8) read |= 1u << c[n].in;
        if (c[n].out < 4) written |= 1u << c[n].out;
        if (c[n].asleep || (c[n].need_in && !((nonempty >> c[n].in) & 1)) || (c[n].need_out && !((room >> c[n].out) & 1))) continue;
        can |= 1u << n;
      }
      REQUIRE(b.get("read_o") == read);
      REQUIRE(b.get("written_o") == written);
      if (stop || solo) can = 0;
      const uint32_t ask = can | (scalar && !stop ? 1u << 9 : 0u);
      const bool context = b.get("context_o") != 0, main = b.get("scalar_o") != 0;
      REQUIRE((context || main) == (ask != 0));
      REQUIRE(!(context && main));
      const int chosen = context ? static_cast<int>(b.get("select_o")) : main ? 9 : -1;
      if (chosen >= 0) REQUIRE(((ask >> chosen) & 1) == 1);
      if (kept >= 0 && ((ask >> kept) & 1)) REQUIRE(chosen == kept);
      for (int n = 0; n < 10; ++n) {
        waited[n] = ((ask >> n) & 1) && n != chosen ? waited[n] + 1 : 0;
        longest = std::max(longest, waited[n]);
      }
      int keeps = -1;
      if (context) {
        Context& me = c[chosen];
        const bool goes = random.chance(4, 5), keep = !goes && random.chance(1, 2), ends = random.chance(1, 12), sleeps = !ends && random.chance(1, 10);
        const bool in = me.in < 8 && random.chance(1, 2), out = me.out < 4 && random.chance(1, 2);
        b.set("event_i", goes);
        b.set("keep_i", keep);
        b.set("complete_i", ends);
        b.set("sleep_i", sleeps);
        b.set("need_in_i", in);
        b.set("need_out_i", out);
        if (goes) {
          me.need_in = in;
          me.need_out = out;
          me.asleep = sleeps;
          if (ends) me = Context{};
        } else if (keep || kept >= 0) {
          keeps = chosen;
        }
      } else {
        // A launch by the main thread, into a free context with free queues.
        const uint32_t slot = static_cast<uint32_t>(random.below(9));
        if (!c[slot].active && random.chance(2, 3)) {
          Context n;
          n.active = true;
          const uint32_t in = static_cast<uint32_t>(random.below(16)), out = static_cast<uint32_t>(random.below(8));
          if (in < 8 && !((read >> in) & 1)) n.in = in;
          if (out < 4 && !((written >> out) & 1)) n.out = out;
          n.need_in = n.in < 8;
          n.need_out = n.out < 4;
          const uint64_t ctl = (n.in < 8 ? 1ull << 14 | uint64_t{n.in} << 32 : 0) | (n.out < 4 ? 1ull << 12 | uint64_t{n.out} << 35 : 0);
          b.set("launch_i", 1);
          b.set("launch_slot_i", slot);
          b.set("launch_empty_i", 0);
          b.set("launch_ctl_i", ctl);
          c[slot] = n;
        }
        for (uint32_t n = 0; n < 9; ++n) {
          if (c[n].active && c[n].asleep && random.chance(1, 2)) {
            b.set("wake_i", 1);
            b.set("wake_slot_i", n);
            c[n].asleep = false;
            break;
          }
        }
      }
      b.settle();
      b.tick();
      kept = keeps;
      uint32_t active = 0;
      for (uint32_t n = 0; n < 9; ++n) active |= c[n].active ? 1u << n : 0u;
      REQUIRE(b.get("active_o") == active);
    }
    CHECK(longest <= 40);
  }
}

TEST_CASE("wl_issue: groups as large as lanes, lines, rows and wavelets allow") {
  for (int lanes : {2, 4, 8}) {
    Bench b("wl_issue", {{"Lanes", std::to_string(lanes)}, {"SramBytes", "49152"}, {"WindowBytes", "512"}});
    Random random("pe issue");
    b.set("context_i", 1);
    b.set("nonempty_i", 0xff);
    b.set("room_i", 0xf);
    for (uint64_t k = 0; k < scaled(20000); ++k) {
      const bool wide = random.chance(1, 2), fabric = random.chance(1, 4), pack = fabric && !wide, half = pack && random.chance(1, 2);
      const uint32_t most = static_cast<uint32_t>(wide ? lanes / 2 : lanes), size = wide ? 4 : 2;
      Desc d = mem(wide ? kF32 : kF16, 0, 1 + static_cast<uint32_t>(random.below(20))), p = d;
      d.base = (random.chance(1, 3) ? 0xc000u : 0x1000u) + size * static_cast<uint32_t>(random.below(16));
      p.base = (random.chance(1, 3) ? 0xc100u : 0x2000u) + size * static_cast<uint32_t>(random.below(16));
      p.len0 = 1 + static_cast<uint32_t>(random.below(20));
      // vadd: dest memory; source 0 memory or fabric; the scalar for the other.
      uint64_t ctl = 1ull << 11 | uint64_t{most} << 51 | 1ull << 60 | 1ull << 42;
      if (wide) ctl |= 1ull << 4 | 0xbull << 47;
      else ctl |= 1ull << 17 | 1ull << 18;
      ctl |= fabric ? 1ull << 6 | 1ull << 14 : 1ull << 5;
      if (pack) ctl |= 1ull << 15;
      const Words dw = words_of(d, lanes), pw = words_of(p, lanes);
      b.set("ctl_i", ctl);
      b.set("flags_i", 2 | (half ? 8 : 0));
      b.set("d_moving_i", dw.moving);
      b.set("d_fixed_i", dw.fixed);
      b.set("p_moving_i", pw.moving);
      b.set("p_fixed_i", pw.fixed);
      b.set("head_i", random.next() & 0xffffffff);
      b.settle();
      const auto in_line = [&](uint32_t address) {
        const uint32_t bytes = lanes == 8 && address >= 0xc000 ? 16 : 8;
        return (bytes - address % bytes) / size;
      };
      uint32_t want = std::min({most, in_line(d.base), d.len0});
      want = std::min(want, fabric ? (pack && !half ? 2u : 1u) : std::min(in_line(p.base), p.len0));
      INFO("lanes " << lanes << " wide " << wide << " fabric " << fabric << " half " << half << " d " << d.base << " p " << p.base);
      REQUIRE(b.get("event_o") == 0);
      REQUIRE(b.get("trap_o") == 0);
      REQUIRE(b.get("group_o") == want);
      REQUIRE(b.get("complete_o") == (want == d.len0 ? 1u : 0u));
      REQUIRE(b.get("pop_o") == (fabric && (!pack || half || want == 2 || want == d.len0) ? 1u : 0u));
      REQUIRE(b.get("class_o") == (fabric ? kReduce : kElementwise));
    }
  }
}
