// Files that are whole or absent: written beside their final name, flushed to the disk, then renamed.
#pragma once

#include <filesystem>
#include <string>

#include "host/config/diagnostic.h"

namespace waferloom::report {

// Replaces `file` by `bytes`, or leaves it as it was. Fails (Fault::kInputOutput) when the disk is full, the folder is
// missing or not writable.
config::Status write_whole_file(const std::filesystem::path& file, const std::string& bytes);

// Whether write_whole_file could begin: the folder is there and may be written to, and `file` is none. Changes nothing.
config::Status check_writable(const std::filesystem::path& file);

// Whether a file name (no folder) is what write_whole_file calls its files until they are whole: ".NAME.partial-PROCESS"; of one NAME, or of any.
bool is_temporary(const std::string& name);
bool is_temporary_of(const std::string& name, const std::string& of);

// An input/output error about a file, without a line.
config::Diagnostic file_fault(const std::filesystem::path& file, std::string message, std::string hint = {});

}  // namespace waferloom::report
