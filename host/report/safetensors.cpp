#include "host/report/safetensors.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "host/config/yaml_document.h"
#include "host/report/files.h"

namespace waferloom::report {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kMaxHeader = 100'000'000;  // the published limit
constexpr std::size_t kMaxFile = std::size_t{4} << 30U;

[[maybe_unused]] std::int64_t elements(const std::vector<std::int64_t>& shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= size;
  return product;
}

void put_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFFU);
}

std::uint64_t get_little_endian(const std::string& in, std::size_t at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(in[at + static_cast<std::size_t>(i)])} << (8 * i);
  return value;
}

// A whole number that fits and is not negative, whatever JSON's own type for it.
bool whole(const ordered_json& value, std::int64_t& out) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return false;
  out = value.get<std::int64_t>();
  return out >= 0;
}

struct Placed {
  Tensor tensor;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// One entry of the header; returns what is wrong with it, or an empty text.
std::string read_entry(const std::string& name, const ordered_json& entry, Placed& placed) {
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets"))
    return "has not exactly dtype, shape and data_offsets";
  placed.tensor.name = name;
  const ordered_json& type = entry["dtype"];
  if (type == "F32")
    placed.tensor.type = DType::kF32;
  else if (type == "F16")
    placed.tensor.type = DType::kF16;
  else
    return "has the type " + type.dump() + "; only F32 and F16 are read";
  const ordered_json& shape = entry["shape"];
  if (!shape.is_array()) return "has a shape that is not a list";
  std::int64_t product = 1;
  for (const ordered_json& size : shape) {
    std::int64_t n = 0;
    if (!whole(size, n)) return "has a shape with " + size.dump() + " in it";
    if (n != 0 && product > static_cast<std::int64_t>(kMaxFile) / n) return "has a shape that is too large";
    product *= n;
    placed.tensor.shape.push_back(n);
  }
  const ordered_json& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !whole(offsets[0], placed.begin) ||
      !whole(offsets[1], placed.end) || placed.begin > placed.end)
    return "has no valid data_offsets";
  if (placed.end - placed.begin != product * static_cast<std::int64_t>(bytes_of(placed.tensor.type)))
    return "has data_offsets that disagree with its shape";
  return {};
}

}  // namespace

std::size_t bytes_of(DType type) { return type == DType::kF32 ? 4 : 2; }
const char* to_string(DType type) { return type == DType::kF32 ? "F32" : "F16"; }

Tensor f32_tensor(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& values) {
  assert(elements(shape) == static_cast<std::int64_t>(values.size()));
  Tensor tensor{std::move(name), DType::kF32, std::move(shape), {}};
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    put_little_endian(tensor.bytes, bits, 4);
  }
  return tensor;
}

Tensor f16_tensor(std::string name, std::vector<std::int64_t> shape, const std::vector<std::uint16_t>& bits) {
  assert(elements(shape) == static_cast<std::int64_t>(bits.size()));
  Tensor tensor{std::move(name), DType::kF16, std::move(shape), {}};
  for (const std::uint16_t value : bits) put_little_endian(tensor.bytes, value, 2);
  return tensor;
}

std::vector<float> f32_values(const Tensor& tensor) {
  assert(tensor.type == DType::kF32);
  std::vector<float> values(tensor.bytes.size() / 4);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = static_cast<std::uint32_t>(get_little_endian(tensor.bytes, 4 * i, 4));
    std::memcpy(&values[i], &bits, sizeof bits);
  }
  return values;
}

