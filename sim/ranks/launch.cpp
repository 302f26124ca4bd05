#include "sim/ranks/launch.h"

#include <dlfcn.h>

#include <cstdlib>

namespace waferloom::ranks {
namespace {

long number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
}

// Beside the program, or where the build left it.
std::string module_path() {
  Dl_info info;
  std::string beside;
  if (dladdr(reinterpret_cast<const void*>(&launched_together), &info) != 0) beside = info.dli_fname;
  const size_t slash = beside.rfind('/');
  return (slash == std::string::npos ? std::string() : beside.substr(0, slash + 1)) + "libwl_mpi.so";
}

}  // namespace

bool launched_together() { return number_of("OMPI_COMM_WORLD_SIZE") > 1 || number_of("PMI_SIZE") > 1; }

std::unique_ptr<Launch> join(std::string* error) {
  error->clear();
  void* module = nullptr;
  for (const std::string& path : {module_path(), std::string(WL_MPI_MODULE)}) {
    // Its own libraries look each other up by name.
    if (module == nullptr) module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
  if (module == nullptr) {
    const char* reason = dlerror();
    *error = std::string("this program was built without MPI") + (reason != nullptr ? std::string(": ") + reason : std::string());
    return nullptr;
  }
  using Open = Launch* (*)(std::string*);
  const auto open = reinterpret_cast<Open>(dlsym(module, "wl_mpi_join"));
  if (open == nullptr) {
    *error = "the MPI part of this program is of another version";
    return nullptr;
  }
  return std::unique_ptr<Launch>(open(error));
}

}  // namespace waferloom::ranks
