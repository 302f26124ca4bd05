// A Hugging Face config.json as it comes: `model_type` chooses the architecture, its own key names give the shape, keys that do not change it are ignored.
// Numbers are strict: NaN, a fraction where a count belongs, a negative or too large count are located errors, and an unknown model_type lists the known ones.
#pragma once

#include <filesystem>
#include <string>

#include "host/models/transformer.h"

namespace waferloom::models {

config::Result<Transformer> read_hugging_face(const std::filesystem::path& file);
// From text; `file` is what errors call it, its folder names the model unless the JSON does (`_name_or_path`).
config::Result<Transformer> parse_hugging_face(const std::string& file, const std::string& text);

}  // namespace waferloom::models
