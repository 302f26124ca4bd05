#include "host/report/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace waferloom::report {

namespace fs = std::filesystem;

namespace {

// Between a file's name and the number of the process that writes it.
constexpr const char* kPartial = ".partial-";

}  // namespace

config::Diagnostic file_fault(const fs::path& file, std::string message, std::string hint) {
  config::Diagnostic fault;
  fault.fault = config::Fault::kInputOutput;
  fault.where.file = file.string();
  fault.message = std::move(message);
  fault.hint = std::move(hint);
  return fault;
}

bool is_temporary(const std::string& name) {
  const std::size_t ends = name.rfind(kPartial);
  if (ends == std::string::npos || ends < 2 || name[0] != '.') return false;
  const std::string process = name.substr(ends + std::strlen(kPartial));
  return !process.empty() && process.find_first_not_of("0123456789") == std::string::npos;
}

bool is_temporary_of(const std::string& name, const std::string& of) {
  return is_temporary(name) && name.compare(1, name.rfind(kPartial) - 1, of) == 0;
}

config::Status check_writable(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return file_fault(file, std::string("cannot be written: ") + std::strerror(errno), "choose a folder that is there and that you may write to with -o");
  std::error_code none;
  if (fs::is_directory(file, none)) return file_fault(file, "is a folder, not a file", "name a file in it");
  return config::ok_status();
}

config::Status write_whole_file(const fs::path& file, const std::string& bytes) {
  // The process id keeps two runs that share a folder from writing into one file.
  const fs::path beside =
      file.parent_path() / ("." + file.filename().string() + kPartial + std::to_string(::getpid()));
  const auto failed = [&](const char* what, int reason) {
    ::unlink(beside.c_str());
    std::string hint;
    if (reason == ENOSPC || reason == EDQUOT) hint = "free some space, or choose another folder with -o";
    if (reason == EACCES || reason == EROFS || reason == EPERM) hint = "choose a folder that you may write to with -o";
    return file_fault(file, std::string(what) + ": " + std::strerror(reason), hint);
  };
  const int descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return failed("cannot be written", errno);
  const char* at = bytes.data();
  const char* end = at + bytes.size();
  while (at < end) {
    const ssize_t written = ::write(descriptor, at, static_cast<std::size_t>(end - at));
    if (written >= 0) {
      at += written;
    } else if (errno != EINTR) {
      const int reason = errno;
      ::close(descriptor);
      return failed("cannot be written", reason);
    }
  }
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOSYS) {
    const int reason = errno;
    ::close(descriptor);
    return failed("cannot be written", reason);
  }
  if (::close(descriptor) != 0) return failed("cannot be written", errno);
  if (::rename(beside.c_str(), file.c_str()) != 0) return failed("cannot be put in place", errno);
  return config::ok_status();
}

}  // namespace waferloom::report
