#pragma once
// A text file that is written front to back and knows its size; the first failure to write stays and is told once.
// Ownership: closes the file. Threads: one.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace waferloom::trace {

class TextFile {
 public:
  TextFile() = default;
  ~TextFile() { close(); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  TextFile(TextFile&& o) noexcept : file_(o.file_), path_(o.path_), error_(o.error_), bytes_(o.bytes_) { o.file_ = nullptr; }

  // "" or "PATH: why not".
  std::string open(const std::string& path) {
    path_ = path;
    file_ = std::fopen(path.c_str(), "wb");
    if (file_ == nullptr) error_ = path + ": " + std::strerror(errno);
    return error_;
  }
  void write(const std::string& text) {
    if (file_ == nullptr) return;
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
    bytes_ += text.size();
  }
  uint64_t bytes() const { return bytes_; }
  const std::string& error() const { return error_; }
  // "" or the first failure.
  std::string close() {
    if (file_ != nullptr && std::fclose(file_) != 0) fail();
    file_ = nullptr;
    return error_;
  }

 private:
  void fail() {
    if (error_.empty()) error_ = path_ + ": " + std::strerror(errno);
  }
  std::FILE* file_ = nullptr;
  std::string path_, error_;
  uint64_t bytes_ = 0;
};

}  // namespace waferloom::trace
