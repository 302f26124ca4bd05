// Kernel runs as files: what they mean, and every message of theirs provoked once, by breaking a correct file in one place.
#include <cmath>

#include "host/config/resolver.h"
#include "host/config/run_kind.h"
#include "testbenches/host/config/run_text.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::config;
using waferloom::test::TemporaryFolder;
using waferloom::test::with;

namespace {

const std::string kKernels =
    "name: tiny\n"                                                                                    // 1
    "machine: wse2\n"                                                                                 // 2
    "kernels:\n"                                                                                      // 3
    "  - {name: a, kernel: broadcast, width: 8, words: 4}\n"                                          // 4
    "  - name: b\n"                                                                                   // 5
    "    kernel: reduce_two_phase\n"                                                                  // 6
    "    width: 16\n"                                                                                 // 7
    "    height: 3\n"                                                                                 // 8
    "    words: 32\n"                                                                                 // 9
    "    group: 4\n"                                                                                  // 10
    "    precision: fp16\n"                                                                           // 11
    "    repeat: 2\n"                                                                                 // 12
    "    seed: 7\n"                                                                                   // 13
    "    machine: wse3\n"                                                                             // 14
    "    expected: {cycles: 100, tolerance_percent: 2, tolerance_cycles: 4, source: measured here}\n";  // 15

std::string errors_of(const std::string& text) {
  const TemporaryFolder folder;
  const Result<Resolved<KernelRun>> result = resolve_kernel_run(folder.write("run.yaml", text));
  if (result.ok()) return "no error";
  std::string out = render(result.errors());
  const std::string prefix = folder.path().string() + "/";
  for (std::size_t at = out.find(prefix); at != std::string::npos; at = out.find(prefix)) out.erase(at, prefix.size());
  return out;
}

}  // namespace

TEST_CASE("a kernel run is read as it is written") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.write("run.yaml", kKernels);
  CHECK(is_kernel_run(file));
  CHECK(run_kind(file) == FileKind::kKernelRun);
  CHECK(run_kind(folder.write("other.yaml", waferloom::test::kRun)) == FileKind::kRun);
  CHECK(run_kind(folder.write("projection.yaml", "name: x\nmodel: gpt3-175b\nbatch_tokens: 4\n")) == FileKind::kProjection);
  // What a file extends counts too, beside it or shipped; a circle tells nothing.
  CHECK(run_kind(folder.write("longer.yaml", "extends: other.yaml\nepochs: 9\n")) == FileKind::kRun);
  CHECK(run_kind(folder.write("shipped.yaml", "extends: collectives-wse2\n")) == FileKind::kKernelRun);
  CHECK(!run_kind(folder.write("circle.yaml", "extends: circle.yaml\n")));
  CHECK(!run_kind(folder.write("machine.yaml", "extends: wse2\nlanes: 8\n")));
  CHECK(!run_kind(folder.path() / "none.yaml"));
  const Result<Resolved<KernelRun>> run = resolve_kernel_run(file);
  REQUIRE(run.ok());
  REQUIRE(run->value.cases.size() == 2);
  const KernelCase& a = run->value.cases[0];
  CHECK(a.kernel == KernelKind::kBroadcast);
  CHECK((a.width == 8 && a.height == 1 && a.words == 4 && a.repeat == 1 && a.seed == 1));
  CHECK(a.precision == Precision::kFp32);
  CHECK(a.machine.name == "wse2");
  CHECK(!a.expected);
  const KernelCase& b = run->value.cases[1];
  CHECK(b.kernel == KernelKind::kReduceTwoPhase);
  CHECK((b.width == 16 && b.height == 3 && b.words == 32 && b.group == 4 && b.repeat == 2 && b.seed == 7));
  CHECK(b.precision == Precision::kFp16);
  CHECK(b.machine.name == "wse3");
  REQUIRE(b.expected);
  CHECK((b.expected->lower() == 96 && b.expected->upper() == 104));
  CHECK((b.expected->holds(96) && b.expected->holds(104) && !b.expected->holds(95) && !b.expected->holds(105)));
  CHECK(b.expected->source == "measured here");
  CHECK(run->value.outputs == "out/tiny");
  CHECK(!run->value.other_machine);
  const Diagnostic at = b.error_at("words", "x");
  CHECK((at.where.line == 9 && at.where.column == 12 && at.source_line == "    words: 32"));
  CHECK(b.error_at("nothing", "x").where.line == 5);
}

