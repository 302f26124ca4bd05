#include "host/plan/plan.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>

#include "host/plan/graph.h"
#include "host/plan/image_builder.h"
#include "host/plan/protocol.h"

namespace waferloom::plan {
namespace {

int padded_tokens(int batch, int height) { return (Split{batch, height}.largest() + 3) / 4 * 4; }

std::vector<Split> split_features(const NetworkSpec& network, int width) {
  std::vector<Split> splits = {{network.inputs(), width}};
  for (const LinearSpec& layer : network.layers) splits.push_back({layer.outputs, width});
  return splits;
}

// Phases of a training step with their records, in order; an evaluation step is the same without what follows the loss.
struct Schedule {
  std::vector<Phase> train;
  std::vector<Phase> evaluate;
  std::vector<RecordId> records;
  std::uint32_t record_bytes = 0;
};

Schedule make_schedule(const NetworkSpec& network, std::uint32_t records_at) {
  Schedule schedule;
  const auto add = [&](const RecordId& id) {
    const std::uint32_t address = records_at + schedule.record_bytes;
    schedule.records.push_back(id);
    schedule.record_bytes += record_bytes(id, network);
    return static_cast<std::uint16_t>(address);
  };
  const auto phase = [&](PhaseKind kind, int layer, const std::string& name, std::uint16_t record, std::uint16_t finish = 0) {
    Phase p;
    p.kind = kind;
    p.layer = layer;
    p.name = name;
    p.record = record;
    p.finish = finish;
    schedule.train.push_back(p);
  };
  const int layers = static_cast<int>(network.layers.size());
  phase(PhaseKind::kLoad, -1, "load", add({RecordKind::kLoad, PhaseKind::kLoad, -1}));
  for (int l = 0; l < layers; ++l) {
    const LinearSpec& spec = network.layers[static_cast<std::size_t>(l)];
    const std::uint16_t record = add({RecordKind::kPass, PhaseKind::kForward, l});
    const std::uint16_t finish = spec.relu ? add({RecordKind::kRelu, PhaseKind::kForward, l}) : std::uint16_t{0};
    phase(PhaseKind::kForward, l, spec.name + ".forward", record, finish);
  }
  phase(PhaseKind::kLoss, -1, "loss", add({RecordKind::kLoss, PhaseKind::kLoss, -1}));
  schedule.evaluate = schedule.train;
  for (int l = layers - 1; l >= 0; --l) {
    const LinearSpec& spec = network.layers[static_cast<std::size_t>(l)];
    phase(PhaseKind::kGradient, l, spec.name + ".gradient", add({RecordKind::kGradient, PhaseKind::kGradient, l}));
    if (l == 0) break;
    const std::uint16_t record = add({RecordKind::kPass, PhaseKind::kDelta, l});
    const bool relu = network.layers[static_cast<std::size_t>(l) - 1].relu;
    const std::uint16_t finish = relu ? add({RecordKind::kReluGradient, PhaseKind::kDelta, l}) : std::uint16_t{0};
    phase(PhaseKind::kDelta, l, spec.name + ".delta", record, finish);
  }
  return schedule;
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

// What would make it fit: the largest batch on this array, and the smallest number of columns for this batch.
std::string advice(const NetworkSpec& network, const Target& target, int batch, std::uint32_t code_bytes, std::uint32_t record_bytes) {
  const auto fits = [&](int width, int height, int tokens) {
    Target other = target;
    other.width = width;
    other.height = height;
    const Layout layout =
        make_layout(network, split_features(network, width), padded_tokens(tokens, height), other, code_bytes, boot_table_bytes(), record_bytes);
    return layout.end <= static_cast<std::uint32_t>(target.sram_bytes);
  };
  std::string text;
  const auto option = [&](const std::string& what) { text += (text.empty() ? "" : ", or ") + what; };
  int low = 0;
  for (int high = batch; low < high;) {
    const int middle = low + (high - low + 1) / 2;
    if (fits(target.width, target.height, middle)) low = middle; else high = middle - 1;
  }
  if (low > 0 && low < batch) option("a batch of at most " + std::to_string(low));
  for (int factor = 2; factor <= 1024; factor *= 2) {
    if (fits(target.width, target.height * factor, batch)) {
      option("an array of " + std::to_string(target.width) + " x " + std::to_string(target.height * factor) + " (more rows: fewer tokens per tile)");
      break;
    }
  }
  for (int factor = 2; factor <= 1024; factor *= 2) {
    if (fits(target.width * factor, target.height, batch)) {
      option("an array of " + std::to_string(target.width * factor) + " x " + std::to_string(target.height) + " (more columns: fewer features per tile)");
      break;
    }
  }
  return text.empty() ? "use a machine with more SRAM per tile, or smaller layers" : "use " + text;
}

std::optional<Refusal> refuse_shape(const NetworkSpec& network, const Target& target) {
  if (target.colours < kColoursUsed) {
    return Refusal{"the training program needs " + std::to_string(kColoursUsed) + " colours, the machine has " + std::to_string(target.colours),
                   "use a machine with more colours", 0, 0, -1, -1};
  }
  if (network.layers.back().relu) {
    return Refusal{"the last layer, " + network.layers.back().name + ", feeds the softmax and cannot have a ReLU", "set its activation to none", 0, 0, -1, -1};
  }
  if (target.width >= 0xffff || target.height >= 0xffff) {
    return Refusal{"an array of " + std::to_string(target.width) + " x " + std::to_string(target.height) + " is larger than the 65534 that a control wavelet can name",
                   "use a smaller array", 0, 0, -1, -1};
  }
  return std::nullopt;
}

Refusal refuse_memory(const Layout& layout, const NetworkSpec& network, const Target& target, int batch, int padded, std::uint32_t code_bytes,
                      std::uint32_t record_bytes) {
  std::vector<Symbol> largest = layout.symbols;
  std::stable_sort(largest.begin(), largest.end(), [](const Symbol& a, const Symbol& b) { return a.bytes > b.bytes; });
  std::string blocks;
  for (std::size_t i = 0; i < largest.size() && i < 3; ++i) {
    blocks += (i == 0 ? "" : ", ") + largest[i].name + " " + bytes_text(largest[i].bytes);
  }
  Refusal refusal;
  refusal.needed_bytes = layout.end;
  refusal.available_bytes = static_cast<std::uint64_t>(target.sram_bytes);
  refusal.x = 0;
  refusal.y = 0;
  refusal.message = "the network does not fit in the tiles' SRAM: tile (0, 0), which holds the most, needs " + bytes_text(layout.end) + " and has " +
                    bytes_text(refusal.available_bytes) + " (" + std::to_string(padded) + " tokens per tile with padding; largest: " + blocks + ")";
  refusal.hint = advice(network, target, batch, code_bytes, record_bytes);
  return refusal;
}

// Images of all tiles: one per distinct share.
void make_images(const Microcode& microcode, const Layout& layout, const std::vector<RecordId>& records, Plan& plan) {
  const int width = plan.target.width;
  const int height = plan.target.height;
  std::vector<Share> columns;                 // distinct, rows left open
  std::vector<std::size_t> column_class(static_cast<std::size_t>(width));
  for (int x = 0; x < width; ++x) {
    Share share;
    share.position = position_of(x, 0, width, 1);
    share.position.odd_row = share.position.last_row = false;
    for (const Split& split : plan.features) share.features.push_back(split.size(x));
    const auto found = std::find(columns.begin(), columns.end(), share);
    column_class[static_cast<std::size_t>(x)] = static_cast<std::size_t>(found - columns.begin());
    if (found == columns.end()) columns.push_back(share);
  }
  std::map<std::pair<std::size_t, int>, std::uint16_t> known;  // column class, row class
  plan.image_index.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    const Position row = position_of(0, y, width, height);
    const int row_class = (row.odd_row ? 1 : 0) + (row.last_row ? 2 : 0);
    for (int x = 0; x < width; ++x) {
      const std::size_t column = column_class[static_cast<std::size_t>(x)];
      const auto key = std::make_pair(column, row_class);
      auto found = known.find(key);
      if (found == known.end()) {
        Share share = columns[column];
        share.position.odd_row = row.odd_row;
        share.position.last_row = row.last_row;
        Image image;
        image.name = "column" + std::to_string(column) + (row.odd_row ? ".odd" : ".even") + (row.last_row ? ".last" : "");
        image.bytes = build_image(microcode, plan.network, layout, share, plan.tokens_padded, plan.target.accumulate, records);
        plan.images.push_back(std::move(image));
        found = known.emplace(key, static_cast<std::uint16_t>(plan.images.size() - 1)).first;
      }
      plan.image_index[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)] = found->second;
    }
  }
}

}  // namespace

