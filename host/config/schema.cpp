// The table. Each row: key, type, range, default, meaning. Units stand in the keys.
#include "host/config/schema.h"

#include "host/config/schema_fields.h"

namespace waferloom::config {
namespace {

using namespace fields;

Section make_machine() {
  Section s;
  s.title = "a machine";
  s.folder = "machines";
  s.fields = {
      name("the machine"),
      description(),
      sourced(integer("fabric_width", 1, 4096, "tiles in a row, all of the wafer")),
      sourced(integer("fabric_height", 1, 4096, "tiles in a column")),
      sourced(integer("user_x", 0, 4095, "first column of the rectangle that a program may use", "0")),
      sourced(integer("user_y", 0, 4095, "first row of it", "0")),
      sourced(integer("user_width", 1, 4096, "its columns")),
      sourced(integer("user_height", 1, 4096, "its rows")),
      sourced(above(real("clock_hz", 0, 1e11, "cycles in a second"))),
      sourced(one_of("sram_bytes", {4096, 49152}, "memory of a tile, code and data")),
      sourced(one_of("sram_banks", {8}, "single-ported 32-bit banks", "8")),
      sourced(one_of("accumulator_window_bytes", {0, 256, 512}, "accumulator buffer in front of the memory")),
      sourced(one_of("lanes", {2, 4, 8}, "fp16 elements in a cycle; fp32 accumulation runs at half of it")),
      sourced(one_of("microthreads", {8}, "vector instructions in flight besides the main thread", "8")),
      sourced(list(FieldType::kIntegerList,
                   integer("input_queue_depths", 2, 64, "words, one entry per input queue", "[6, 6, 4, 4, 4, 4, 4, 4]"),
                   8, 8)),
      sourced(list(FieldType::kIntegerList,
                   integer("output_queue_depths", 2, 64, "words, one entry per output queue", "[4, 4, 4, 4]"), 4, 4)),
      sourced(one_of("colours", {8, 24}, "virtual channels of the fabric", "24")),
      sourced(one_of("switch_positions", {4}, "routes that a colour can switch between", "4")),
      sourced(one_of("hop_cycles", {1, 2}, "router to router")),
      sourced(integer("ramp_cycles", 2, 4, "between router and processing element, each way; at most router_queue_depth")),
      sourced(integer("router_queue_depth", 3, 4, "words that a router holds of one colour; at least hop_cycles + 2")),
      sourced(above(real("io_bits_per_s", 0, 1e18, "into the wafer over all edges; the same again out of it"))),
      sourced(above(real("system_power_w", 0, 1e9, "of the whole system"))),
      optional(sourced(integer("cores_marketed", 1, kMaxInt, "published number of cores"))),
      optional(sourced(above(real("peak_fp16_flops_per_s", 0, 1e21, "published dense peak")))),
      optional(sourced(above(real("peak_sparse_flops_per_s", 0, 1e21, "published peak on sparse weights")))),
      optional(sourced(above(real("sram_total_bytes", 0, 1e15, "published memory of the wafer")))),
      optional(sourced(above(real("memory_bytes_per_s", 0, 1e21, "published memory bandwidth of the wafer")))),
      optional(sourced(
          above(real("fabric_bits_per_s", 0, 1e21, "published fabric bandwidth, each link counted at both ends")))),
      optional(sourced(above(real("process_nm", 0, 1000, "process node")))),
      optional(sourced(above(real("area_mm2", 0, 1e6, "silicon area")))),
  };
  return s;
}

const Section& layer_section() {
  static const Section s = [] {
    Section made;
    made.title = "a layer";
    made.fields = {
        optional(text(FieldType::kName, "name", "unique within the model; layer0, layer1, ... if not given")),
        choice("kind", {"linear"}, "y = activation(W x + b)", "linear"),
        integer("outputs", 1, 1 << 24, "features out; features in are those of the layer before"),
        text(FieldType::kBoolean, "bias", "whether b exists", "true"),
        choice("activation", {"none", "relu"}, "applied to the outputs", "none"),
    };
    return made;
  }();
  return s;
}

Section make_model() {
  Section s;
  s.title = "a model";
  s.folder = "models";
  s.fields = {
      name("the model"),
      description(),
      integer("inputs", 1, 1 << 24, "features into the first layer"),
      section(FieldType::kSectionList, "layers", layer_section(), "first to last"),
      choice("loss", {"softmax_cross_entropy"}, "what training minimises", "softmax_cross_entropy"),
      choice("initialisation", {"he_uniform", "he_normal", "xavier_uniform"}, "of the weights; biases begin at zero",
             "he_uniform"),
  };
  s.fields[3].minimum_items = 1;
  s.fields[3].maximum_items = 4096;
  return s;
}

Section make_cluster() {
  Section s;
  s.title = "a cluster";
  s.folder = "clusters";
  s.fields = {
      name("the cluster"),
      description(),
      sourced(integer("systems", 1, 2048, "wafers that train the same weights on different rows", "1")),
      sourced(above(real("memoryx_bytes", 0, 1e18, "memory for weights and optimiser state"))),
      sourced(above(real("memoryx_link_bits_per_s", 0, 1e18, "MemoryX to SwarmX, one way"))),
      sourced(integer("swarmx_fanout", 2, 64, "children of a node of the tree")),
      sourced(above(real("swarmx_link_bits_per_s", 0, 1e18, "SwarmX to one system, one way"))),
      sourced(real("swarmx_node_latency_s", 0, 1, "one level of the tree, one way")),
      sourced(real("host_link_latency_s", 0, 1, "last node to the wafer's edge, one way")),
      optional(sourced(above(real("memoryx_dram_bytes", 0, 1e18, "share of memoryx_bytes that is DRAM, the rest flash; all of it if not given")))),
      sourced(above(real("memoryx_dram_bytes_per_s", 0, 1e18, "that the optimiser reads and writes", "4e12"))),
      sourced(above(real("memoryx_flash_bytes_per_s", 0, 1e18, "the same for what lies in flash", "4e11"))),
      sourced(above(real("prefetch_bytes", 0, 1e15, "weights that a system's edge holds ahead of the wafer", "4e9"))),
  };
  return s;
}

const Section& array_section() {
  static const Section s = [] {
    Section made;
    made.title = "an array";
    made.fields = {integer("width", 1, 4096, "columns"), integer("height", 1, 4096, "rows")};
    return made;
  }();
  return s;
}

const Section& data_section() {
  static const Section s = [] {
    Section made;
    made.title = "a data set";
    made.fields = {
        text(FieldType::kText, "file", "relative to this file, or in configs/data/; plain or gzip"),
        integer("train_rows", 1, kMaxInt, "the first rows train"),
        integer("test_rows", 0, kMaxInt, "the next are held out; 0 takes all that remain", "0"),
        real("value_min", -1e30, 1e30, "least value that the file may hold", "-1e30"),
        real("value_max", -1e30, 1e30, "greatest", "1e30"),
        real("scale", -1e30, 1e30, "each value is multiplied by it", "1"),
    };
    return made;
  }();
  return s;
}

const Section& optimiser_section() {
  static const Section s = [] {
    Section made;
    made.title = "an optimiser";
    made.fields = {
        choice("kind", {"sgd"}, "v = momentum v + g + weight_decay w; w = w - learning_rate v", "sgd"),
        above(real("learning_rate", 0, 1e6, "step size")),
        real("momentum", 0, 0.999999, "share of the last step that is kept", "0"),
        real("weight_decay", 0, 1, "pull towards zero", "0"),
    };
    return made;
  }();
  return s;
}

const Section& loss_scale_section() {
  static const Section s = [] {
    Section made;
    made.title = "a loss scale";
    made.number_key = "initial";
    made.word_key = "mode";
    made.fields = {
        choice("mode", {"static", "dynamic"}, "whether overflows change it", "static"),
        above(real("initial", 0, 1e9, "factor on the loss before the backward pass", "1")),
        above(
            real("factor", 1, 1024, "dynamic: divided by it after an overflow, multiplied after a good interval", "2")),
        integer("growth_interval_steps", 1, kMaxInt, "dynamic: good steps until it grows", "200"),
        above(real("minimum", 0, 1e9, "dynamic: least scale", "1")),
        above(real("maximum", 0, 1e9, "dynamic: greatest scale", "65536")),
    };
    return made;
  }();
  return s;
}

const Section& pruning_section() {
  static const Section s = [] {
    Section made;
    made.title = "pruning";
    made.number_key = "kept";
    made.fields = {
        above(real("kept", 0, 1, "share of a layer's weights that is sent: those of largest magnitude", "1")),
        real("threshold", 0, 1e6, "weights of smaller magnitude are not sent either", "0"),
        integer("after_epoch", 0, 1000000, "epochs that train with all weights first", "0"),
    };
    return made;
  }();
  return s;
}

const Section& limits_section() {
  static const Section s = [] {
    Section made;
    made.title = "limits";
    made.fields = {
        integer("cycles", 0, kMaxExact, "of the whole run; 0: no limit", "0"),
        integer("cycles_per_step", 0, kMaxExact, "of one training step; 0: no limit", "10000000"),
        integer("watchdog_cycles", 16, kMaxExact, "of a busy wafer from which and to which nothing passes the edge: a livelock", "2000000"),
    };
    return made;
  }();
  return s;
}

const Section& checkpoint_section() {
  static const Section s = [] {
    Section made;
    made.title = "checkpoints";
    made.fields = {
        integer("every_steps", 0, kMaxExact, "finished steps between two; 0: not by steps", "0"),
        real("every_seconds", 0, 1e9, "of wall-clock time between two; 0: not by time", "300"),
        integer("keep", 1, 1000, "the newest files that stay", "2"),
    };
    return made;
  }();
  return s;
}

const Section& extrapolation_section() {
  static const Section s = [] {
    Section made;
    made.title = "an extrapolation";
    made.fields = {
        text(FieldType::kName, "name", "its row in the report"),
        choice("workload", {"network", "dense"}, "this run's network, or one linear layer", "dense"),
        optional(integer("inputs", 1, 1 << 24, "dense: features in")),
        optional(integer("outputs", 1, 1 << 24, "dense: features out")),
        integer("tokens_per_pe", 1, 1 << 20, "rows of the batch that one tile holds"),
        density(),
        list(FieldType::kChoiceList,
             choice("passes", {"forward", "delta", "gradient"}, "what is priced", "[forward, delta, gradient]"), 1, 3),
    };
    return made;
  }();
  return s;
}

Section make_run() {
  Section s;
  s.title = "a run";
  s.folder = "runs";
  s.fields = {
      name("the run"),
      description(),
      machine(),
      cluster(),
      optional(integer("systems", 1, 2048, "wafers that share the rows of every step; those of the cluster if not given")),
      section(FieldType::kSection, "array", array_section(), "tiles that are simulated, of each system"),
      integer("io_words_per_cycle", 1, 65536,
              "wavelets that may enter an array in a cycle, all ports together; the same again may leave"),
      section(FieldType::kReference, "model", model_section(), "a name in configs/models, a file, or a model in place"),
      section(FieldType::kSection, "data", data_section(), "what is learnt"),
      integer("batch", 1, 1 << 20, "rows in a step, of all systems together"),
      integer("epochs", 1, 1000000, "passes over the training rows"),
      text(FieldType::kBoolean, "shuffle", "a new order of the training rows in each epoch", "true"),
      choice("partial_batch", {"drop", "keep"}, "the last rows of an epoch that do not fill a batch", "drop"),
      section(FieldType::kSection, "optimiser", optimiser_section(), "how weights change"),
      section(FieldType::kSection, "loss_scale", loss_scale_section(), "keeps small gradients representable", "{}"),
      section(FieldType::kSection, "pruning", pruning_section(), "weights that MemoryX leaves out; their master copies go on learning", "{}"),
      accumulate(),
      integer("seed", 0, kMaxExact, "of weights and order", "1"),
      section(FieldType::kSection, "limits", limits_section(), "what ends a run that does not end by itself", "{}"),
      section(FieldType::kSection, "checkpoint", checkpoint_section(), "when the whole state is saved, beside an interrupt", "{}"),
      list(FieldType::kChoiceList,
           choice("report", {"loss", "cycles", "utilisation", "wavelets", "extrapolation"}, "tables of the report",
                  "[loss, cycles, utilisation, wavelets, extrapolation]"),
           1, 5),
      section(FieldType::kSectionList, "extrapolate", extrapolation_section(), "what is priced on the whole wafer",
              "[]"),
      outputs(),
  };
  for (Field& field : s.fields) {
    if (field.key == "extrapolate") field.maximum_items = 256;
  }
  return s;
}

}  // namespace

const Field* Section::find(const std::string& key) const {
  for (const Field& field : fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

std::vector<std::string> Section::keys() const {
  std::vector<std::string> all;
  for (const Field& field : fields) all.push_back(field.key);
  return all;
}

const Section& machine_section() {
  static const Section s = make_machine();
  return s;
}
const Section& model_section() {
  static const Section s = make_model();
  return s;
}
const Section& cluster_section() {
  static const Section s = make_cluster();
  return s;
}
const Section& run_section() {
  static const Section s = make_run();
  return s;
}

}  // namespace waferloom::config
