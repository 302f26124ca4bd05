#include "sim/trace/fst_writer.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "gtkwave/fstapi.h"

namespace waferloom::trace {

std::string FstWriter::open(const std::string& path) {
  // The writer's own reason is lost; a file of our own tells it.
  if (std::FILE* probe = std::fopen(path.c_str(), "wb")) {
    std::fclose(probe);
  } else {
    return path + ": " + std::strerror(errno);
  }
  context_ = fstWriterCreate(path.c_str(), 1);
  if (context_ == nullptr) return path + ": cannot be opened for writing";
  path_ = path;
  fstWriterSetPackType(context_, FST_WR_PT_LZ4);
  fstWriterSetTimescaleFromString(context_, "1ns");
  fstWriterSetDate(context_, "");  // the same waves are the same bytes
  return "";
}

void FstWriter::enter(const std::string& scope) { fstWriterSetScope(context_, FST_ST_VCD_MODULE, scope.c_str(), nullptr); }
void FstWriter::leave() { fstWriterSetUpscope(context_); }

FstWriter::Signal FstWriter::signal(const std::string& name, uint32_t width, Kind kind) {
  const std::string shown = width == 1 ? name : name + " [" + std::to_string(width - 1) + ":0]";
  const enum fstVarDir direction = kind == Kind::kInput ? FST_VD_INPUT : kind == Kind::kOutput ? FST_VD_OUTPUT : FST_VD_IMPLICIT;
  return fstWriterCreateVar(context_, kind == Kind::kRegister ? FST_VT_VCD_REG : FST_VT_VCD_WIRE, direction, width, shown.c_str(), 0);
}

void FstWriter::time(uint64_t t) { fstWriterEmitTimeChange(context_, t); }

void FstWriter::value(Signal signal, const void* bytes, uint32_t width) {
  const uint8_t* const from = static_cast<const uint8_t*>(bytes);
  digits_.resize(width);
  for (uint32_t b = 0; b < width; ++b) digits_[width - 1 - b] = ((from[b / 8] >> (b % 8)) & 1) != 0 ? '1' : '0';
  fstWriterEmitValueChange(context_, signal, digits_.data());
  pending_ += width / 8 + 6;
}

uint64_t FstWriter::written() const {
  struct stat info {};
  return stat(path_.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

void FstWriter::flush() {
  if (context_ == nullptr) return;
  fstWriterFlushContext(context_);
  pending_ = 0;
}

void FstWriter::close() {
  if (context_ != nullptr) fstWriterClose(context_);
  context_ = nullptr;
}

}  // namespace waferloom::trace
