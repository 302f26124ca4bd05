// A correct run file that tests break in one place at a time.
#pragma once

#include <cstdlib>
#include <string>

namespace waferloom::test {

inline const std::string kRun =
    "name: tiny\n"                                                     // 1
    "machine: wse2\n"                                                  // 2
    "array: {width: 8, height: 4}\n"                                   // 3
    "io_words_per_cycle: 4\n"                                          // 4
    "model:\n"                                                         // 5
    "  name: net\n"                                                    // 6
    "  inputs: 64\n"                                                   // 7
    "  layers:\n"                                                      // 8
    "    - {outputs: 32, activation: relu}\n"                          // 9
    "    - {outputs: 10}\n"                                            // 10
    "data: {file: digits.csv.gz, train_rows: 898}\n"                   // 11
    "batch: 64\n"                                                      // 12
    "epochs: 2\n"                                                      // 13
    "optimiser: {learning_rate: 0.1, momentum: 0.9}\n"                 // 14
    "loss_scale: dynamic\n"                                            // 15
    "extrapolate:\n"                                                   // 16
    "  - {name: big, inputs: 128, outputs: 64, tokens_per_pe: 16}\n";  // 17

// `text` with the first `from` replaced by `to`. A test that replaces nothing is wrong.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) std::abort();
  return text.replace(at, from.size(), to);
}

}  // namespace waferloom::test
