// Shipped shapes: counts exact to the last tensor, against what is published; and shapes that cannot be.
#include "host/models/transformer.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom;

namespace {

models::Transformer load(const std::string& name) {
  const config::Result<models::Transformer> model = models::load_transformer(name, {});
  INFO(name << (model.ok() ? std::string() : config::render(model.errors())));
  REQUIRE(model.ok());
  return *model;
}

std::string error_of(const std::string& yaml) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.write("shape.yaml", yaml);
  const config::Result<models::Transformer> model = models::load_transformer(file.string(), {});
  REQUIRE_FALSE(model.ok());
  return config::render(model.errors());
}

const std::string kShape = "name: x\narchitecture: llama\nlayers: 2\nwidth: 64\nheads: 8\nfeed_forward: 128\nvocabulary: 100\npositions: 32\n";

std::string with(const std::string& key, const std::string& value) {
  std::string text = kShape;
  const std::size_t at = text.find(key + ": ");
  if (at == std::string::npos) return text + key + ": " + value + "\n";
  const std::size_t end = text.find('\n', at);
  return text.substr(0, at) + key + ": " + value + text.substr(end);
}

}  // namespace

TEST_CASE("parameter counts are the published ones") {
  // Counts of the released checkpoints.
  const std::pair<const char*, std::int64_t> published[] = {
      {"gpt2-small", 124439808},     {"gpt2-medium", 354823168},    {"gpt2-large", 774030080},      {"gpt2-xl", 1557611200},
      {"llama2-7b", 6738415616},     {"llama2-13b", 13015864320},   {"llama2-70b", 68976648192},    {"llama3-8b", 8030261248},
      {"llama3-70b", 70553706496},   {"llama3-405b", 405853388800}, {"mistral-7b", 7241732096},     {"mixtral-8x7b", 46702792704},
      {"bert-large", 335174458},
  };
  for (const auto& [name, count] : published) {
    INFO(name);
    CHECK(load(name).parameters == count);
  }
}

TEST_CASE("rounded published sizes hold for the rest") {
  const std::pair<const char*, double> published[] = {
      {"cerebras-gpt-111m", 111e6}, {"cerebras-gpt-256m", 256e6}, {"cerebras-gpt-590m", 590e6}, {"cerebras-gpt-1.3b", 1.3e9}, {"cerebras-gpt-2.7b", 2.7e9},
      {"cerebras-gpt-6.7b", 6.7e9}, {"cerebras-gpt-13b", 12.9e9}, {"gpt3-13b", 12.85e9},        {"gpt3-175b", 174.6e9},       {"gpt-1t", 1.008e12},
  };
  for (const auto& [name, count] : published) {
    INFO(name);
    CHECK(static_cast<double>(load(name).parameters) == Approx(count).epsilon(0.02));
  }
}

TEST_CASE("a gpt counts as its closed form does") {
  for (const char* name : {"gpt3-175b", "cerebras-gpt-13b", "gpt-1t"}) {
    const models::Transformer m = load(name);
    const std::int64_t d = m.width;
    CHECK(m.parameters == m.layers * (12 * d * d + 13 * d) + (m.vocabulary + m.positions) * d + 2 * d);
  }
}

TEST_CASE("tensors sum to the count, and experts that a token does not use are left out of the active ones") {
  const models::Transformer m = load("mixtral-8x7b");
  std::int64_t sum = 0;
  for (const models::Tensor& t : m.tensors) sum += t.parameters();
  CHECK(sum == m.parameters);
  CHECK(m.active_parameters == 12879925248);
  const models::Transformer dense = load("llama3-8b");
  CHECK(dense.active_parameters == dense.parameters);
}

TEST_CASE("mean context is half the sequence when causal, all of it for bert, less with a window") {
  CHECK(load("gpt2-small").mean_context(1024) == 512.5);
  CHECK(load("bert-large").mean_context(512) == 512);
  const models::Transformer mistral = load("mistral-7b");
  CHECK(mistral.mean_context(4096) == 2048.5);
  CHECK(mistral.mean_context(8192) == Approx((4096.0 * 4097 / 2 + 4096.0 * 4096) / 8192));
}

TEST_CASE("shapes that cannot be are located errors") {
  REQUIRE(error_of(with("layers", "0")).find("shape.yaml:3:9: error: 'layers'") != std::string::npos);
  CHECK(error_of(with("vocabulary", "0")).find("shape.yaml:7:13: error: 'vocabulary'") != std::string::npos);
  CHECK(error_of(with("heads", "7")).find("shape.yaml:5:8: error: 7 heads do not divide a width of 64") != std::string::npos);
  CHECK(error_of(with("width", ".nan")).find("shape.yaml:4:8: error:") != std::string::npos);
  CHECK(error_of(with("width", ".inf")).find("shape.yaml:4:8: error:") != std::string::npos);
  CHECK(error_of(with("width", "99999999999999999999")).find("shape.yaml:4:8: error:") != std::string::npos);
  CHECK(error_of(with("width", "64.5")).find("shape.yaml:4:8: error:") != std::string::npos);
  CHECK(error_of(with("layers", "-3")).find("shape.yaml:3:9: error:") != std::string::npos);
  CHECK(error_of(with("key_value_heads", "3")).find("3 key-value heads do not divide 8 heads") != std::string::npos);
  CHECK(error_of(with("parameters", "12345")).find("parameters, not 12345") != std::string::npos);
  CHECK(error_of(with("architecture", "lama")).find("did you mean 'llama'?") != std::string::npos);
  CHECK(error_of("name: x\narchitecture: gpt2\nlayers: 1000000000\nwidth: 1000000000\nheads: 1\nfeed_forward: 1000000000\nvocabulary: 1\npositions: 1\n").find("do not fit in 64 bits") !=
        std::string::npos);
}

TEST_CASE("an unknown name lists what there is") {
  const config::Result<models::Transformer> model = models::load_transformer("gpt3-175", {});
  REQUIRE_FALSE(model.ok());
  const std::string text = config::render(model.errors());
  CHECK(text.find("did you mean 'gpt3-175b'?") != std::string::npos);
  CHECK(text.find("mixtral-8x7b") != std::string::npos);
  const config::Result<models::Transformer> digits = models::load_transformer("digits-mlp", {});
  REQUIRE_FALSE(digits.ok());
  CHECK(config::render(digits.errors()).find("is not a transformer") != std::string::npos);
}
