// Compiled into every plug-in, after the generated description of the model (namespace wl_gen, see glue.cpp):
// instances, ticks, memories and traces behind unit_abi.h. Not for inclusion by anything else.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

// Verilator guards this header against users; it is needed for the type of the message queue (below).
#define VERILATOR_VERILATED_CPP_
#include "verilated_imp.h"
#if WL_TRACED
#include <sys/stat.h>
#include <unistd.h>

#include "verilated_fst_c.h"
#endif

struct WlImage {
  std::vector<uint64_t> words;
};

namespace wl_glue {
using wl_gen::Root;
using wl_gen::Syms;

struct MemoryRecord {
  uint64_t handle = 0;
  std::string suffix;
  void* self = nullptr;
  const WlMemoryOps* ops = nullptr;
  uint32_t words = 0;
  uint32_t bits = 0;
};
thread_local std::vector<MemoryRecord>* t_creating = nullptr;
thread_local std::string t_error;

struct MemoryKind {
  std::string name;
  const WlMemoryOps* ops = nullptr;      // fast view
  uint32_t handle_offset = UINT32_MAX;   // of the macro's handle, if that is the memory itself and copies can be made
  const WlRegister* array = nullptr;     // rtl view
};

// The message queue of each instance serves Verilator's own threads only; without it an instance is 150 bytes smaller.
template <typename S>
auto drop_message_queue(S* syms, int) -> decltype(delete syms->__Vm_evalMsgQp, void()) {
  delete syms->__Vm_evalMsgQp;
  syms->__Vm_evalMsgQp = nullptr;
}
template <typename S>
void drop_message_queue(S*, long) {}

inline uint64_t mix(uint64_t x) {  // splitmix64: neighbouring seeds give unrelated states
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

inline uint64_t load_word(const char* p, uint32_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, p, bytes < 8 ? bytes : 8);
  return value;
}

}  // namespace wl_glue

struct WlArena {
  VerilatedContext context;
  uint32_t count = 0;
  char* slots = nullptr;  // one after the other: model roots that share one Syms, or whole Syms objects
  uint64_t slot_bytes = 0;
  uint64_t root_offset = 0;  // of the model's root in a slot
  uint64_t mapped_bytes = 0;
  uint32_t built = 0;    // slots whose objects were constructed; the others are copies of their bytes
  bool copyable = false;  // instances can be copied: see copy_state
  std::unique_ptr<wl_gen::Syms> shared;  // of every root, if the model allows that
  std::vector<uint64_t> next_cycle;  // first cycle that is neither evaluated nor credited
  std::vector<wl_glue::MemoryKind> kinds;
  std::vector<WlMemory> table;
  std::vector<void*> memory_self;  // [instance * kinds + kind], fast view
  std::vector<std::unique_ptr<WlImage>> images;
#if WL_TRACED
  std::vector<std::unique_ptr<wl_gen::Model>> models;
  std::unique_ptr<VerilatedFstC> trace;
  std::string trace_path;
  uint32_t trace_instance = 0;
  uint64_t trace_time = 0;
#endif

  wl_gen::Root* root(uint32_t i) const {
#if WL_TRACED
    return models[i]->rootp;
#else
    return reinterpret_cast<wl_gen::Root*>(slots + slot_bytes * i + root_offset);
#endif
  }
  ~WlArena();
};

