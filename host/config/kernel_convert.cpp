// Kernel runs: from bound values to the typed structure, and the checks that involve more than one value.
#include <limits>
#include <set>

#include "host/config/convert.h"
#include "host/config/scalar.h"
#include "host/config/section_reader.h"

namespace waferloom::config {
namespace {

template <class Enum>
Enum word(const Value& value, const Section& section, const char* key) {
  const Value& member = value.at(section, key);
  const std::vector<std::string>& choices = section.find(key)->choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (member.text == choices[i]) return static_cast<Enum>(i);
  }
  return Enum{};
}

KernelExpectation to_expectation(const Value& value, Loader& loader) {
  const Section& s = kernel_expectation_section();
  KernelExpectation e;
  e.tolerance_percent = value.at(s, "tolerance_percent").real;
  e.tolerance_cycles = value.at(s, "tolerance_cycles").real;
  e.source = value.at(s, "source").text;
  const Value& exact = value.at(s, "cycles");
  const Value& least = value.at(s, "cycles_min");
  const Value& most = value.at(s, "cycles_max");
  if (exact.present && (least.present || most.present)) {
    loader.fail(exact.where, "'cycles' and a range cannot both be expected", "give 'cycles', or 'cycles_min' and 'cycles_max'");
  } else if (!exact.present && !least.present && !most.present) {
    loader.fail(value.where, "the expectation has no cycles", "give 'cycles', or 'cycles_min' and 'cycles_max'");
  }
  e.least = exact.present ? exact.real : least.present ? least.real : 0;
  e.most = exact.present ? exact.real : most.present ? most.real : std::numeric_limits<double>::infinity();
  if (e.least > e.most) loader.fail(most.where, "'cycles_max' must not be less than 'cycles_min'", {});
  if (e.source.empty()) loader.fail(value.at(s, "source").where, "'source' is empty", "name the publication that states the figure, or write how it is calculated");
  return e;
}

// The rectangle lies in the machine's fabric.
void check_size(const KernelCase& c, const Value& value, const Value& run_machine, Loader& loader) {
  const Section& s = kernel_case_section();
  const Value& machine = value.at(s, "machine").present ? value.at(s, "machine") : run_machine;
  const auto outside = [&](const char* key, const char* fabric, int size, int limit) {
    if (size <= limit) return;
    const Value most = named_member(machine, fabric);
    loader.fail(blamed(loader, {&value.at(s, key), &most}), "'" + std::string(key) + "' is " + std::to_string(size) + ", the fabric of " + c.machine.name + " has " + std::to_string(limit),
                "make it smaller or name a larger machine");
  };
  const bool folder = c.kernel == KernelKind::kFolder;
  if (!folder) outside("width", "fabric_width", c.width, c.machine.fabric_width);
  if (!folder) outside("height", "fabric_height", c.height, c.machine.fabric_height);
  const bool gemv = c.kernel == KernelKind::kGemv, gemm = c.kernel == KernelKind::kGemm, stencil = c.kernel == KernelKind::kStencil25,
             block = c.kernel == KernelKind::kTransformerBlock;
  struct Size {
    const char* key;
    bool means, needed;
  };
  for (const Size& size : {Size{"width", !folder, true}, Size{"folder", folder, true}, Size{"words", !gemv && !gemm && !stencil && !block && !folder, true}, Size{"rows", gemv || gemm, true}, Size{"columns", gemv || gemm, true}, Size{"inner", gemm, true},
                           Size{"cells", stencil, true}, Size{"steps", stencil, false}, Size{"tokens", block, true}, Size{"features", block, true}, Size{"hidden", block, true},
                           Size{"heads", block, false}, Size{"sequences", block, false}, Size{"causal", block, false}}) {
    const Value& member = value.at(s, size.key);
    if (member.present && !size.means) loader.fail(member.where, "'" + std::string(size.key) + "' means nothing to " + to_string(c.kernel), "remove it");
    if (!member.present && size.means && size.needed) loader.fail(value.where, std::string(to_string(c.kernel)) + " needs '" + size.key + "'", "add '" + std::string(size.key) + ": ...'");
  }
  if (folder && c.height != 1) loader.fail(value.at(s, "height").where, "'height' means nothing to folder", "remove it: the layout says");
  const bool two_phase = c.kernel == KernelKind::kReduceTwoPhase;
  const Value& group = value.at(s, "group");
  if (two_phase && !group.present) loader.fail(value.where, "reduce_two_phase needs 'group'", "add 'group:' (tiles of a group; the square root of the width is a good choice)");
  if (!two_phase && group.present) loader.fail(group.where, "'group' means nothing to " + std::string(to_string(c.kernel)), "remove it");
  if (two_phase && group.present && c.group > std::max(c.width, c.height)) {
    loader.fail(group.where, "a group of " + std::to_string(c.group) + " is longer than the rectangle", "make 'group' smaller");
  }
}

KernelCase to_case(const Value& value, const Machine& machine, const Value& run_machine, std::set<std::string>& names, Loader& loader) {
  const Section& s = kernel_case_section();
  const auto integer = [&](const char* key) { return static_cast<int>(value.at(s, key).integer); };
  KernelCase c;
  c.name = value.at(s, "name").text;
  c.kernel = word<KernelKind>(value, s, "kernel");
  if (value.at(s, "width").present) c.width = integer("width");
  c.folder = value.at(s, "folder").text;
  c.height = integer("height");
  c.words = integer("words");
  c.rows = integer("rows");
  c.columns = integer("columns");
  c.inner = integer("inner");
  c.cells = integer("cells");
  c.steps = value.at(s, "steps").present ? integer("steps") : 1;
  c.tokens = integer("tokens");
  c.features = integer("features");
  c.hidden = integer("hidden");
  if (value.at(s, "heads").present) c.heads = integer("heads");
  if (value.at(s, "sequences").present) c.sequences = integer("sequences");
  if (value.at(s, "causal").present) c.causal = value.at(s, "causal").boolean;
  c.precision = word<Precision>(value, s, "precision");
  c.group = integer("group");
  c.repeat = integer("repeat");
  c.seed = static_cast<std::uint64_t>(value.at(s, "seed").integer);
  c.machine = value.at(s, "machine").present ? to_machine(value.at(s, "machine"), loader) : machine;
  if (value.at(s, "expected").present) c.expected = to_expectation(value.at(s, "expected"), loader);
  if (!names.insert(c.name).second) loader.fail(value.at(s, "name").where, "two cases are called '" + c.name + "'", "give each case a name of its own");
  check_size(c, value, run_machine, loader);
  for (const Field& field : s.fields) {
    const Value& member = value.at(s, field.key.c_str());
    if (member.present && field.type != FieldType::kReference && field.type != FieldType::kSection) c.places[field.key] = located(loader.sources(), member.where, {});
  }
  c.places[""] = located(loader.sources(), value.where, {});
  return c;
}

}  // namespace

KernelRun to_kernel_run(const Value& value, Loader& loader) {
  const Section& s = kernel_run_section();
  KernelRun run;
  run.name = value.at(s, "name").text;
  run.description = value.at(s, "description").text;
  const Machine machine = to_machine(value.at(s, "machine"), loader);
  run.limit_cycles = value.at(s, "limit_cycles").integer;
  const Section& rule = kernel_checkpoint_section();
  const Value& checkpoint = value.at(s, "checkpoint");
  run.checkpoint = {checkpoint.at(rule, "every_cycles").integer, checkpoint.at(rule, "every_seconds").real, static_cast<int>(checkpoint.at(rule, "keep").integer)};
  std::set<std::string> names;
  for (const Value& item : value.at(s, "kernels").items) run.cases.push_back(to_case(item, machine, value.at(s, "machine"), names, loader));
  const Value& outputs = value.at(s, "outputs");
  run.outputs = outputs.present ? outputs.text : "out/" + run.name;
  if (outputs.present && run.outputs.empty()) loader.fail(outputs.where, "'outputs' is empty", "name a folder");
  return run;
}

}  // namespace waferloom::config
