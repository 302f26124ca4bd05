// waferloom asm FILE and waferloom disasm FILE: the tile assembler on the command line.
#include <ostream>

#include "firmware/assembler/command.h"
#include "host/cli/command.h"

namespace waferloom::cli {
namespace {

class AsmCommand : public Command {
 public:
  std::string name() const override { return "asm"; }
  std::string summary() const override { return "assemble tile microcode into an SRAM image"; }

  void declare(CLI::App& app) override {
    app.add_option("file", options_.input, "the source")->required()->type_name("FILE");
    app.add_option("-o,--output", options_.output, "write the image here")->type_name("FILE");
    app.add_option("-l,--listing", options_.listing, "write the listing here, - for standard output (the default without -o)")->type_name("FILE");
    app.add_option("-I,--include", options_.include_folders, "a folder for .include, may be repeated")->type_name("DIR")->take_all()->allow_extra_args(false);
    app.add_option("-D,--define", defines_, "a symbol for the program, may be repeated")->type_name("NAME=NUMBER")->take_all()->allow_extra_args(false);
  }

  int run(Context& context) override {
    for (const std::string& text : defines_) {
      const std::size_t equals = text.find('=');
      const std::string name = text.substr(0, equals);
      for (const auto& [other, value] : options_.defines) {
        if (other != name) continue;
        context.err << "waferloom: error: -D " << text << ": '" << name << "' is given twice\n  hint: the first is -D " << other << "=" << value << "\n";
        return kUsage;
      }
      options_.defines.emplace_back(name, equals == std::string::npos ? "1" : text.substr(equals + 1));
    }
    return assembler::run_assemble(options_, context.out, context.err);
  }

 private:
  assembler::AssembleOptions options_;
  std::vector<std::string> defines_;
};

class DisasmCommand : public Command {
 public:
  std::string name() const override { return "disasm"; }
  std::string summary() const override { return "print an SRAM image as text that assembles to it"; }

  void declare(CLI::App& app) override { app.add_option("file", input_, "the image")->required()->type_name("FILE"); }

  int run(Context& context) override { return assembler::run_disassemble(input_, context.out, context.err); }

 private:
  std::string input_;
};

}  // namespace

std::unique_ptr<Command> make_asm_command() { return std::make_unique<AsmCommand>(); }
std::unique_ptr<Command> make_disasm_command() { return std::make_unique<DisasmCommand>(); }

}  // namespace waferloom::cli
