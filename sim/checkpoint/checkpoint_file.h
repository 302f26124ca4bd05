#pragma once
// The file of a checkpoint: named sections, each compressed (zstd) and checked (CRC-32) by itself, so that it is written and read in blocks and never
// lies in memory as a whole.
//
//   header   64 bytes: magic, format version, length of the file, number of sections, checksum of the header
//   section  64 bytes: name, running number, length plain and stored, checksum of this and of the stored bytes; then the stored bytes
//
// A file is whole or absent: it is written beside its name, flushed to the disk, then renamed. A reader looks at every byte before it gives any of
// them away: a flipped bit, a cut-off end or a missing middle is found, wherever it is.
// Threads: one thread per object.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace waferloom::checkpoint {

// Raised when the layout of the file or of any section changes.
inline constexpr std::uint32_t kFormatVersion = 2;

// Why a checkpoint was not taken.
struct Fault {
  enum class Kind {
    kNone,
    kUnreadable,  // it cannot be read, or is damaged: exit code 4
    kForeign,     // it is whole but belongs to something else, another version, another RTL, another run: exit code 2
  };
  Kind kind = Kind::kNone;
  std::string reason;  // a sentence without the file's name
  bool ok() const { return kind == Kind::kNone; }
};

class FileWriter {
 public:
  // Nothing of the name `path` exists or changes before finish().
  explicit FileWriter(std::string path);
  ~FileWriter();  // removes what was not finished
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Appends a section. Names have 1 to 23 characters and may repeat: the blocks of one thing, in order. After an error nothing more is written.
  void section(const std::string& name, const std::string& bytes);
  // Puts the file in place. "" or why it could not be written (the system's words); then nothing of it remains.
  std::string finish();

 private:
  void write(const void* data, std::size_t count);
  void fail(int reason);

  std::string path_, beside_;
  int descriptor_ = -1;
  std::string error_;
  std::uint64_t length_ = 0;
  std::uint64_t sections_ = 0;
  std::vector<char> stored_;
};

class FileReader {
 public:
  FileReader() = default;
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  // Opens and checks the whole file.
  Fault open(const std::string& path);

  // The contents of the section of that name, the `block`-th of its name. Sections are best read in the order in which they were written.
  Fault read(const std::string& name, std::string* bytes, std::size_t block = 0);
  std::size_t blocks(const std::string& name) const;
  const std::string& path() const { return path_; }

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset = 0;  // of the stored bytes
    std::uint64_t plain = 0;
    std::uint64_t stored = 0;
  };
  Fault fetch(std::uint64_t offset, void* data, std::size_t count);

  std::string path_;
  int descriptor_ = -1;
  std::vector<Entry> entries_;
  std::vector<char> stored_;
};

}  // namespace waferloom::checkpoint
