#include "host/cli/projection_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <variant>

#include "host/cli/calibration_source.h"
#include "host/config/resolver.h"
#include "host/config/scalar.h"
#include "host/plan/plan.h"
#include "host/report/manifest.h"
#include "host/report/projection_page.h"
#include "host/report/result_folder.h"
#include "host/report/wall_time.h"

namespace waferloom::cli {
namespace {

// What errors call the run that the options stand for.
const char* const kCommandLine = "<command line>";

// "4M" as a decimal count: K, M and G are powers of 1024, as batches of whole sequences are. Anything else is left for the resolver to judge.
std::string plain_count(const std::string& text) {
  if (text.empty()) return text;
  int shift = 0;
  switch (text.back()) {
    case 'k':
    case 'K': shift = 10; break;
    case 'm':
    case 'M': shift = 20; break;
    case 'g':
    case 'G': shift = 30; break;
    default: return text;
  }
  const config::ParsedInteger parsed = config::parse_integer(text.substr(0, text.size() - 1));
  if (parsed.fault != config::NumberFault::kNone || parsed.value < 0 || parsed.value > (INT64_MAX >> shift)) return text;
  return std::to_string(parsed.value << shift);
}

std::string word_of(const std::string& text) {
  std::string out;
  for (unsigned char c : text) out += std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' ? static_cast<char>(c) : '-';
  return out.empty() ? "model" : out;
}

std::string model_word(const std::string& model) {
  const std::filesystem::path path(model);
  const std::string stem = path.stem().string();
  if (path.extension() != ".json" && path.extension() != ".yaml") return word_of(path.filename().string());
  return word_of(stem == "config" && path.has_parent_path() ? path.parent_path().filename().string() : stem);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c < 0x20 ? fmt::format("\\x{:02x}", c) : std::string(1, static_cast<char>(c));
  }
  return out + "\"";
}

// A whole number as it is; anything else as a string, for the resolver to refuse.
std::string number(const std::string& text) { return config::parse_integer(text).fault == config::NumberFault::kNone ? text : quoted(text); }

// The options as the run file they stand for.
std::string as_yaml(const ProjectionOptions& o) {
  const std::string systems = o.systems.empty() ? "1" : o.systems;
  std::string yaml = "name: " + model_word(o.model) + "-" + systems + "x" + model_word(o.machine.empty() ? "wse3" : o.machine) + "\n";
  yaml += "machine: " + quoted(o.machine.empty() ? "wse3" : o.machine) + "\n";
  yaml += "cluster: " + quoted(o.cluster.empty() ? "memoryx-1200tb" : o.cluster) + "\n";
  yaml += "systems: " + number(systems) + "\n";
  yaml += "model: " + quoted(o.model) + "\n";
  yaml += "batch_tokens: " + number(plain_count(o.batch_tokens.empty() ? "1M" : o.batch_tokens)) + "\n";
  return yaml;
}

// Errors about the run file that the options stand for, as errors about the options.
config::Diagnostics about_options(config::Diagnostics errors) {
  static const char* const kOptions[] = {"--machine", "--cluster", "--systems", "--model", "--batch-tokens"};  // as as_yaml has them, from line 2 on
  for (config::Diagnostic& error : errors) {
    if (error.where.file != kCommandLine || error.where.line < 2 || error.where.line > 6) continue;
    error.where = {kOptions[error.where.line - 2], 0, 0, 1};
    error.source_line.clear();
    if (error.message.find("must be an integer") != std::string::npos) error.hint = "a whole number; of tokens also with K, M or G behind it, powers of 1024";
  }
  return errors;
}

// Bytes of a tile that are not data: task table, code, boot table, constants and records of the training program.
double code_bytes_of(const config::ProjectionRun& run, std::string* error) {
  plan::NetworkSpec network;
  network.layers.push_back({"a", 4, 4, true, true, false});
  network.layers.push_back({"b", 4, 4, true, false, false});
  config::Run small;
  small.machine = run.machine;
  small.accumulate = run.accumulate;
  plan::Target target = plan::target_of(small);
  target.width = 2;
  target.height = 2;
  const std::variant<plan::Plan, plan::Refusal> planned = plan::make_plan(network, target, 2);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&planned)) {
    *error = refusal->message + "\n  hint: " + refusal->hint;
    return 0;
  }
  double bytes = 0;
  for (const plan::Symbol& symbol : std::get<plan::Plan>(planned).symbols) {
    if (symbol.name == "records") bytes = std::max(bytes, static_cast<double>(symbol.address) + symbol.bytes);
  }
  return bytes;
}

report::Manifest manifest_of(const report::Projection& p) {
  report::Manifest manifest;
  manifest.firmware_hash = p.calibration.firmware_hash;
  manifest.units = {{"router", "rtl", p.calibration.router_hash}, {"pe", "rtl", p.calibration.pe_hash}};
  return manifest;
}

int write_all(Context& context, const report::Projection& p, const OutputFolder& output, const std::vector<std::pair<std::string, std::string>>& files, double seconds) {
  report::RunReport about;
  about.run = p.name;
  about.machine = p.machine;
  about.model = p.model.name;
  about.status = "finished";
  about.wall.started = report::utc_now();
  about.wall.seconds = seconds;
  const config::Status written = output.opened->write_set(files, about, manifest_of(p));
  if (!written) return fail(context, written.errors());
  return kDone;
}

}  // namespace

