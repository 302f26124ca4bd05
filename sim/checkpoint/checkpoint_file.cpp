#include "sim/checkpoint/checkpoint_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace waferloom::checkpoint {
namespace {

constexpr char kMagic[8] = {'W', 'F', 'L', 'O', 'O', 'M', 'C', '\n'};
constexpr int kLevel = 1;
constexpr std::size_t kPiece = std::size_t{1} << 20;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t unused;
  std::uint64_t length;
  std::uint64_t sections;
  char reserved[28];
  std::uint32_t check;  // of what stands before
};
static_assert(sizeof(Header) == 64);

struct SectionHeader {
  char name[24];
  std::uint64_t number;
  std::uint64_t plain;
  std::uint64_t stored;
  char reserved[12];
  std::uint32_t check;  // of what stands before and of the stored bytes
};
static_assert(sizeof(SectionHeader) == 64);

std::uint32_t check_of(const void* data, std::size_t count, std::uint32_t before = 0) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  while (count > 0) {
    const std::size_t piece = std::min(count, std::size_t{1} << 30);
    before = static_cast<std::uint32_t>(crc32(before, bytes, static_cast<uInt>(piece)));
    bytes += piece;
    count -= piece;
  }
  return before;
}

Fault damaged(std::string reason) { return {Fault::Kind::kUnreadable, "is damaged: " + std::move(reason)}; }

}  // namespace

FileWriter::FileWriter(std::string path) : path_(std::move(path)) {
  const std::filesystem::path target(path_);
  beside_ = (target.parent_path() / ("." + target.filename().string() + ".partial-" + std::to_string(::getpid()))).string();
  descriptor_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    error_ = std::strerror(errno);
    return;
  }
  const Header room{};  // the real one comes last
  write(&room, sizeof room);
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(beside_.c_str());
}

void FileWriter::fail(int reason) {
  if (error_.empty()) error_ = std::strerror(reason);
}

void FileWriter::write(const void* data, std::size_t count) {
  const char* at = static_cast<const char*>(data);
  while (count > 0 && error_.empty()) {
    const ssize_t written = ::write(descriptor_, at, count);
    if (written < 0) {
      if (errno != EINTR) fail(errno);
      continue;
    }
    at += written;
    count -= static_cast<std::size_t>(written);
    length_ += static_cast<std::uint64_t>(written);
  }
}

void FileWriter::section(const std::string& name, const std::string& bytes) {
  assert(!name.empty() && name.size() < sizeof SectionHeader::name);
  if (!error_.empty()) return;
  stored_.resize(ZSTD_compressBound(bytes.size()));
  const std::size_t size = ZSTD_compress(stored_.data(), stored_.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size) != 0) {
    error_ = ZSTD_getErrorName(size);
    return;
  }
  SectionHeader header{};
  std::memcpy(header.name, name.data(), name.size());
  header.number = sections_++;
  header.plain = bytes.size();
  header.stored = size;
  header.check = check_of(stored_.data(), size, check_of(&header, offsetof(SectionHeader, check)));
  write(&header, sizeof header);
  write(stored_.data(), size);
}

std::string FileWriter::finish() {
  if (descriptor_ >= 0 && error_.empty()) {
    Header header{};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.version = kFormatVersion;
    header.length = length_;
    header.sections = sections_;
    header.check = check_of(&header, offsetof(Header, check));
    if (::pwrite(descriptor_, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header)) fail(errno);
    if (error_.empty() && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) fail(errno);
  }
  if (descriptor_ >= 0 && ::close(descriptor_) != 0) fail(errno);
  if (descriptor_ >= 0 && error_.empty() && ::rename(beside_.c_str(), path_.c_str()) != 0) fail(errno);
  if (descriptor_ >= 0 && !error_.empty()) ::unlink(beside_.c_str());
  descriptor_ = -1;
  return error_;
}

FileReader::~FileReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Fault FileReader::fetch(std::uint64_t offset, void* data, std::size_t count) {
  char* at = static_cast<char*>(data);
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, at, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {Fault::Kind::kUnreadable, std::string("cannot be read: ") + std::strerror(errno)};
    if (got == 0) return damaged("it is cut off");
    at += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return {};
}

Fault FileReader::open(const std::string& path) {
  path_ = path;
  entries_.clear();
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (descriptor_ < 0 || ::fstat(descriptor_, &info) != 0) return {Fault::Kind::kUnreadable, std::string("cannot be read: ") + std::strerror(errno)};
  const std::uint64_t length = static_cast<std::uint64_t>(info.st_size);
  Header header;
  if (length < sizeof header) return damaged("it is cut off after " + std::to_string(length) + " bytes");
  Fault fault = fetch(0, &header, sizeof header);
  if (!fault.ok()) return fault;
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return damaged("it does not begin as a checkpoint does");
  if (header.check != check_of(&header, offsetof(Header, check))) return damaged("its header does not match its checksum");
  if (header.version != kFormatVersion) {
    return {Fault::Kind::kForeign, "has format " + std::to_string(header.version) + "; this program reads format " + std::to_string(kFormatVersion)};
  }
  if (header.length != length) return damaged("it has " + std::to_string(length) + " bytes of " + std::to_string(header.length));
  std::uint64_t offset = sizeof header;
  std::vector<char> piece(kPiece);
  for (std::uint64_t i = 0; i < header.sections; ++i) {
    const std::string where = "section " + std::to_string(i + 1) + " of " + std::to_string(header.sections);
    SectionHeader section;
    if (length - offset < sizeof section) return damaged(where + " is missing");
    fault = fetch(offset, &section, sizeof section);
    if (!fault.ok()) return fault;
    offset += sizeof section;
    if (section.stored > length - offset) return damaged(where + " is cut off");
    std::uint32_t check = check_of(&section, offsetof(SectionHeader, check));
    for (std::uint64_t done = 0; done < section.stored;) {
      const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), section.stored - done));
      fault = fetch(offset + done, piece.data(), count);
      if (!fault.ok()) return fault;
      check = check_of(piece.data(), count, check);
      done += count;
    }
    if (check != section.check) return damaged(where + " does not match its checksum");
    if (section.number != i) return damaged(where + " is not where it belongs");
    section.name[sizeof section.name - 1] = '\0';
    entries_.push_back({section.name, offset, section.plain, section.stored});
    offset += section.stored;
  }
  return offset == length ? Fault{} : damaged("it has bytes after its last section");
}

std::size_t FileReader::blocks(const std::string& name) const {
  return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.name == name; }));
}

Fault FileReader::read(const std::string& name, std::string* bytes, std::size_t block) {
  for (const Entry& entry : entries_) {
    if (entry.name != name || block-- > 0) continue;
    stored_.resize(entry.stored);
    const Fault fault = fetch(entry.offset, stored_.data(), stored_.size());
    if (!fault.ok()) return fault;
    bytes->resize(entry.plain);
    const std::size_t size = ZSTD_decompress(bytes->data(), bytes->size(), stored_.data(), stored_.size());
    return ZSTD_isError(size) == 0 && size == entry.plain ? Fault{} : damaged("section " + name + " cannot be unpacked");
  }
  return damaged("section " + name + " is missing");
}

}  // namespace waferloom::checkpoint
