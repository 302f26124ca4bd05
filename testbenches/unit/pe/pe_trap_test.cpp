// Every trap of wl_pe: cause, program counter, and that the PE stands still afterwards.
//
// State space: each cause by each kind of instruction that can raise it. Left out: queue overflow (a sender that breaks the link contract;
// wl_inq's bench provokes it).
#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/snippets.h"

using namespace waferloom;
using namespace waferloom::pe;

namespace {

struct Case {
  const char* what;
  uint32_t cause;
  std::vector<Desc> descs;
  std::vector<uint32_t> code;      // the last word traps
  std::vector<uint64_t> wavelets;
  bool last = true;                // the trapping instruction is the last word (else the one before)
};

Desc with(Desc d, Kind kind) {
  d.kind = kind;
  return d;
}
Desc packed(Desc d) {
  d.pack = true;
  return d;
}
Desc coloured(uint32_t colour) { return fabric_out(kF32, 0, colour, 1); }

}  // namespace

TEST_CASE("traps") {
  const Desc a = mem(kF16, 0x1000, 4), f = mem(kF32, 0x1100, 4), i = mem(kI16, 0x1200, 4);
  Desc odd = a;
  odd.base = 0x1001;
  Desc far = a;
  far.base = 0xc0fc;  // the window ends at 0xc100
  Desc strided = f;
  strided.stride0 = 6;
  const auto q = bind(2, 7);
  const auto v = [](Opcode o, int d, int p, int s = 0, int t = 0) { return vec(o, d, p, s, t); };
  const std::vector<Case> cases = {
      {"unknown opcode", 1, {}, {0x7f}, {}},
      {"a bit outside the fields", 1, {}, {plain(Opcode::kNop) | 0x80}, {}},
      {"zero word", 1, {}, {0}, {}},
      {"lw misaligned", 2, {}, {lw(1, 0, 0x102)}, {}},
      {"lhu misaligned", 2, {}, {ri(Opcode::kLhu, 1, 0, 0x101)}, {}},
      {"sw misaligned", 2, {}, {sw(1, 0, 0x101)}, {}},
      {"ldd misaligned", 2, {}, {ldd(1, 0, 0x104)}, {}},
      {"jalr misaligned", 2, {}, {ri(Opcode::kJalr, 1, 0, 0x102)}, {}},
      {"vector misaligned", 2, {odd, a}, {v(Opcode::kVmov, 2, 1)}, {}},
      {"vector misaligned by its stride", 2, {f, strided}, {v(Opcode::kVmov, 1, 2)}, {}},
      {"lw out of range", 3, {}, {lw(1, 0, mmio(0) - 0x1000)}, {}},
      {"sh out of range", 3, {}, {ri(Opcode::kSh, 1, 0, static_cast<int32_t>(0xc100) - 0x10000)}, {}},
      {"ldd half out of range", 3, {}, {ldd(1, 0, static_cast<int32_t>(0xc0f8) - 0x10000)}, {}},
      {"vector out of range", 3, {far, a}, {v(Opcode::kVmov, 1, 2)}, {}},
      {"unexpected control wavelet", 4, {f, fabric_in(kF32, 2, 4)}, {q[0], q[1], v(Opcode::kVmov, 1, 2)}, {control(7, 0)}},
      {"destination is an iota", 5, {with(i, kIota), i}, {v(Opcode::kVmov, 1, 2)}, {}},
      {"destination is fabric_in", 5, {with(a, kFabricIn), a}, {v(Opcode::kVmov, 1, 2)}, {}},
      {"source is fabric_out", 5, {a, coloured(3)}, {v(Opcode::kVmov, 1, 2)}, {}},
      {"types differ in vmov", 5, {a, i}, {v(Opcode::kVmov, 1, 2)}, {}},
      {"integers in vadd", 5, {i, i}, {v(Opcode::kVadd, 1, 2, 2)}, {}},
      {"floats in viadd", 5, {a, a}, {v(Opcode::kViadd, 1, 2, 2)}, {}},
      {"vcvt of equal kinds", 5, {a, f}, {v(Opcode::kVcvt, 1, 2)}, {}},
      {"queue not bound", 5, {f, fabric_in(kF32, 5, 4)}, {v(Opcode::kVmov, 1, 2)}, {}},
      {"two fabric inputs", 5, {f, fabric_in(kF32, 2, 4)}, {q[0], q[1], v(Opcode::kVadd, 1, 2, 2)}, {}},
      {"colour 24", 5, {coloured(24), f}, {v(Opcode::kVmov, 1, 2)}, {}},
      {"output queue 4", 5, {fabric_out(kF32, 4, 1, 1), f}, {v(Opcode::kVmov, 1, 2)}, {}},
      {"pack of 32 bits", 5, {packed(coloured(1)), f}, {v(Opcode::kVmov, 1, 2)}, {}},
      {"vfma into the fabric", 5, {coloured(1), f}, {v(Opcode::kVfma, 1, 2, 2)}, {}},
      {"saxpy stream from memory", 5, {f, a, a}, {v(Opcode::kSaxpy, 1, 2, 3)}, {}},
      {"saxpy slab f32", 5, {f, fabric_in(kF16, 2, 0), f}, {q[0], q[1], v(Opcode::kSaxpy, 1, 2, 3)}, {}},
      {"sdot index f16 from memory", 5, {f, a, a, a}, {v(Opcode::kSdot, 1, 2, 3, 4)}, {}},
      {"trap instruction", 6, {}, {plain(Opcode::kTrap) | 0x12340000}, {}},
      {"mmio unknown", 9, {}, {lw(1, 0, mmio(0x14))}, {}},
      {"mmio unknown, high", 9, {}, {lw(1, 0, mmio(0xffc))}, {}},
      {"mmio write to read-only", 9, {}, {sw(1, 0, mmio(0))}, {}},
      {"mmio read of write-only", 9, {}, {lw(1, 0, mmio(0x400))}, {}},
      {"mmio 16 bits", 9, {}, {ri(Opcode::kLhu, 1, 0, mmio(0))}, {}},
      {"mmio past route", 9, {}, {sw(1, 0, mmio(0x700))}, {}},
  };
  for (const Case& c : cases) {
    INFO(c.what);
    PeBench b;
    std::vector<uint32_t> code = load_descs(b, c.descs);
    append(&code, c.code);
    const uint32_t pc = 0x100 + 4 * static_cast<uint32_t>(code.size() - 1);
    append(&code, {li(9, 99), plain(Opcode::kHalt)});
    for (uint64_t w : c.wavelets) b.to_pe.push_back(w);
    b.boot(code);
    REQUIRE(b.run(2000));
    CHECK((b.trap() & 0xff) == c.cause);
    CHECK(b.trap() >> 16 == pc);
    CHECK(b.reg(9) != 99);
    CHECK(b.bench.get("ramp_ready_o") == 0);
    CHECK(b.bench.get("class_o") == kStopped);
    CHECK(b.total() == b.now());
  }
}

