// The commands `waferloom asm` and `waferloom disasm`, without the parsing of their command line.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace waferloom::assembler {

struct AssembleOptions {
  std::string input;                                        // a file
  std::string output;                                       // the image; empty: none is written
  std::string listing;                                      // a file, "-" for standard output, empty: none
  std::vector<std::string> include_folders;
  std::vector<std::pair<std::string, std::string>> defines;  // name, number (decimal, 0x, or with a fraction)
};

// Assembles one file. Without output and listing it prints the listing. Messages go to `err`, results to `out`.
// Returns the exit code: 0 done, 2 the source or a define is wrong or two names are one file, 4 a file could not be read or written. The image is
// written whole or not at all (a temporary file, then a rename); a device or pipe is written to as it is.
int run_assemble(const AssembleOptions& options, std::ostream& out, std::ostream& err);

// Prints an image as text that assembles to the same bytes. Returns 0, or 4 when the file cannot be read.
int run_disassemble(const std::string& input, std::ostream& out, std::ostream& err);

}  // namespace waferloom::assembler