TEST_CASE("another machine takes the place of all") {
  const TemporaryFolder folder;
  const Result<Resolved<KernelRun>> run = resolve_kernel_run(folder.write("run.yaml", kKernels), "wse1");
  REQUIRE(run.ok());
  CHECK(run->value.other_machine);
  for (const KernelCase& c : run->value.cases) CHECK(c.machine.name == "wse1");
  const Result<Resolved<KernelRun>> none = resolve_kernel_run(folder.write("run.yaml", kKernels), "wse9");
  REQUIRE(!none.ok());
  CHECK(render(none.errors()).find("--machine") != std::string::npos);
}

TEST_CASE("a range may be open at its upper end") {
  const TemporaryFolder folder;
  const auto expected = [&](const std::string& text) {
    const Result<Resolved<KernelRun>> run = resolve_kernel_run(folder.write("run.yaml", with(kKernels, "cycles: 100", text)));
    REQUIRE(run.ok());
    return *run->value.cases[1].expected;
  };
  const KernelExpectation open = expected("cycles_min: 1000");
  CHECK((open.lower() == 980 && std::isinf(open.upper()) && open.holds(1e15) && !open.holds(979)));
  const KernelExpectation range = expected("cycles_min: 1000, cycles_max: 2000");
  CHECK((range.lower() == 980 && range.upper() == 2040));
  const KernelExpectation below = expected("cycles_max: 2000");
  CHECK((below.holds(0) && !below.holds(2041)));
}

