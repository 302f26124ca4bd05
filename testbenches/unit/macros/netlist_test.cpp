// The rtl views as Yosys reads and synthesises them, before the mapping to gates, written out as Verilog and simulated by Icarus,
// against the host arithmetic.
//
// State space: random operations and operands as in views_test, fewer of them. Parameter space: 2 lanes for
// wl_lanes (one lane with the wide multiplier, one narrow), 4 for wl_acc. What is meant to be caught: RTL that Verilator and Yosys
// read differently (widths, signs, latches). Left out: memories (macros in silicon), timing, and the
// mapping to gates (Yosys's own business; gates of a multiplier take minutes to simulate).
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/macros/arith_group.h"
#include "sim/plugin/process.h"
#include "testbenches/lib/bench.h"
#include "testbenches/lib/catch.h"
#include "testbenches/unit/macros/operands.h"

namespace fs = std::filesystem;
using namespace waferloom;
using namespace waferloom::macros;
using namespace waferloom::macros_test;

namespace {

struct Port {
  std::string name;
  int bits;
};

// A binary number built from fields, the first one in the highest bits.
class Bits {
 public:
  void add(uint64_t value, int bits) {
    for (int i = bits - 1; i >= 0; --i) text_.push_back(((value >> i) & 1) != 0 ? '1' : '0');
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Netlist {
 public:
  Netlist(std::string top, std::string parameters, std::vector<Port> inputs, std::vector<Port> outputs, unsigned latency,
          unsigned skip)
      : top_(std::move(top)), parameters_(std::move(parameters)), inputs_(std::move(inputs)), outputs_(std::move(outputs)), latency_(latency), skip_(skip) {
    char name[] = "/tmp/wl-netlist-XXXXXX";
    if (mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = name;
  }
  ~Netlist() {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }

  // `out` are the outputs after the edge that takes `in` (latency - 1 edges later); those of the first `skip` are not compared.
  void vector(const Bits& in, const Bits& out) {
    in_ += in.text() + "\n";
    out_ += out.text() + "\n";
    ++count_;
  }

  // "" or what went wrong.
  std::string run() {
    std::ofstream(directory_ / "in.txt") << in_;
    std::ofstream(directory_ / "out.txt") << out_;
    std::ofstream(directory_ / "bench.v") << bench();
    std::ostringstream script;
    const std::string rtl = std::string(WL_SOURCE_DIR) + "/rtl/";
    script << "read_verilog -sv";
    std::vector<std::string> files{rtl + "generated/wl_macro_pkg.sv", rtl + "generated/wl_sfu_rom.sv"};
    for (const auto& entry : fs::directory_iterator(rtl + "macros")) {
      if (entry.path().extension() == ".sv") files.push_back(entry.path().string());
    }
    for (const std::string& file : files) script << " \"" << file << '"';
    script << "\n";
    if (!parameters_.empty()) script << "chparam -set " << parameters_ << ' ' << top_ << "\n";
    script << "hierarchy -check -top " << top_ << "\nprep -top " << top_ << "\ncheck -assert\nrename -top wl_dut\nwrite_verilog -noattr netlist.v\n";
    std::ofstream(directory_ / "synth.ys") << script.str();
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"yosys", "-q", "synth.ys"}, {"iverilog", "-g2005", "-o", "bench.vvp", "bench.v", "netlist.v"}, {"vvp", "-n", "bench.vvp"}}) {
      const auto result = plugin::run_process(command, directory_.string());
      if (result.exit_code != 0) return command[0] + ": " + result.output;
      if (command[0] == "vvp" && result.output.find("passed " + std::to_string(count_)) == std::string::npos) return result.output;
    }
    return "";
  }

 private:
  static int width(const std::vector<Port>& ports) {
    int total = 0;
    for (const Port& p : ports) total += p.bits;
    return total;
  }
  // Assigns `bits`, the first port in the highest bits.
  static std::string connect(const std::vector<Port>& ports, const std::string& bits) {
    std::ostringstream os;
    int high = width(ports);
    for (const Port& p : ports) {
      os << ", ." << p.name << '(' << bits << '[' << high - 1 << ':' << high - p.bits << "])";
      high -= p.bits;
    }
    return os.str();
  }
  std::string bench() const {
    std::ostringstream os;
    os << "module bench;\n  reg clk = 0;\n  reg [" << width(inputs_) - 1 << ":0] in[0:" << count_ - 1 << "], now;\n  reg ["
       << width(outputs_) - 1 << ":0] out[0:" << count_ - 1 << "];\n  wire [" << width(outputs_) - 1 << ":0] got;\n  integer i, wrong = 0;\n"
       << "  wl_dut dut (.clk_i(clk)" << connect(inputs_, "now") << connect(outputs_, "got") << ");\n"
       << "  initial begin\n    $readmemb(\"in.txt\", in);\n    $readmemb(\"out.txt\", out);\n"
       << "    for (i = 0; i < " << count_ << "; i = i + 1) begin\n      now = in[i];\n      #1 clk = 1;\n      #1 clk = 0;\n"
       << "      if (i >= " << latency_ - 1 + skip_ << " && got !== out[i - " << latency_ - 1 << "]) begin\n"
       << "        wrong = wrong + 1;\n        if (wrong < 4) $display(\"vector %0d: %b gives %b, expected %b\", i, in[i - " << latency_ - 1
       << "], got, out[i - " << latency_ - 1 << "]);\n      end\n    end\n"
       << "    if (wrong == 0) $display(\"passed %0d\", i);\n    else $display(\"%0d wrong\", wrong);\n    $finish;\n  end\nendmodule\n";
    return os.str();
  }

