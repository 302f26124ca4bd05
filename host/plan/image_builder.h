// From assembled microcode and a layout to the images of tiles.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "host/plan/records.h"

namespace waferloom::plan {

// The training program as the assembler gave it: task table and code.
struct Microcode {
  std::vector<std::uint8_t> bytes;  // from address 0
  Entries entries;
  std::vector<std::string> task_names;  // by task id: the label of its entry, or ""
};

// Assembles `folder`/train.wl, or returns why it is not usable (the assembler's errors, or an entry that is missing).
std::variant<Microcode, std::string> assemble_training_program(const std::filesystem::path& folder);

// The image of a tile with this share.
std::vector<std::uint8_t> build_image(const Microcode& microcode, const NetworkSpec& network, const Layout& layout, const Share& share, int tokens_padded,
                                      config::Accumulate accumulate, const std::vector<RecordId>& records);

// Bytes of the largest boot table, its end mark included.
std::uint32_t boot_table_bytes();

}  // namespace waferloom::plan
