// wl_exec and wl_mmio on their own.
//
// wl_exec: where results of lanes, accumulators and the special function unit land and when (memory halves, packed wavelets, registers, loads); what they compute
// is the macros' business. wl_mmio: every offset against the table of registers, counters counting. Left out: hazards around
// wl_exec (pe_memory_test, testbenches/lockstep).
#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/pe_bench.h"

using namespace waferloom;
using namespace waferloom::pe;

namespace {

void idle(Bench& b) {
  for (const char* name : {"go_i", "lanes_i", "acc_i", "result_i", "sfu_i", "pass_i", "load_i", "ldd_i", "index_i", "p_mem_i", "q_mem_i", "a_scalar_i", "b_scalar_i",
                           "b_zero_i", "c_from_p_i", "c_from_s_i", "c_read_i", "write_i", "push_i", "half_i", "pack_i", "rd_i", "formats_i", "wide_i", "d16_i",
                           "p16_i", "q16_i", "p_offset_i", "q_offset_i", "d_offset_i", "first_i", "phase_i", "window_i"})
    b.set(name, 0);
}

}  // namespace

TEST_CASE("wl_exec: results and when they arrive") {
  for (uint32_t reset : kAllResets) {
    Bench b("wl_exec", {{"Lanes", "4"}, {"Width", "64"}}, reset);
    idle(b);
    b.reset();
    CHECK(b.get("busy_o") == 0);
    // Two binary16 sources, four lanes, to memory: line and halves as given, two cycles after issue.
    b.set("go_i", 1);
    b.set("lanes_i", 1);
    b.set("op_i", 1);  // add
    b.set("group_i", 3);
    b.set("p_mem_i", 1);
    b.set("p16_i", 1);
    b.set("q16_i", 1);
    b.set("d16_i", 1);
    b.set("p_offset_i", 1);
    b.set("q_const_i", f16(1) | uint64_t{f16(2)} << 16 | uint64_t{f16(4)} << 32);
    b.set("write_i", 1);
    b.set("line_i", 77);
    b.set("mask_i", 0xe);
    b.set("d_offset_i", 1);
    b.tick();
    idle(b);
    b.set("a_data_i", uint64_t{f16(8)} << 16 | uint64_t{f16(16)} << 32 | uint64_t{f16(32)} << 48 | 0xdead);
    b.settle();
    CHECK(b.get("x_write_o") == 1);
    CHECK(b.get("x_line_o") == 77);
    CHECK(b.get("w_write_o") == 0);
    b.tick();
    CHECK(b.get("w_write_o") == 1);
    CHECK(b.get("w_line_o") == 77);
    CHECK(b.get("w_mask_o") == 0xe);
    CHECK(b.get("w_data_o") >> 16 == (f16(9) | uint64_t{f16(18)} << 16 | uint64_t{f16(36)} << 32));
    b.tick();
    CHECK(b.get("w_write_o") == 0);
    CHECK(b.get("busy_o") == 0);
    // Widening: binary16 from memory plus binary32, rounded to binary16, packed behind a pending half.
    for (int round = 0; round < 2; ++round) {
      b.set("go_i", 1);
      b.set("lanes_i", 1);
      b.set("op_i", 1);
      b.set("group_i", 1);
      b.set("wide_i", 1);
      b.set("formats_i", 2);  // b is 32-bit
      b.set("p_mem_i", 1);
      b.set("p16_i", 1);
      b.set("d16_i", 1);
      b.set("q_const_i", f32(0.5f));
      b.set("push_i", round);
      b.set("half_i", round == 0);
      b.set("pack_i", round ? 3 : 1);
      b.set("queue_i", 2);
      b.set("address_i", 0x20 | 9);
      b.tick();
      idle(b);
      b.set("a_data_i", f16(static_cast<float>(round + 1)));
      b.tick();
      CHECK(b.get("push_o") == static_cast<uint64_t>(round));
    }
    CHECK(b.get("push_queue_o") == 2);
    CHECK(b.get("push_word_o") == (uint64_t{0x29} << 32 | uint64_t{f16(2.5f)} << 16 | f16(1.5f)));
    // A special function: two cycles more; meanwhile nothing but its like may issue.
    b.set("go_i", 1);
    b.set("sfu_i", 1);
    b.set("op_i", 2);  // reciprocal
    b.set("group_i", 1);
    b.set("wide_i", 1);
    b.set("formats_i", 9);
    b.set("p_const_i", f32(4));
    b.set("rd_i", 5);
    b.tick();
    idle(b);
    b.settle();
    CHECK(b.get("block_all_o") == 1);
    b.tick();
    CHECK(b.get("block_all_o") == 1);
    b.tick();
    CHECK(b.get("block_all_o") == 0);
    CHECK(b.get("rd_o") == 0);
    b.tick();
    CHECK(b.get("rd_o") == 5);
    CHECK(as_f32(static_cast<uint32_t>(b.get("rd_data_o"))) == 0.25f);
    b.tick();
    // Two sets of accumulators side by side; the result, rounded to binary16, one cycle later than a lane's.
    for (uint32_t slot : {3u, 8u, 3u, 8u}) {
      static int round = 0;
      b.set("go_i", 1);
      b.set("acc_i", 1);
      b.set("op_i", 0);
      b.set("group_i", 2);
      b.set("wide_i", 1);
      b.set("first_i", round % 4 < 2);
      b.set("slot_i", slot);
      b.set("p_const_i", f16(static_cast<float>(slot)) | uint64_t{f16(1)} << 32);
      b.set("q_const_i", f16(2) | uint64_t{f16(10)} << 32);
      b.tick();
      idle(b);
      ++round;
    }
    b.tick();
    b.set("go_i", 1);
    b.set("acc_i", 1);
    b.set("result_i", 1);
    b.set("wide_i", 1);
    b.set("d16_i", 1);
    b.set("slot_i", 8);
    b.set("write_i", 1);
    b.set("mask_i", 1);
    b.tick();
    idle(b);
    CHECK(b.get("block_o") == 1);
    b.tick();
    CHECK(b.get("w_write_o") == 0);
    CHECK(b.get("s_write_o") == 2);
    b.tick();
    CHECK(b.get("w_write_o") == 1);
    CHECK((b.get("w_data_o") & 0xffff) == f16(2 * (16 + 10)));
    // Loads end one cycle after issue.
    b.set("go_i", 1);
    b.set("load_i", 1);
    b.set("p_mem_i", 1);
    b.set("p16_i", 1);
    b.set("p_offset_i", 3);
    b.set("rd_i", 9);
    b.tick();
    idle(b);
    b.set("a_data_i", 0x1234567890abcdefull);
    b.settle();
    CHECK(b.get("load_o") == 1);
    CHECK(b.get("load_rd_o") == 9);
    CHECK(b.get("load_data_o") == 0x1234);
    b.tick();
    CHECK(b.get("load_o") == 0);
  }
}

