#include "host/cli/run_trace.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>
#include <utility>

#include "firmware/assembler/disassembler.h"
#include "host/cli/built_units.h"
#include "host/cli/trace_words.h"
#include "sim/trace/pe_trace.h"

namespace waferloom::cli {

void RunTrace::declare(CLI::App& app) {
  app.add_option("--trace", words_, "look inside: tiles=X1,Y1:X2,Y2 [cycles=FIRST:LAST] [kinds=waves,instructions,timeline,counters] [limit=1G]; of a kernel run [case=NAME] [repetition=1]")
      ->type_name("WORD ...")
      ->expected(1, 7);
}

std::string RunTrace::take_file() {
  for (auto word = words_.begin(); word != words_.end(); ++word) {
    if (word->find('=') != std::string::npos) continue;
    const std::string file = *word;
    words_.erase(word);
    return file;
  }
  return {};
}

RunTrace::Choice RunTrace::take_choice() {
  Choice choice;
  bool named = false, counted = false;
  for (auto word = words_.begin(); word != words_.end();) {
    const bool name = word->rfind("case=", 0) == 0, repetition = word->rfind("repetition=", 0) == 0;
    if (!name && !repetition) {
      ++word;
      continue;
    }
    const std::string value = word->substr(word->find('=') + 1);
    const std::optional<std::uint64_t> number = whole_number(value);
    if (std::exchange(name ? named : counted, true)) {
      choice.fault = fmt::format("--trace {}: '{}' is given twice", *word, name ? "case" : "repetition");
    } else if (value.empty() || (repetition && number.value_or(0) == 0)) {
      choice.fault = fmt::format("--trace {}: '{}' is no {}", *word, value, name ? "name" : "number of a repetition");
      choice.hint = name ? "case=NAME: the name of a case of the file" : "repetition=1 is the first";
    } else if (name) {
      choice.name = value;
    } else {
      choice.repetition = *number;
    }
    word = words_.erase(word);
  }
  return choice;
}

int RunTrace::check(Context& context, std::uint32_t width, std::uint32_t height, std::int64_t cycles_at_most) {
  if (!wanted()) return kDone;
  std::variant<trace::TraceOptions, WordFault> parsed = parse_trace(words_, width, height);
  if (const WordFault* fault = std::get_if<WordFault>(&parsed)) {
    context.err << "waferloom: error: " << fault->message << '\n';
    if (!fault->hint.empty()) context.err << "  hint: " << fault->hint << '\n';
    return kUsage;
  }
  options_ = std::get<trace::TraceOptions>(parsed);
  if (cycles_at_most > 0 && options_.first_cycle >= static_cast<std::uint64_t>(cycles_at_most)) {
    context.err << fmt::format("waferloom: error: --trace cycles={}:...: past the end: the run has at most {} cycles (`limits: cycles:`)\n", options_.first_cycle, cycles_at_most);
    return kUsage;
  }
  return kDone;
}

int RunTrace::open_units(Context& context, Progress& progress, std::array<plugin::UnitSpec, 2> specs) {
  if (!wanted() || options_.kinds == trace::kCounters) return kDone;
  specs[1] = trace::traced(specs[1], WL_SOURCE_DIR);
  for (plugin::UnitSpec& spec : specs) spec.trace = true;
  return open_units_or_say(context, progress, "waferloom", {{&router_, specs[0]}, {&pe_, specs[1]}}, "--trace: the traced twin of ");
}

int RunTrace::start(Context& context, fabric::Fabric& fabric, const std::string& result_folder, const fabric::TaskNames& task_names) {
  if (!wanted()) return kDone;
  options_.folder = result_folder + "/trace";
  session_ = std::make_unique<trace::TraceSession>(options_, router_, pe_, task_names, [](std::uint32_t word) { return assembler::disassemble(word); });
  const trace::TraceResult started = session_->start(&fabric);
  return started.fault == trace::TraceFault::kNone ? kDone : tell(context, started);
}

std::vector<report::HeatMap> heat_maps_of(const trace::CounterMap& counters) {
  std::vector<report::HeatMap> maps;
  if (counters.cycles == 0) return maps;
  for (const trace::HeatKind kind : trace::kHeatKinds) {
    report::HeatMap map;
    map.title = trace::to_string(kind);
    map.title[0] = static_cast<char>(map.title[0] - 'a' + 'A');
    if (counters.cells.front().width * counters.cells.front().height > 1) map.title += fmt::format(" (cells of {}x{} tiles)", counters.cells.front().width, counters.cells.front().height);
    map.unit = kind == trace::HeatKind::kLinkLoad ? "% of a link's cycles" : "% of cycles";
    map.width = static_cast<int>(counters.columns);
    map.height = static_cast<int>(counters.rows);
    for (const trace::CounterCell& cell : counters.cells) map.values.push_back(100 * trace::heat(counters, cell, kind));
    maps.push_back(std::move(map));
  }
  return maps;
}

int RunTrace::finish(Context& context) {
  if (session_ == nullptr) return kDone;
  const trace::TraceResult result = session_->finish();
  session_.reset();
  return tell(context, result);
}

int RunTrace::tell(Context& context, const trace::TraceResult& result) {
  if (result.fault == trace::TraceFault::kNone) {
    context.out << fmt::format("Trace: {} (cycles {} to {}, {:.1f} MiB)\n", options_.folder, result.first_cycle, result.end_cycle - 1, static_cast<double>(result.bytes) / (1 << 20));
    if (!result.note.empty()) context.err << fmt::format("waferloom: note: the trace ends with cycle {}: {}\n", result.end_cycle - 1, result.note);
    return kDone;
  }
  context.err << "waferloom: error: --trace: " << result.message << '\n';
  return result.fault == trace::TraceFault::kInput ? kUsage : result.fault == trace::TraceFault::kOutput ? kInputOutput : kCheckFailed;
}

}  // namespace waferloom::cli
