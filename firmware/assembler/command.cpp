#include "firmware/assembler/command.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "firmware/assembler/assembler.h"
#include "firmware/assembler/disassembler.h"

namespace waferloom::assembler {
namespace {

constexpr int kDone = 0;
constexpr int kUsage = 2;
constexpr int kInputOutput = 4;
constexpr size_t kAddressSpace = 65536;

// Whether both names lead to the same file, which may not exist yet.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

bool write_whole(const std::string& path, const char* data, size_t bytes, std::ostream& err) {
  // A device or a pipe is written to; only a file is replaced.
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  const bool replaced = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  const std::string temporary = replaced ? path + ".part" : path;
  errno = 0;
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  stream.write(data, static_cast<std::streamsize>(bytes));
  stream.close();
  std::error_code error;
  if (stream && replaced) std::filesystem::rename(temporary, path, error);
  if (stream && !error) return true;
  const std::string reason = error ? error.message() : std::strerror(errno != 0 ? errno : EIO);
  std::error_code ignored;
  if (replaced) std::filesystem::remove(temporary, ignored);
  err << path << ": error: the file cannot be written: " << reason << "\n";
  return false;
}

bool define(Assembler& assembler, const std::string& name, const std::string& text, std::ostream& err) {
  const auto refuse = [&](const char* what) {
    err << "error: -D " << name << "=" << text << ": " << what << "\nhint: -D NAME=NUMBER, decimal or 0x, or with a fraction\n";
    return false;
  };
  const bool good_name = !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") == std::string::npos && (name[0] < '0' || name[0] > '9');
  if (!good_name) return refuse("this is not a name");
  char* end = nullptr;
  errno = 0;
  const bool hexadecimal = text.find('x') != std::string::npos || text.find('X') != std::string::npos;
  const long long integer = std::strtoll(text.c_str(), &end, hexadecimal ? 16 : 10);
  if (!text.empty() && *end == '\0') {
    if (errno == ERANGE) return refuse("the number is too large");
    assembler.define(name, integer);
    return true;
  }
  const double real = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return refuse("this is not a number");
  assembler.define_real(name, real);
  return true;
}

}  // namespace

int run_assemble(const AssembleOptions& options, std::ostream& out, std::ostream& err) {
  const std::pair<const std::string&, const std::string&> pairs[] = {{options.input, options.output}, {options.input, options.listing}, {options.output, options.listing}};
  for (const auto& [a, b] : pairs) {
    std::error_code error;
    if (a.empty() || b.empty() || a == "-" || b == "-" || !same_file(a, b) || std::filesystem::is_character_file(a, error)) continue;
    err << b << ": error: this file is also " << (&a == &options.input ? "the source" : "the image") << "\nhint: give the output another name\n";
    return kUsage;
  }
  Assembler assembler;
  for (const auto& [name, value] : options.defines) {
    if (!define(assembler, name, value, err)) return kUsage;
  }
  for (const std::string& folder : options.include_folders) assembler.add_include_folder(folder);
  const Outcome outcome = assembler.assemble_file(options.input);
  if (!outcome.ok()) {
    err << render(outcome.errors);
    bool unreadable = false;
    for (const Error& error : outcome.errors) unreadable |= error.unreadable;
    return unreadable ? kInputOutput : kUsage;
  }
  const Program& program = *outcome.program;
  if (!options.output.empty() && !write_whole(options.output, reinterpret_cast<const char*>(program.image.data()), program.image.size(), err)) return kInputOutput;
  const std::string listing = program.listing();
  if (options.listing == "-" || (options.listing.empty() && options.output.empty())) {
    out << listing;
  } else if (!options.listing.empty() && !write_whole(options.listing, listing.data(), listing.size(), err)) {
    return kInputOutput;
  }
  return kDone;
}

int run_disassemble(const std::string& input, std::ostream& out, std::ostream& err) {
  std::error_code error;
  std::ifstream stream(input, std::ios::binary);
  if (!stream || std::filesystem::is_directory(input, error)) {
    err << input << ": error: the file cannot be read\n";
    return kInputOutput;
  }
  // No more than tells that it is too large: a device may have no end.
  std::string text(kAddressSpace + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  if (text.size() > kAddressSpace) {
    err << input << ": error: more bytes than a tile's address space has (65536)\n";
    return kUsage;
  }
  out << disassemble_image(std::vector<uint8_t>(text.begin(), text.end()));
  return kDone;
}

}  // namespace waferloom::assembler
