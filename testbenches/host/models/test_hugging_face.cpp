// config.json as it comes: the keys of each family, counts of released checkpoints that no shipped file has, and everything that a config can hold and must not.
#include "host/config/json_document.h"
#include "host/models/hugging_face.h"
#include "testbenches/lib/catch.h"

using namespace waferloom;

namespace {

std::int64_t parameters(const std::string& json) {
  const config::Result<models::Transformer> model = models::parse_hugging_face("m/config.json", json);
  INFO((model.ok() ? std::string() : config::render(model.errors())));
  REQUIRE(model.ok());
  return model->parameters;
}

std::string json_error(const std::string& json) {
  const config::Result<models::Transformer> model = models::parse_hugging_face("m/config.json", json);
  REQUIRE_FALSE(model.ok());
  return config::render(model.errors());
}

std::string llama(const std::string& changed_key = {}, const std::string& value = {}) {
  const std::pair<std::string, std::string> keys[] = {{"hidden_size", "4096"},       {"intermediate_size", "14336"},        {"max_position_embeddings", "131072"},
                                                      {"num_attention_heads", "32"}, {"num_hidden_layers", "32"},           {"num_key_value_heads", "8"},
                                                      {"vocab_size", "128256"},      {"tie_word_embeddings", "false"},      {"attention_bias", "false"}};
  std::string text = "{\n  \"architectures\": [\"LlamaForCausalLM\"],\n  \"model_type\": \"llama\",\n  \"rope_scaling\": {\"factor\": 8.0},\n  \"torch_dtype\": \"bfloat16\"";
  for (const auto& [key, given] : keys) text += ",\n  \"" + key + "\": " + (key == changed_key ? value : given);
  return text + "\n}\n";
}

}  // namespace

TEST_CASE("config.json of released checkpoints gives their parameter counts") {
  CHECK(parameters(llama()) == 8030261248);
  CHECK(parameters(R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "n_ctx": 1024, "n_inner": null, "vocab_size": 50257})") == 124439808);
  CHECK(parameters(R"({"model_type": "gpt2", "n_embd": 5120, "n_head": 40, "n_layer": 40, "n_positions": 2048, "n_inner": 20480, "vocab_size": 50257})") == 12853386240);
  CHECK(parameters(R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
                       "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000, "max_position_embeddings": 32768, "sliding_window": null})") == 46702792704);
  CHECK(parameters(R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
                       "vocab_size": 32768, "max_position_embeddings": 32768, "sliding_window": null})") == 7248023552);
  CHECK(parameters(R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
                       "vocab_size": 152064, "max_position_embeddings": 131072, "sliding_window": 131072, "use_sliding_window": false, "tie_word_embeddings": false})") == 7615616512);
  CHECK(parameters(R"({"model_type": "gemma", "hidden_size": 2048, "intermediate_size": 16384, "num_hidden_layers": 18, "num_attention_heads": 8, "num_key_value_heads": 1,
                       "head_dim": 256, "vocab_size": 256000, "max_position_embeddings": 8192})") == 2506172416);
  CHECK(parameters(R"({"model_type": "gpt_neox", "hidden_size": 4096, "intermediate_size": 16384, "num_hidden_layers": 32, "num_attention_heads": 32,
                       "vocab_size": 50432, "max_position_embeddings": 2048, "tie_word_embeddings": false})") == 6857302016);
  const std::string bert = R"("model_type": "bert", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16, "vocab_size": 30522,
                              "max_position_embeddings": 512, "type_vocab_size": 2})";
  CHECK(parameters("{\"architectures\": [\"BertForMaskedLM\"], " + bert) == 335174458);
  CHECK(parameters("{\"architectures\": [\"BertModel\"], " + bert) == 335141888);
  CHECK(parameters("{\"architectures\": [\"BertForPreTraining\"], " + bert) == 336226108);
}

TEST_CASE("attention and MLP biases of llama are counted") {
  const std::int64_t plain = parameters(llama());
  CHECK(parameters(llama("attention_bias", "true")) - plain == 32 * (4096 + 1024 + 1024 + 4096));
}

TEST_CASE("the folder names a model whose file is called config.json") {
  CHECK(models::parse_hugging_face("some/Llama-3.1-8B/config.json", llama())->name == "Llama-3.1-8B");
}

TEST_CASE("an unknown architecture lists the known ones") {
  const std::string text = json_error("{\"model_type\": \"llamma\", \"hidden_size\": 1}");
  CHECK(text.find("m/config.json:1:16: error: unknown architecture 'llamma'") != std::string::npos);
  CHECK(text.find("did you mean 'llama'? known architectures: bert, gemma, gpt2, gpt_neox, llama, mistral, mixtral, qwen2") != std::string::npos);
  CHECK(json_error("{\"hidden_size\": 1}").find("known architectures: bert") != std::string::npos);
}

TEST_CASE("counts that are no counts are located errors") {
  CHECK(json_error(llama("num_hidden_layers", "0")).find("m/config.json:10:24: error: 'num_hidden_layers' must lie between 1 and") != std::string::npos);
  CHECK(json_error(llama("num_hidden_layers", "32.9")).find("m/config.json:10:24: error: 'num_hidden_layers' must be an integer, found a number with a fraction") != std::string::npos);
  CHECK(json_error(llama("num_hidden_layers", "-1")).find("is -1") != std::string::npos);
  CHECK(json_error(llama("num_hidden_layers", "\"32\"")).find("found a text") != std::string::npos);
  CHECK(json_error(llama("num_hidden_layers", "null")).find("missing key 'num_hidden_layers'") != std::string::npos);
  CHECK(json_error(llama("vocab_size", "0")).find("m/config.json:12:17: error: 'vocab_size'") != std::string::npos);
  CHECK(json_error(llama("num_attention_heads", "31")).find("31 heads do not divide a width of 4096") != std::string::npos);
  CHECK(json_error(llama("num_key_value_heads", "5")).find("5 key-value heads do not divide 32 heads") != std::string::npos);
  CHECK(json_error(llama("hidden_size", "NaN")).find("m/config.json:6:18: error: NaN and infinity") != std::string::npos);
  CHECK(json_error(llama("hidden_size", "Infinity")).find("m/config.json:6:18: error: NaN and infinity") != std::string::npos);
  CHECK(json_error(llama("hidden_size", "1e999")).find("m/config.json:6:18: error: the number is too large") != std::string::npos);
  CHECK(json_error(llama("hidden_size", "18446744073709551615")).find("m/config.json:6:18: error: the number does not fit in 64 bits") != std::string::npos);
  CHECK(json_error(llama("hidden_size", "999999999936")).find("do not fit in 64 bits") != std::string::npos);
  CHECK(json_error("{\"model_type\": \"llama\", \"model_type\": \"llama\"}").find("is given twice") != std::string::npos);
  CHECK(json_error("{\"model_type\": \"llama\"").find("the file ends inside a value") != std::string::npos);
  CHECK(json_error("[1, 2]").find("expected a model's config.json as an object, found a list") != std::string::npos);
  CHECK(json_error(std::string(100, '[')).find("nested more than 64 deep") != std::string::npos);
}