std::filesystem::path default_firmware() { return std::filesystem::path(WL_SOURCE_DIR) / "firmware" / "runtime"; }

NetworkSpec network_of(const config::Model& model) {
  NetworkSpec network;
  for (const config::Layer& layer : model.layers) {
    network.layers.push_back({layer.name, layer.inputs, layer.outputs, layer.bias, layer.activation == config::Activation::kRelu, false});
  }
  return network;
}

Target target_of(const config::Run& run) {
  Target target;
  target.width = run.array.width;
  target.height = run.array.height;
  target.lanes = run.machine.lanes.value;
  target.sram_bytes = run.machine.sram_bytes.value;
  target.window_bytes = run.machine.accumulator_window_bytes.value;
  target.colours = run.machine.colours.value;
  target.accumulate = run.accumulate;
  return target;
}

std::variant<Plan, Refusal> make_plan(const NetworkSpec& network, const Target& target, int batch, const std::filesystem::path& firmware) {
  assert(!network.layers.empty() && batch >= 1 && target.width >= 1 && target.height >= 1);
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    assert(network.layers[l].inputs >= 1 && network.layers[l].outputs >= 1);
    assert(l == 0 || network.layers[l].inputs == network.layers[l - 1].outputs);
  }
  if (std::optional<Refusal> refusal = refuse_shape(network, target)) return *refusal;

  std::variant<Microcode, std::string> assembled = assemble_training_program(firmware);
  if (const std::string* errors = std::get_if<std::string>(&assembled)) {
    return Refusal{"the training microcode does not assemble:\n" + *errors, "correct the files in " + firmware.string(), 0, 0, -1, -1};
  }
  const Microcode& microcode = std::get<Microcode>(assembled);

  Plan plan;
  plan.network = network;
  plan.target = target;
  plan.batch = batch;
  plan.tokens = {batch, target.height};
  plan.tokens_per_row = plan.tokens.largest();
  plan.tokens_padded = padded_tokens(batch, target.height);
  plan.features = split_features(network, target.width);

  const std::uint32_t code_bytes = static_cast<std::uint32_t>(microcode.bytes.size()) - kCodeBase;
  const std::uint32_t record_total = make_schedule(network, 0).record_bytes;
  const Layout layout = make_layout(network, plan.features, plan.tokens_padded, target, code_bytes, boot_table_bytes(), record_total);
  if (layout.end > static_cast<std::uint32_t>(target.sram_bytes)) {
    return refuse_memory(layout, network, target, batch, plan.tokens_padded, code_bytes, record_total);
  }
  Schedule schedule = make_schedule(network, layout.records);
  plan.train_step = std::move(schedule.train);
  plan.evaluate_step = std::move(schedule.evaluate);
  plan.symbols = layout.symbols;
  plan.task_names = microcode.task_names;
  plan.sram_needed = layout.end;
  plan.window_needed = layout.window_end;
  plan.boot_cycles = 256 + 4 * std::uint64_t{boot_table_bytes()};
  make_images(microcode, layout, schedule.records, plan);
  make_graph(plan);
  return plan;
}

std::uint16_t Plan::address(const std::string& symbol) const {
  const auto found = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& s) { return s.name == symbol; });
  assert(found != symbols.end());
  return found->address;
}

std::int64_t Plan::words_out(StepKind kind, int column) const {
  std::int64_t words = column == 0 ? 2 : 0;
  if (kind == StepKind::kEvaluate) return words;
  for (const Phase& phase : train_step) {
    if (phase.kind != PhaseKind::kGradient) continue;
    const std::size_t l = static_cast<std::size_t>(phase.layer);
    words += std::int64_t{features[l].size(column)} * features[l + 1].items;
    if (network.layers[l].bias) words += features[l + 1].size(column);
  }
  return words;
}

}  // namespace waferloom::plan
