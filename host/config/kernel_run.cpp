#include "host/config/kernel_run.h"

#include <algorithm>

namespace waferloom::config {

double KernelExpectation::lower() const { return least - std::max(least * tolerance_percent / 100, tolerance_cycles); }
double KernelExpectation::upper() const { return most + std::max(most * tolerance_percent / 100, tolerance_cycles); }

Diagnostic KernelCase::error_at(const std::string& key, std::string message, std::string hint) const {
  auto found = places.find(key);
  if (found == places.end()) found = places.find("");
  Diagnostic diagnostic = found == places.end() ? Diagnostic{} : found->second;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

const char* to_string(KernelKind kind) {
  switch (kind) {
    case KernelKind::kBroadcast: return "broadcast";
    case KernelKind::kReduceStar: return "reduce_star";
    case KernelKind::kReduceChain: return "reduce_chain";
    case KernelKind::kReduceTree: return "reduce_tree";
    case KernelKind::kReduceTwoPhase: return "reduce_two_phase";
    case KernelKind::kAllreduceRing: return "allreduce_ring";
    case KernelKind::kAllreduceChain: return "allreduce_chain";
    case KernelKind::kAllreduceCentre: return "allreduce_centre";
    case KernelKind::kGemv: return "gemv";
    case KernelKind::kGemm: return "gemm";
    case KernelKind::kStencil25: return "stencil25";
    case KernelKind::kTransformerBlock: return "transformer_block";
    case KernelKind::kFolder: return "folder";
  }
  return "";
}

const char* to_string(Precision precision) { return precision == Precision::kFp32 ? "fp32" : "fp16"; }

std::string size_text(const KernelCase& c) {
  const auto joined = [](std::initializer_list<int> sizes) {
    std::string text;
    for (const int size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
    return text;
  };
  switch (c.kernel) {
    case KernelKind::kGemv: return joined({c.rows, c.columns});
    case KernelKind::kGemm: return joined({c.rows, c.inner, c.columns});
    case KernelKind::kStencil25: return c.steps == 1 ? joined({c.cells}) : joined({c.cells, c.steps});
    case KernelKind::kFolder: return "-";
    case KernelKind::kTransformerBlock: return joined({c.tokens, c.features, c.hidden});
    default: return joined({c.words});
  }
}

}  // namespace waferloom::config
