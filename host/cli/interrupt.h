// Signals. The first SIGINT or SIGTERM is acknowledged at once and only sets a flag, which long jobs poll; the second
// ends the program. A fault of our own (segmentation fault, abort) prints one line and ends with exit code 1 and no
// core dump, unless WAFERLOOM_CORE=1.
#pragma once

#include <atomic>

namespace waferloom::cli {

// 0 until a signal asks to stop; then its number.
const std::atomic<int>& stop_signal();

// The exit code of a program that has nothing left to do. From here on a signal to stop changes and says nothing; one that came before, and was acknowledged, is the
// code of a program that else ends well. For main() only, as its last act.
int final_code(int code);

// For main() only, once. Also ignores SIGPIPE and SIGXFSZ: a closed pipe and a file that may not grow show as failed writes.
void install_signal_handlers();

// For the processes beside rank 0: what SIGINT and SIGTERM mean is decided there.
void leave_stopping_to_rank_0();

}  // namespace waferloom::cli
