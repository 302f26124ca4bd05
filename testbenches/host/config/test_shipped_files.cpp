// The files in configs/: all of them resolve, print canonically, and say where their numbers come from.
#include "host/config/dataset.h"
#include "host/config/reference.h"
#include "host/config/resolver.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::config;

TEST_CASE("every shipped file resolves, and its canonical text resolves to itself") {
  const waferloom::test::TemporaryFolder folder;
  const std::filesystem::path configs = std::filesystem::path(WL_SOURCE_DIR) / "configs";
  int count = 0;
  for (const char* kind : {"machines", "models", "clusters", "runs"}) {
    for (const auto& entry : std::filesystem::directory_iterator(configs / kind)) {
      INFO(entry.path().string());
      const Result<Checked> checked = check_file(entry.path());
      INFO((checked.ok() ? std::string() : render(checked.errors())));
      REQUIRE(checked.ok());
      const Result<Checked> again = check_file(folder.write(std::string(kind) + "/resolved.yaml", checked->yaml));
      INFO((again.ok() ? std::string() : render(again.errors())));
      REQUIRE(again.ok());
      CHECK(again->yaml == checked->yaml);
      ++count;
    }
  }
  CHECK(count >= 7);
}

TEST_CASE("the machines have the constants that the fabric is built for") {
  const Result<Resolved<Machine>> wse1 = resolve_machine("wse1");
  const Result<Resolved<Machine>> wse2 = resolve_machine("wse2");
  const Result<Resolved<Machine>> wse3 = resolve_machine("wse3");
  const Result<Resolved<Machine>> nano = resolve_machine("nano");
  REQUIRE((wse1.ok() && wse2.ok() && wse3.ok() && nano.ok()));
  CHECK(wse2->value.lanes == 4);
  CHECK(wse2->value.accumulator_window_bytes == 256);
  CHECK(wse2->value.hop_cycles == 1);
  CHECK(wse2->value.ramp_cycles == 2);
  CHECK(wse2->value.router_queue_depth == 3);
  CHECK(wse3->value.lanes == 8);
  CHECK(wse3->value.accumulator_window_bytes == 512);
  CHECK(wse3->value.hop_cycles == 2);
  CHECK(wse3->value.ramp_cycles == 2);
  CHECK(wse3->value.router_queue_depth == 4);
  CHECK(nano->value.colours == 8);
  CHECK(nano->value.sram_bytes == 4096);
  CHECK(nano->value.lanes == 2);
  CHECK(wse1->value.fabric_width == 633);
  CHECK(!wse1->value.peak_sparse_flops_per_s);
  CHECK(wse2->value.fabric_width.value * wse2->value.fabric_height.value == 753972);
  CHECK(wse3->value.fabric_width.value * wse3->value.fabric_height.value == 893064);
  CHECK(wse2->value.user_tiles() == 745500);
  CHECK(wse3->value.user_tiles() == 883350);
  for (const char* key : {"fabric_width", "lanes", "hop_cycles", "io_bits_per_s"})
    CHECK(wse2->yaml.find(std::string(key) + ": {value: ") != std::string::npos);
}

TEST_CASE("a value that a machine only assumes does not inherit its base's source") {
  const Result<Resolved<Machine>> wse3 = resolve_machine("wse3");
  REQUIRE(wse3.ok());
  CHECK(!wse3->value.clock_hz.published());
  CHECK(!wse3->value.ramp_cycles.published());
  CHECK(!wse3->value.user_width.published());
}

TEST_CASE("the digits run loads its data") {
  const Result<Resolved<Run>> run = resolve_run(default_configs_dir() / "runs" / "digits-8x8.yaml");
  REQUIRE(run.ok());
  const Result<Dataset> data = load_dataset(run->value.data, run->value.model.inputs, run->value.model.outputs());
  REQUIRE(data.ok());
  CHECK(data->train.rows() == 898);
  CHECK(data->test.rows() == 899);
  CHECK(data->train.features == 64);
  CHECK(data->train.labels[0] == 0);
  CHECK(data->train.labels[1] == 1);
  CHECK(data->train.row(0)[2] == 5.0F / 16);
  CHECK(data->train.row(0)[3] == 13.0F / 16);
  std::vector<int> seen(10);
  for (const int label : data->train.labels) ++seen[static_cast<std::size_t>(label)];
  for (const int count : seen) CHECK(count > 80);
  CHECK(run->value.io_words_per_cycle == 4);
  CHECK(run->value.batch == 64);
}

TEST_CASE("names are listed in order") {
  const std::vector<std::string> machines = list_names(FileKind::kMachine);
  CHECK(machines == std::vector<std::string>{"nano", "wse1", "wse2", "wse3"});
}

TEST_CASE("the reference page is what the schema says") {
  const std::string page =
      waferloom::test::read_file(std::filesystem::path(WL_SOURCE_DIR) / "docs" / "reference" / "configuration.md");
  INFO("regenerate it: wl_config_reference > docs/reference/configuration.md");
  CHECK(page == reference_markdown());
  CHECK(
      page.find("| `clock_hz` | number, more than 0 to 100000000000; with source | required | cycles in a second |") !=
      std::string::npos);
}
