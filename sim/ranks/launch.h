#pragma once
// The processes that a launcher (mpirun) started together. A process that was not started by one never loads MPI.
//
// Ownership: one Launch per process, alive until its end. Threads: the thread that opened it.
#include <memory>
#include <string>

#include "sim/fabric/transport.h"

namespace waferloom::ranks {

class Launch {
 public:
  virtual ~Launch() = default;
  virtual fabric::Transport& transport() = 0;
  // "rank 1 (process 4711 on host-a)".
  virtual std::string name_of(unsigned rank) const = 0;
  // Orderly end of all ranks; after a loss it takes the others down and does not return: the process ends with `code`.
  virtual void finish(int code) = 0;
};

// Whether a launcher started several processes, by the environment that it leaves (Open MPI, MPICH and what descends from it).
bool launched_together();

// Joins the others. Null and *error if this build has no MPI, or MPI does not start.
std::unique_ptr<Launch> join(std::string* error);

}  // namespace waferloom::ranks
