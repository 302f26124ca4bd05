#include "host/config/loader.h"

#include <algorithm>
#include <cctype>

#include "host/config/scalar.h"

namespace waferloom::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxErrors = 50;

bool looks_like_path(const std::string& text) {
  const auto ends = [&](const char* tail) {
    const std::string t(tail);
    return text.size() > t.size() && text.compare(text.size() - t.size(), t.size(), t) == 0;
  };
  return text.find('/') != std::string::npos || ends(".yaml") || ends(".yml");
}

std::string name_from(const fs::path& file) {
  std::string name = file.stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-' && c != '_') c = '-';
  }
  return name.empty() ? "unnamed" : name;
}

void set_text(YamlNode& mapping, const std::string& key, const std::string& text) {
  YamlNode value;
  value.kind = YamlNode::Kind::kScalar;
  value.quoted = true;
  value.text = text;
  value.where = mapping.where;
  mapping.entries.push_back({key, mapping.where, std::move(value)});
}

void drop(YamlNode& mapping, const std::string& key) {
  auto& entries = mapping.entries;
  entries.erase(std::remove_if(entries.begin(), entries.end(), [&](const YamlEntry& e) { return e.key == key; }),
                entries.end());
}

// `derived` over `base`. A section that lives in files of its own keeps neither name nor description of its base: it is
// another thing.
YamlNode merge(YamlNode base, YamlNode derived, const Section& section) {
  if (!section.folder.empty()) {
    const YamlNode* base_name = base.find("name");
    if (derived.find("name") == nullptr && base_name != nullptr)
      set_text(derived, "name", base_name->text + "-variant");
    drop(base, "name");
    drop(base, "description");
  }
  for (YamlEntry& entry : derived.entries) {
    const auto found =
        std::find_if(base.entries.begin(), base.entries.end(), [&](const YamlEntry& e) { return e.key == entry.key; });
    if (found == base.entries.end()) {
      base.entries.push_back(std::move(entry));
      continue;
    }
    const Field* field = section.find(entry.key);
    const bool nested =
        field != nullptr && (field->type == FieldType::kSection || field->type == FieldType::kReference);
    const bool both = found->value.kind == YamlNode::Kind::kMapping && entry.value.kind == YamlNode::Kind::kMapping;
    if (nested && both && !entry.value.replaces) {
      const SourceLocation named = entry.value.named;
      found->value = merge(std::move(found->value), std::move(entry.value), *field->section);
      found->value.named = named;
      found->key_where = entry.key_where;
    } else {
      *found = std::move(entry);
    }
  }
  base.where = derived.where;
  base.incomplete = base.incomplete || derived.incomplete;
  return base;
}

}  // namespace