std::vector<std::uint16_t> f16_bits(const Tensor& tensor) {
  assert(tensor.type == DType::kF16);
  std::vector<std::uint16_t> values(tensor.bytes.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::uint16_t>(get_little_endian(tensor.bytes, 2 * i, 2));
  return values;
}

std::string encode_safetensors(const TensorFile& file) {
  std::vector<const Tensor*> order;
  for (const Tensor& tensor : file.tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const Tensor* a, const Tensor* b) {
    if (bytes_of(a->type) != bytes_of(b->type)) return bytes_of(a->type) > bytes_of(b->type);
    return a->name < b->name;
  });
  ordered_json header = ordered_json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::size_t offset = 0;
  for (const Tensor* tensor : order) {
    assert(!tensor->name.empty() && tensor->name != "__metadata__" && !header.contains(tensor->name));
    assert(tensor->bytes.size() == static_cast<std::size_t>(elements(tensor->shape)) * bytes_of(tensor->type));
    header[tensor->name] = {{"dtype", to_string(tensor->type)},
                            {"shape", tensor->shape},
                            {"data_offsets", {offset, offset + tensor->bytes.size()}}};
    offset += tensor->bytes.size();
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string out;
  out.reserve(8 + text.size() + offset);
  put_little_endian(out, text.size(), 8);
  out += text;
  for (const Tensor* tensor : order) out += tensor->bytes;
  return out;
}

config::Result<TensorFile> decode_safetensors(const std::string& bytes, const std::filesystem::path& name) {
  const auto fault = [&](const std::string& text) { return file_fault(name, "not a valid safetensors file: " + text); };
  if (bytes.size() < 8) return fault("shorter than eight bytes");
  const std::uint64_t length = get_little_endian(bytes, 0, 8);
  if (length > kMaxHeader) return fault("the header claims " + std::to_string(length) + " bytes");
  if (8 + length > bytes.size()) return fault("the file ends inside its header");
  if (length == 0 || bytes[8] != '{') return fault("the header does not begin with '{'");
  std::set<std::string> names;
  std::string twice;
  const auto note_keys = [&](int depth, ordered_json::parse_event_t event, ordered_json& parsed) {
    if (event == ordered_json::parse_event_t::key && depth == 1 && !names.insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  const char* begin = bytes.data() + 8;
  const ordered_json header = ordered_json::parse(begin, begin + length, note_keys, false);
  if (header.is_discarded() || !header.is_object()) return fault("the header is not a JSON object");
  if (!twice.empty()) return fault("tensor '" + twice + "' is there twice");

  TensorFile file;
  std::vector<Placed> placed;
  for (const auto& [key, entry] : header.items()) {
    if (key == "__metadata__") {
      if (!entry.is_object()) return fault("__metadata__ is not an object");
      for (const auto& [k, v] : entry.items()) {
        if (!v.is_string()) return fault("__metadata__ holds something other than text");
        file.metadata[k] = v.get<std::string>();
      }
      continue;
    }
    Placed tensor;
    const std::string wrong = read_entry(key, entry, tensor);
    if (!wrong.empty()) return fault("tensor '" + key + "' " + wrong);
    placed.push_back(std::move(tensor));
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const auto data = static_cast<std::int64_t>(bytes.size() - 8 - length);
  std::int64_t at = 0;
  for (Placed& tensor : placed) {
    if (tensor.begin != at)
      return fault("tensor '" + tensor.tensor.name + "' " +
                   (tensor.begin < at ? "overlaps the one before it" : "leaves a hole before it"));
    if (tensor.end > data) return fault("the file ends inside tensor '" + tensor.tensor.name + "'");
    tensor.tensor.bytes = bytes.substr(static_cast<std::size_t>(8 + static_cast<std::int64_t>(length) + tensor.begin),
                                       static_cast<std::size_t>(tensor.end - tensor.begin));
    at = tensor.end;
    file.tensors.push_back(std::move(tensor.tensor));
  }
  if (at != data) return fault(std::to_string(data - at) + " bytes are left over after the last tensor");
  return file;
}

config::Result<TensorFile> read_safetensors(const std::filesystem::path& file) {
  config::Result<std::string> bytes = config::read_text_file(file, kMaxFile);
  if (!bytes) return bytes.errors();
  return decode_safetensors(*bytes, file);
}

}  // namespace waferloom::report