TEST_CASE("traps of tasks, fetch and arrival") {
  {
    PeBench b;  // a task without an entry
    b.boot({task(Opcode::kAct, 0, 40), plain(Opcode::kYield)});
    REQUIRE(b.run(1000));
    CHECK(b.trap() == 8);
  }
  {
    PeBench b;  // an entry that is not a multiple of four
    b.entry(40, 0x206);
    b.boot({task(Opcode::kAct, 0, 40), plain(Opcode::kYield)});
    REQUIRE(b.run(1000));
    CHECK(b.trap() == (0x206u << 16 | 2));
  }
  {
    PeBench b;  // running through the end of memory into the window, and off its end
    const auto at = [](uint32_t address) { return static_cast<int32_t>(address) - 0x10000; };
    b.boot({lw(1, 0, 0x700), sw(1, 0, at(0xc000)), lw(1, 0, 0x704), sw(1, 0, at(0xc004)), lw(1, 0, 0x708), sw(1, 0, at(0xc0fc)),
            ri(Opcode::kJalr, 0, 0, at(0xbffc))});
    b.words(0x700, {ri(Opcode::kAddi, 7, 7, 5), ri(Opcode::kJal, 0, 0, 62), ri(Opcode::kAddi, 7, 7, 8)});
    b.word(0xbffc, plain(Opcode::kNop));
    REQUIRE(b.run(1000));
    CHECK(b.reg(7) == 13);
    CHECK(b.trap() == (0xc100u << 16 | 3));
  }
  {
    PeBench b;  // a colour without a queue
    b.to_pe.push_back(data(9, 1));
    b.boot({plain(Opcode::kYield)});
    REQUIRE(b.run(1000));
    CHECK((b.trap() & 0xff) == 7);
  }
  {
    PeBench b;  // in a microthread: its own instruction's address
    Desc far = mem(kF16, 0xc0f8, 8);
    auto code = load_descs(b, {far, mem(kF16, 0x1000, 8)});
    append(&code, {vec(Opcode::kVmov, 1, 2) | async(3), li(1, 1), ri(Opcode::kBeq, 0, 0, 0)});
    b.boot(code);
    REQUIRE(b.run(1000));
    CHECK(b.trap() == (0x108u << 16 | 3));
  }
}
