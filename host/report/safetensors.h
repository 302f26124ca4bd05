// The safetensors format as published (huggingface/safetensors, README "Format"): eight bytes little-endian header
// length N, N bytes of JSON, then the data. The header maps each name to {dtype, shape, data_offsets}; offsets count
// from the end of the header, cover the data without holes or overlaps; the header is padded with blanks so that the
// data begins at a multiple of eight bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "host/config/diagnostic.h"

namespace waferloom::report {

enum class DType { kF32, kF16 };
std::size_t bytes_of(DType type);
const char* to_string(DType type);

struct Tensor {
  std::string name;  // not empty, not "__metadata__"
  DType type = DType::kF32;
  std::vector<std::int64_t> shape;  // row-major
  std::string bytes;                // little-endian, elements x bytes_of(type)
};

// Row-major values as a tensor of that shape. Requires shape's product == values.size().
Tensor f32_tensor(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& values);
Tensor f16_tensor(std::string name, std::vector<std::int64_t> shape, const std::vector<std::uint16_t>& bits);

// The values of an F32 tensor; bits of an F16 tensor. Require the type.
std::vector<float> f32_values(const Tensor& tensor);
std::vector<std::uint16_t> f16_bits(const Tensor& tensor);

struct TensorFile {
  std::vector<Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

// The bytes of a file: tensors by descending element size, then by name; the same input gives the same bytes. Requires
// unique, valid tensors.
std::string encode_safetensors(const TensorFile& file);

// Refuses what the format does not allow: a header that is too long or not JSON, unknown types, a name twice, offsets
// that leave holes, overlap, leave the file or disagree with the shape, bytes left over. `name` is for messages only.
config::Result<TensorFile> decode_safetensors(const std::string& bytes, const std::filesystem::path& name);

config::Result<TensorFile> read_safetensors(const std::filesystem::path& file);

}  // namespace waferloom::report
