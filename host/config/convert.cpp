#include "host/config/convert.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "host/config/scalar.h"
#include "host/config/section_reader.h"

namespace waferloom::config {
namespace {

namespace fs = std::filesystem;

using Reader = SectionReader;

std::string tiles(int width, int height) { return std::to_string(width) + " x " + std::to_string(height); }

void check_machine(const Machine& m, const Reader& r, Loader& loader) {
  if (m.user_x + m.user_width > m.fabric_width) {
    loader.fail(blamed(loader, {&r.at("user_width"), &r.at("user_x"), &r.at("fabric_width")}),
                "the user rectangle ends in column " + std::to_string(m.user_x + m.user_width) + ", the fabric has " +
                    std::to_string(m.fabric_width),
                "user_x + user_width is at most fabric_width");
  }
  if (m.user_y + m.user_height > m.fabric_height) {
    loader.fail(blamed(loader, {&r.at("user_height"), &r.at("user_y"), &r.at("fabric_height")}),
                "the user rectangle ends in row " + std::to_string(m.user_y + m.user_height) + ", the fabric has " +
                    std::to_string(m.fabric_height),
                "user_y + user_height is at most fabric_height");
  }
  const int least = m.hop_cycles == 1 ? 3 : 4;
  if (m.router_queue_depth < least) {
    loader.fail(blamed(loader, {&r.at("router_queue_depth"), &r.at("hop_cycles")}),
                "a router with hop_cycles " + std::to_string(m.hop_cycles) + " needs a queue of at least " +
                    std::to_string(least) + " words, has " + std::to_string(m.router_queue_depth),
                "words that are under way when a queue fills must still find room");
  }
  if (m.ramp_cycles > m.router_queue_depth) {
    loader.fail(blamed(loader, {&r.at("ramp_cycles"), &r.at("router_queue_depth")}),
                "ramp_cycles is " + std::to_string(m.ramp_cycles) + "; a router queue of " + std::to_string(m.router_queue_depth) +
                    " words allows at most " + std::to_string(m.router_queue_depth),
                "words that are under way on the ramp when a queue fills must still find room");
  }
  const std::vector<int>& in = m.input_queue_depths;
  const bool pair = in[0] == in[1];
  const bool rest = std::all_of(in.begin() + 2, in.end(), [&](int depth) { return depth == in[2]; });
  if (!pair || !rest) {
    loader.fail(r.at("input_queue_depths").where, "the tile has one depth for queues 0 and 1 and one for queues 2 to 7",
                "make them equal, as in [6, 6, 4, 4, 4, 4, 4, 4]");
  }
  const std::vector<int>& out = m.output_queue_depths;
  if (std::any_of(out.begin(), out.end(), [&](int depth) { return depth != out[0]; })) {
    loader.fail(r.at("output_queue_depths").where, "the tile has one depth for all output queues",
                "make them equal, as in [4, 4, 4, 4]");
  }
}

Layer to_layer(const Value& value, int inputs, std::size_t index) {
  assert(value.field == nullptr);
  const Section& section = *model_section().find("layers")->section;
  const Reader r(value, section);
  Layer layer;
  layer.name = r.has("name") ? r.text("name") : "layer" + std::to_string(index);
  layer.kind = r.choice<LayerKind>("kind");
  layer.inputs = inputs;
  layer.outputs = r.integer("outputs");
  layer.bias = r.boolean("bias");
  layer.activation = r.choice<Activation>("activation");
  return layer;
}

// Beside the file that names it, then in configs/data/.
void find_data(Value& file, Data& data, Loader& loader) {
  const fs::path written(file.text);
  const fs::path shelf = loader.configs() / "data";
  std::vector<fs::path> places;
  if (written.is_absolute()) {
    places.push_back(written);
  } else {
    places.push_back((fs::path(file.where.file).parent_path() / written).lexically_normal());
    places.push_back((shelf / written).lexically_normal());
  }
  std::error_code error;
  for (const fs::path& place : places) {
    if (!fs::exists(place, error)) continue;
    data.path = place;
    // On the project's own shelf the name is enough; elsewhere the whole path is kept.
    const fs::path absolute = fs::weakly_canonical(place, error);
    const fs::path relative = absolute.lexically_relative(fs::weakly_canonical(shelf, error));
    const bool on_shelf = !relative.empty() && relative.begin()->string() != "..";
    file.text = on_shelf ? relative.generic_string() : absolute.generic_string();
    data.file = file.text;
    return;
  }
  std::vector<std::string> known;
  for (fs::directory_iterator it(shelf, error), end; !error && it != end; it.increment(error))
    known.push_back(it->path().filename().string());
  const std::string guess = nearest(written.filename().string(), known);
  std::string hint = guess.empty() ? "looked for " : "did you mean '" + guess + "'? looked for ";
  for (std::size_t i = 0; i < places.size(); ++i) hint += (i == 0 ? "" : " and ") + places[i].string();
  Diagnostic fault = located(loader.sources(), file.where, "no such data file: '" + file.text + "'", hint);
  fault.fault = Fault::kInputOutput;
  loader.errors().push_back(std::move(fault));
}

Extrapolation to_extrapolation(const Value& value, std::set<std::string>& names, Loader& loader) {
  const Section& section = *run_section().find("extrapolate")->section;
  const Reader r(value, section);
  Extrapolation e;
  e.name = r.text("name");
  e.workload = r.choice<Workload>("workload");
  e.inputs = r.integer("inputs");
  e.outputs = r.integer("outputs");
  e.tokens_per_pe = r.integer("tokens_per_pe");
  e.density = r.real("density");
  e.passes = r.choices<Pass>("passes");
  if (!names.insert(e.name).second)
    loader.fail(r.at("name").where, "two extrapolations are called '" + e.name + "'",
                "rows of the report need different names");
  for (const char* key : {"inputs", "outputs"}) {
    if (e.workload == Workload::kDense && !r.has(key))
      loader.fail(value.where, std::string("missing key '") + key + "' in an extrapolation of a dense layer",
                  std::string("add '") + key + ": ...', or write 'workload: network'");
    if (e.workload == Workload::kNetwork && r.has(key))
      loader.fail(r.at(key).where,
                  std::string("'") + key + "' cannot be given for the network; its sizes are the model's",
                  "remove the line, or write 'workload: dense'");
  }
  return e;
}

void check_run(const Run& run, const Reader& r, Loader& loader) {
  const Reader array = r.section("array");
  const Value user_width = named_member(r.at("machine"), "user_width");
  const Value user_height = named_member(r.at("machine"), "user_height");
  if (run.array.width > run.machine.user_width) {
    loader.fail(
        blamed(loader, {&array.at("width"), &user_width}),
        "an array of " + tiles(run.array.width, run.array.height) + " does not fit machine '" + run.machine.name + "'",
        "programs may use " + tiles(run.machine.user_width, run.machine.user_height) + " tiles");
  } else if (run.array.height > run.machine.user_height) {
    loader.fail(
        blamed(loader, {&array.at("height"), &user_height}),
        "an array of " + tiles(run.array.width, run.array.height) + " does not fit machine '" + run.machine.name + "'",
        "programs may use " + tiles(run.machine.user_width, run.machine.user_height) + " tiles");
  }
  if (run.batch > run.data.train_rows) {
    loader.fail(blamed(loader, {&r.at("batch"), &r.section("data").at("train_rows")}),
                "a batch of " + std::to_string(run.batch) + " is larger than the " +
                    std::to_string(run.data.train_rows) + " training rows",
                "make 'batch' smaller or 'data.train_rows' larger");
  }
  if (run.cluster.systems > run.batch) {
    const Value systems = r.has("systems") ? r.at("systems") : named_member(r.at("cluster"), "systems");
    loader.fail(blamed(loader, {&systems, &r.at("batch")}),
                std::to_string(run.cluster.systems.value) + " systems cannot share a batch of " + std::to_string(run.batch) + (run.batch == 1 ? " row" : " rows"),
                "each takes at least one row of a full batch: make 'batch' larger or 'systems' smaller");
  }
  if (run.data.value_min >= run.data.value_max) {
    loader.fail(blamed(loader, {&r.section("data").at("value_max"), &r.section("data").at("value_min")}), "'value_max' must be greater than 'value_min'", {});
  }
  if (run.loss_scale.mode == LossScaleMode::kDynamic) {
    const Reader scale = r.section("loss_scale");
    if (run.loss_scale.minimum > run.loss_scale.maximum)
      loader.fail(blamed(loader, {&scale.at("maximum"), &scale.at("minimum")}), "'maximum' must not be less than 'minimum'", {});
    else if (run.loss_scale.initial < run.loss_scale.minimum || run.loss_scale.initial > run.loss_scale.maximum)
      loader.fail(blamed(loader, {&scale.at("initial"), &scale.at(run.loss_scale.initial < run.loss_scale.minimum ? "minimum" : "maximum")}), "the initial loss scale lies outside 'minimum' and 'maximum'",
                  "they are " + format_real(run.loss_scale.minimum) + " and " + format_real(run.loss_scale.maximum));
  }
}

}  // namespace

Machine to_machine(const Value& value, Loader& loader) {
  const Reader r(value, machine_section());
  Machine m;
  m.name = r.text("name");
  m.description = r.text("description");
  m.fabric_width = r.sourced_integer("fabric_width");
  m.fabric_height = r.sourced_integer("fabric_height");
  m.user_x = r.sourced_integer("user_x");
  m.user_y = r.sourced_integer("user_y");
  m.user_width = r.sourced_integer("user_width");
  m.user_height = r.sourced_integer("user_height");
  m.clock_hz = r.sourced_real("clock_hz");
  m.sram_bytes = r.sourced_integer("sram_bytes");
  m.sram_banks = r.sourced_integer("sram_banks");
  m.accumulator_window_bytes = r.sourced_integer("accumulator_window_bytes");
  m.lanes = r.sourced_integer("lanes");
  m.microthreads = r.sourced_integer("microthreads");
  m.input_queue_depths = r.sourced_list("input_queue_depths");
  m.output_queue_depths = r.sourced_list("output_queue_depths");
  m.colours = r.sourced_integer("colours");
  m.switch_positions = r.sourced_integer("switch_positions");
  m.hop_cycles = r.sourced_integer("hop_cycles");
  m.ramp_cycles = r.sourced_integer("ramp_cycles");
  m.router_queue_depth = r.sourced_integer("router_queue_depth");
  m.io_bits_per_s = r.sourced_real("io_bits_per_s");
  m.system_power_w = r.sourced_real("system_power_w");
  if (r.has("cores_marketed")) m.cores_marketed = r.sourced_integer("cores_marketed");
  m.peak_fp16_flops_per_s = r.optional_real("peak_fp16_flops_per_s");
  m.peak_sparse_flops_per_s = r.optional_real("peak_sparse_flops_per_s");
  m.sram_total_bytes = r.optional_real("sram_total_bytes");
  m.memory_bytes_per_s = r.optional_real("memory_bytes_per_s");
  m.fabric_bits_per_s = r.optional_real("fabric_bits_per_s");
  m.process_nm = r.optional_real("process_nm");
  m.area_mm2 = r.optional_real("area_mm2");
  check_machine(m, r, loader);
  return m;
}

Model to_model(const Value& value, Loader& loader) {
  const Reader r(value, model_section());
  Model model;
  model.name = r.text("name");
  model.inputs = r.integer("inputs");
  model.loss = r.choice<Loss>("loss");
  model.initialisation = r.choice<Initialisation>("initialisation");
  int features = model.inputs;
  std::set<std::string> names;
  const Section& section = *model_section().find("layers")->section;
  const std::vector<Value>& layers = r.at("layers").items;
  for (const Value& item : layers) {
    Layer layer = to_layer(item, features, model.layers.size());
    features = layer.outputs;
    if (!names.insert(layer.name).second)
      loader.fail(item.where, "two layers are called '" + layer.name + "'", "give each layer a name of its own");
    model.layers.push_back(std::move(layer));
  }
  const Reader last(layers.back(), section);
  if (model.layers.back().activation != Activation::kNone) {
    loader.fail(last.at("activation").where, "the last layer feeds softmax and cannot have an activation",
                "remove 'activation' or write 'activation: none'");
  }
  if (model.outputs() < 2) loader.fail(last.at("outputs").where, "softmax needs at least two outputs", {});
  return model;
}

Cluster to_cluster(const Value& value, Loader&) {
  const Reader r(value, cluster_section());
  Cluster c;
  c.name = r.text("name");
  c.systems = r.sourced_integer("systems");
  c.memoryx_bytes = r.sourced_real("memoryx_bytes");
  c.memoryx_link_bits_per_s = r.sourced_real("memoryx_link_bits_per_s");
  c.swarmx_fanout = r.sourced_integer("swarmx_fanout");
  c.swarmx_link_bits_per_s = r.sourced_real("swarmx_link_bits_per_s");
  c.swarmx_node_latency_s = r.sourced_real("swarmx_node_latency_s");
  c.host_link_latency_s = r.sourced_real("host_link_latency_s");
  c.memoryx_dram_bytes = r.optional_real("memoryx_dram_bytes");
  c.memoryx_dram_bytes_per_s = r.sourced_real("memoryx_dram_bytes_per_s");
  c.memoryx_flash_bytes_per_s = r.sourced_real("memoryx_flash_bytes_per_s");
  c.prefetch_bytes = r.sourced_real("prefetch_bytes");
  return c;
}

Run to_run(Value& value, Loader& loader) {
  const Reader r(value, run_section());
  Run run;
  run.name = r.text("name");
  run.description = r.text("description");
  run.machine = to_machine(r.at("machine"), loader);
  run.cluster = to_cluster(r.at("cluster"), loader);
  if (r.has("systems")) run.cluster.systems = {r.integer("systems"), "the run"};
  run.array = {r.section("array").integer("width"), r.section("array").integer("height")};
  run.io_words_per_cycle = r.integer("io_words_per_cycle");
  run.model = to_model(r.at("model"), loader);
  const Reader data = r.section("data");
  run.data.train_rows = data.integer("train_rows");
  run.data.test_rows = data.integer("test_rows");
  run.data.value_min = data.real("value_min");
  run.data.value_max = data.real("value_max");
  run.data.scale = data.real("scale");
  find_data(member(member(value, run_section(), "data"), *run_section().find("data")->section, "file"), run.data,
            loader);
  run.batch = r.integer("batch");
  run.epochs = r.integer("epochs");
  run.shuffle = r.boolean("shuffle");
  run.partial_batch = r.choice<PartialBatch>("partial_batch");
  const Reader optimiser = r.section("optimiser");
  run.optimiser.kind = optimiser.choice<OptimiserKind>("kind");
  run.optimiser.learning_rate = optimiser.real("learning_rate");
  run.optimiser.momentum = optimiser.real("momentum");
  run.optimiser.weight_decay = optimiser.real("weight_decay");
  const Reader scale = r.section("loss_scale");
  run.loss_scale.mode = scale.choice<LossScaleMode>("mode");
  run.loss_scale.initial = scale.real("initial");
  run.loss_scale.factor = scale.real("factor");
  run.loss_scale.growth_interval_steps = scale.integer("growth_interval_steps");
  run.loss_scale.minimum = scale.real("minimum");
  run.loss_scale.maximum = scale.real("maximum");
  const Reader pruning = r.section("pruning");
  run.pruning = {pruning.real("threshold"), pruning.real("kept"), pruning.integer("after_epoch")};
  run.accumulate = r.choice<Accumulate>("accumulate");
  run.seed = static_cast<std::uint64_t>(r.wide("seed"));
  const Reader limits = r.section("limits");
  run.limits = {limits.wide("cycles"), limits.wide("cycles_per_step"), limits.wide("watchdog_cycles")};
  const Reader checkpoint = r.section("checkpoint");
  run.checkpoint = {checkpoint.wide("every_steps"), checkpoint.real("every_seconds"), checkpoint.integer("keep")};
  run.report = r.choices<ReportSection>("report");
  std::set<std::string> names;
  for (const Value& item : r.at("extrapolate").items) run.extrapolate.push_back(to_extrapolation(item, names, loader));
  run.outputs = r.has("outputs") ? r.text("outputs") : "out/" + run.name;
  if (r.has("outputs") && run.outputs.empty())
    loader.fail(r.at("outputs").where, "'outputs' is empty", "name a folder");
  check_run(run, r, loader);
  return run;
}

}  // namespace waferloom::config
