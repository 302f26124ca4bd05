// Parts of the main thread: wl_decode, wl_scalar, wl_fetch, wl_tasks.
//
// wl_decode and the integer unit of wl_scalar against the tables and operations of the golden side; wl_fetch with memory that answers when it likes,
// jumps and writes into the code; wl_tasks against the rule "lowest id that can". Left out: waiting for contexts and queues (pe_task_test), late results of every kind together
// (testbenches/lockstep).
#include <map>

#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/pe_bench.h"

using namespace waferloom;
using namespace waferloom::pe;

namespace {

// A word that is legal most of the time: a random opcode of the table, fields that it has.
uint32_t random_word(Random& random) {
  const auto& row = spec::kInstructionTable[random.below(spec::kInstructionCount)];
  uint32_t word = (static_cast<uint32_t>(random.next()) & ~0x7fu) | static_cast<uint32_t>(row.opcode);
  for (int k = 0; k < 32 && !spec::is_legal(word); ++k) {
    word &= ~(1u << (7 + random.below(25)));
    if (random.chance(1, 8)) word |= 1u << 31;
  }
  return word;
}

}  // namespace

TEST_CASE("wl_decode: legality and one kind for every legal word") {
  Bench b("wl_decode");
  Random random("pe decode");
  const char* const kinds[] = {"alu_o", "load_o", "store_o", "branch_o", "jump_o", "lane_o", "sfu_o", "ldd_o", "dset_o",
                               "dget_o", "task_o", "yield_o", "waitu_o", "halt_o", "trap_o", "vector_o"};
  b.set("en_i", 1);
  uint64_t legal = 0;
  for (uint64_t k = 0; k < scaled(40000); ++k) {
    const uint32_t word = random.chance(1, 4) ? static_cast<uint32_t>(random.next()) : random_word(random);
    b.set("instr_i", word);
    b.settle();
    INFO(std::hex << word);
    REQUIRE(b.get("legal_o") == (spec::is_legal(word) ? 1u : 0u));
    if (!spec::is_legal(word)) continue;
    ++legal;
    uint32_t count = 0;
    for (const char* kind : kinds) count += b.get(kind) ? 1u : 0u;
    REQUIRE(count == ((word & 0x7f) == op(Opcode::kNop) ? 0u : 1u));
    REQUIRE(b.get("vector_o") == ((word & 0x7f) >= 0x30 && (word & 0x7f) <= 0x41 ? 1u : 0u));
    REQUIRE(b.get("imm_o") == word >> 16);
  }
  CHECK(legal > scaled(40000) / 6);
  b.set("en_i", 0);
  b.settle();
  for (const char* kind : kinds) CHECK(b.get(kind) == 0);
}

