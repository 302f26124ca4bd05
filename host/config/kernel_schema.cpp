// The keys of a kernel run: see schema.cpp for the others.
#include "host/config/schema.h"

namespace waferloom::config {
namespace {

constexpr double kMaxExact = 9007199254740992.0;  // 2^53

Field field(FieldType type, const char* key, const char* help, const char* fallback = "") {
  Field made;
  made.type = type;
  made.key = key;
  made.help = help;
  made.fallback = fallback;
  return made;
}

Field number(FieldType type, const char* key, double minimum, double maximum, const char* help, const char* fallback = "") {
  Field made = field(type, key, help, fallback);
  made.minimum = minimum;
  made.maximum = maximum;
  return made;
}

Field optional(Field made) {
  made.optional = true;
  return made;
}

Field choice(const char* key, std::vector<std::string> choices, const char* help, const char* fallback = "") {
  Field made = field(FieldType::kChoice, key, help, fallback);
  made.choices = std::move(choices);
  return made;
}

const Section& expected_section() {
  static const Section s = [] {
    Section made;
    made.title = "an expectation";
    made.fields = {
        optional(number(FieldType::kReal, "cycles", 0, kMaxExact, "the published or calculated figure")),
        optional(number(FieldType::kReal, "cycles_min", 0, kMaxExact, "a range in place of `cycles`: its lower end")),
        optional(number(FieldType::kReal, "cycles_max", 0, kMaxExact, "its upper end; none: unbounded")),
        number(FieldType::kReal, "tolerance_percent", 0, 100, "allowed beyond either end; the larger of both tolerances counts", "0"),
        number(FieldType::kReal, "tolerance_cycles", 0, 1e9, "the same in cycles", "0"),
        field(FieldType::kText, "source", "who states the figure"),
    };
    return made;
  }();
  return s;
}

const Section& case_section() {
  static const Section s = [] {
    Section made;
    made.title = "a kernel case";
    Field machine = field(FieldType::kReference, "machine", "another machine than the run's");
    machine.section = &machine_section();
    Field expected = field(FieldType::kSection, "expected", "what the cycles are held against; none: they are only reported");
    expected.section = &expected_section();
    made.fields = {
        field(FieldType::kName, "name", "its row in the table; unique"),
        choice("kernel",
               {"broadcast", "reduce_star", "reduce_chain", "reduce_tree", "reduce_two_phase", "allreduce_ring", "allreduce_chain", "allreduce_centre", "gemv", "gemm", "stencil25",
                "transformer_block", "folder"},
               "what runs"),
        optional(number(FieldType::kInteger, "width", 1, 4096, "columns of the rectangle; needed by all but folder, whose layout says")),
        number(FieldType::kInteger, "height", 1, 4096, "rows", "1"),
        optional(number(FieldType::kInteger, "words", 1, 12288, "collectives: 32-bit words of each tile's vector")),
        optional(number(FieldType::kInteger, "rows", 1, 65535, "gemv, gemm: rows of the (left) matrix; results lie along y")),
        optional(number(FieldType::kInteger, "columns", 1, 65535, "gemv: columns of the matrix, split along x; gemm: columns of the right matrix")),
        optional(number(FieldType::kInteger, "inner", 1, 65535, "gemm: columns of the left matrix, rows of the right one")),
        optional(number(FieldType::kInteger, "cells", 1, 12288, "stencil25: cells of each tile's column")),
        optional(number(FieldType::kInteger, "steps", 1, 10000, "stencil25: of time; 1 if not given")),
        optional(number(FieldType::kInteger, "tokens", 4, 65536, "transformer_block: of all sequences, in fours for each row of tiles")),
        optional(number(FieldType::kInteger, "features", 1, 65536, "transformer_block: of the model, split along x")),
        optional(number(FieldType::kInteger, "hidden", 1, 262144, "transformer_block: features of the feed-forward layer, split along x")),
        optional(number(FieldType::kInteger, "heads", 1, 4096, "transformer_block: of attention, each on as many columns; 1 if not given")),
        optional(number(FieldType::kInteger, "sequences", 1, 4096, "transformer_block: each on as many rows; 1 if not given")),
        optional(field(FieldType::kText, "folder", "folder: a kernel folder (layout.yaml and its program), relative to this file")),
        optional(field(FieldType::kBoolean, "causal", "transformer_block: no token attends to a later one; true if not given")),
        choice("precision", {"fp32", "fp16"}, "of the values: one in a word, or two", "fp32"),
        optional(number(FieldType::kInteger, "group", 2, 4096, "reduce_two_phase: tiles of a group")),
        number(FieldType::kInteger, "repeat", 1, 1000, "times, with values of seed, seed + 1, ...", "1"),
        number(FieldType::kInteger, "seed", 0, 4503599627370496.0, "of the values", "1"),
        optional(machine),
        optional(expected),
    };
    return made;
  }();
  return s;
}

}  // namespace

const Section& kernel_case_section() { return case_section(); }
const Section& kernel_expectation_section() { return expected_section(); }

const Section& kernel_checkpoint_section() {
  static const Section s = [] {
    Section made;
    made.title = "checkpoints of a kernel run";
    made.fields = {
        number(FieldType::kInteger, "every_cycles", 0, kMaxExact, "of a case, between two; 0: not by cycles", "0"),
        number(FieldType::kReal, "every_seconds", 0, 1e9, "of wall-clock time between two; 0: not by time", "300"),
        number(FieldType::kInteger, "keep", 1, 1000, "the newest files that stay", "2"),
    };
    return made;
  }();
  return s;
}

const Section& kernel_run_section() {
  static const Section s = [] {
    Section made;
    made.title = "a kernel run";
    made.folder = "runs";
    Field machine = field(FieldType::kReference, "machine", "a name in configs/machines, a file, or a machine in place");
    machine.section = &machine_section();
    Field kernels = field(FieldType::kSectionList, "kernels", "what is measured, one after the other");
    kernels.section = &case_section();
    kernels.minimum_items = 1;
    kernels.maximum_items = 1000;
    Field checkpoint = field(FieldType::kSection, "checkpoint", "when the whole state is saved, beside an interrupt", "{}");
    checkpoint.section = &kernel_checkpoint_section();
    made.fields = {
        field(FieldType::kName, "name", "what results call the run"),
        field(FieldType::kText, "description", "one line", "\"\""),
        machine,
        kernels,
        number(FieldType::kInteger, "limit_cycles", 0, kMaxExact, "of one case; 0: no limit", "100000000"),
        checkpoint,
        optional(field(FieldType::kText, "outputs", "result folder, relative to the working directory; out/NAME if not given")),
    };
    return made;
  }();
  return s;
}

}  // namespace waferloom::config
