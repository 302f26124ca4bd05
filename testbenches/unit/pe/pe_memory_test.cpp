// wl_mem with its SRAM and window: whatever issues, each operand is what writes issued before it left, and nobody waits for ever.
//
// The bench plays issue stage and pipeline: random events with up to three operands and a write, writes that take one, three or no cycles more, instruction fetches
// beside them. Addresses are drawn from few lines, so that reads meet writes under way, line buffers, both read ports and the one port of the window.
// SRAM's own assertions (one access per bank and cycle) are on. Parameter space: 2, 4, 8 lanes. Left out: rates (pe_rate_test).
#include <deque>

#include "testbenches/lib/catch.h"
#include "testbenches/unit/pe/pe_bench.h"

using namespace waferloom;

namespace {

struct Write {
  bool valid = false;
  bool window = false;
  uint32_t line = 0, mask = 0;
  std::vector<uint32_t> data = std::vector<uint32_t>(4, 0);
  int stage = 0;  // 0: x; 1, 2: special function unit; 3: write-back
  bool slow = false;
};

struct Operand {
  bool used = false, wide = false;
  uint32_t address = 0;
};

class MemBench {
 public:
  explicit MemBench(int lanes, uint32_t reset)
      : lanes_(lanes), width_(lanes == 8 ? 16 : 8),
        b("wl_mem", {{"Lanes", std::to_string(lanes)}, {"SramBytes", "4096"}, {"WindowBytes", "256"}, {"Width", lanes == 8 ? "128" : "64"}}, reset),
        memory(0x10000) {
    b.reset();
  }

  bool in_window(uint32_t address) const { return address >= 0xc000; }
  uint32_t line_bytes(uint32_t address) const { return in_window(address) ? width_ : 8; }
  uint32_t offset(uint32_t address) const { return address % line_bytes(address); }
  uint32_t line(uint32_t address) const { return (address - offset(address)) / 8; }
  void set_wide(const char* port, const std::vector<uint32_t>& words) {
    if (width_ == 16) b.set_wide(port, words);
    else b.set(port, words[0] | static_cast<uint64_t>(words[1]) << 32);
  }
  std::vector<uint32_t> get_wide(const char* port) {
    if (width_ == 16) return b.get_wide(port);
    const uint64_t v = b.get(port);
    return {static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32), 0, 0};
  }

  const int lanes_;
  const uint32_t width_;
  Bench b;
  std::vector<uint8_t> memory;
};

}  // namespace