TEST_CASE("wl_scalar: integer results, branches, addresses, interlock on late results") {
  Bench b("wl_scalar", {{"SramBytes", "49152"}, {"WindowBytes", "256"}});
  b.set("run_i", 0);
  b.reset();
  Random random("pe scalar");
  uint32_t regs[16] = {};
  uint32_t late = 0;  // bits
  b.set("run_i", 1);
  b.set("valid_i", 1);
  for (uint64_t k = 0; k < scaled(30000); ++k) {
    static const Opcode ops[] = {Opcode::kAdd, Opcode::kSub, Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kSll, Opcode::kSrl, Opcode::kSra,
                                 Opcode::kSlt, Opcode::kSltu, Opcode::kAddi, Opcode::kLi, Opcode::kLih, Opcode::kBeq, Opcode::kBne, Opcode::kBlt,
                                 Opcode::kBge, Opcode::kJal, Opcode::kJalr, Opcode::kLw, Opcode::kSw};
    const Opcode o = ops[random.below(std::size(ops))];
    const int ra = static_cast<int>(random.below(16)), rb = static_cast<int>(random.below(16)), rc = static_cast<int>(random.below(16));
    int32_t imm = static_cast<int16_t>(random.next());
    const uint32_t opcode = op(o);
    const bool three = opcode <= op(Opcode::kSltu);
    uint32_t word = three ? r3(o, ra, rb, rc) : ri(o, ra, o == Opcode::kLi || o == Opcode::kLih || o == Opcode::kJal ? 0 : rb, imm);
    const uint32_t pc = static_cast<uint32_t>(random.below(0x3000)) * 4;
    const uint32_t a = regs[ra], x = regs[rb], y = regs[rc];
    b.set("instr_i", word);
    b.set("pc_i", pc);
    b.set("go_i", 0);
    // A late result comes for one of the registers that wait.
    uint32_t back = 0;
    if (late != 0 && random.chance(1, 2)) {
      do back = 1 + static_cast<uint32_t>(random.below(15)); while (((late >> back) & 1) == 0);
    }
    const uint32_t value = static_cast<uint32_t>(random.next());
    const bool by_load = random.chance(1, 2);
    b.set("load_i", back != 0 && by_load);
    b.set("load_rd_i", back);
    b.set("load_data_i", value);
    b.set("late_rd_i", by_load ? 0 : back);
    b.set("late_data_i", value);
    b.settle();
    const bool is_branch = opcode >= op(Opcode::kBeq) && opcode <= op(Opcode::kBge);
    uint32_t needs = 0;
    if (!is_branch || true) needs |= 1u << ra;
    if (three || o == Opcode::kAddi || is_branch || o == Opcode::kJalr || o == Opcode::kLw || o == Opcode::kSw) needs |= 1u << rb;
    if (three) needs |= 1u << rc;
    INFO("step " << k << std::hex << " word " << word << " late " << late);
    REQUIRE(b.get("hazard_o") == ((needs & late) != 0 ? 1u : 0u));
    REQUIRE(b.get("ask_o") == ((needs & late) == 0 ? 1u : 0u));
    bool goes = b.get("ask_o") != 0 && random.chance(3, 4);
    const uint32_t address = (x + static_cast<uint32_t>(imm)) & 0xffff;
    if (o == Opcode::kLw || o == Opcode::kSw) {
      const bool memory = address < 49152 || (address >= 0xc000 && address < 0xc100);
      const uint32_t trap = address & 3 ? 2u : memory || address >= 0xf000 ? 0u : 3u;
      REQUIRE(b.get("trap_o") == trap);
      REQUIRE(b.get("address_o") == address);
      REQUIRE(b.get("mem_o") == (memory ? 1u : 0u));
      goes = goes && trap == 0;
    }
    if (o == Opcode::kJalr && (address & 3)) {
      REQUIRE(b.get("trap_o") == 2);
      goes = false;
    }
    if (goes) {
      b.set("go_i", 1);
      b.settle();
    }
    uint32_t result = 0;
    bool writes = three || o == Opcode::kAddi || o == Opcode::kLi || o == Opcode::kLih, jumps = false;
    uint32_t target = (pc + 4 * static_cast<uint32_t>(imm)) & 0xffff;
    switch (o) {
      case Opcode::kAdd: result = x + y; break;
      case Opcode::kSub: result = x - y; break;
      case Opcode::kAnd: result = x & y; break;
      case Opcode::kOr: result = x | y; break;
      case Opcode::kXor: result = x ^ y; break;
      case Opcode::kSll: result = x << (y & 31); break;
      case Opcode::kSrl: result = x >> (y & 31); break;
      case Opcode::kSra: result = static_cast<uint32_t>(static_cast<int32_t>(x) >> (y & 31)); break;
      case Opcode::kSlt: result = static_cast<int32_t>(x) < static_cast<int32_t>(y); break;
      case Opcode::kSltu: result = x < y; break;
      case Opcode::kAddi: result = x + static_cast<uint32_t>(imm); break;
      case Opcode::kLi: result = static_cast<uint32_t>(imm); break;
      case Opcode::kLih: result = static_cast<uint32_t>(imm) << 16 | (a & 0xffff); break;
      case Opcode::kBeq: jumps = a == x; break;
      case Opcode::kBne: jumps = a != x; break;
      case Opcode::kBlt: jumps = static_cast<int32_t>(a) < static_cast<int32_t>(x); break;
      case Opcode::kBge: jumps = static_cast<int32_t>(a) >= static_cast<int32_t>(x); break;
      case Opcode::kJal: jumps = writes = true; result = (pc + 4) & 0xffff; break;
      case Opcode::kJalr: jumps = writes = true; result = (pc + 4) & 0xffff; target = address; break;
      default: break;
    }
    if (goes) {
      REQUIRE(b.get("issue_o") == 1);
      REQUIRE(b.get("alu_we_o") == (writes && ra != 0 ? 1u : 0u));
      if (writes) REQUIRE(b.get("alu_o") == result);
      REQUIRE(b.get("jump_o") == (jumps ? 1u : 0u));
      if (jumps) REQUIRE(b.get("target_o") == target);
      if (o == Opcode::kSw) REQUIRE(b.get("store_data_o") == a);
    }
    b.tick();
    if (back != 0) {
      regs[back] = value;
      late &= ~(1u << back);
    }
    if (goes && writes && ra != 0) regs[ra] = result;
    const bool memory_load = address < 49152 || (address >= 0xc000 && address < 0xc100) || address >= 0xf000;
    if (goes && o == Opcode::kLw && ra != 0 && memory_load) late |= 1u << ra;
    for (uint32_t r = 0; r < 16; ++r) REQUIRE(b.reg("regs_q", r) == regs[r]);
  }
}