std::vector<std::string> names_in(const fs::path& configs, const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(configs / folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".yaml") names.push_back(it->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::size_t Loader::rank(const SourceLocation& where) const {
  return static_cast<std::size_t>(std::find(files_.begin(), files_.end(), fs::path(where.file)) - files_.begin());
}

void Loader::fail(const SourceLocation& where, std::string message, std::string hint) {
  if (errors_.size() < kMaxErrors) errors_.push_back(located(sources_, where, std::move(message), std::move(hint)));
}

std::optional<YamlNode> Loader::read(const fs::path& file, const SourceLocation& named) {
  Result<std::string> text = read_text_file(file);
  if (!text) {
    if (named.line > 0) {
      Diagnostic fault = located(sources_, named, "'" + file.string() + "' " + text.errors().front().message, {});
      fault.fault = text.errors().front().fault;
      errors_.push_back(std::move(fault));
      return std::nullopt;
    }
    errors_.insert(errors_.end(), text.errors().begin(), text.errors().end());
    return std::nullopt;
  }
  if (std::find(files_.begin(), files_.end(), file) == files_.end()) files_.push_back(file);
  Result<YamlNode> root = parse_yaml(file.string(), *text, sources_);
  if (!root) {
    errors_.insert(errors_.end(), root.errors().begin(), root.errors().end());
    return std::nullopt;
  }
  return std::move(root).value();
}

bool Loader::enter(const fs::path& file, const SourceLocation& where) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(file, error);
  if (error) canonical = file;
  const auto found = std::find(chain_.begin(), chain_.end(), canonical);
  if (found != chain_.end()) {
    std::string path;
    for (auto it = found; it != chain_.end(); ++it) path += it->filename().string() + " -> ";
    fail(where, "'extends' goes in a circle: " + path + canonical.filename().string(), "a file cannot be its own base");
    return false;
  }
  chain_.push_back(canonical);
  return true;
}

std::optional<YamlNode> Loader::load(const std::string& name_or_file, const Section& section,
                                     const SourceLocation& where) {
  fs::path file;
  const std::string kind = section.folder.substr(0, section.folder.size() - 1);  // "machines" -> "machine"
  std::error_code error;
  if (name_or_file.empty()) {
    fail(where, "the name of a " + kind + " is empty");
    return std::nullopt;
  }
  if (looks_like_path(name_or_file)) {
    file = fs::path(name_or_file);
    if (where.line > 0 && file.is_relative()) file = (fs::path(where.file).parent_path() / file).lexically_normal();
    if (where.line > 0 && !fs::exists(file, error)) {
      std::vector<std::string> beside;
      const fs::path folder = file.parent_path().empty() ? fs::path(".") : file.parent_path();
      for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        beside.push_back(it->path().filename().string());
      const std::string guess = nearest(file.filename().string(), beside);
      fail(where, "no such file: '" + file.string() + "'",
           guess.empty() ? "a path is relative to the file that names it" : "did you mean '" + guess + "'?");
      return std::nullopt;
    }
  } else {
    file = configs_ / section.folder / (name_or_file + ".yaml");
    if (!fs::exists(file, error)) {
      const std::vector<std::string> known = names_in(configs_, section.folder);
      const std::string guess = nearest(name_or_file, known);
      std::string hint = guess.empty() ? "" : "did you mean '" + guess + "'? ";
      hint += known.empty() ? "there is none in " + (configs_ / section.folder).string() : "known: " + joined(known);
      fail(where, "no " + kind + " is called '" + name_or_file + "'", hint);
      return std::nullopt;
    }
  }
  if (!enter(file, where)) return std::nullopt;
  std::optional<YamlNode> root = read(file, where);
  std::optional<YamlNode> expanded;
  if (root) {
    expanded = expand(std::move(*root), section);
    if (expanded->kind != YamlNode::Kind::kMapping) expanded.reset();
    if (expanded && expanded->find("name") == nullptr) set_text(*expanded, "name", name_from(file));
  }
  chain_.pop_back();
  return expanded;
}

std::optional<YamlNode> Loader::expand_file(const fs::path& file, YamlNode root, const Section& section) {
  if (!enter(file, root.where)) return std::nullopt;
  const bool named = root.find("name") != nullptr;
  if (root.kind == YamlNode::Kind::kMapping && !named) set_text(root, "name", name_from(file));
  YamlNode expanded = expand(std::move(root), section);
  chain_.pop_back();
  if (expanded.kind != YamlNode::Kind::kMapping) return std::nullopt;
  return expanded;
}

void Loader::check_keys(const YamlNode& mapping, const Section& section) {
  std::vector<std::string> known = section.keys();
  if (!section.folder.empty()) known.emplace_back("extends");
  for (const YamlEntry& entry : mapping.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    std::string hint;
    for (const std::string& key : known) {
      const std::optional<double> factor = unit_factor(entry.key, key);
      if (!factor) continue;
      hint = "did you mean '" + key + "'? the unit stands in the key";
      const YamlNode* number = &entry.value;
      if (number->kind == YamlNode::Kind::kMapping && number->find("value") != nullptr) number = number->find("value");
      const ParsedReal value = parse_real(number->text);
      if (value.fault == NumberFault::kNone && *factor != 1.0)
        hint += "; write " + key + ": " + format_real(value.value * *factor);
      break;
    }
    if (hint.empty()) {
      const std::string guess = nearest(entry.key, known);
      hint = guess.empty() ? "known keys: " + joined(known) : "did you mean '" + guess + "'?";
    }
    fail(entry.key_where, "unknown key '" + entry.key + "' in " + section.title, hint);
  }
}

YamlNode Loader::expand(YamlNode node, const Section& section) {
  if (node.kind == YamlNode::Kind::kScalar && !section.number_key.empty()) {
    const bool number = !node.quoted && parse_real(node.text).fault != NumberFault::kNotANumber;
    YamlNode mapping;
    mapping.kind = YamlNode::Kind::kMapping;
    mapping.where = node.where;
    const SourceLocation where = node.where;
    mapping.entries.push_back({number || section.word_key.empty() ? section.number_key : section.word_key, where, std::move(node)});
    return mapping;
  }
  if (node.kind != YamlNode::Kind::kMapping) {
    fail(node.where,
         "expected the keys of " + section.title + ", found " +
             (node.kind == YamlNode::Kind::kSequence ? "a list"
              : node.kind == YamlNode::Kind::kNull   ? "nothing"
                                                     : "'" + node.text + "'"),
         "write one 'key: value' per line, indented");
    return node;
  }
  check_keys(node, section);
  std::optional<YamlNode> base;
  std::vector<YamlEntry> entries = std::move(node.entries);
  node.entries.clear();
  for (YamlEntry& entry : entries) {
    if (entry.key == "extends" && !section.folder.empty()) {
      if (entry.value.kind != YamlNode::Kind::kScalar) {
        fail(entry.value.kind == YamlNode::Kind::kNull ? entry.key_where : entry.value.where,
             "'extends' takes one name or file", {});
        node.incomplete = true;
      } else {
        base = load(entry.value.text, section, entry.value.where);
        if (!base) node.incomplete = true;
      }
      continue;
    }
    const Field* field = section.find(entry.key);
    if (field == nullptr) continue;
    if (entry.value.kind == YamlNode::Kind::kNull) {
      fail(entry.key_where, "'" + entry.key + "' has no value", field->help);
      // Keeps the key, so that it is not also reported as missing.
    } else {
      entry.value = expand_value(std::move(entry.value), *field);
    }
    node.entries.push_back(std::move(entry));
  }
  if (base) node = merge(std::move(*base), std::move(node), section);
  return node;
}

YamlNode Loader::expand_value(YamlNode node, const Field& field) {
  switch (field.type) {
    case FieldType::kReference:
      return expand_reference(std::move(node), field);
    case FieldType::kSection:
      return expand(std::move(node), *field.section);
    case FieldType::kSectionList:
      if (node.kind == YamlNode::Kind::kSequence) {
        for (YamlNode& item : node.items) item = expand(std::move(item), *field.section);
      }
      return node;
    default:
      return node;
  }
}

YamlNode Loader::expand_reference(YamlNode node, const Field& field) {
  if (node.kind == YamlNode::Kind::kScalar) {
    const SourceLocation where = node.where;
    std::optional<YamlNode> loaded = load(node.text, *field.section, where);
    if (!loaded) {
      node.kind = YamlNode::Kind::kNull;  // reported already
      return node;
    }
    loaded->replaces = true;
    loaded->named = where;
    return std::move(*loaded);
  }
  const bool extends = node.kind == YamlNode::Kind::kMapping && node.find("extends") != nullptr;
  const SourceLocation where = node.where;
  YamlNode expanded = expand(std::move(node), *field.section);
  expanded.named = where;
  expanded.replaces = extends;
  return expanded;
}

}  // namespace waferloom::config
