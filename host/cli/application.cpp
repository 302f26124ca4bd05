#include "host/cli/application.h"

#include <algorithm>
#include <csignal>
#include <new>
#include <ostream>

#include "host/report/version.h"

namespace waferloom::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

int usage_error(Context& context, const std::string& message, const std::string& hint) {
  context.err << "waferloom: error: " << message << '\n';
  if (!hint.empty()) context.err << "  hint: " << hint << '\n';
  return kUsage;
}

// What a word that nothing takes was likely meant to be.
int unexpected(Context& context, const std::string& word, const CLI::App& app, const std::string& command) {
  const std::string see = "see 'waferloom " + (command.empty() ? "" : command + " ") + "--help'";
  if (word.size() > 1 && word[0] == '-') {
    const std::string guess = config::nearest(word.substr(0, word.find('=')), option_names(app));
    return usage_error(context, "unknown option '" + word + "'", guess.empty() ? see : "did you mean '" + guess + "'?");
  }
  return usage_error(context, "unexpected argument '" + word + "'", see);
}

// An option that takes one value and was given more than once, as it is written in the help; empty if there is none.
std::string given_twice(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 1 && option->get_items_expected_max() == 1) return option->get_name();
  }
  return {};
}

}  // namespace

CLI::Validator not_empty() {
  return CLI::Validator([](std::string& text) { return text.empty() ? std::string("the name is empty") : std::string(); }, "");
}

CLI::Validator cycles() {
  return CLI::Validator(
      [](std::string& text) {
        const bool digits = !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
        return digits && text.find_first_not_of('0') != std::string::npos ? std::string() : "'" + text + "' is not a whole number of cycles from 1 on";
      },
      "");
}

int interrupted_code(const Context& context) {
  return context.stop_signal.load() == SIGTERM ? kTerminated : kInterrupted;
}

int fail(const Context& context, config::Diagnostics errors) {
  for (config::Diagnostic& error : errors) {
    if (error.where.file.empty()) error.where.file = "waferloom";  // about a word of the command line
  }
  context.err << config::render(errors);
  for (const config::Diagnostic& error : errors) {
    if (error.fault == config::Fault::kUsage) return kUsage;
  }
  return kInputOutput;
}

int run_application(const std::vector<std::string>& arguments, Context& context) {
  std::vector<std::unique_ptr<Command>> commands = make_commands();
  CLI::App app("Waferloom: co-simulates a wafer-scale training machine from verilated tiles.", "waferloom");
  app.set_version_flag("-V,--version", report::version_text());
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  app.footer(
      "Exit codes: 0 done, 1 a check failed, 2 bad usage or configuration, 3 deadlock or cycle limit,\n4 input or "
      "output failed, 130 and 143 interrupted.");
  std::vector<std::string> names;
  for (const std::unique_ptr<Command>& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), command->summary());
    command->declare(*sub);
    names.push_back(command->name());
  }

  // A misspelt command is told apart from a misspelt option before the parser sees either.
  if (arguments.empty()) {
    context.err << app.help();
    return kUsage;
  }
  const std::string& first = arguments[0];
  if (!first.empty() && first[0] != '-') {
    const bool known = std::find(names.begin(), names.end(), first) != names.end();
    if (!known) {
      const std::string guess = config::nearest(first, names);
      return usage_error(context, "unknown command '" + first + "'",
                         guess.empty() ? "commands: " + config::joined(names) : "did you mean '" + guess + "'?");
    }
  }

  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    context.out << (chosen.empty() ? app.help() : chosen[0]->help("waferloom"));
    return kDone;
  } catch (const CLI::CallForVersion&) {
    context.out << report::version_text() << '\n';
    return kDone;
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const CLI::App& where = chosen.empty() ? app : *chosen[0];
    const std::string command = chosen.empty() ? "" : chosen[0]->get_name();
    const std::vector<std::string> extra = where.remaining().empty() ? app.remaining(true) : where.remaining();
    if (!extra.empty()) return unexpected(context, extra.front(), where, command);
    const std::string twice = given_twice(where);
    if (!twice.empty()) return usage_error(context, "option '" + twice + "' is given more than once", "leave one");
    return usage_error(context, error.what(), "see 'waferloom " + (command.empty() ? "" : command + " ") + "--help'");
  }

  const std::string chosen = app.get_subcommands()[0]->get_name();
  for (const std::unique_ptr<Command>& command : commands) {
    if (command->name() != chosen) continue;
    try {
      return command->run(context);
    } catch (const std::bad_alloc&) {
      context.err << "waferloom: error: out of memory\n  hint: a smaller array, batch or model needs less\n";
      return kCheckFailed;
    } catch (const std::exception& error) {
      context.err << "waferloom: internal error in '" << chosen << "': " << error.what()
                  << "\n  hint: this is a mistake of the program, not yours; please report it with the command line\n";
      return kCheckFailed;
    }
  }
  return kUsage;
}

}  // namespace waferloom::cli
