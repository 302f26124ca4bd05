#include "sim/trace/instruction_trace.h"

#include <cstdarg>

namespace waferloom::trace {

using fabric::UnitKind;
using lockstep::ContextEvent;

namespace {

std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char* pattern, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string wavelet(const golden::Wavelet& w) { return format("%scolour %u 0x%08x", w.control ? "control " : "", w.colour, w.data); }

const char* event_name(ContextEvent kind) {
  switch (kind) {
    case ContextEvent::kGroup: return "group";
    case ContextEvent::kEnd: return "end";
    case ContextEvent::kFlush: return "flush";
    case ContextEvent::kDrop: return "zero weight dropped";
    case ContextEvent::kClear: return "accumulators start";
    case ContextEvent::kResult: return "result";
    case ContextEvent::kIndex: return "index fetched";
    case ContextEvent::kDue: return "result due";
  }
  return "";
}

}  // namespace

CodeReader::CodeReader(const TileGrid& grid) {
  const WlUnitApi& api = grid.unit(UnitKind::kPe).api();
  WlArena* arena = grid.arena(UnitKind::kPe);
  for (uint32_t m = 0; m < api.memory_count(arena); ++m) {
    const std::string name = api.memory(arena, m)->name;
    if (name.size() < 6 || name.compare(name.size() - 6, 6, "u_sram") != 0) continue;
    memory_ = m;
    word_bytes_ = api.memory(arena, m)->bits / 8;
    bytes_ = api.memory(arena, m)->words * word_bytes_;
  }
}

bool CodeReader::word(const TileGrid& grid, uint32_t tile, uint16_t address, uint32_t* word) const {
  if (word_bytes_ < 4 || uint32_t{address} + 4 > bytes_) return false;
  const uint64_t line = grid.unit(UnitKind::kPe).api().memory_get(grid.arena(UnitKind::kPe), tile, memory_, address / word_bytes_);
  *word = static_cast<uint32_t>(line >> (8 * (address % word_bytes_)));
  return true;
}

std::string InstructionTrace::open(const std::string& folder, const TileGrid& grid, Disassembler disassembler) {
  disassembler_ = std::move(disassembler);
  const plugin::Unit& pe = grid.unit(UnitKind::kPe);
  std::string error = trace_.open(pe);
  tag_ = pe.reg("u_ctx.tag_q");
  if (error.empty() && tag_ == nullptr) error = "wl_pe has no register u_ctx.tag_q";
  if (!error.empty()) return error;
  code_ = CodeReader(grid);
  const fabric::Region& region = grid.region();
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    const uint32_t x = region.x + tile % region.width, y = region.y + tile / region.width;
    error = files_.emplace_back().open(folder + "/tile_" + std::to_string(x) + "_" + std::to_string(y) + ".txt");
    if (!error.empty()) return error;
    files_.back().write("# tile (" + std::to_string(x) + "," + std::to_string(y) + ")\n#    cycle who   pc      instruction or event                      results of this cycle\n");
    serials_.push_back(trace_.serial(grid.state(UnitKind::kPe, tile)));
  }
  return "";
}

const std::string& InstructionTrace::text_of(const TileGrid& grid, uint32_t tile, uint16_t pc) {
  static const std::string none = "?";
  uint32_t word = 0;
  if (!code_.word(grid, tile, pc, &word)) return none;
  const auto found = texts_.find(word);
  if (found != texts_.end()) return found->second;
  return texts_.emplace(word, disassembler_ ? disassembler_(word) : format(".word 0x%08x", word)).first->second;
}

void InstructionTrace::line(const TileGrid& grid, uint32_t tile, const lockstep::EdgeTrace& e, std::string* out) {
  std::string who = "-", what, pc;
  if (e.scalar) {
    who = "main";
    pc = format("0x%04x", e.pc);
    what = text_of(grid, tile, e.pc);
  } else if (e.context_event) {
    const char* tag = grid.state(UnitKind::kPe, tile) + tag_->offset + tag_->element_bytes * e.context;
    const uint16_t at = static_cast<uint16_t>(plugin::load_value(tag, tag_->element_bytes) >> 32);
    who = e.context == 8 ? "sync" : format("ut%u", e.context);
    pc = format("0x%04x", at);
    what = text_of(grid, tile, at) + " : " + event_name(e.kind);
    if (e.kind == ContextEvent::kGroup) what += format(" of %u", e.group);
    if (e.complete) what += ", done";
  }
  std::string results;
  const auto add = [&](const std::string& text) { results += (results.empty() ? "" : "; ") + text; };
  if (e.arrived) add("in " + wavelet(e.arrival));
  if (e.started) add(format("task %u starts", e.start_task) + (e.start_control || !e.start_local ? format(" (r1=0x%08x r2=0x%08x)", e.start_r1, e.start_r2) : ""));
  for (const lockstep::RegisterWrite* w : {&e.integer, &e.load, &e.late}) {
    if (w->valid && w->reg != 0) add(format("r%u=0x%08x", w->reg, w->value));
  }
  if (e.memory_write) {
    std::string halves;
    for (unsigned h = 0; h < 8; ++h) {
      if ((e.memory_mask >> h) & 1) halves += format(" %04x", static_cast<unsigned>(e.memory_data[h / 4] >> (16 * (h % 4))) & 0xffffu);
    }
    add(format("[0x%04x]", e.memory_address + 2 * static_cast<unsigned>(__builtin_ctz(e.memory_mask | 256u))) + halves);
  }
  if (e.pushed) add(format("to output queue %u: ", e.push_queue) + wavelet(e.push));
  if (e.sent) add("out " + wavelet(e.ramp));
  if (e.configured) add(format("route word 0x%02x = 0x%08x", e.config_address, e.config_data));
  if (e.trapped) add(format("trap %u at 0x%04x", e.trap_cause, e.trap_pc));
  char head[64];
  std::snprintf(head, sizeof head, "%10llu %-5s %-7s ", static_cast<unsigned long long>(e.cycle), who.c_str(), pc.c_str());
  *out = head + what;
  if (!results.empty()) {
    if (what.size() < 40) out->append(40 - what.size(), ' ');
    *out += "  " + results;
  }
  *out += "\n";
}

void InstructionTrace::show(const TileGrid& grid, uint64_t cycle) {
  std::string text;
  lockstep::EdgeTrace edge;
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    const char* state = grid.state(UnitKind::kPe, tile);
    const uint32_t serial = trace_.serial(state);
    if (serial == serials_[tile]) continue;
    serials_[tile] = serial;
    edge.cycle = cycle;
    trace_.read(state, &edge);
    line(grid, tile, edge, &text);
    files_[tile].write(text);
  }
}

uint64_t InstructionTrace::written() const {
  uint64_t total = 0;
  for (const TextFile& file : files_) total += file.bytes();
  return total;
}

std::string InstructionTrace::close() {
  std::string error;
  for (TextFile& file : files_) {
    const std::string own = file.close();
    if (error.empty()) error = own;
  }
  return error;
}

}  // namespace waferloom::trace
