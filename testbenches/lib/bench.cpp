#include "testbenches/lib/bench.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "testbenches/lib/waves.h"

namespace waferloom {
namespace {

uint64_t mix(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const std::string text = environment(variable);
  if (text.empty()) return otherwise;
  char* end = nullptr;
  const uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (*end != '\0') throw std::runtime_error(std::string(variable) + "=" + text + ": not a number");
  return value;
}

}  // namespace

std::string next_wave_file() {
  static unsigned benches = 0;
  const std::string chosen = environment("WL_WAVE");
  if (chosen.empty() || ++benches == 1) return chosen;
  const size_t dot = chosen.rfind('.');
  const std::string number = "-" + std::to_string(benches);
  return dot == std::string::npos ? chosen + number : chosen.substr(0, dot) + number + chosen.substr(dot);
}

uint64_t bench_seed() {
  static const uint64_t seed = [] {
    const uint64_t value = number_from("WL_SEED", 1);
    std::printf("seed %llu (WL_SEED=%llu repeats this run)\n", static_cast<unsigned long long>(value),
                static_cast<unsigned long long>(value));
    return value;
  }();
  return seed;
}

uint64_t scaled(uint64_t n) {
  static const uint64_t factor = number_from("WL_SCALE", 1);
  return n * factor;
}

Random::Random(const std::string& domain, uint64_t seed) : key_(mix(seed)) {
  for (const char c : domain) key_ = mix(key_ ^ static_cast<unsigned char>(c));
}

uint64_t Random::next() { return mix(key_ ^ mix(index_++)); }

Bench::Bench(const std::string& top, const Params& params, uint32_t reset_mode, const BenchOptions& options) {
  const std::string wave = next_wave_file();
  plugin::UnitSpec spec;
  spec.top = top;
  spec.params = params;
  spec.view = options.view;
  spec.rtl_roots = options.rtl_roots;
  spec.rtl_roots.push_back(std::string(WL_SOURCE_DIR) + "/rtl");
  spec.assertions = options.assertions;
  spec.attached = options.attached;
  spec.trace = !wave.empty();
  const std::string error = unit_.open(spec);
  if (!error.empty()) throw std::runtime_error(error);
  api_ = &unit_.api();
  const WlCreate create{1, reset_mode, bench_seed()};
  arena_ = api_->create(&create);
  if (!arena_) fail();
  if (wave.empty()) return;
  if (api_->open_trace(arena_, 0, wave.c_str())) {
    const std::string reason = api_->last_error();
    api_->destroy(arena_);
    throw std::runtime_error(reason);
  }
  std::printf("waves of %s in %s\n", top.c_str(), wave.c_str());
}

Bench::~Bench() {
  if (arena_) api_->destroy(arena_);
}

void Bench::fail() const { throw std::runtime_error(api_->last_error()); }

const WlPort& Bench::find_port(const std::string& name) const {
  if (const WlPort* found = unit_.port(name)) return *found;
  std::string message = std::string(api_->top) + " has no port " + name + "; it has";
  for (uint32_t i = 0; i < api_->port_count; ++i) message += std::string(" ") + api_->ports[i].name;
  throw std::runtime_error(message);
}

Bench::Port Bench::port(const std::string& name) {
  const WlPort& found = find_port(name);
  if (found.width > 64) throw std::runtime_error(name + " is wider than 64 bits: use get_wide and set_wide");
  return Port(at(found.offset), found.bytes, found.width);
}

void Bench::set_wide(const std::string& name, const std::vector<uint32_t>& words) {
  const WlPort& found = find_port(name);
  std::vector<uint32_t> padded = words;
  padded.resize((found.bytes + 3) / 4);
  if (found.width % 32 != 0) padded.back() &= (1u << (found.width % 32)) - 1;
  std::memcpy(at(found.offset), padded.data(), found.bytes);
}

std::vector<uint32_t> Bench::get_wide(const std::string& name) {
  const WlPort& found = find_port(name);
  std::vector<uint32_t> words((found.bytes + 3) / 4);
  std::memcpy(words.data(), at(found.offset), found.bytes);
  return words;
}

namespace {
const WlRegister& find_register(const plugin::Unit& unit, const std::string& name, uint32_t element) {
  const WlRegister* found = unit.reg(name);
  if (found && element < found->elements && found->width <= 64) return *found;
  const WlUnitApi& api = unit.api();
  std::string message = std::string(api.top) + " has no register " + name + "[" + std::to_string(element) + "]; it has";
  for (uint32_t i = 0; i < api.register_count; ++i) message += std::string(" ") + api.registers[i].name;
  throw std::runtime_error(message);
}
}  // namespace

uint64_t Bench::reg(const std::string& name, uint32_t element) {
  const WlRegister& found = find_register(unit_, name, element);
  return plugin::load_value(at(found.offset + found.element_bytes * element), found.element_bytes);
}

void Bench::set_reg(const std::string& name, uint64_t value, uint32_t element) {
  const WlRegister& found = find_register(unit_, name, element);
  const uint64_t mask = found.width >= 64 ? ~0ull : (1ull << found.width) - 1;
  plugin::store_value(at(found.offset + found.element_bytes * element), found.element_bytes, value & mask);
}

uint32_t Bench::find_memory(const std::string& name) const {
  std::string message = std::string(api_->top) + " has no memory " + name + "; it has";
  for (uint32_t i = 0; i < api_->memory_count(arena_); ++i) {
    if (name == api_->memory(arena_, i)->name) return i;
    message += std::string(" ") + api_->memory(arena_, i)->name;
  }
  throw std::runtime_error(message);
}

uint64_t Bench::memory(const std::string& name, uint32_t word) {
  return api_->memory_get(arena_, 0, find_memory(name), word);
}

void Bench::set_memory(const std::string& name, uint32_t word, uint64_t value) {
  api_->memory_set(arena_, 0, find_memory(name), word, value);
}

void Bench::reset(unsigned edges) {
  set("rst_ni", 0);
  ticks(edges);
  set("rst_ni", 1);
  settle();
}

}  // namespace waferloom