  std::string top_, parameters_;
  std::vector<Port> inputs_, outputs_;
  unsigned latency_, skip_;
  fs::path directory_;
  std::string in_, out_;
  uint64_t count_ = 0;
};

}  // namespace

TEST_CASE("netlist of wl_lanes") {
  Netlist netlist("wl_lanes", "Lanes 2", {{"en_i", 1}, {"op_i", 5}, {"fmt_i", 4}, {"mask_i", 2}, {"a_i", 32}, {"b_i", 32}, {"c_i", 32}},
                  {{"y_o", 32}, {"sat_o", 4}}, 1, 0);
  Random random("macros netlist lanes");
  for (uint64_t i = 0; i < scaled(3000); ++i) {
    const auto op = static_cast<LaneOp>(random.chance(1, 4) ? 4 : random.below(24));
    const uint32_t fmt = random.chance(1, 3) ? 0u : static_cast<uint32_t>(random.below(16));
    const uint32_t mask = random.chance(3, 4) ? 3u : static_cast<uint32_t>(random.below(4));
    uint32_t operand[3];
    for (uint32_t k = 0; k < 3; ++k) {
      operand[k] = (fmt >> k & 1u) != 0 ? operand32(random) : operand16(random) | static_cast<uint32_t>(operand16(random)) << 16;
    }
    const GroupResult r = lane_group(op, Formats::from_port(fmt), 2, mask, {{operand[0], 0}}, {{operand[1], 0}}, {{operand[2], 0}});
    Bits in, out;
    in.add(1, 1);
    in.add(static_cast<uint64_t>(op), 5);
    in.add(fmt, 4);
    in.add(mask, 2);
    for (uint32_t x : operand) in.add(x, 32);
    out.add(r.y.w[0], 32);
    out.add(r.saturated, 4);
    netlist.vector(in, out);
  }
  CHECK(netlist.run() == "");
}

TEST_CASE("netlist of wl_acc") {
  Netlist netlist("wl_acc", "Lanes 4", {{"en_i", 1}, {"op_i", 3}, {"first_i", 1}, {"fmt_i", 2}, {"mask_i", 2}, {"sel_i", 2}, {"slot_i", 4}, {"a_i", 64}, {"b_i", 64}},
                  {{"y_o", 32}, {"sat_o", 4}}, 1, 9);  // no result before the tenth vector
  Random random("macros netlist acc");
  std::vector<Accumulators> model(9);
  uint32_t y = 0;
  for (uint64_t i = 0; i < scaled(1500); ++i) {
    // All sets are cleared, then every other operation shows a result.
    const AccOp op = i < 9 ? AccOp::kClear : static_cast<AccOp>(i % 2 == 1 ? 4 + random.below(3) : random.below(4));
    const auto slot = static_cast<uint32_t>(i < 9 ? i : random.below(2) * 8);
    const bool first = random.chance(1, 10);
    const uint32_t fmt = static_cast<uint32_t>(random.below(4));
    const uint32_t mask = random.chance(3, 4) ? 3u : static_cast<uint32_t>(random.below(4));
    const int start = static_cast<int>(random.below(4));
    Group a, b;
    for (int k = 0; k < 2; ++k) {
      a.put(true, k, (fmt & 1) != 0 ? operand32(random) : operand16(random));
      b.put(true, k, (fmt & 2) != 0 ? operand32(random) : operand16(random));
    }
    const uint32_t saturated = acc_step(op, first, (fmt & 1) != 0, (fmt & 2) != 0, 4, mask, start, a, b, &model[slot], &y);
    Bits in, out;
    in.add(1, 1);
    in.add(static_cast<uint64_t>(op), 3);
    in.add(first, 1);
    in.add(fmt, 2);
    in.add(mask, 2);
    in.add(static_cast<uint64_t>(start), 2);
    in.add(slot, 4);
    in.add(a.w[0], 64);
    in.add(b.w[0], 64);
    out.add(y, 32);
    out.add(saturated, 4);
    netlist.vector(in, out);
  }
  CHECK(netlist.run() == "");
}

TEST_CASE("netlist of wl_sfu") {
  Netlist netlist("wl_sfu", "", {{"rst_ni", 1}, {"valid_i", 1}, {"op_i", 2}, {"fmt_i", 2}, {"a_i", 32}}, {{"valid_o", 1}, {"y_o", 32}, {"sat_o", 1}}, 3, 0);
  Random random("macros netlist sfu");
  for (uint64_t i = 0; i < scaled(4000); ++i) {
    const auto op = static_cast<SfuOp>(i % 4);
    const uint32_t fmt = random.chance(3, 4) ? 3u : static_cast<uint32_t>(random.below(4));
    uint32_t a = (fmt & 1) != 0 ? operand32(random) : operand16(random);
    if (fmt == 3 && op == SfuOp::kExp2) a = static_cast<uint32_t>((random.below(2) << 31) | ((96 + random.below(40)) << 23) | (a & 0x7fffff));
    const Result r = sfu_element(op, (fmt & 1) != 0 ? 32 : 16, (fmt & 2) != 0 ? 32 : 16, a);
    Bits in, out;
    in.add(1, 1);
    in.add(1, 1);
    in.add(static_cast<uint64_t>(op), 2);
    in.add(fmt, 2);
    in.add(a, 32);
    out.add(1, 1);
    out.add(r.bits, 32);
    out.add(r.saturated, 1);
    netlist.vector(in, out);
  }
  CHECK(netlist.run() == "");
}
