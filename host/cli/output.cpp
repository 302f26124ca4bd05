#include "host/cli/output.h"

#include <unistd.h>

#include <cerrno>

namespace waferloom::cli {

FileDescriptorBuffer::FileDescriptorBuffer(int descriptor) : descriptor_(descriptor) {
  setp(block_.data(), block_.data() + block_.size());
}

FileDescriptorBuffer::~FileDescriptorBuffer() { drain(); }

FileDescriptorBuffer::int_type FileDescriptorBuffer::overflow(int_type c) {
  if (!drain()) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(c);
    pbump(1);
  }
  return traits_type::not_eof(c);
}

int FileDescriptorBuffer::sync() { return drain() ? 0 : -1; }

bool FileDescriptorBuffer::drain() {
  const char* at = pbase();
  while (at < pptr() && error_ == 0) {
    const ssize_t written = ::write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
    if (written >= 0) {
      at += written;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(block_.data(), block_.data() + block_.size());
  return error_ == 0;
}

}  // namespace waferloom::cli
