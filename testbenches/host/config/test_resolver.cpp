// What correct files mean: defaults, inheritance, references, merging, and canonical text that resolves to itself.
#include "host/config/resolver.h"
#include "host/config/schema.h"
#include "testbenches/host/config/run_text.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::config;
using waferloom::test::kRun;
using waferloom::test::TemporaryFolder;
using waferloom::test::with;

namespace {

Run resolved(const TemporaryFolder& folder, const std::string& text, const std::string& name = "run.yaml") {
  const Result<Resolved<Run>> result = resolve_run(folder.write(name, text));
  INFO((result.ok() ? std::string() : render(result.errors())));
  REQUIRE(result.ok());
  return result->value;
}

}  // namespace

TEST_CASE("a run takes values from its file, its references and the defaults") {
  const TemporaryFolder folder;
  const Run run = resolved(folder, kRun);
  CHECK(run.name == "tiny");
  CHECK(run.machine.name == "wse2");
  CHECK(run.machine.lanes == 4);
  CHECK(run.machine.accumulator_window_bytes == 256);
  CHECK(run.machine.hop_cycles == 1);
  CHECK(run.machine.hop_cycles.published());
  CHECK(run.machine.ramp_cycles == 2);
  CHECK(!run.machine.router_queue_depth.published());
  CHECK(run.machine.input_queue_depths.value == std::vector<int>{6, 6, 4, 4, 4, 4, 4, 4});
  CHECK(run.machine.edge_words_per_cycle() == Approx(34.09).epsilon(0.001));
  CHECK(run.machine.user_tiles() == 745500);
  CHECK(run.cluster.name == "single");
  CHECK(run.cluster.systems == 1);
  CHECK(run.array.width == 8);
  CHECK(run.array.height == 4);
  CHECK(run.io_words_per_cycle == 4);
  REQUIRE(run.model.layers.size() == 2);
  CHECK(run.model.layers[0].inputs == 64);
  CHECK(run.model.layers[0].outputs == 32);
  CHECK(run.model.layers[0].activation == Activation::kRelu);
  CHECK(run.model.layers[0].name == "layer0");
  CHECK(run.model.layers[1].inputs == 32);
  CHECK(run.model.layers[1].bias);
  CHECK(run.model.parameters() == 64 * 32 + 32 + 32 * 10 + 10);
  CHECK(run.data.file == "digits.csv.gz");
  CHECK(std::filesystem::exists(run.data.path));
  CHECK(run.data.train_rows == 898);
  CHECK(run.data.test_rows == 0);
  CHECK(run.data.scale == 1);
  CHECK(run.batch == 64);
  CHECK(run.shuffle);
  CHECK(run.partial_batch == PartialBatch::kDrop);
  CHECK(run.optimiser.momentum == 0.9);
  CHECK(run.optimiser.weight_decay == 0);
  CHECK(run.loss_scale.mode == LossScaleMode::kDynamic);
  CHECK(run.loss_scale.initial == 1);
  CHECK(run.accumulate == Accumulate::kFp32);
  CHECK(run.seed == 1);
  CHECK(run.limits.watchdog_cycles == 2000000);
  CHECK(run.report.size() == 5);
  REQUIRE(run.extrapolate.size() == 1);
  CHECK(run.extrapolate[0].workload == Workload::kDense);
  CHECK(run.extrapolate[0].passes == std::vector<Pass>{Pass::kForward, Pass::kDelta, Pass::kGradient});
  CHECK(run.outputs == "out/tiny");
}

TEST_CASE("a loss scale may be a number, a word or a mapping") {
  const TemporaryFolder folder;
  const Run number = resolved(folder, with(kRun, "loss_scale: dynamic", "loss_scale: 128"));
  CHECK(number.loss_scale.mode == LossScaleMode::kStatic);
  CHECK(number.loss_scale.initial == 128);
  const Run mapping = resolved(folder, with(kRun, "loss_scale: dynamic",
                                            "loss_scale: {mode: dynamic, initial: 1024, growth_interval_steps: 7}"));
  CHECK(mapping.loss_scale.initial == 1024);
  CHECK(mapping.loss_scale.growth_interval_steps == 7);
  CHECK(resolved(folder, with(kRun, "loss_scale: dynamic\n", "")).loss_scale.initial == 1);
}

TEST_CASE("the canonical text resolves to itself, from anywhere") {
  const TemporaryFolder folder;
  const Result<Resolved<Run>> first = resolve_run(folder.write("run.yaml", kRun));
  REQUIRE(first.ok());
  const Result<Resolved<Run>> second = resolve_run(folder.write("elsewhere/resolved.yaml", first->yaml));
  INFO((second.ok() ? std::string() : render(second.errors())));
  REQUIRE(second.ok());
  CHECK(second->yaml == first->yaml);
  CHECK(second->files.size() == 1);
  CHECK(first->yaml.find("extends") == std::string::npos);
}

TEST_CASE("the canonical text writes every key, also one that is not at its default") {
  const TemporaryFolder folder;
  const Result<Resolved<Run>> first = resolve_run(
      folder.write("run.yaml", with(kRun, "batch: 64", "batch: 64\nseed: 77\nshuffle: false\noutputs: here\nsystems: 1")));
  REQUIRE(first.ok());
  for (const Field& field : run_section().fields) {
    INFO(field.key);
    CHECK(("\n" + first->yaml).find("\n" + field.key + ":") != std::string::npos);
  }
  const Result<Resolved<Run>> second = resolve_run(folder.write("again.yaml", first->yaml));
  REQUIRE(second.ok());
  CHECK(second->value.seed == 77);
  CHECK(!second->value.shuffle);
  CHECK(second->value.outputs == "here");
}

