// waferloom tile [--machine M] [--rtl DIR]: what the two units of a tile are, as their plug-ins describe themselves: hashes, parameters, ports, counters, registers.
#include <fmt/format.h>

#include <ostream>
#include <string>

#include "host/cli/built_units.h"
#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/config/resolver.h"
#include "host/report/numbers.h"
#include "host/systemc/units.h"

namespace waferloom::cli {
namespace {

class TileCommand : public Command {
 public:
  std::string name() const override { return "tile"; }
  std::string summary() const override { return "print the hashes, parameters, ports, counters and registers of router and PE"; }

  void declare(CLI::App& app) override {
    app.add_option("--machine", machine_, "by name or file (default wse2)")->type_name("M")->check(not_empty());
    app.add_option("--rtl", rtl_, "another RTL tree")->type_name("DIR")->check(CLI::ExistingDirectory);
    app.add_option("--views", views_, "views of SRAM and arithmetic: fast calls or all logic")->check(CLI::IsMember({"fast", "rtl"}));
  }

  int run(Context& context) override {
    const config::Result<config::Resolved<config::Machine>> machine = config::resolve_machine(machine_);
    if (!machine) return fail(context, machine.errors());
    systemc::UnitChoice choice;
    choice.rtl_root = rtl_;
    choice.view = views_ == "rtl" ? plugin::View::kRtl : plugin::View::kFast;
    Progress progress(context);
    progress.show("building wl_router and wl_pe (once for each change of the RTL)");
    plugin::Unit router;
    plugin::Unit pe;
    const int code = open_units_or_say(context, progress, machine_, {{&router, systemc::router_spec(machine->value, choice)}, {&pe, systemc::pe_spec(machine->value, choice)}});
    if (code != kDone) return code;
    print(context.out, router.api());
    context.out << "\n";
    print(context.out, pe.api());
    return kDone;
  }

 private:
  static std::string bits(const WlRegister& r) { return r.elements == 1 ? std::to_string(r.width) : fmt::format("{} x {}", r.elements, r.width); }

  static void print(std::ostream& out, const WlUnitApi& api) {
    out << fmt::format("{}, {} view\n  sources and parameters  {}\n  build                   {}\n  tool                    {}\n", api.top, api.view, api.source_hash, api.build_hash, api.tool);
    out << "\n  parameters\n";
    for (std::uint32_t i = 0; i < api.param_count; ++i) out << fmt::format("    {:32}{}\n", api.params[i].name, api.params[i].value);
    out << "\n  ports, bits\n";
    for (std::uint32_t i = 0; i < api.port_count; ++i) out << fmt::format("    {:32}{:4} {}\n", api.ports[i].name, api.ports[i].width, api.ports[i].direction == WL_DIR_IN ? "in" : "out");
    std::uint64_t state = 0;
    for (const bool counters : {true, false}) {
      out << (counters ? "\n  counters, bits\n" : "\n  registers, bits\n");
      for (std::uint32_t i = 0; i < api.register_count; ++i) {
        const WlRegister& r = api.registers[i];
        if ((r.flags & WL_REG_STATE) == 0 || (r.flags & (WL_REG_HANDLE | WL_REG_MEMORY)) != 0 || ((r.flags & WL_REG_COUNTER) != 0) != counters) continue;
        out << fmt::format("    {:48}{}\n", r.name, bits(r));
        if (!counters) state += std::uint64_t{r.width} * r.elements;
      }
    }
    out << fmt::format("    {:48}{}\n", "all", report::grouped(static_cast<std::int64_t>(state)));
  }

  std::string machine_ = "wse2";
  std::string rtl_;
  std::string views_ = "fast";
};

}  // namespace

std::unique_ptr<Command> make_tile_command() { return std::make_unique<TileCommand>(); }

}  // namespace waferloom::cli
