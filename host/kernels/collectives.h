// Layouts of the collectives. Each is for a rectangle: along x in every row, then along y in column 0 where the rectangle has more than one row.
#pragma once

#include <string>
#include <variant>

#include "host/kernels/kernel_layout.h"

namespace waferloom::kernels {

// What a case asks for and a kernel cannot do: the key that should change, one sentence, a hint.
struct Refusal {
  std::string key;
  std::string message;
  std::string hint;
};

using LayoutOutcome = std::variant<KernelLayout, Refusal>;

// Any kernel, with the case's seed + `repetition`.
LayoutOutcome lay_out(const config::KernelCase& wanted, std::uint64_t repetition);

LayoutOutcome lay_out_broadcast(const config::KernelCase& wanted, std::uint64_t seed);
LayoutOutcome lay_out_chain_reduce(const config::KernelCase& wanted, std::uint64_t seed);
LayoutOutcome lay_out_star_reduce(const config::KernelCase& wanted, std::uint64_t seed);
LayoutOutcome lay_out_tree_reduce(const config::KernelCase& wanted, std::uint64_t seed);
LayoutOutcome lay_out_two_phase_reduce(const config::KernelCase& wanted, std::uint64_t seed);
LayoutOutcome lay_out_ring_allreduce(const config::KernelCase& wanted, std::uint64_t seed);
LayoutOutcome lay_out_chain_allreduce(const config::KernelCase& wanted, std::uint64_t seed);
LayoutOutcome lay_out_centre_allreduce(const config::KernelCase& wanted, std::uint64_t seed);

// Not collectives, but laid out in the same way: see gemv.cpp, gemm.cpp, stencil.cpp.
LayoutOutcome lay_out_gemv(const config::KernelCase& wanted, std::uint64_t seed);
LayoutOutcome lay_out_gemm(const config::KernelCase& wanted, std::uint64_t seed);
LayoutOutcome lay_out_stencil25(const config::KernelCase& wanted, std::uint64_t seed);

}  // namespace waferloom::kernels