TEST_CASE("wl_mmio: every offset as the table says; one class per cycle") {
  for (uint32_t reset : kAllResets) {
    Bench b("wl_mmio", {}, reset);
    b.reset();
    b.set("coord_i", 0x00050004);
    b.set("dims_i", 0x00090008);
    b.set("trap_i", 0x12340006);
    b.set("bind_i", 0x8182838485868788ull);
    b.set("task_active_i", 0x1111111122222222ull);
    b.set("task_blocked_i", 0x3333333344444444ull);
    b.set("check_i", 1);
    for (uint32_t offset = 0; offset < 4096; offset += 4) {
      const spec::MmioRegister* found = nullptr;
      uint32_t index = 0;
      for (const auto& r : spec::kMmio) {
        if (offset >= r.offset && offset < r.offset + uint32_t{r.count} * r.stride) {
          found = &r;
          index = (offset - r.offset) / r.stride;
        }
      }
      INFO("offset " << std::hex << offset);
      b.set("offset_i", offset);
      for (uint32_t store : {0u, 1u}) {
        b.set("store_i", store);
        b.set("read_i", store == 0);
        b.set("write_i", store);
        b.settle();
        const bool legal = found != nullptr && found->access != (store ? spec::Access::kReadOnly : spec::Access::kWriteOnly);
        REQUIRE(b.get("illegal_o") == (legal ? 0u : 1u));
        if (!legal) continue;
        if (store) {
          const std::string name = found->name;
          REQUIRE(b.get("bind_we_o") == (name == "queue_bind" ? 1u : 0u));
          REQUIRE(b.get("task_we_o") == (name == "task_active" || name == "task_blocked" ? 1u : 0u));
          REQUIRE(b.get("route_we_o") == (name == "route" ? 1u : 0u));
        } else {
          const uint64_t got = b.get("read_o");
          if (found->offset == 0) REQUIRE(got == 0x00050004);
          if (found->offset == 4) REQUIRE(got == 0x00090008);
          if (found->offset == 0x10) REQUIRE(got == 0x12340006);
          if (found->offset == 0x20) REQUIRE(got == 0x88 - index);
          if (found->offset == 0x40) REQUIRE(got == (index ? 0x11111111u : 0x22222222u));
          if (found->offset == 0x48) REQUIRE(got == (index ? 0x33333333u : 0x44444444u));
          REQUIRE(b.get("read_time_o") == (offset == 8 ? 1u : offset == 12 ? 2u : 0u));
        }
      }
    }
    for (const char* name : {"check_i", "read_i", "write_i"}) b.set(name, 0);
    b.reset();
    Random random("pe mmio");
    uint64_t classes[16] = {}, events[8] = {};
    classes[b.get("class_o")] = b.reg("class_cnt_q", 0);
    for (int k = 0; k < 2000; ++k) {
      const uint64_t c = random.below(13);
      b.set("class_i", c);
      ++classes[c];
      const char* const names[8] = {"in_i", "out_i", "slots_i", "macs_i", "zero_i", "saturated_i", "start_i", "issue_i"};
      for (int e = 0; e < 8; ++e) {
        const uint64_t n = e == 2 || e == 3 ? random.below(9) : e == 5 ? random.below(20) : random.below(2);
        b.set(names[e], n);
        events[e] += n;
      }
      b.tick();
      REQUIRE(b.get("class_o") == c);
    }
    for (uint32_t c = 0; c < 16; ++c) CHECK(b.reg("class_cnt_q", c) == classes[c]);
    for (uint32_t e = 0; e < 8; ++e) CHECK(b.reg("event_cnt_q", e) == events[e]);
  }
}
