// waferloom list [KIND]: what can be named in a configuration, and the kernels that tiles run.
#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <ostream>

#include "host/cli/command.h"
#include "host/config/resolver.h"
#include "host/models/transformer.h"
#include "host/report/numbers.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string name;
  std::string text;
};

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = fs::path(WL_SOURCE_DIR) / "firmware" / "kernels";
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->is_directory(error)) names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string size(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

std::string about(const config::Machine& m) {
  return size(m.user_width, m.user_height) + " tiles, " + std::to_string(m.lanes.value) + " lanes, " +
         std::to_string(m.sram_bytes.value / 1024) + " KiB" + (m.description.empty() ? "" : "; " + m.description);
}

std::string about(const config::Model& m) {
  std::string text = std::to_string(m.inputs);
  for (const config::Layer& layer : m.layers) text += "-" + std::to_string(layer.outputs);
  return text + ", " + std::to_string(m.parameters()) + " parameters";
}

std::string about(const models::Transformer& m) {
  return std::string(config::to_string(m.architecture)) + ", " + std::to_string(m.layers) + " layers of " + std::to_string(m.width) + ", " +
         report::grouped(m.parameters) + " parameters";
}

std::string about(const config::ProjectionRun& r) {
  return r.model + " on " + std::to_string(r.cluster.systems.value) + " x " + r.machine.name + ", " + report::grouped(r.batch_tokens) + " tokens a step";
}

std::string about(const config::AcceleratorFigures& a) { return a.description; }

std::string about(const config::Cluster& c) {
  return std::to_string(c.systems.value) + (c.systems.value == 1 ? " system" : " systems");
}

std::string about(const config::Run& r) {
  return r.model.name + " on " + size(r.array.width, r.array.height) + " " + r.machine.name + ", batch " +
         std::to_string(r.batch) + ", " + std::to_string(r.epochs) + " epochs";
}

std::string about(const config::KernelRun& r) { return std::to_string(r.cases.size()) + (r.cases.size() == 1 ? " kernel case" : " kernel cases"); }

class ListCommand : public Command {
 public:
  std::string name() const override { return "list"; }
  std::string summary() const override { return "list machines, models, clusters, runs, accelerators and kernels"; }

  void declare(CLI::App& app) override {
    app.add_option("kind", kind_, "machines, models, clusters, runs, accelerators or kernels; all of them if not given")
        ->type_name("KIND")
        ->check(CLI::IsMember(kinds()));
  }

  int run(Context& context) override {
    config::Diagnostics errors;
    for (const std::string& kind : kinds()) {
      if (!kind_.empty() && kind != kind_) continue;
      const std::vector<Row> rows = rows_of(kind, errors);
      if (kind_.empty()) context.out << kind << ":\n";
      std::size_t width = 0;
      for (const Row& row : rows) width = std::max(width, row.name.size());
      for (const Row& row : rows) {
        context.out << (kind_.empty() ? "  " : "") << row.name;
        if (!row.text.empty()) context.out << std::string(width - row.name.size() + 2, ' ') << row.text;
        context.out << '\n';
      }
    }
    return errors.empty() ? static_cast<int>(kDone) : fail(context, errors);
  }

 private:
  static const std::vector<std::string>& kinds() {
    static const std::vector<std::string> all = {"machines", "models", "clusters", "runs", "accelerators", "kernels"};
    return all;
  }

  template <class T>
  static Row row(const std::string& name, const config::Result<config::Resolved<T>>& resolved,
                 config::Diagnostics& errors) {
    if (resolved) return {name, about(resolved->value)};
    errors.insert(errors.end(), resolved.errors().begin(), resolved.errors().end());
    return {name, "(does not resolve)"};
  }

  static std::vector<Row> rows_of(const std::string& kind, config::Diagnostics& errors) {
    std::vector<Row> rows;
    if (kind == "machines") {
      for (const std::string& n : config::list_names(config::FileKind::kMachine))
        rows.push_back(row(n, config::resolve_machine(n), errors));
    } else if (kind == "models") {
      for (const std::string& n : config::list_names(config::FileKind::kModel))
        rows.push_back(row(n, config::resolve_model(n), errors));
      for (const std::string& n : config::list_names(config::FileKind::kTransformer)) {
        const config::Result<models::Transformer> model = models::load_transformer(n, {});
        if (!model) errors.insert(errors.end(), model.errors().begin(), model.errors().end());
        rows.push_back({n, model ? about(*model) : "(does not resolve)"});
      }
    } else if (kind == "clusters") {
      for (const std::string& n : config::list_names(config::FileKind::kCluster))
        rows.push_back(row(n, config::resolve_cluster(n), errors));
    } else if (kind == "runs") {
      for (const std::string& n : config::list_names(config::FileKind::kRun))
        rows.push_back(row(n, config::resolve_run(config::default_configs_dir() / "runs" / (n + ".yaml")), errors));
      for (const std::string& n : config::list_names(config::FileKind::kKernelRun))
        rows.push_back(row(n, config::resolve_kernel_run(config::default_configs_dir() / "runs" / (n + ".yaml")), errors));
      for (const std::string& n : config::list_names(config::FileKind::kProjection))
        rows.push_back(row(n, config::resolve_projection(config::default_configs_dir() / "runs" / (n + ".yaml")), errors));
    } else if (kind == "accelerators") {
      for (const std::string& n : config::list_names(config::FileKind::kAccelerator))
        rows.push_back(row(n, config::resolve_accelerator(n), errors));
    } else {
      for (const std::string& n : kernel_names()) rows.push_back({n, {}});
    }
    return rows;
  }

  std::string kind_;
};

}  // namespace

std::unique_ptr<Command> make_list_command() { return std::make_unique<ListCommand>(); }

}  // namespace waferloom::cli