int open_output(Context& context, OutputFolder* output) {
  if (output->opened) return kDone;
  config::Result<report::ResultFolder> opened = report::ResultFolder::open(output->path);
  if (!opened) return fail(context, opened.errors());
  output->opened = std::move(opened).value();
  return kDone;
}

config::Diagnostics refuse_projection(const std::string& file) {
  const config::Result<config::Resolved<config::ProjectionRun>> resolved = config::resolve_projection(file);
  if (!resolved) return resolved.errors();
  const config::Result<models::Transformer> model = models::load_transformer(resolved->value.model, resolved->value.model_where);
  return model ? cluster::check_request(resolved->value, *model) : model.errors();
}

int make_projection(Context& context, Progress& progress, const std::string& file, const ProjectionOptions& options, report::Projection* projection, OutputFolder* output) {
  cluster::ProjectionInputs inputs;
  const std::string said = file.empty() ? kCommandLine : file;
  config::Result<config::Resolved<config::ProjectionRun>> resolved =
      file.empty() ? config::resolve_projection_text(said, as_yaml(options)) : config::resolve_projection(file, options.machine);
  if (!resolved) return fail(context, about_options(resolved.errors()));
  inputs.run = resolved->value;
  inputs.resolved_yaml = resolved->yaml;
  config::Result<models::Transformer> model = models::load_transformer(inputs.run.model, inputs.run.model_where);
  if (!model) return fail(context, about_options(model.errors()));
  inputs.model = std::move(model).value();
  const config::Diagnostics refused = cluster::check_request(inputs.run, inputs.model);
  if (!refused.empty()) return fail(context, about_options(refused));
  std::string error;
  inputs.code_bytes = code_bytes_of(inputs.run, &error);
  if (!error.empty()) {
    context.err << said << ": error: " << error << "\n";
    return kUsage;
  }
  if (output->path.empty()) output->path = inputs.run.outputs;
  if (const int opened = open_output(context, output); opened != kDone) return opened;
  for (const std::string& name : config::list_names(config::FileKind::kAccelerator)) {
    const config::Result<config::Resolved<config::AcceleratorFigures>> accelerator = config::resolve_accelerator(name);
    if (!accelerator) return fail(context, accelerator.errors());
    inputs.accelerators.push_back(accelerator->value);
  }
  std::sort(inputs.accelerators.begin(), inputs.accelerators.end(), [](const auto& a, const auto& b) { return a.peak_fp16_flops_per_s.value < b.peak_fp16_flops_per_s.value; });
  CalibrationWish wish;
  wish.machine = inputs.run.machine;
  wish.accumulate = inputs.run.accumulate;
  wish.rtl = options.rtl;
  wish.file = inputs.run.calibration;
  wish.where = inputs.run.calibration_where;
  wish.about = said;
  FoundCalibration found;
  const int code = find_calibration(context, progress, wish, &found);
  progress.clear();
  if (code != kDone) return code;
  inputs.calibration = std::move(found.calibration);
  inputs.calibration_from = found.from;
  inputs.calibration_seconds = found.seconds;
  std::string command = "waferloom report";
  if (!file.empty()) command += " " + file;
  if (!options.machine.empty()) command += " --machine " + options.machine;
  if (file.empty()) {
    command += " --model " + options.model;
    if (!options.cluster.empty()) command += " --cluster " + options.cluster;
    if (!options.systems.empty()) command += " --systems " + options.systems;
    if (!options.batch_tokens.empty()) command += " --batch-tokens " + options.batch_tokens;
  }
  if (!options.rtl.empty()) command += " --rtl " + options.rtl;
  inputs.reproduce = {command};
  inputs.interrupted = [&context] { return context.stop_signal.load() != 0; };
  progress.show("projecting");
  config::Result<report::Projection> made = cluster::project(inputs);
  progress.clear();
  if (inputs.stopped()) return interrupted_code(context);
  if (!made) return fail(context, about_options(made.errors()));
  *projection = std::move(made).value();
  const std::vector<std::string> faults = report::check_projection(*projection);
  for (const std::string& fault : faults) context.err << said << ": error: " << fault << "\n";
  return faults.empty() ? kDone : kCheckFailed;
}

int write_projection(Context& context, const report::Projection& p, const OutputFolder& output, double seconds) {
  std::vector<std::pair<std::string, std::string>> files = {{"resolved.yaml", p.resolved_yaml}, {"projection.json", report::projection_json(p)}, {"summary.txt", report::projection_text(p)}};
  for (const report::CsvTable& table : report::projection_tables(p)) files.emplace_back(table.name, table.text);
  files.emplace_back("report.html", report::projection_html(p));
  return write_all(context, p, output, std::move(files), seconds);
}

int write_comparison(Context& context, const report::ProjectionComparison& c, const OutputFolder& output, double seconds) {
  std::vector<std::pair<std::string, std::string>> files = {{"comparison.json", report::comparison_json(c)}, {"summary.txt", report::comparison_text(c)}};
  files.emplace_back("report.html", report::comparison_html(c));
  return write_all(context, c.first, output, std::move(files), seconds);
}

}  // namespace waferloom::cli
