// The C interface between a verilated unit (a plug-in, one shared library) and everything that drives it.
//
// A plug-in is built by sim/plugin/builder.h from one top module. It exports exactly one symbol, `wl_unit_api`, and
// describes itself: ports, registers, parameters, memories, hashes. Nothing else crosses, so two variants of one module
// can be loaded in one process.
//
// Ownership: an arena owns its instances, their memories and images; pointers obtained from it die with it.
// Threads: different arenas may be used by different threads. Within one arena, `tick`, `tick_batch`, `credit` and
// port access may run in parallel for disjoint instances; everything else is for one thread at a time.
// Errors: a function that returns int returns 0, or non-zero with the reason in `last_error()` (per thread).
//
// How a fast macro view plugs in (sim/macros/NAME.sv with NAME.cpp beside it):
//   module NAME ...;  import "DPI-C" function longint unsigned NAME_create(input int unsigned words);
//     longint unsigned inst_q;              // the handle: exactly this name; not state, never checkpointed or compared
//     initial inst_q = NAME_create(Words);  // runs once per instance, when the arena creates it
//     always_ff @(posedge clk_i) ... NAME_access(inst_q, ...) ...   // a call costs a call: the handle is a pointer
//   NAME.cpp includes this header, defines NAME_create and calls wl_register_memory once per memory that it holds.
// NAME.cpp and, for every header "x.h" that it includes (relative to the file or to the repository root), an x.cpp
// beside that header are compiled into the plug-in. The memory's name is the hierarchical path of the macro instance
// (plus ".suffix" if one is given). In the rtl view the same table is filled from arrays called `mem_q`, so that a
// loader finds the same names in both views.
#ifndef WL_UNIT_ABI_H
#define WL_UNIT_ABI_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WL_UNIT_ABI_VERSION 3u

typedef struct WlArena WlArena;
typedef struct WlImage WlImage;

// What a fast view offers for one memory. `self` is what it registered.
typedef struct WlMemoryOps {
  uint64_t (*get)(const void* self, uint32_t word);
  void (*set)(void* self, uint32_t word, uint64_t value);
  // Makes `count` words from `first` equal to `words`. The data outlives the memory (the arena keeps it): whole pages
  // may be shared until they are written.
  void (*map_image)(void* self, uint32_t first, const uint64_t* words, uint32_t count);
  uint64_t (*private_bytes)(const void* self);  // host bytes that belong to this memory alone
  uint64_t (*changes)(const void* self);        // number of writes so far that changed a word
  void (*destroy)(void* self);
  // Null, or: another memory with the same words, whose pages may be shared until either writes. Requires that the handle
  // given to wl_register_memory is `self` itself and has one memory only.
  void* (*clone)(const void* self);
  // Null, or: what map_image(self, first, words, count) does, for a memory that may be like one that has just been given the
  // same: `before` and `after` are that one before and after. Cheap where self is like `before`.
  void (*map_like)(void* self, const void* before, const void* after, uint32_t first, const uint64_t* words, uint32_t count);
  // Null, or: words of one page of 256 (first is a multiple of 256, count at most 256). Returns 0 if the page is all zero and nothing was
  // written to `words`, 1 if the page is the memory's own, else an even number that all memories have that share the page.
  uint64_t (*block)(const void* self, uint32_t first, uint32_t count, uint64_t* words);
} WlMemoryOps;

// Called by a fast view's create function, while its instance is being created. `handle` is the value that the create
// function returns to the RTL (it ties the memory to the macro instance). `suffix` may be "" (one memory per macro).
void wl_register_memory(uint64_t handle, const char* suffix, void* self, const WlMemoryOps* ops, uint32_t words,
                        uint32_t bits);

enum { WL_DIR_IN = 0, WL_DIR_OUT = 1 };
typedef struct WlPort {
  const char* name;
  uint32_t width;      // bits
  uint32_t direction;  // WL_DIR_*
  uint32_t bytes;      // 1, 2, 4, 8, or 4 * words for more than 64 bits (least significant word first)
  uint32_t offset;     // from state(); upper bits of the word are zero and must be kept so
  uint32_t changed;    // outputs: bits of a change mask; one of them at least is set if the output has changed (0: quiet_o, class_o)
} WlPort;

enum {
  WL_REG_STATE = 1,    // name ends in _q: a register by the house's naming
  WL_REG_COUNTER = 2,  // name ends in _cnt_q: excluded from quiet and from state comparison
  WL_REG_HANDLE = 4,   // host handle of a macro (inst_q): no state
  WL_REG_MEMORY = 8,   // listed in the table of memories as well
  WL_REG_ACTIVITY = 16 // quiet_q, class_q: the skip flags themselves
};
typedef struct WlRegister {
  const char* name;        // hierarchical, below the top module: "u_issue.pc_q", "g_bank[2].u_ram.mem_q"
  uint32_t width;          // bits of one element
  uint32_t elements;       // 1, or the length of an array (nested arrays are flattened, last index fastest)
  uint32_t element_bytes;  // as WlPort.bytes
  uint32_t offset;
  uint32_t flags;
} WlRegister;

typedef struct WlMemory {
  const char* name;
  uint32_t words;
  uint32_t bits;
} WlMemory;

typedef struct WlParam {
  const char* name;
  const char* value;
} WlParam;

