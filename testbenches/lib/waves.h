#pragma once
// Where a bench writes its waves.
#include <string>

namespace waferloom {

// What WL_WAVE names, file.fst, for the first bench of the process, then file-2.fst, and so on; empty if it names none. One thread.
std::string next_wave_file();

}  // namespace waferloom
