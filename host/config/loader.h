// Files, names and inheritance: from a file or name to one mapping in which every reference and `extends` has been
// replaced by what it stands for. Types and ranges are not looked at here (bind.h does); unknown keys are, so that they
// are reported in the file that holds them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/config/schema.h"
#include "host/config/yaml_document.h"

namespace waferloom::config {

class Loader {
 public:
  explicit Loader(std::filesystem::path configs) : configs_(std::move(configs)) {}

  // `name_or_file` as a person wrote it, at `where` in a file, or on the command line (where.line == 0: paths are
  // relative to the working directory). Nothing is returned when the file itself could not be used; errors() then says
  // why. A mapping may come back although it holds errors.
  std::optional<YamlNode> load(const std::string& name_or_file, const Section& section, const SourceLocation& where);

  // The same for a file that has been parsed already.
  std::optional<YamlNode> expand_file(const std::filesystem::path& file, YamlNode root, const Section& section);

  // Reads and parses without looking at the meaning. A file that cannot be read is blamed on the place that named it, if there is one.
  std::optional<YamlNode> read(const std::filesystem::path& file, const SourceLocation& named = {});

  // A file comes before those that it extends and names; one that was not read last.
  std::size_t rank(const SourceLocation& where) const;

  void fail(const SourceLocation& where, std::string message, std::string hint = {});

  const std::filesystem::path& configs() const { return configs_; }
  SourceText& sources() { return sources_; }
  Diagnostics& errors() { return errors_; }
  const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  YamlNode expand(YamlNode node, const Section& section);
  YamlNode expand_value(YamlNode node, const Field& field);
  YamlNode expand_reference(YamlNode node, const Field& field);
  void check_keys(const YamlNode& mapping, const Section& section);
  bool enter(const std::filesystem::path& file, const SourceLocation& where);

  std::filesystem::path configs_;
  SourceText sources_;
  Diagnostics errors_;
  std::vector<std::filesystem::path> files_;
  std::vector<std::filesystem::path> chain_;  // files that are being expanded, outermost first
};

// Names (without .yaml) in configs/<folder>/, sorted.
std::vector<std::string> names_in(const std::filesystem::path& configs, const std::string& folder);

}  // namespace waferloom::config