TEST_CASE("every mistake in a kernel run has its place") {
  struct Case {
    std::string from, to, message, hint;
  };
  for (const Case& c : std::vector<Case>{
           {"machine: wse2\n", "", "run.yaml:1:1: error: missing key 'machine' in a kernel run", "add 'machine: ...'"},
           {"name: tiny", "name: tiny\nkernals: 3", "run.yaml:2:1: error: unknown key 'kernals' in a kernel run", "did you mean 'kernels'?"},
           {"words: 4}", "words: 4, wdith: 3}", "run.yaml:4:54: error: unknown key 'wdith' in a kernel case", "did you mean 'width'?"},
           {"kernel: broadcast", "kernel: brodcast", "run.yaml:4:23: error: 'kernel' cannot be 'brodcast'", "did you mean 'broadcast'?"},
           {"width: 8, words: 4", "width: 0, words: 4", "run.yaml:4:41: error: 'width' is out of range: 0", "allowed: from 1 to 4096"},
           {"width: 8, words: 4", "width: 8, words: 13000", "run.yaml:4:51: error: 'words' is out of range: 13000", "allowed: from 1 to 12288"},
           {"width: 8, words: 4", "width: 8, words: 1.5", "run.yaml:4:51: error: 'words' must be an integer, found '1.5'", ""},
           {"width: 8, words: 4", "width: 758, words: 4", "run.yaml:4:41: error: 'width' is 758, the fabric of wse2 has 757", "make it smaller"},
           {"height: 3", "height: 1173", "run.yaml:8:13: error: 'height' is 1173, the fabric of wse3 has 1172", "make it smaller"},
           {"precision: fp16", "precision: bf16", "run.yaml:11:16: error: 'precision' cannot be 'bf16'", "one of: fp32, fp16"},
           {"    group: 4\n", "", "run.yaml:5:5: error: reduce_two_phase needs 'group'", "add 'group:'"},
           {"group: 4", "group: 1", "run.yaml:10:12: error: 'group' is out of range: 1", "allowed: from 2"},
           {"group: 4", "group: 17", "run.yaml:10:12: error: a group of 17 is longer than the rectangle", "make 'group' smaller"},
           {"words: 4}", "words: 4, group: 2}", "run.yaml:4:61: error: 'group' means nothing to broadcast", "remove it"},
           {", words: 4}", "}", "run.yaml:4:5: error: broadcast needs 'words'", "add 'words: ...'"},
           {"words: 4}", "words: 4, rows: 4}", "run.yaml:4:60: error: 'rows' means nothing to broadcast", "remove it"},
           {"kernel: broadcast, width: 8, words: 4", "kernel: gemv, width: 8, rows: 4", "run.yaml:4:5: error: gemv needs 'columns'", "add 'columns: ...'"},
           {"kernel: broadcast, width: 8, words: 4", "kernel: gemv, width: 8, rows: 4, columns: 70000", "run.yaml:4:57: error: 'columns' is out of range: 70000", ""},
           {"kernel: broadcast, width: 8, words: 4", "kernel: gemm, width: 8, rows: 4, columns: 4", "run.yaml:4:5: error: gemm needs 'inner'", "add 'inner: ...'"},
           {"kernel: broadcast, width: 8, words: 4", "kernel: stencil25, width: 8, cells: 4, steps: 0", "run.yaml:4:61: error: 'steps' is out of range: 0", ""},
           {"kernel: broadcast, width: 8, words: 4", "kernel: stencil25, width: 8", "run.yaml:4:5: error: stencil25 needs 'cells'", "add 'cells: ...'"},
           {"words: 4}", "words: 4, heads: 4}", "run.yaml:4:61: error: 'heads' means nothing to broadcast", "remove it"},
           {"kernel: broadcast, width: 8, words: 4", "kernel: transformer_block, width: 8, tokens: 16, features: 16", "run.yaml:4:5: error: transformer_block needs 'hidden'", "add 'hidden: ...'"},
           {"name: b", "name: a", "run.yaml:5:11: error: two cases are called 'a'", "a name of its own"},
           {"repeat: 2", "repeat: 0", "run.yaml:12:13: error: 'repeat' is out of range: 0", ""},
           {"seed: 7", "seed: -7", "run.yaml:13:11: error: 'seed' cannot be negative: -7", ""},
           {"machine: wse3", "machine: wse4", "run.yaml:14:14: error: ", "wse3"},
           {"cycles: 100, ", "", "run.yaml:15:15: error: the expectation has no cycles", "give 'cycles'"},
           {"cycles: 100", "cycles: 100, cycles_min: 4", "run.yaml:15:24: error: 'cycles' and a range cannot both be expected", "give 'cycles'"},
           {"cycles: 100", "cycles_min: 100, cycles_max: 99", "run.yaml:15:45: error: 'cycles_max' must not be less than 'cycles_min'", ""},
           {"cycles: 100", "cycles: many", "run.yaml:15:24: error: 'cycles' must be a number, found 'many'", ""},
           {", source: measured here", "", "run.yaml:15:15: error: missing key 'source' in an expectation", "who states the figure"},
           {"source: measured here", "source: \"\"", "run.yaml:15:80: error: 'source' is empty", "name the publication"},
           {"tolerance_percent: 2", "tolerance_percent: 200", "run.yaml:15:", "allowed: from 0 to 100"},
           {"name: tiny", "name: tiny\noutputs: \"\"", "run.yaml:2:10: error: 'outputs' is empty", "name a folder"},
           {"name: tiny", "name: tiny\nlimit_cycles: -1", "run.yaml:2:15: error: 'limit_cycles' cannot be negative: -1", ""},
       }) {
    const std::string errors = errors_of(with(kKernels, c.from, c.to));
    INFO(errors << "expected: " << c.message << " / " << c.hint);
    CHECK(errors.find(c.message) == 0);
    CHECK(errors.find(c.hint) != std::string::npos);
    CHECK(errors.find("error: ") == errors.rfind("error: "));
  }
}

TEST_CASE("a run without kernels says so") {
  CHECK(errors_of("name: tiny\nmachine: wse2\nkernels: []\n").find("run.yaml:3:10: error: 'kernels' has 0 entries, needs 1 to 1000") == 0);
}