namespace wl_glue {

#if WL_TRACED
// FST writers fail silently: the file must exist and must have grown by the end.
inline void trace_step(WlArena* a, uint32_t i, bool edge) {
  if (!a->trace || a->trace_instance != i) return;
  a->trace->dump(a->trace_time);
  a->trace_time += 5;
  if (!edge) return;
  wl_gen::set_clock(a->root(i), 0);
  a->trace->dump(a->trace_time);
  a->trace_time += 5;
}
inline void edge_once(WlArena* a, uint32_t i) {
  wl_gen::Model* model = a->models[i].get();
  wl_gen::set_clock(a->root(i), 0);
  model->eval();
  wl_gen::set_clock(a->root(i), 1);
  model->eval();
  trace_step(a, i, true);
}
inline void edge_at(WlArena* a, uint32_t i, Root*) { edge_once(a, i); }
inline void settle_once(WlArena* a, uint32_t i) {
  a->models[i]->eval();
  trace_step(a, i, false);
}
#else
inline void edge_once(WlArena* a, uint32_t i) { wl_gen::edge(a->root(i)); }
inline void edge_at(WlArena*, uint32_t, Root* root) { wl_gen::edge(root); }
inline void settle_once(WlArena* a, uint32_t i) { wl_gen::comb(a->root(i)); }
#endif

// Names the memories from the first instance: fast memories by the handle register of their macro, arrays of the rtl
// view by their own name without the last component.
inline void name_memories(WlArena* a, const std::vector<MemoryRecord>& records) {
  const char* base = reinterpret_cast<const char*>(a->root(0));
  uint32_t handles = 0, own = 0;
  for (uint32_t r = 0; r < wl_gen::kRegisterCount; ++r) handles += (wl_gen::kRegisters[r].flags & WL_REG_HANDLE) != 0;
  for (const MemoryRecord& record : records) {
    MemoryKind kind;
    for (uint32_t r = 0; r < wl_gen::kRegisterCount; ++r) {
      const WlRegister& reg = wl_gen::kRegisters[r];
      if (!(reg.flags & WL_REG_HANDLE) || load_word(base + reg.offset, 8) != record.handle) continue;
      const std::string name = reg.name;
      const size_t dot = name.rfind('.');
      kind.name = dot == std::string::npos ? "" : name.substr(0, dot);
      if (record.handle == reinterpret_cast<uintptr_t>(record.self) && record.ops->clone) kind.handle_offset = reg.offset;
    }
    own += kind.handle_offset != UINT32_MAX;
    if (!record.suffix.empty()) kind.name += (kind.name.empty() ? "" : ".") + record.suffix;
    kind.ops = record.ops;
    a->kinds.push_back(kind);
  }
  a->copyable = wl_gen::kCopyable && own == records.size() && own == handles;
  for (uint32_t r = 0; r < wl_gen::kRegisterCount; ++r) {
    const WlRegister& reg = wl_gen::kRegisters[r];
    if (!(reg.flags & WL_REG_MEMORY)) continue;
    MemoryKind kind;
    const std::string name = reg.name;
    const size_t dot = name.rfind('.');
    kind.name = dot == std::string::npos ? "" : name.substr(0, dot);
    kind.array = &reg;
    a->kinds.push_back(kind);
  }
  for (uint32_t k = 0; k < a->kinds.size(); ++k) {
    const MemoryKind& kind = a->kinds[k];
    const uint32_t words = kind.array ? kind.array->elements : records[k].words;
    const uint32_t bits = kind.array ? kind.array->width : records[k].bits;
    a->table.push_back({kind.name.c_str(), words, bits});
  }
}

// Everything of a root but its name and its Syms.
inline void copy_root(Root* to, const Root* from) {
  constexpr size_t kFirst = sizeof(VerilatedModule);
  std::memcpy(reinterpret_cast<char*>(to) + kFirst, reinterpret_cast<const char*>(from) + kFirst, wl_gen::kStateEnd - kFirst);
}

// Memories of instance i, which is a copy of the bytes of `from`: ones of its own with the same words.
inline void clone_memories(WlArena* a, uint32_t from, uint32_t i) {
  char* const base = reinterpret_cast<char*>(a->root(i));
  for (uint32_t k = 0; k < a->kinds.size(); ++k) {
    const MemoryKind& kind = a->kinds[k];
    if (kind.array) continue;
    void* const self = kind.ops->clone(a->memory_self[from * a->kinds.size() + k]);
    a->memory_self[i * a->kinds.size() + k] = self;
    const uint64_t handle = reinterpret_cast<uintptr_t>(self);
    std::memcpy(base + kind.handle_offset, &handle, sizeof handle);
  }
}

inline void construct(WlArena* a, uint32_t i) {
#if WL_TRACED
  a->models.push_back(std::make_unique<wl_gen::Model>(&a->context, "TOP"));
  a->built = i + 1;
  wl_gen::clear_inputs(a->root(i));
  a->models[i]->eval();
#else
  char* const slot = a->slots + a->slot_bytes * i;
  if (a->shared) {
    new (slot) Root(a->shared.get(), "TOP");
  } else {
    drop_message_queue(new (slot) Syms(&a->context, "", nullptr), 0);
  }
  a->built = i + 1;
  wl_gen::clear_inputs(a->root(i));
  wl_gen::init(a->root(i));
#endif
}

inline void build(WlArena* a, const WlCreate* options) {
  a->count = options->count;
  a->context.randReset(static_cast<int>(options->reset));
  const int seed = static_cast<int>(mix(options->seed) & 0x7fffffff);
  a->context.randSeed(seed == 0 ? 1 : seed);
  Verilated::threadContextp(&a->context);
#if WL_TRACED
  a->context.traceEverOn(true);
#else
  if (wl_gen::kShareable) {
    a->shared = std::make_unique<Syms>(&a->context, "", nullptr);
    drop_message_queue(a->shared.get(), 0);
    a->slot_bytes = sizeof(Root);
  } else {
    a->slot_bytes = sizeof(Syms);
    a->root_offset = offsetof(Syms, TOP);
  }
  a->mapped_bytes = (a->slot_bytes * a->count + 4095) / 4096 * 4096;
  void* memory = mmap(nullptr, a->mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("not enough memory for the instances of this unit");
  a->slots = static_cast<char*>(memory);
  if (a->mapped_bytes > (4u << 20)) madvise(memory, a->mapped_bytes, MADV_HUGEPAGE);
#endif
  a->next_cycle.assign(a->count, 0);
  for (uint32_t i = 0; i < a->count; ++i) {
    std::vector<MemoryRecord> records;
    t_creating = &records;
    try {
      construct(a, i);
    } catch (...) {
      t_creating = nullptr;
      for (const MemoryRecord& record : records) record.ops->destroy(record.self);
      throw;
    }
    t_creating = nullptr;
    if (i == 0) {
      name_memories(a, records);
      a->memory_self.assign(a->kinds.size() * a->count, nullptr);
    }
    for (uint32_t k = 0; k < records.size(); ++k) a->memory_self[i * a->kinds.size() + k] = records[k].self;
    // Without random values before reset all instances start alike: the first one is the template.
    if (a->copyable && a->shared && options->reset != WL_RESET_RANDOM) break;
  }
  for (uint32_t i = a->built; i < a->count; ++i) {
    std::memcpy(a->slots + a->slot_bytes * i, a->slots, sizeof(Root));
    clone_memories(a, 0, i);
  }
}

}  // namespace wl_glue
#include "sim/plugin/unit_memories.h"
namespace wl_glue {

inline void record_error(const char* what) { t_error = what; }

// Library code never lets an exception of the model cross the C interface.
template <typename F>
int guarded(F&& body) {
  try {
    body();
    return 0;
  } catch (const std::exception& e) {
    record_error(e.what());
    return 1;
  }
}

inline WlArena* create(const WlCreate* options) {
  auto arena = std::make_unique<WlArena>();
  if (guarded([&] { build(arena.get(), options); })) return nullptr;
  return arena.release();
}
inline void destroy(WlArena* a) { delete a; }
inline uint32_t count(const WlArena* a) { return a->count; }
inline void* state(const WlArena* a, uint32_t i) { return a->root(i); }
inline uint64_t stride(const WlArena* a) { return a->slot_bytes; }

inline int copy_state(WlArena* a, uint32_t from, uint32_t first, uint32_t count) {
  if (!a->copyable) {
    t_error = "the state of this model cannot be copied";
    return 1;
  }
  return guarded([&] {
    for (uint32_t i = first; i < first + count; ++i) {
      if (i == from) continue;
      for (uint32_t k = 0; k < a->kinds.size(); ++k) {
        if (!a->kinds[k].array) a->kinds[k].ops->destroy(a->memory_self[i * a->kinds.size() + k]);
      }
      copy_root(a->root(i), a->root(from));
      clone_memories(a, from, i);
      a->next_cycle[i] = a->next_cycle[from];
    }
  });
}

inline int tick(WlArena* a, uint32_t i) {
  return guarded([&] { edge_once(a, i); });
}
inline int settle(WlArena* a, uint32_t i) {
  return guarded([&] { settle_once(a, i); });
}

inline int refresh(WlArena* a, uint32_t i) {
  return guarded([&] { wl_gen::resettle(a->root(i)); });
}

// Instances that take no more bytes than this are likely to be in the cache.
constexpr uint64_t kNear = 256u << 10;

inline void prefetch(const WlArena* a, uint32_t i) {
#if !WL_TRACED
  constexpr uint32_t kLines = std::min<uint32_t>((wl_gen::kHotBytes + 63) / 64, 16);
  const char* p = reinterpret_cast<const char*>(a->root(i));
  for (uint32_t k = 0; k < kLines; ++k) __builtin_prefetch(p + 64 * k, 1);
#else
  (void)a;
  (void)i;
#endif
}

inline void tick_list(WlArena* a, const uint32_t* list, uint32_t n, uint64_t cycle, uint32_t* changed) {
  constexpr uint32_t kAhead = 4;
  const uint32_t ahead = a->mapped_bytes > kNear ? n : 0;  // instances up to here are asked for ahead of their turn
  uint64_t* const next = a->next_cycle.data();
  for (uint32_t k = 0; k < n; ++k) {
    if (k + kAhead < ahead) prefetch(a, list[k + kAhead]);
    const uint32_t i = list[k];
    Root* const root = a->root(i);
    const uint64_t skipped = cycle - next[i];
    next[i] = cycle + 1;
    if (skipped != 0) wl_gen::credit(root, skipped);
    wl_gen::set_time(root, cycle);
    wl_gen::Outputs before;
    before.load(root);
    edge_at(a, i, root);
    changed[k] = before.diff(root) | (wl_gen::quiet(root) ? WL_CHANGED_QUIET : 0u);
  }
}

inline int tick_batch(WlArena* a, const uint32_t* list, uint32_t n, uint64_t cycle, uint32_t* changed) {
  return guarded([&] {
    tick_list(a, list, n, cycle, changed);
  });
}
inline void credit(WlArena* a, uint32_t i, uint64_t cycle) {
  const uint64_t skipped = cycle - a->next_cycle[i];
  a->next_cycle[i] = cycle;
  if (skipped != 0) wl_gen::credit(a->root(i), skipped);
}
inline void set_cycle(WlArena* a, uint32_t i, uint64_t cycle) { a->next_cycle[i] = cycle; }
inline void set_cycle_all(WlArena* a, uint64_t cycle) { std::fill(a->next_cycle.begin(), a->next_cycle.end(), cycle); }

#if WL_TRACED
inline int open_trace(WlArena* a, uint32_t i, const char* path) {
  return guarded([&] {
    a->trace = std::make_unique<VerilatedFstC>();
    a->models[i]->trace(a->trace.get(), 99);
    a->trace->open(path);
    struct stat info;
    if (!a->trace->isOpen() || stat(path, &info) != 0) {
      a->trace.reset();
      throw std::runtime_error(std::string(path) + ": cannot be opened for writing");
    }
    a->trace_path = path;
    a->trace_instance = i;
    a->trace_time = 0;
  });
}
inline void close_trace(WlArena* a) {
  if (a->trace) a->trace->close();
  a->trace.reset();
}
#else
inline int open_trace(WlArena*, uint32_t, const char*) {
  record_error("this plug-in was built without tracing");
  return 1;
}
inline void close_trace(WlArena*) {}
#endif
inline const char* last_error() { return t_error.c_str(); }

}  // namespace wl_glue

WlArena::~WlArena() {
  Verilated::threadContextp(&context);  // the models leave the context that they joined, not the thread's latest
  wl_glue::close_trace(this);
  for (uint32_t k = 0; k < memory_self.size(); ++k) {
    if (memory_self[k]) kinds[k % kinds.size()].ops->destroy(memory_self[k]);
  }
#if !WL_TRACED
  for (uint32_t i = 0; i < built; ++i) {
    char* const slot = slots + slot_bytes * i;
    if (shared) {
      reinterpret_cast<wl_gen::Root*>(slot)->~Vu___024root();
    } else {
      reinterpret_cast<wl_gen::Syms*>(slot)->~Vu__Syms();
    }
  }
  if (slots) munmap(slots, mapped_bytes);
#endif
}

extern "C" void wl_register_memory(uint64_t handle, const char* suffix, void* self, const WlMemoryOps* ops,
                                   uint32_t words, uint32_t bits) {
  if (!wl_glue::t_creating) throw std::runtime_error("a memory registered itself outside the creation of an instance");
  wl_glue::t_creating->push_back({handle, suffix ? suffix : "", self, ops, words, bits});
}

// A failed assertion or $fatal in the model becomes an error of the call, not the end of the process.
void vl_fatal(const char* file, int line, const char* hierarchy, const char* message) {
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + (hierarchy ? hierarchy : "") + ": " +
                           (message ? message : ""));
}
void vl_stop(const char* file, int line, const char* hierarchy) { vl_fatal(file, line, hierarchy, "assertion failed"); }
void vl_finish(const char* file, int line, const char* hierarchy) { vl_fatal(file, line, hierarchy, "$finish called"); }

