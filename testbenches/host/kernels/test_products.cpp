// Matrix products on verilated tiles, small: every result word bit-exact against the golden order of additions, cycles against what the parts must take.
//
// State space: matrices that divide over the tiles and that do not, down to one tile, one row and one column; rectangles of odd and even sizes; both
// precisions. Parameter space: wse2, wse1, wse3.
#include <tuple>

#include "host/kernels/collectives.h"
#include "testbenches/host/kernels/tiles.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;
using namespace waferloom::kernels;
using config::KernelCase;
using config::KernelKind;
using config::Precision;

namespace {

KernelCase gemv(int width, int height, int rows, int columns, Precision precision = Precision::kFp32) {
  KernelCase c;
  c.kernel = KernelKind::kGemv;
  c.width = width;
  c.height = height;
  c.words = 0;
  c.rows = rows;
  c.columns = columns;
  c.precision = precision;
  c.seed = 3;
  return c;
}

KernelCase gemm(int width, int height, int rows, int inner, int columns, Precision precision = Precision::kFp32) {
  KernelCase c = gemv(width, height, rows, columns, precision);
  c.kernel = KernelKind::kGemm;
  c.inner = inner;
  return c;
}

Measurement measure(KernelCase c, const std::string& name, bool audit = false) {
  MachineOptions options = test::machine(name, &c.machine);
  options.audit = audit;
  const LayoutOutcome laid_out = lay_out(c, 0);
  const auto* layout = std::get_if<KernelLayout>(&laid_out);
  REQUIRE(layout != nullptr);
  const Measurement m = run_layout(*layout, options);
  INFO(name << ": " << config::to_string(c.kernel) << " " << size_text(c) << " on " << c.width << "x" << c.height << " " << config::to_string(c.precision) << ": " << m.message);
  CHECK(m.ending == Ending::kDone);
  CHECK(m.wrong_words == 0);
  CHECK(m.checked_words > 0);
  return m;
}

std::string refused(KernelCase c) {
  test::machine("wse2", &c.machine);
  const LayoutOutcome laid_out = lay_out(c, 0);
  const auto* refusal = std::get_if<Refusal>(&laid_out);
  return refusal == nullptr ? "not refused" : refusal->key + ": " + refusal->message;
}

}  // namespace

TEST_CASE("a matrix-vector product gives the golden values on every shape") {
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(2, 1), std::pair(1, 3), std::pair(5, 4), std::pair(9, 2)}) {
    for (const auto& [rows, columns] : {std::pair(1, 1), std::pair(7, 5), std::pair(13, 30), std::pair(32, 20)}) {
      for (const Precision precision : {Precision::kFp32, Precision::kFp16}) {
        const Measurement m = measure(gemv(width, height, rows, columns, precision), "wse2");
        const int local = (rows + height - 1) / height;
        CHECK(m.checked_words == static_cast<std::uint64_t>(width * height * (precision == Precision::kFp32 ? local : (local + 1) / 2)));
      }
    }
  }
}

TEST_CASE("a matrix-vector product on the other machines, and skipping is exact under it") {
  for (const char* name : {"wse1", "wse3"}) {
    for (const Precision precision : {Precision::kFp32, Precision::kFp16}) measure(gemv(6, 3, 20, 33, precision), name);
  }
  measure(gemv(5, 4, 12, 21), "wse2", true);
}

TEST_CASE("a longer row of tiles costs a matrix-vector product seven cycles for each tile") {
  // Six of the chain, one of the flood; blocks of 4 x 4.
  const std::uint64_t eight = measure(gemv(8, 2, 8, 32), "wse2").cycles, twenty = measure(gemv(20, 2, 8, 80), "wse2").cycles;
  CHECK(twenty - eight == 12 * 7);
}

TEST_CASE("a matrix product gives the golden values on every shape") {
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(2, 2), std::pair(3, 3), std::pair(5, 5), std::pair(8, 8), std::pair(1, 3), std::pair(4, 1), std::pair(2, 4), std::pair(6, 4), std::pair(3, 5)}) {
    for (const auto& [rows, inner, columns] : {std::tuple(1, 1, 1), std::tuple(7, 13, 5), std::tuple(16, 24, 32)}) {
      for (const Precision precision : {Precision::kFp32, Precision::kFp16}) measure(gemm(width, height, rows, inner, columns, precision), "wse2");
    }
  }
}

TEST_CASE("a matrix product on the other machines, and skipping is exact under it") {
  for (const char* name : {"wse1", "wse3"}) {
    for (const Precision precision : {Precision::kFp32, Precision::kFp16}) measure(gemm(4, 6, 13, 25, 10, precision), name);
  }
  measure(gemm(4, 4, 9, 16, 11), "wse2", true);
}

TEST_CASE("a step of a matrix product costs the same on a larger array") {
  // Blocks of 6 x 6, pieces of 6: rings are of two hops whatever their length.
  const auto cycles = [](int side) { return measure(gemm(side, side, 6 * side, 6 * side, 6 * side, Precision::kFp16), "wse2").cycles; };
  const double six = static_cast<double>(cycles(6)) / 6, twelve = static_cast<double>(cycles(12)) / 12;
  INFO(six << ", " << twelve);
  CHECK(twelve < 1.03 * six);
  CHECK(twelve > 0.97 * six);
}

TEST_CASE("a block that fills a tile's memory is refused") {
  const std::string text = refused(gemv(2, 2, 400, 400));
  INFO(text);
  CHECK(text.find("rows: gemv of size 400x400 does not fit in 2 x 2 tiles") == 0);
  CHECK(refused(gemm(2, 2, 300, 300, 300)).find("rows: gemm of size 300x300x300 does not fit in 2 x 2 tiles") == 0);
}
