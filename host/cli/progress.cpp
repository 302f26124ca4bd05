#include "host/cli/progress.h"

#include <ostream>

namespace waferloom::cli {

void Progress::show(const std::string& text) {
  if (!context_.progress) return;
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  context_.err << '\r' << text.substr(0, 79) << "\x1b[K" << std::flush;
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  context_.err << "\r\x1b[K" << std::flush;
}

}  // namespace waferloom::cli
