// The safetensors writer against its own reader, bytes against the published layout, and every kind of damage against
// the reader. (An independent reader is in read_back.py.)
#include <random>

#include "host/report/safetensors.h"
#include "testbenches/host/report/sample_report.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::report;
using waferloom::test::sample_weights;

namespace {

std::string with_header(const std::string& header, const std::string& data) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>((header.size() >> (8 * i)) & 0xFFU);
  return out + header + data;
}

std::string error_of(const std::string& bytes) {
  const auto result = decode_safetensors(bytes, "w.safetensors");
  if (result.ok()) return "no error";
  CHECK(result.errors()[0].fault == waferloom::config::Fault::kInputOutput);
  const std::string lead = "not a valid safetensors file: ";
  CHECK(result.errors()[0].message.find(lead) == 0);
  return result.errors()[0].message.substr(lead.size());
}

}  // namespace

TEST_CASE("a small file is exactly what the format says") {
  TensorFile file;
  file.tensors.push_back(f32_tensor("a", {2}, {1.0F, -2.0F}));
  const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  CHECK(encode_safetensors(file) == with_header(padded, std::string("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8)));
}

TEST_CASE("what is written is read back, sorted so that every tensor is aligned") {
  const auto back = decode_safetensors(encode_safetensors(sample_weights()), "w");
  REQUIRE(back.ok());
  CHECK(back->metadata == sample_weights().metadata);
  REQUIRE(back->tensors.size() == 5);
  CHECK(back->tensors.back().name == "hidden.half");
  for (const Tensor& wanted : sample_weights().tensors) {
    bool found = false;
    for (const Tensor& tensor : back->tensors) {
      if (tensor.name != wanted.name) continue;
      found = true;
      CHECK(tensor.type == wanted.type);
      CHECK(tensor.shape == wanted.shape);
      CHECK(tensor.bytes == wanted.bytes);
    }
    CHECK(found);
  }
  CHECK(f16_bits(back->tensors.back()) == std::vector<std::uint16_t>{0x3C00, 0xC000, 0x0001});
  CHECK(f32_values(f32_tensor("x", {2}, {0.1F, -3.0F})) == std::vector<float>{0.1F, -3.0F});
}

TEST_CASE("damage is refused with a reason") {
  const std::string data(8, '\0');
  CHECK(error_of("1234567") == "shorter than eight bytes");
  CHECK(error_of(std::string(8, '\xff')).find("the header claims") == 0);
  CHECK(error_of(with_header("{}", "").substr(0, 9)) == "the file ends inside its header");
  CHECK(error_of(with_header("", data)) == "the header does not begin with '{'");
  CHECK(error_of(with_header(" {}", "")) == "the header does not begin with '{'");
  CHECK(error_of(with_header("{\"a\":", "")) == "the header is not a JSON object");
  CHECK(error_of(with_header("{\"a\":3}", "")) == "tensor 'a' has not exactly dtype, shape and data_offsets");
  CHECK(error_of(with_header(R"({"a":{"dtype":"I8","shape":[8],"data_offsets":[0,8]}})", data)) ==
        "tensor 'a' has the type \"I8\"; only F32 and F16 are read");
  CHECK(error_of(with_header(R"({"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})", data)) ==
        "tensor 'a' has a shape that is not a list");
  CHECK(error_of(with_header(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", data)) ==
        "tensor 'a' has a shape with -2 in it");
  CHECK(error_of(with_header(R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", data)) ==
        "tensor 'a' has a shape with 2.0 in it");
  CHECK(error_of(with_header(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,8]}})",
                             data)) == "tensor 'a' has a shape that is too large");
  CHECK(error_of(with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", data)) ==
        "tensor 'a' has no valid data_offsets");
  CHECK(error_of(with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615]}})", data)) ==
        "tensor 'a' has no valid data_offsets");
  CHECK(error_of(with_header(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", data)) ==
        "tensor 'a' has data_offsets that disagree with its shape");
  CHECK(error_of(with_header(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})", data)) ==
        "the file ends inside tensor 'a'");
  CHECK(error_of(with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", data)) ==
        "tensor 'a' leaves a hole before it");
  CHECK(error_of(with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", data)) ==
        "4 bytes are left over after the last tensor");
  CHECK(
      error_of(with_header(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
          data)) == "tensor 'b' overlaps the one before it");
  CHECK(
      error_of(with_header(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
          data)) == "tensor 'a' is there twice");
  CHECK(error_of(with_header(R"({"__metadata__":3})", "")) == "__metadata__ is not an object");
  CHECK(error_of(with_header(R"({"__metadata__":{"a":3}})", "")) == "__metadata__ holds something other than text");
}

TEST_CASE("no cut and no flipped bit of the header crashes the reader") {
  const std::string good = encode_safetensors(sample_weights());
  for (std::size_t length = 0; length < good.size(); ++length)
    CHECK(!decode_safetensors(good.substr(0, length), "w").ok());
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    const std::size_t at = random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1 << (random() % 8)));
    const auto result = decode_safetensors(bad, "w");
    if (result.ok()) CHECK(result->tensors.size() == 5);
  }
}

TEST_CASE("a missing file is an input fault") {
  const waferloom::test::TemporaryFolder folder;
  const auto missing = read_safetensors(folder.path() / "no.safetensors");
  REQUIRE(!missing.ok());
  CHECK(missing.errors()[0].message == "no such file");
  folder.write("w.safetensors", encode_safetensors(sample_weights()));
  CHECK(read_safetensors(folder.path() / "w.safetensors").ok());
}
