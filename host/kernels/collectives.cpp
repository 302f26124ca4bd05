#include "host/kernels/collectives.h"

namespace waferloom::kernels {

LayoutOutcome lay_out(const config::KernelCase& wanted, std::uint64_t repetition) {
  const std::uint64_t seed = wanted.seed + repetition;
  switch (wanted.kernel) {
    case config::KernelKind::kBroadcast: return lay_out_broadcast(wanted, seed);
    case config::KernelKind::kReduceStar: return lay_out_star_reduce(wanted, seed);
    case config::KernelKind::kReduceChain: return lay_out_chain_reduce(wanted, seed);
    case config::KernelKind::kReduceTree: return lay_out_tree_reduce(wanted, seed);
    case config::KernelKind::kReduceTwoPhase: return lay_out_two_phase_reduce(wanted, seed);
    case config::KernelKind::kAllreduceRing: return lay_out_ring_allreduce(wanted, seed);
    case config::KernelKind::kAllreduceChain: return lay_out_chain_allreduce(wanted, seed);
    case config::KernelKind::kAllreduceCentre: return lay_out_centre_allreduce(wanted, seed);
    case config::KernelKind::kGemv: return lay_out_gemv(wanted, seed);
    case config::KernelKind::kGemm: return lay_out_gemm(wanted, seed);
    case config::KernelKind::kTransformerBlock: return Refusal{"kernel", "a transformer block is laid out by host/block", {}};
    case config::KernelKind::kFolder: return Refusal{"kernel", "a folder has its own layout", {}};
    case config::KernelKind::kStencil25: return lay_out_stencil25(wanted, seed);
  }
  return Refusal{"kernel", "no such kernel", {}};
}

}  // namespace waferloom::kernels
