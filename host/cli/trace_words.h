// The words behind --trace: which tiles, which cycles, what of them, how much.
//
//   tiles=X,Y         one tile; tiles=X1,Y1:X2,Y2: a rectangle, both corners included (needed, the rest is not)
//   cycles=FIRST:LAST both included; cycles=FIRST: to the end; the default is the whole run
//   kinds=LIST        of waves, instructions, timeline, counters, with commas; the default is all of them
//   limit=BYTES       with K, M or G: the trace stops before it gets larger; the default is 1G
//
// Errors name the option, the word and what is wrong with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/trace/session.h"

namespace waferloom::cli {

// A whole number from 0 on, in digits.
std::optional<std::uint64_t> whole_number(const std::string& text);

struct WordFault {
  std::string message;  // "--trace tiles=6,8:3,4: ..."
  std::string hint;
};

// `width`, `height`: of the array. The folder is left empty.
std::variant<trace::TraceOptions, WordFault> parse_trace(const std::vector<std::string>& words, std::uint32_t width, std::uint32_t height);

// What can be told without the array: unknown words, numbers that are none, what is inverted.
std::variant<trace::TraceOptions, WordFault> parse_trace(const std::vector<std::string>& words);

}  // namespace waferloom::cli