extern "C" __attribute__((visibility("default"))) const WlUnitApi* wl_unit_api(void) {
  static const WlUnitApi api = {WL_UNIT_ABI_VERSION,
                                sizeof(WlUnitApi),
                                wl_gen::kTop,
                                wl_gen::kView,
                                wl_gen::kSourceHash,
                                wl_gen::kBuildHash,
                                wl_gen::kTool,
                                WL_TRACED,
                                wl_gen::kDirect,
                                wl_gen::kClockPort,
                                wl_gen::kTimePort,
                                wl_gen::kHotBytes,
                                wl_gen::kPortCount,
                                wl_gen::kPorts,
                                wl_gen::kRegisterCount,
                                wl_gen::kRegisters,
                                wl_gen::kParamCount,
                                wl_gen::kParams,
                                wl_glue::create,
                                wl_glue::destroy,
                                wl_glue::count,
                                wl_glue::state,
                                wl_glue::stride,
                                wl_glue::copy_state,
                                wl_glue::tick,
                                wl_glue::settle,
                                wl_glue::refresh,
                                wl_glue::tick_batch,
                                wl_glue::credit,
                                wl_glue::set_cycle,
                                wl_glue::set_cycle_all,
                                wl_glue::memory_count,
                                wl_glue::memory,
                                wl_glue::memory_get,
                                wl_glue::memory_set,
                                wl_glue::image_create,
                                wl_glue::image_load,
                                wl_glue::image_load_list,
                                wl_glue::memory_private_bytes,
                                wl_glue::memory_block,
                                wl_glue::memory_changes,
                                wl_glue::open_trace,
                                wl_glue::close_trace,
                                wl_glue::last_error};
  return &api;
}