enum { WL_RESET_ZERO = 0, WL_RESET_ONE = 1, WL_RESET_RANDOM = 2 };
typedef struct WlCreate {
  uint32_t count;
  uint32_t reset;  // WL_RESET_*: value of every register before reset
  uint64_t seed;   // for WL_RESET_RANDOM; hashed, any value is good
} WlCreate;

// A change mask says which outputs have changed in this edge (WlPort.changed; a model with very many outputs may have several share a bit).
// WL_CHANGED_QUIET: quiet_o is high after this edge.
#define WL_CHANGED_QUIET 0x80000000u

typedef struct WlUnitApi {
  uint32_t abi_version;
  uint32_t struct_bytes;
  const char* top;
  const char* view;         // "fast" or "rtl"
  const char* source_hash;  // sources and parameters: what results depend on
  const char* build_hash;   // and tool versions, options, this interface: what the cache depends on
  const char* tool;         // Verilator's version
  uint32_t traced;          // 1: open_trace works
  uint32_t direct;          // 1: a tick calls the next-state function only; 0: the whole evaluation loop
  int32_t clock_port;       // index into ports of clk_i, -1: combinational module
  int32_t time_port;        // time_i, written by tick_batch; -1: none
  uint32_t hot_bytes;       // of a state, from its start: what an edge nearly always touches
  uint32_t port_count;
  const WlPort* ports;
  uint32_t register_count;
  const WlRegister* registers;
  uint32_t param_count;
  const WlParam* params;

  // Creates count instances: initial blocks run, combinational outputs settled, clock low. Null on failure.
  WlArena* (*create)(const WlCreate* options);
  void (*destroy)(WlArena* arena);
  uint32_t (*count)(const WlArena* arena);
  // Base of the instance's state; ports and registers are at fixed offsets from it.
  void* (*state)(const WlArena* arena, uint32_t instance);
  // Distance in bytes between the states of neighbouring instances, 0 if they are not contiguous (traced).
  uint64_t (*stride)(const WlArena* arena);

  // Gives instances first to first + count - 1 the whole state of instance `from`: inputs, registers, memories, cycle. Non-zero if this
  // model cannot be copied (a member or a memory that is more than its bytes): then nothing has changed.
  int (*copy_state)(WlArena* arena, uint32_t from, uint32_t first, uint32_t count);

  // One rising edge of clk_i. The falling edge costs nothing.
  int (*tick)(WlArena* arena, uint32_t instance);
  // Combinational outputs follow the inputs; no clock edge.
  int (*settle)(WlArena* arena, uint32_t instance);
  // After a write to a register or memory from outside: everything that is derived from registers follows.
  int (*refresh)(WlArena* arena, uint32_t instance);
  // One rising edge, of wafer cycle `cycle`, for each instance of the list. Before it, cycles since the instance's last
  // evaluation are credited to class_cnt_q[class_o] (the register of that name, in whatever module), and time_i is set. changed[k] gets the mask of list[k].
  int (*tick_batch)(WlArena* arena, const uint32_t* list, uint32_t n, uint64_t cycle, uint32_t* changed);
  // Credits the cycles up to (not including) `cycle`, without evaluating.
  void (*credit)(WlArena* arena, uint32_t instance, uint64_t cycle);
  // The cycle of the next edge, as crediting sees it (set after create, reset or load of a checkpoint).
  void (*set_cycle)(WlArena* arena, uint32_t instance, uint64_t cycle);
  void (*set_cycle_all)(WlArena* arena, uint64_t cycle);

  // Memories, the same table for every instance of the arena.
  uint32_t (*memory_count)(const WlArena* arena);
  const WlMemory* (*memory)(const WlArena* arena, uint32_t index);
  uint64_t (*memory_get)(const WlArena* arena, uint32_t instance, uint32_t index, uint32_t word);
  void (*memory_set)(WlArena* arena, uint32_t instance, uint32_t index, uint32_t word, uint64_t value);
  const WlImage* (*image_create)(WlArena* arena, const uint64_t* words, uint32_t count);  // copied, owned by the arena
  void (*image_load)(WlArena* arena, uint32_t instance, uint32_t index, uint32_t first, const WlImage* image);
  // The same for each of n instances: those whose memories are alike share the work and the pages.
  void (*image_load_list)(WlArena* arena, const uint32_t* list, uint32_t n, uint32_t index, uint32_t first, const WlImage* image);
  uint64_t (*memory_private_bytes)(const WlArena* arena, uint32_t instance);
  // Many words at once, see WlMemoryOps.block; where a view has no pages the answer is 1.
  uint64_t (*memory_block)(const WlArena* arena, uint32_t instance, uint32_t index, uint32_t first, uint32_t count, uint64_t* words);
  // Number of word changes so far over all fast memories of the instance (0 in the rtl view: they are registers there).
  uint64_t (*memory_changes)(const WlArena* arena, uint32_t instance);

  // Traced twin only. Each tick or settle of the instance then writes one time step.
  int (*open_trace)(WlArena* arena, uint32_t instance, const char* fst_path);
  void (*close_trace)(WlArena* arena);

  const char* (*last_error)(void);
} WlUnitApi;

// The only exported symbol.
const WlUnitApi* wl_unit_api(void);

#ifdef __cplusplus
}
#endif
#endif