TEST_CASE("extends by name and by path; keys merge, lists replace") {
  const TemporaryFolder folder;
  folder.write("base.yaml", kRun);
  const Run run = resolved(folder,
                           "extends: base.yaml\n"
                           "array: {width: 2}\n"
                           "machine: {lanes: 2}\n"
                           "optimiser: {momentum: 0}\n"
                           "extrapolate: []\n",
                           "child.yaml");
  CHECK(run.name == "child");
  CHECK(run.array.width == 2);
  CHECK(run.array.height == 4);
  CHECK(run.machine.name == "wse2-variant");
  CHECK(run.machine.lanes == 2);
  CHECK(run.machine.lanes.source == "assumed");
  CHECK(run.machine.sram_bytes == 49152);
  CHECK(run.machine.description.empty());
  CHECK(run.optimiser.momentum == 0);
  CHECK(run.optimiser.learning_rate == 0.1);
  CHECK(run.extrapolate.empty());
}

TEST_CASE("a machine in place may extend another, and replaces the base's") {
  const TemporaryFolder folder;
  folder.write("base.yaml", kRun);
  const Run run =
      resolved(folder, "extends: base.yaml\nmachine: {extends: wse3, hop_cycles: {value: 1, source: a thought}}\n",
               "child.yaml");
  CHECK(run.machine.name == "wse3-variant");
  CHECK(run.machine.lanes == 8);
  CHECK(run.machine.hop_cycles == 1);
  CHECK(run.machine.hop_cycles.source == "a thought");
}

TEST_CASE("extends over several files, each relative to the file that says it") {
  const TemporaryFolder folder;
  folder.write("a/base.yaml", kRun);
  folder.write("b/middle.yaml", "extends: ../a/base.yaml\nbatch: 32\nepochs: 9\n");
  const Run run = resolved(folder, "extends: b/middle.yaml\nepochs: 3\n");
  CHECK(run.batch == 32);
  CHECK(run.epochs == 3);
}

TEST_CASE("the same base twice on different branches is no circle") {
  const TemporaryFolder folder;
  const Run run = resolved(folder, with(with(kRun, "machine: wse2", "machine: {extends: wse2}"), "loss_scale: dynamic",
                                        "cluster: {extends: single, systems: 4}"));
  CHECK(run.cluster.name == "single-variant");
  CHECK(run.cluster.systems == 4);
}

TEST_CASE("a file without a name is called after itself") {
  const TemporaryFolder folder;
  CHECK(resolved(folder, with(kRun, "name: tiny\n", ""), "my run.yaml").name == "my-run");
}

TEST_CASE("the machine of a run can be replaced") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.write("run.yaml", kRun);
  const Result<Resolved<Run>> result = resolve_run_on(file, "wse3");
  REQUIRE(result.ok());
  CHECK(result->value.machine.name == "wse3");
  CHECK(result->value.name == "tiny");
  const Result<Resolved<Run>> wrong = resolve_run_on(file, "wse4");
  REQUIRE(!wrong.ok());
  CHECK(render(wrong.errors()).find("no machine is called 'wse4'") != std::string::npos);
}

TEST_CASE("a data file elsewhere is found beside the run and kept by its whole path") {
  const TemporaryFolder folder;
  folder.write("mine.csv", "1,2,0\n");
  const std::filesystem::path file = folder.write("run.yaml", with(kRun, "digits.csv.gz", "mine.csv"));
  const Result<Resolved<Run>> first = resolve_run(file);
  REQUIRE(first.ok());
  const Result<Resolved<Run>> second = resolve_run(folder.write("deep/er/resolved.yaml", first->yaml));
  REQUIRE(second.ok());
  CHECK(std::filesystem::equivalent(second->value.data.path, folder.path() / "mine.csv"));
}

TEST_CASE("text with quotes, backslashes and line breaks survives printing") {
  const TemporaryFolder folder;
  const std::string text =
      with(kRun, "name: tiny\n", "name: tiny\ndescription: \"a \\\"b\\\" \\\\ c: #d\\ne\\tf \\x07 g\"\n");
  const Result<Resolved<Run>> first = resolve_run(folder.write("run.yaml", text));
  REQUIRE(first.ok());
  CHECK(first->value.description == "a \"b\" \\ c: #d\ne\tf \x07 g");
  const Result<Resolved<Run>> second = resolve_run(folder.write("again.yaml", first->yaml));
  REQUIRE(second.ok());
  CHECK(second->value.description == first->value.description);
}

TEST_CASE("check tells a file's kind by its folder or by its keys") {
  const TemporaryFolder folder;
  const Result<Checked> machine = check_file(folder.write("fast.yaml", "extends: wse2\nlanes: 8\n"));
  REQUIRE(machine.ok());
  CHECK(machine->kind == FileKind::kMachine);
  const Result<Checked> in_folder = check_file(folder.write("machines/fast.yaml", "extends: wse2\n"));
  REQUIRE(in_folder.ok());
  CHECK(in_folder->kind == FileKind::kMachine);
  const Result<Checked> model = check_file(folder.write("net.yaml", "inputs: 3\nlayers: [{outputs: 2}]\n"));
  REQUIRE(model.ok());
  CHECK(model->kind == FileKind::kModel);
  const Result<Checked> cluster = check_file(folder.write("two.yaml", "extends: single\nsystems: 2\n"));
  REQUIRE(cluster.ok());
  CHECK(cluster->kind == FileKind::kCluster);
  const Result<Checked> run = check_file(folder.write("run.yaml", kRun));
  REQUIRE(run.ok());
  CHECK(run->kind == FileKind::kRun);
  CHECK(std::string(to_string(run->kind)) == "run");
}
