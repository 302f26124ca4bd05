// A stream over a file descriptor that remembers why a write failed, so that a full disk behind stdout is an error and
// a closed pipe is not.
#pragma once

#include <array>
#include <streambuf>

namespace waferloom::cli {

class FileDescriptorBuffer : public std::streambuf {
 public:
  explicit FileDescriptorBuffer(int descriptor);
  ~FileDescriptorBuffer() override;
  FileDescriptorBuffer(const FileDescriptorBuffer&) = delete;
  FileDescriptorBuffer& operator=(const FileDescriptorBuffer&) = delete;

  // errno of the first write that failed, or 0.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  bool drain();

  int descriptor_;
  int error_ = 0;
  std::array<char, 8192> block_{};
};

}  // namespace waferloom::cli
