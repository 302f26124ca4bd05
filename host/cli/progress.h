// One line on a terminal that is rewritten in place. Silent when the context has no terminal.
#pragma once

#include <chrono>
#include <string>

#include "host/cli/command.h"

namespace waferloom::cli {

class Progress {
 public:
  explicit Progress(Context& context) : context_(context) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows `text`, cut to 79 columns, at most ten times a second.
  void show(const std::string& text);
  // Removes the line, before anything else is printed.
  void clear();

 private:
  Context& context_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace waferloom::cli
