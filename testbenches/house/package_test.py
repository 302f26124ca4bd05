#!/usr/bin/python3
"""wl_pkg's functions against the C++ tables: package_test.py COMPILER.

Rationale: the RTL decides with instr_legal and op_vector, the golden model with spec::is_legal and spec::is_vector; both come from the same rows
through different code. Verilator builds a module that shows both functions; every opcode with no, each single, and all other bits set, then
random words near legal ones are compared. A comparison against a wrong expectation must be noticed (last lines). The package is also linted and
read by Yosys, whose written Verilog Icarus compiles."""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PACKAGE = os.path.join(ROOT, "rtl", "generated", "wl_pkg.sv")
TABLE = os.path.join(ROOT, "sim", "generated", "isa.h")

TOP = """module top (input logic [31:0] word_i, output logic legal_o, output logic vector_o);
  assign legal_o = wl_pkg::instr_legal(word_i);
  assign vector_o = wl_pkg::op_vector(word_i[wl_pkg::OPCODE_LSB +: wl_pkg::OPCODE_WIDTH]);
endmodule
"""

MAIN = """#include <cstdio>
#include <cstdlib>
#include <random>
#include "Vtop.h"
#include "isa.h"
using namespace waferloom;
int main(int argc, char**) {
  Vtop top;
  std::mt19937 random(1);
  long bad = 0, words = 0, legal = 0;
  const auto check = [&](uint32_t word) {
    top.word_i = word;
    top.eval();
    const spec::Instruction* row = spec::find(word);
    const bool vector = row != nullptr && spec::is_vector(*row);
    const bool expected = spec::is_legal(word) != (argc > 1 && word == 0x58);
    if (top.legal_o != expected || top.vector_o != vector) {
      if (bad++ < 5) std::printf("%08x: legal %d vector %d, expected %d %d\\n", word, top.legal_o, top.vector_o, expected, vector);
    }
    ++words;
    legal += spec::is_legal(word) ? 1 : 0;
  };
  for (uint32_t opcode = 0; opcode < 128; ++opcode) {
    check(opcode);
    check(opcode | 0xffffff80u);
    for (int a = 7; a < 32; ++a) {
      for (int b = 7; b <= a; ++b) check(opcode | 1u << a | 1u << b);
    }
  }
  for (int i = 0; i < 2000000; ++i) {
    const uint32_t bits = i % 2 == 0 ? random() : random() & random() & random();
    check((bits & ~127u) | static_cast<uint32_t>(spec::kInstructionTable[random() % spec::kInstructionCount].opcode));
  }
  std::printf("%ld words, %ld legal, %ld differ\\n", words, legal, bad);
  return bad == 0 && legal > 1000 ? 0 : 1;
}
"""


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def must(command, **options):
    result = run(command, **options)
    if result.returncode != 0:
        print(" ".join(command) + "\n" + result.stdout + result.stderr)
        sys.exit(1)
    return result


def main():
    compiler = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("top.sv", TOP), ("main.cpp", MAIN)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        # Verilator and its makefiles take no path with a blank: work on copies.
        shutil.copy(PACKAGE, folder)
        shutil.copy(TABLE, folder)
        must(["verilator", "--lint-only", "-Wall", "wl_pkg.sv", "top.sv", "--top-module", "top"], cwd=folder)
        must(["verilator", "--cc", "--exe", "--build", "-Wall", "-O3", "--top-module", "top", "-CFLAGS", f"-std=c++17 -O1 -I{folder}", "-MAKEFLAGS", f"CXX={compiler}",
              "-Mdir", "obj", "wl_pkg.sv", "top.sv", "main.cpp"], cwd=folder)
        result = must([os.path.join(folder, "obj", "Vtop")])
        print(result.stdout.strip())
        if run([os.path.join(folder, "obj", "Vtop"), "wrong"]).returncode == 0:
            print("a wrong expectation was not noticed")
            return 1
        if shutil.which("yosys") and shutil.which("iverilog"):
            must(["yosys", "-q", "-p", "read_verilog -sv wl_pkg.sv top.sv; prep -top top; write_verilog -noattr net.v"], cwd=folder)
            must(["iverilog", "-g2012", "-o", "net", "net.v"], cwd=folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
