#pragma once
// The limit of the folder in which built units are kept (builder.h): what has not been used for longest goes first.
// Threads and processes: any number at once. A library that goes away while a program has it loaded stays loaded; one that goes away between being found and being
// loaded is built again (Unit::open).
#include <chrono>
#include <cstdint>
#include <string>

namespace waferloom::plugin {

// Bytes of libraries that the cache may hold: $WAFERLOOM_CACHE_MIB (MiB, a whole number from 1 on), else 2 GiB. *error says what is wrong with the variable.
std::uint64_t cache_limit_bytes(std::string* error);

// A library has been used now.
void mark_used(const std::string& library_path);

// Removes libraries, those used longest ago first, until at most `limit_bytes` are left; none that was used within `protect`. Also removes the scratch folders of builds
// that were killed. What cannot be removed is passed over. Returns how many libraries went.
int prune_cache(const std::string& cache, std::uint64_t limit_bytes, std::chrono::seconds protect = std::chrono::hours(1));

}  // namespace waferloom::plugin
