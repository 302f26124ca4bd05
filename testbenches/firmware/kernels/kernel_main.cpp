// kernel_run FOLDER [SEED]: runs one kernel of firmware/kernels on the golden fabric and judges it. Exit code 0 passed, 1 not as expected, 2 a mistake in
// the folder or on the command line, 4 a file that cannot be read.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "testbenches/firmware/kernels/golden_kernel.h"

int main(int argc, char** argv) {
  using namespace waferloom;
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: kernel_run FOLDER [SEED]\n");
    return 2;
  }
  std::uint64_t seed = 0;
  if (argc == 3) {
    char* end = nullptr;
    seed = std::strtoull(argv[2], &end, 10);
    if (end == argv[2] || *end != '\0') {
      std::fprintf(stderr, "kernel_run: '%s' is not a seed (a whole number)\n", argv[2]);
      return 2;
    }
  }
  std::string folder = argv[1];
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  const config::Result<plan::Kernel> kernel = plan::load_kernel(folder);
  if (!kernel) {
    std::fputs(config::render(kernel.errors()).c_str(), stderr);
    for (const config::Diagnostic& d : kernel.errors()) {
      if (d.fault == config::Fault::kInputOutput) return 4;
    }
    return 2;
  }
  const testing::KernelRun run = testing::run_kernel(*kernel, seed);
  for (const std::string& problem : run.problems) std::fprintf(stderr, "%s\n", problem.c_str());
  if (!run.problems.empty()) {
    std::printf("FAIL %s\n", kernel->name.c_str());
    return 1;
  }
  std::printf("PASS %s: %dx%d tiles, %zu values as expected\n", kernel->name.c_str(), kernel->target.width, kernel->target.height, plan::expected_values(*kernel));
  return 0;
}
