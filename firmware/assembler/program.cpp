// What an assembled program can say about itself, and how errors read.
#include <fmt/format.h>

#include <algorithm>

#include "firmware/assembler/assembler.h"

namespace waferloom::assembler {

std::string render(const Error& error) {
  std::string text = error.where.file;
  if (error.where.line > 0) text += fmt::format(":{}:{}", error.where.line, error.where.column);
  text += ": error: " + error.message + "\n";
  if (error.where.line > 0 && !error.source_line.empty()) {
    constexpr size_t kWidth = 160;
    std::string line = error.source_line;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    for (char& c : line) {
      if (c == '\t') c = ' ';
      if (static_cast<unsigned char>(c) < 32) c = '?';
    }
    size_t column = static_cast<size_t>(std::max(error.where.column, 1)) - 1;
    if (line.size() > kWidth) {
      const size_t start = column > kWidth / 2 ? column - kWidth / 2 : 0;
      line = line.substr(std::min(start, line.size()), kWidth);
      column -= start;
    }
    const size_t room = line.size() > column ? line.size() - column : 1;
    const size_t length = std::clamp<size_t>(static_cast<size_t>(std::max(error.where.length, 1)), 1, room);
    text += line + "\n" + std::string(column, ' ') + "^" + std::string(length - 1, '~') + "\n";
  }
  if (!error.hint.empty()) text += "hint: " + error.hint + "\n";
  return text;
}

std::string render(const std::vector<Error>& errors) {
  std::string text;
  for (const Error& error : errors) text += render(error);
  return text;
}

std::vector<uint64_t> Program::words64() const {
  std::vector<uint64_t> words((image.size() + 7) / 8, 0);
  for (size_t i = 0; i < image.size(); ++i) words[i / 8] |= static_cast<uint64_t>(image[i]) << (8 * (i % 8));
  return words;
}

uint32_t Program::word(uint32_t address) const {
  return static_cast<uint32_t>(image[address]) | static_cast<uint32_t>(image[address + 1]) << 8 | static_cast<uint32_t>(image[address + 2]) << 16 |
         static_cast<uint32_t>(image[address + 3]) << 24;
}

std::optional<int64_t> Program::symbol(std::string_view name) const {
  const auto it = symbols.find(name);
  if (it == symbols.end()) return std::nullopt;
  return it->second.value;
}

std::string Program::where(uint32_t address) const {
  for (const LineEntry& entry : lines) {
    if (address >= entry.address && address < entry.address + entry.bytes) return fmt::format("{}:{}", sources[entry.file].name, entry.line);
  }
  return {};
}

std::string Program::listing() const {
  std::vector<std::vector<std::string_view>> text(sources.size());
  for (size_t file = 0; file < sources.size(); ++file) {
    const std::string_view all = *sources[file].text;
    for (size_t at = 0; at < all.size();) {
      const size_t end = std::min(all.find('\n', at), all.size());
      text[file].push_back(all.substr(at, end - at));
      at = end + 1;
    }
  }
  std::string out = "address  word      source\n";
  uint32_t file = UINT32_MAX;
  for (const LineEntry& entry : lines) {
    if (entry.file != file) out += fmt::format("                   {}\n", sources[entry.file].name);
    file = entry.file;
    const std::string_view line = text[entry.file][entry.line - 1];
    // Long runs of zeros (.space) are one line.
    const bool zeros = entry.bytes > 64 && std::all_of(image.begin() + entry.address, image.begin() + entry.address + entry.bytes, [](uint8_t b) { return b == 0; });
    for (uint32_t at = 0; at < entry.bytes;) {
      const uint32_t address = entry.address + at;
      const uint32_t size = address % 4 == 0 && entry.bytes - at >= 4 ? 4 : std::min(2 - address % 2, entry.bytes - at);
      const std::string value = size == 4 ? fmt::format("{:08x}", word(address)) : size == 2 ? fmt::format("{:04x}", image[address] | image[address + 1] << 8) : fmt::format("{:02x}", image[address]);
      out += at == 0 ? fmt::format("{:#06x}   {:<8}  {:>5}  {}\n", address, value, entry.line, line) : fmt::format("{:#06x}   {}\n", address, value);
      at += size;
      if (zeros) {
        out += fmt::format("         ... {} zero bytes\n", entry.bytes);
        break;
      }
    }
  }
  out += "\nsymbols\n";
  static constexpr const char* kKinds[] = {"label", "constant", "descriptor", "given"};
  for (const auto& [name, symbol] : symbols) {
    const bool fraction = symbol.real != static_cast<double>(symbol.value);
    out += fraction ? fmt::format("{:<24} {} {}\n", name, symbol.real, kKinds[static_cast<int>(symbol.kind)]) : fmt::format("{:<24} {:#x} ({}) {}\n", name, symbol.value, symbol.value, kKinds[static_cast<int>(symbol.kind)]);
  }
  return out;
}

std::vector<std::string> task_names(const Program& program) {
  constexpr uint32_t kTasks = 64;
  std::vector<std::string> names(kTasks);
  for (uint32_t id = 0; id < kTasks && (2 * id & ~3U) + 4 <= program.image.size(); ++id) {
    const uint32_t entry = program.word(2 * id & ~3U) >> (id % 2 * 16) & 0xffffU;
    for (const auto& [name, symbol] : program.symbols) {
      if (entry != 0 && symbol.kind == Symbol::Kind::kLabel && symbol.value == entry) names[id] = name;
    }
  }
  return names;
}

}  // namespace waferloom::assembler