TEST_CASE("wl_fetch: every instruction as memory holds it when it issues") {
  for (uint32_t reset : kAllResets) {
    INFO("reset " << reset);
    Bench b("wl_fetch", {{"SramBytes", "1024"}, {"WindowBytes", "256"}}, reset);
    b.set("run_i", 0);
    b.reset();
    Random random("pe fetch");
    std::vector<uint32_t> memory(256);
    for (auto& w : memory) w = static_cast<uint32_t>(random.next());
    uint32_t pc = 0, taken = 0;
    b.set("run_i", 1);
    b.set("jump_i", 1);
    b.set("target_i", 0);
    b.tick();
    uint64_t pending = 0, quick = 0;
    bool on_way = false;
    for (uint64_t cycle = 0; cycle < scaled(40000); ++cycle) {
      b.set("fetched_i", on_way);
      b.set("fetched_data_i", pending);
      b.set("jump_i", 0);
      b.set("take_i", 0);
      b.set("write_i", 0);
      b.set("fetch_go_i", 0);
      b.settle();
      const bool valid = b.get("valid_o") != 0;
      const bool easy = (cycle / 1000) % 2 == 0;
      const bool takes = valid && (easy || random.chance(1, 2));
      uint32_t next = pc;
      bool jumps = false;
      if (valid) {
        REQUIRE(b.get("pc_o") == pc);
        if (pc < 1024) REQUIRE(b.get("fault_o") == 0);
      }
      if (takes && pc < 1024) REQUIRE(b.get("instr_o") == memory[pc / 4]);
      if (takes) {
        ++taken;
        if (easy && cycle % 1000 > 100) ++quick;
        next = pc + 4;
        if (random.chance(1, easy ? 40 : 6) || next >= 1024) {
          jumps = true;
          next = 4 * static_cast<uint32_t>(random.below(256));
        }
      }
      // A write issues, sometimes right in front of the program counter; its data are in memory when later fetches go out.
      const bool writes = random.chance(1, easy ? 200 : 8);
      const uint32_t line = random.chance(1, 2) ? std::min(127u, next / 8) : static_cast<uint32_t>(random.below(128));
      b.set("take_i", takes);
      b.set("jump_i", jumps);
      b.set("target_i", next);
      b.set("write_i", writes);
      b.set("write_line_i", line);
      b.settle();
      const bool asks = b.get("fetch_o") != 0;
      const uint32_t wanted = static_cast<uint32_t>(b.get("fetch_line_o"));
      if (asks) REQUIRE(wanted < 128 + 1);
      const bool goes = asks && (easy || random.chance(1, 2)) && !(writes && wanted == line);
      b.set("fetch_go_i", goes);
      const uint64_t answer = goes ? memory[2 * wanted] | static_cast<uint64_t>(memory[2 * wanted + 1]) << 32 : 0;
      b.tick();
      if (writes) memory[2 * line + random.below(2)] = static_cast<uint32_t>(random.next());
      pending = answer;
      on_way = goes;
      pc = next;
    }
    CHECK(taken > scaled(40000) / 4);
    CHECK(quick > scaled(40000) / 2 * 6 / 10);
  }
}

