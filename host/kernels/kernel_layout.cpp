#include "host/kernels/kernel_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "firmware/assembler/assembler.h"

namespace waferloom::kernels {

LayoutBuilder::LayoutBuilder(std::string program, const config::KernelCase& wanted) : program_(std::move(program)), wanted_(wanted) {
  layout_.width = static_cast<std::uint32_t>(wanted.width);
  layout_.height = static_cast<std::uint32_t>(wanted.height);
  layout_.words = static_cast<std::uint32_t>(wanted.words);
}

void LayoutBuilder::place(const Region& region, Defines defines) {
  if (region.width != 0 && region.height != 0) place_image(region, image_of(std::move(defines)));
}

std::size_t LayoutBuilder::image_of(Defines defines) {
  defines.emplace("WORDS", wanted_.words);
  defines.emplace("HALF", wanted_.precision == config::Precision::kFp16 ? 1 : 0);
  const auto [entry, fresh] = known_.emplace(defines, defines_.size());
  if (fresh) defines_.push_back(std::move(defines));
  return entry->second;
}

void LayoutBuilder::route(const Region& region, unsigned colour, unsigned receive, unsigned transmit, unsigned position) {
  if (region.width == 0 || region.height == 0) return;
  layout_.routes.push_back({region, colour, receive, transmit, position});
}

void LayoutBuilder::turn(const Region& region, unsigned colour, unsigned last) { layout_.switches.push_back({region, colour, last}); }

std::string LayoutBuilder::too_large(std::uint64_t bytes, std::string* key, std::string* hint) const {
  const config::Machine& machine = wanted_.machine;
  *key = key_;
  *hint = fmt::format("program and vectors take {} bytes, the memory of {} has {}", bytes, machine.name, machine.sram_bytes.value);
  if (key_ == "words") return fmt::format("{} words do not fit in a tile", wanted_.words);
  return fmt::format("{} of size {} does not fit in {} x {} tiles", config::to_string(wanted_.kernel), config::size_text(wanted_), wanted_.width, wanted_.height);
}

std::string LayoutBuilder::assemble(std::string* key, std::string* hint) {
  const std::filesystem::path file = std::filesystem::path(WL_SOURCE_DIR) / "firmware" / "kernels" / program_;
  const auto sram = static_cast<std::uint32_t>(wanted_.machine.sram_bytes.value);
  if (bytes_ > sram) return too_large(bytes_, key, hint);
  std::uint32_t behind = 0;
  for (const Defines& defines : defines_) {
    assembler::Assembler assembler;
    assembler.set_sram_bytes(sram);
    Image image;
    image.origin = program_;
    for (const auto& [name, value] : defines) {
      assembler.define(name, value);
      image.origin += fmt::format(" {}={}", name, value);
    }
    const assembler::Outcome outcome = assembler.assemble_file(file.string());
    if (!outcome.ok()) {  // shipped code: only sizes can be wrong with it
      const std::string message = too_large(0, key, hint);
      *hint = "the program cannot address so many bytes: " + outcome.errors.front().message;
      return message;
    }
    const assembler::Program& program = *outcome.program;
    for (std::uint32_t at = 0; at < program.image.size(); at += 4) image.words.push_back(program.word(at));
    for (const auto& [name, into] : {std::pair("values", &image.values), std::pair("record", &image.record), std::pair("values_end", &behind)}) {
      const std::optional<std::int64_t> at = program.symbol(name);
      if (!at) return fmt::format("{} has no label '{}'", file.string(), name);
      *into = static_cast<std::uint32_t>(*at);
    }
    if (behind > sram) return too_large(behind, key, hint);
    image.task_names = assembler::task_names(program);
    layout_.images.push_back(std::move(image));
  }
  return {};
}

}  // namespace waferloom::kernels
