// waferloom calibrate MACHINE: measures the machine's tile on verilated arrays, keeps what it measured, and says how well the fits hold.
#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "host/cli/calibration_source.h"
#include "host/cli/run_setup.h"
#include "host/config/resolver.h"
#include "host/report/files.h"

namespace waferloom::cli {
namespace {

// What an operator is held to on arrays that no fit saw; beyond it is shown with its interval and a mark.
constexpr double kMedian = 0.02;
constexpr double kWorst = 0.05;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

class CalibrateCommand : public Command {
 public:
  std::string name() const override { return "calibrate"; }
  std::string summary() const override { return "measure a machine's tile on verilated arrays and fit what operators cost"; }

  void declare(CLI::App& app) override {
    app.add_option("machine", machine_, "a machine by name or file")->required()->type_name("MACHINE")->check(not_empty());
    app.add_option("--rtl", rtl_, "another RTL tree")->type_name("DIR")->check(CLI::ExistingDirectory);
    app.add_option("--jobs,--threads", jobs_, "arrays that run at the same time (default: one for each core); never changes a result")->type_name("N")->check(CLI::Range(1, 128));
    app.add_flag("--force", force_, "measure again what the store has");
    app.add_option("--accumulate", accumulate_, "format of the sums")->check(CLI::IsMember({"fp32", "fp16"}));
    app.add_option("-o,--output", output_, "also write the calibration as text, as configs/calibration has it")->type_name("FILE.json")->check(not_empty());
  }

  int run(Context& context) override {
    std::error_code none;
    if (std::filesystem::is_regular_file(machine_, none) && config::kind_of_file(machine_) != config::FileKind::kMachine) {
      return fail(context, {error_in(machine_, "this is not a machine", "name a machine (`waferloom list machines`) or a machine's file")});
    }
    const config::Result<config::Resolved<config::Machine>> machine = config::resolve_machine(machine_);
    if (!machine) return fail(context, machine.errors());
    CalibrationWish wish;
    wish.machine = machine->value;
    wish.accumulate = accumulate_ == "fp16" ? config::Accumulate::kFp16 : config::Accumulate::kFp32;
    wish.rtl = rtl_;
    wish.about = machine_;
    extrapolate::CalibrationRequest request;
    request.machine = wish.machine;
    request.accumulate = wish.accumulate;
    std::string error;
    request.key = extrapolate::calibration_key(wish.machine, wish.accumulate, rtl_, &error);
    if (!error.empty()) {
      context.err << machine_ << ": error: this machine cannot be calibrated: " << error << (error.back() == '\n' ? "" : "\n");
      return kUsage;
    }
    // The place of the output is tried before anything is measured.
    if (!output_.empty()) {
      const config::Status writable = report::check_writable(output_);
      if (!writable) return fail(context, writable.errors());
    }
    config::Result<std::unique_ptr<extrapolate::Store>> store = extrapolate::Store::open(extrapolate::Store::default_file(), extrapolate::StoreAccess::kReadWrite);
    if (!store) return fail(context, store.errors());
    Progress progress(context);
    CalibrationUnits units(context, progress, wish);
    request.units = [&](const plugin::Unit** router, const plugin::Unit** pe) { return units.open(router, pe); };
    request.store = store->get();
    request.jobs = jobs_ > 0 ? jobs_ : default_jobs();
    request.force = force_;
    request.progress = [&](const extrapolate::CalibrationProgress& p) {
      progress.show(calibration_progress_text(p));
      return context.stop_signal.load() == 0;
    };
    const extrapolate::CalibrationOutcome outcome = extrapolate::calibrate(request, false);
    progress.clear();
    if (context.stop_signal.load() != 0) {
      context.err << machine_ << fmt::format(": interrupted: {} arrays measured, {} found; the same command goes on from here\n", outcome.measured, outcome.found);
      return interrupted_code(context);
    }
    if (outcome.fault != extrapolate::CalibrationFault::kNone) return calibration_failed(context, wish, units, outcome);
    print(context.out, outcome, store.value()->file().string());
    if (output_.empty()) return kDone;
    const config::Status written = report::write_whole_file(output_, extrapolate::calibration_json(outcome.calibration));
    if (!written) return fail(context, written.errors());
    context.out << "\nCalibration: " << output_ << "\n";
    return kDone;
  }

 private:
  static void print(std::ostream& out, const extrapolate::CalibrationOutcome& outcome, const std::string& store) {
    const extrapolate::Calibration& c = outcome.calibration;
    out << fmt::format("{}: router {}, pe {}, microcode {}, {} sums\n", c.machine, c.key.router_hash.substr(0, 12), c.key.pe_hash.substr(0, 12), c.key.firmware_hash.substr(0, 12), c.key.accumulate);
    out << fmt::format("{} arrays measured in {:.1f} s, {} found in\n{}\n\n", outcome.measured, outcome.seconds, outcome.found, store);
    out << "                 ------- fit, up to 16x16 -------  - judged, larger -\n";
    out << "operator         arrays rank  cond  worst left out arrays median  worst  interval\n";
    bool missed = false;
    for (const extrapolate::OperatorFit& f : c.fits) {
      const bool misses = f.held_out_median > kMedian || f.held_out_error > kWorst;
      missed |= misses;
      out << fmt::format("{:<15}{} {:>6} {:>4} {:>5.0f} {:>6} {:>8} {:>6} {:>6} {:>6} {:>4.0f}+{:.1f}x+{}\n", f.name, misses ? "*" : " ", f.samples, f.rank, f.condition, percent(f.worst_error), percent(f.left_out_error), f.judged,
                         percent(f.held_out_median), percent(f.held_out_error), f.bound.cycles, f.bound.each, percent(f.bound.share));
    }
    out << "interval: cycles, cycles for each turn of its loop (x), and a share of the whole\n";
    if (missed) out << "* beyond a median of 2 % or a worst of 5 %: its interval is as wide as it says\n";
    out << "\nCycles for each\n";
    for (const extrapolate::OperatorFit& f : c.fits) {
      std::string line = "  " + f.name + ":";
      const std::vector<std::string>& terms = extrapolate::find_operator(f.name)->terms;
      for (std::size_t t = 0; t < terms.size(); ++t) {
        const std::string word = fmt::format(" {} {:.4g}{}", terms[t], f.coefficients[t], t + 1 < terms.size() ? "," : "");
        if (line.size() + word.size() > 80) {
          out << line << "\n";
          line = "   ";
        }
        line += word;
      }
      out << line << "\n";
    }
  }

  std::string machine_;
  std::string rtl_;
  std::string accumulate_ = "fp32";
  std::string output_;
  int jobs_ = 0;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_calibrate_command() { return std::make_unique<CalibrateCommand>(); }

}  // namespace waferloom::cli
