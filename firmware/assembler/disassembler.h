// Words back to text. disassemble() is the assembler's inverse: assembling its text at the same address gives the same word.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace waferloom::assembler {

// A label's name for an address, or "" for none.
using LabelOf = std::function<std::string(uint32_t address)>;

// One instruction in canonical form; a word that the machine would not execute becomes ".word 0x...". Branch targets are relative to the
// instruction (".+8") unless `label_of` has a name for the target at `address`.
std::string disassemble(uint32_t word);
std::string disassemble(uint32_t word, uint32_t address, const LabelOf& label_of);

// A whole image as text that assembles to the same bytes (task table as .task lines where the entry is a label; code and data as found by
// following the tasks' entries; everything else as .word). One item per line, each with its address as a comment.
std::string disassemble_image(const std::vector<uint8_t>& image);

}  // namespace waferloom::assembler