TEST_CASE("wl_tasks: the lowest id that can start, flags, entries") {
  Bench b("wl_tasks");
  b.set("idle_i", 1);
  b.reset();
  Random random("pe tasks");
  uint64_t active = 0, blocked = 0;
  bool running = false;
  uint64_t starts = 0;
  for (uint64_t k = 0; k < scaled(20000); ++k) {
    uint32_t nonempty = static_cast<uint32_t>(random.below(256) & random.below(256)), control = static_cast<uint32_t>(random.below(256));
    const uint32_t bound = static_cast<uint32_t>(random.below(256) | random.below(256)), task_bit = static_cast<uint32_t>(random.below(256)),
                   read = static_cast<uint32_t>(random.below(256) & random.below(256));
    uint64_t ids = 0, binds = 0;
    for (uint32_t q = 0; q < 8; ++q) {
      ids |= (random.below(64) & (random.chance(1, 2) ? 7 : 63)) << (6 * q);
      binds |= random.below(24) << (8 * q);
    }
    const uint64_t head = random.next() & 0x1ffffffffull;
    b.set("nonempty_i", nonempty);
    b.set("control_i", control);
    b.set("bound_i", bound);
    b.set("starts_i", task_bit);
    b.set("read_i", read);
    b.set("id_i", ids);
    b.set("bind_i", binds);
    b.set("head_i", head);
    const uint32_t id = static_cast<uint32_t>(random.below(64));
    const uint64_t what = running ? random.below(4) : 9;
    b.set("act_i", what == 0);
    b.set("blk_i", what == 1);
    b.set("unb_i", what == 2);
    b.set("task_i", id);
    const uint32_t done = random.chance(1, 8) ? 1 + static_cast<uint32_t>(random.below(2)) : 0, done_id = static_cast<uint32_t>(random.below(64));
    b.set("done_i", done);
    b.set("done_task_i", done_id);
    const bool ends = running && random.chance(1, 4);
    b.set("yield_i", ends);
    b.settle();
    int want = -1, queue = -1;
    for (int t = 63; t >= 0 && !running; --t) {
      if ((blocked >> t) & 1) continue;
      for (int q = 7; q >= 0; --q) {
        const uint32_t bit = 1u << q;
        if ((nonempty & bit) && (bound & bit) && !(read & bit) && ((control | task_bit) & bit) && ((ids >> (6 * q)) & 63) == static_cast<uint64_t>(t)) {
          want = t;
          queue = q;
        }
      }
      if ((active >> t) & 1) {
        want = t;
        queue = -1;
      }
    }
    REQUIRE(b.get("start_o") == (want >= 0 ? 1u : 0u));
    if (want >= 0) {
      ++starts;
      REQUIRE(b.get("start_id_o") == static_cast<uint64_t>(want));
      REQUIRE(b.get("pop_o") == (queue >= 0 ? 1u : 0u));
      if (queue >= 0) {
        REQUIRE(b.get("queue_o") == static_cast<uint64_t>(queue));
        REQUIRE(b.get("start_r1_o") == ((head >> 32) ? (head >> 16) & 0xffff : head & 0xffffffff));
        REQUIRE(b.get("start_r2_o") == ((binds >> (8 * queue)) & 31));
      }
    }
    b.tick();
    if (want >= 0 && queue < 0) active &= ~(1ull << want);
    if (what == 0) active |= 1ull << id;
    if (what == 1) blocked |= 1ull << id;
    if (what == 2) blocked &= ~(1ull << id);
    if (done == 1) active |= 1ull << done_id;
    if (done == 2) blocked &= ~(1ull << done_id);
    REQUIRE(b.get("active_o") == active);
    REQUIRE(b.get("blocked_o") == blocked);
    if (ends) running = false;
    if (want >= 0) {
      // The entry: asked for, granted, delivered.
      for (const char* name : {"act_i", "blk_i", "unb_i", "done_i", "yield_i"}) b.set(name, 0);
      b.settle();
      REQUIRE(b.get("entry_ask_o") == 1);
      REQUIRE(b.get("entry_task_o") == static_cast<uint64_t>(want));
      REQUIRE(b.get("start_o") == 0);
      b.set("entry_go_i", 1);
      b.tick();
      b.set("entry_go_i", 0);
      b.set("entry_i", 1);
      const uint32_t entry = random.chance(1, 10) ? 0 : static_cast<uint32_t>(random.below(0x10000)) & (random.chance(1, 10) ? ~0u : ~3u);
      b.set("entry_data_i", entry);
      b.settle();
      const uint32_t trap = entry == 0 ? 8 : entry & 3 ? 2 : 0;
      REQUIRE(b.get("trap_o") == trap);
      REQUIRE(b.get("jump_o") == (trap == 0 ? 1u : 0u));
      b.tick();
      b.set("entry_i", 0);
      running = trap == 0;
      REQUIRE(b.get("run_o") == (running ? 1u : 0u));
    }
  }
  CHECK(starts > 1000);
}
