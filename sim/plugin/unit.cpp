#include "sim/plugin/unit.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

namespace waferloom::plugin {

std::string Unit::open(const UnitSpec& spec) {
  // Another process may prune the cache between the two: then the unit is built again.
  for (int attempt = 0;; ++attempt) {
    build_ = build_unit(spec);
    if (!build_.ok()) return build_.error;
    std::string error = load(build_.library_path);
    if (error.empty() || attempt == 2 || access(build_.library_path.c_str(), F_OK) == 0) return error;
  }
}

std::string Unit::load(const std::string& library_path) {
  void* raw = dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!raw) {
    const char* reason = dlerror();
    return reason ? reason : library_path + ": cannot be loaded";
  }
  std::shared_ptr<void> handle(raw, [](void* library) { dlclose(library); });
  using Entry = const WlUnitApi* (*)();
  Entry entry = nullptr;
  void* symbol = dlsym(raw, "wl_unit_api");
  std::memcpy(&entry, &symbol, sizeof entry);
  if (!entry) return library_path + ": not a unit plug-in";
  const WlUnitApi* api = entry();
  if (api->abi_version != WL_UNIT_ABI_VERSION || api->struct_bytes != sizeof(WlUnitApi)) {
    return library_path + ": built for another version of the interface";
  }
  handle_ = std::move(handle);
  api_ = api;
  return "";
}

const WlPort* Unit::port(const std::string& name) const {
  for (uint32_t i = 0; i < api_->port_count; ++i) {
    if (name == api_->ports[i].name) return &api_->ports[i];
  }
  return nullptr;
}

const WlRegister* Unit::reg(const std::string& name) const {
  for (uint32_t i = 0; i < api_->register_count; ++i) {
    if (name == api_->registers[i].name) return &api_->registers[i];
  }
  return nullptr;
}

const WlRegister* Unit::reg_ending(const std::string& last_name) const {
  for (uint32_t i = 0; i < api_->register_count; ++i) {
    const std::string name = api_->registers[i].name;
    if (name.substr(name.rfind('.') + 1) == last_name) return &api_->registers[i];
  }
  return nullptr;
}

uint32_t Unit::changed_bits(const std::string& name) const {
  const WlPort* const found = port(name);
  return found != nullptr && found->direction == WL_DIR_OUT ? found->changed : 0;
}

}  // namespace waferloom::plugin
