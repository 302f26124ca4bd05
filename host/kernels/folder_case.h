// Cases `folder` of a kernel run: a kernel folder of the user's own (host/plan/kernel.h; what is in one: firmware/kernels/README.md) on verilated tiles. All tiles
// boot and fall idle; then the words of `edge` enter; time is from there until the last unit rests. Tiles may still wait for words at the end, if all that is
// expected is there, no wavelet is left anywhere and no task that has been activated is blocked.
#pragma once

#include "host/config/kernel_run.h"
#include "host/kernels/kernel_machine.h"
#include "host/plan/kernel.h"

namespace waferloom::kernels {

// Reads the folder of the case. Errors are those of the folder's files, or of the case where the layout is for another machine.
config::Result<plan::Kernel> load_folder(const config::KernelCase& wanted);

// Lines of what was not as expected are the message of a measurement that is done.
Measurement run_folder(const plan::Kernel& kernel, const MachineOptions& options);

}  // namespace waferloom::kernels