TEST_CASE("wl_mem: operands see every write issued before") {
  for (int lanes : {2, 4, 8}) {
    for (uint32_t reset : kAllResets) {
      MemBench m(lanes, reset);
      Bench& b = m.b;
      Random random("pe mem");
      Write x, s1, s2, w;
      bool fetching = false;
      uint64_t fetch_answer = 0, waits = 0, events = 0, fetches = 0;
      Operand a, second, dest;
      bool double_read = false, reads_dest = false, writes = false, pending = false, slow = false;
      uint32_t group = 1;
      struct Expected {
        bool check = false;
        std::vector<uint8_t> bytes;
        uint32_t offset = 0;
      } want[3];
      const char* const outputs[3] = {"a_data_o", "b_data_o", "r_data_o"};
      const auto address = [&](bool wide) {
        const uint32_t region = static_cast<uint32_t>(random.below(8));
        const uint32_t base = region < 3 ? 0xc000 : 0x100;
        return base + (static_cast<uint32_t>(random.below(region < 3 ? 32 : 48)) & ~(wide ? 3u : 1u));
      };
      for (uint64_t cycle = 0; cycle < scaled(60000); ++cycle) {
        INFO("lanes " << lanes << " reset " << reset << " cycle " << cycle);
        // Operands of the event that went in the last cycle.
        b.settle();
        for (int o = 0; o < 3; ++o) {
          if (!want[o].check) continue;
          const std::vector<uint32_t> got = m.get_wide(outputs[o]);
          INFO(outputs[o] << " double " << double_read << std::hex << " a " << a.address << " b " << second.address << " dest " << dest.address);
          for (size_t k = 0; k < want[o].bytes.size(); ++k) {
            const size_t at = want[o].offset + k;
            REQUIRE(((got[at / 4] >> (8 * (at % 4))) & 0xff) == want[o].bytes[k]);
          }
          want[o].check = false;
        }
        if (fetching) {
          REQUIRE(b.get("fetched_o") == 1);
          REQUIRE(b.get("fetch_data_o") == fetch_answer);
        }
        // A new event, or the one that waits.
        const bool sfu_busy = (x.valid && x.slow) || s1.valid;
        if (!pending && random.chance(5, 6)) {
          pending = true;
          waits = 0;
          a = {random.chance(3, 4), random.chance(1, 2), 0};
          second = {random.chance(3, 4), random.chance(1, 2), 0};
          writes = random.chance(2, 3);
          reads_dest = writes && random.chance(1, 3);
          dest = {writes, random.chance(1, 2), 0};
          slow = writes && random.chance(1, 8);
          if (sfu_busy && !slow) writes = reads_dest = dest.used = false;
          for (Operand* o : {&a, &second, &dest}) o->address = address(o->wide);
          if (random.chance(1, 3)) a.address = dest.address & ~3u, a.wide = dest.wide;
          if (random.chance(1, 4)) second.address = dest.address & ~3u, second.wide = dest.wide;
          double_read = false;
          group = 1 + static_cast<uint32_t>(random.below(static_cast<uint64_t>(lanes)));
          for (const Operand* o : {&a, &second, &dest}) {
            if (o->used) group = std::min(group, (m.line_bytes(o->address) - m.offset(o->address)) / (o->wide ? 4 : 2));
          }
          if (lanes == 8 && random.chance(1, 5)) {
            // Two lines for eight 16-bit elements, the rest in the window.
            second = {true, false, 0x100 + 8 * static_cast<uint32_t>(random.below(6))};
            group = 8;
            double_read = true;
            a.wide = dest.wide = false;
            if (a.used) a.address = 0xc000 + 16 * static_cast<uint32_t>(random.below(2));
            dest.address = 0xc000 + 16 * static_cast<uint32_t>(random.below(2));
          }
          if (!a.used && !second.used && !writes) pending = false;
        }
        const bool tries = pending && !(sfu_busy && writes && !slow) && random.chance(7, 8);
        b.set("try_i", tries);
        b.set("group_i", group);
        b.set("a_en_i", a.used);
        b.set("a_address_i", a.address);
        b.set("a32_i", a.wide);
        b.set("b_en_i", second.used);
        b.set("b_address_i", second.address);
        b.set("b32_i", second.wide);
        b.set("double_i", double_read);
        b.set("r_en_i", reads_dest);
        b.set("w_en_i", writes);
        b.set("d_address_i", dest.address);
        b.set("d32_i", dest.wide);
        b.set("ahead_en_i", random.chance(1, 2));
        b.set("ahead_line_i", (second.address / 8 + random.below(2)) % 512);
        const uint32_t fetch_line = random.chance(1, 6) ? 0xc000 / 8 + static_cast<uint32_t>(random.below(4)) : 0x100 / 8 + static_cast<uint32_t>(random.below(8));
        b.set("fetch_i", random.chance(1, 2));
        b.set("fetch_line_i", fetch_line);
        b.set("x_write_i", x.valid);
        b.set("x_line_i", x.line);
        b.set("x_mask_i", x.mask);
        b.set("s_write_i", (s1.valid ? 1u : 0u) | (s2.valid ? 2u : 0u));
        b.set("s_line_i", s1.line | static_cast<uint64_t>(s2.line) << 13);
        b.set("w_write_i", w.valid);
        b.set("w_window_i", w.window);
        b.set("w_line_i", w.line);
        b.set("w_mask_i", w.mask);
        m.set_wide("w_data_i", w.data);
        b.settle();
        const bool goes = tries && b.get("go_o") != 0;
        if (tries && !goes) {
          ++waits;
          REQUIRE(waits < 40);
        }
        const bool fetch_goes = b.get("fetch_go_o") != 0;
        if (fetch_goes) {
          ++fetches;
          fetch_answer = 0;
          for (uint32_t k = 0; k < 8; ++k) fetch_answer |= static_cast<uint64_t>(m.memory[fetch_line * 8 + k]) << (8 * k);
        }
        Write next;
        if (goes) {
          ++events;
          const auto expect = [&](int o, const Operand& operand, uint32_t bytes) {
            want[o].check = true;
            want[o].offset = o == 1 && double_read ? 0 : m.offset(operand.address);
            want[o].bytes.assign(m.memory.begin() + operand.address, m.memory.begin() + operand.address + bytes);
          };
          if (a.used) expect(0, a, group * (a.wide ? 4 : 2));
          if (second.used) expect(1, second, group * (second.wide ? 4 : 2));
          if (reads_dest) expect(2, dest, group * (dest.wide ? 4 : 2));
          if (writes) {
            const uint32_t bytes = group * (dest.wide ? 4 : 2), at = m.offset(dest.address);
            next.valid = true;
            next.slow = slow;
            next.window = m.in_window(dest.address);
            next.line = m.line(dest.address);
            REQUIRE(b.get("d_line_o") == next.line);
            REQUIRE(b.get("d_window_o") == (next.window ? 1u : 0u));
            next.mask = ((1u << (bytes / 2)) - 1) << (at / 2);
            REQUIRE(b.get("d_mask_o") == next.mask);
            for (uint32_t k = 0; k < bytes; ++k) {
              const uint8_t value = static_cast<uint8_t>(random.next());
              next.data[(at + k) / 4] |= static_cast<uint32_t>(value) << (8 * ((at + k) % 4));
              m.memory[dest.address + k] = value;
            }
          }
          pending = false;
        }
        b.tick();
        fetching = fetch_goes;
        // The pipeline moves.
        w = x.valid && !x.slow ? x : s2;
        s2 = s1;
        s1 = x.valid && x.slow ? x : Write{};
        x = next;
      }
      CHECK(events > scaled(60000) / 3);
      CHECK(fetches > scaled(60000) / 10);
    }
  }
}
