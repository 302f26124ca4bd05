#include "host/cli/kernel_cases.h"

#include <fmt/format.h>

#include <utility>

#include "host/cli/block_case.h"
#include "host/kernels/collectives.h"
#include "host/kernels/folder_case.h"
#include "sim/plugin/sha256.h"

namespace waferloom::cli {

config::Result<LaidOutCases> lay_out_cases(config::KernelRun* run) {
  LaidOutCases cases;
  std::string hashes;
  for (config::KernelCase& c : run->cases) {
    std::string bytes;
    if (c.kernel == config::KernelKind::kFolder) {
      config::Result<plan::Kernel> kernel = kernels::load_folder(c);
      if (!kernel) return kernel.errors();
      c.width = kernel->target.width;
      c.height = kernel->target.height;
      for (const std::vector<std::uint8_t>& image : kernel->images) bytes.append(image.begin(), image.end());
      for (const plan::EdgeWord& word : kernel->edge) bytes += fmt::format("{} {}\n", word.column, word.link);
      cases.folders.emplace(c.name, std::move(kernel).value());
    } else if (c.kernel == config::KernelKind::kTransformerBlock) {
      if (const auto refusal = refuse_block(c, &bytes)) return config::Diagnostics{*refusal};
    } else {
      const kernels::LayoutOutcome laid_out = kernels::lay_out(c, 0);
      if (const auto* refusal = std::get_if<kernels::Refusal>(&laid_out)) return config::Diagnostics{c.error_at(refusal->key, refusal->message, refusal->hint)};
      for (const kernels::Image& image : std::get<kernels::KernelLayout>(laid_out).images) {
        bytes.append(reinterpret_cast<const char*>(image.words.data()), image.words.size() * sizeof(image.words[0]));
      }
    }
    hashes += plugin::sha256_hex(bytes);
  }
  cases.firmware_hash = plugin::sha256_hex(hashes);
  return cases;
}

}  // namespace waferloom::cli
