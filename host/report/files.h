// Files that are whole or absent: written beside their final name, flushed to the disk, then renamed.
#pragma once

#include <filesystem>
#include <string>

#include "host/config/diagnostic.h"

namespace waferloom::report {

// Replaces `file` by `bytes`, or leaves it as it was. Fails (Fault::kInputOutput) when the disk is full, the folder is
// missing or not writable.
config::Status write_whole_file(const std::filesystem::path& file, const std::string& bytes);

// An input/output error about a file, without a line.
config::Diagnostic file_fault(const std::filesystem::path& file, std::string message, std::string hint = {});

}  // namespace waferloom::report
