#include "host/config/yaml_document.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "host/config/utf8.h"

namespace waferloom::config {
namespace {

namespace fs = std::filesystem;

SourceLocation place(const std::string& file, const YAML::Mark& mark, std::size_t length = 1) {
  SourceLocation where;
  where.file = file;
  where.line = mark.line + 1;
  where.column = mark.column + 1;
  where.length = length > 0 ? static_cast<int>(length) : 1;
  return where;
}

// Collects the events of one document into a tree; the first fault is kept, later events are still taken so that the
// parser can finish.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, const SourceText& sources) : file_(std::move(file)), sources_(sources) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    YamlNode node;
    node.where = place(file_, mark);
    take(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(place(file_, mark), "aliases are not supported",
         "write the value out, or put it in a file of its own and use 'extends:'");
    YamlNode node;
    node.where = place(file_, mark);
    take(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    YamlNode node;
    node.kind = YamlNode::Kind::kScalar;
    node.quoted = tag == "!";
    if (!node.quoted) refuse_tag(mark, tag);
    const std::size_t shown = value.find('\n') == std::string::npos ? value.size() + (node.quoted ? 2 : 0) : 1;
    node.where = place(file_, mark, shown);
    node.text = value;
    if (node.quoted && !sources_.quote_closes(node.where))
      fail(node.where, "the quote is never closed", "end the text with the same quote");
    // yaml-cpp's own null words; an empty plain scalar never arrives here.
    if (!node.quoted && (value == "~" || value == "null" || value == "Null" || value == "NULL"))
      node.kind = YamlNode::Kind::kNull;
    take(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(mark, tag, anchor, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { finish(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(mark, tag, anchor, YamlNode::Kind::kMapping);
  }
  void OnMapEnd() override { finish(); }

  bool has_root() const { return has_root_; }
  YamlNode take_root() { return std::move(root_); }
  const Diagnostics& errors() const { return errors_; }

 private:
  struct Open {
    YamlNode node;
    bool key_pending = false;  // a mapping that waits for the value of `key`
    std::string key;
    SourceLocation key_where;
  };

  void fail(const SourceLocation& where, std::string message, std::string hint) {
    if (errors_.size() < 20) errors_.push_back(located(sources_, where, std::move(message), std::move(hint)));
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0)
      fail(place(file_, mark), "anchors are not supported",
           "put what is shared in a file of its own and use 'extends:'");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(place(file_, mark), "tags are not supported: '" + tag + "'", "remove the tag; the schema knows the type");
  }

  void start(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    Open open;
    open.node.kind = kind;
    open.node.where = place(file_, mark);
    stack_.push_back(std::move(open));
  }

  void finish() {
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    take(std::move(node));
  }

  void take(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      has_root_ = true;
      return;
    }
    Open& top = stack_.back();
    if (top.node.kind == YamlNode::Kind::kSequence) {
      top.node.items.push_back(std::move(node));
    } else if (!top.key_pending) {
      take_key(top, node);
    } else {
      top.key_pending = false;
      if (!top.key.empty()) top.node.entries.push_back({top.key, top.key_where, std::move(node)});
    }
  }

  void take_key(Open& top, const YamlNode& node) {
    top.key_pending = true;
    top.key.clear();
    top.key_where = node.where;
    if (node.kind != YamlNode::Kind::kScalar || node.text.empty()) {
      fail(node.where, "a key must be a plain word", {});
      return;
    }
    if (node.text == "<<") {
      fail(node.where, "merge keys are not supported", "use 'extends:' with a name or a file");
      return;
    }
    for (const YamlEntry& entry : top.node.entries) {
      if (entry.key == node.text) {
        fail(node.where,
             "key '" + node.text + "' is repeated; it first stands in line " + std::to_string(entry.key_where.line),
             "keep one of the two");
        return;
      }
    }
    top.key = node.text;
  }

  std::string file_;
  const SourceText& sources_;
  std::vector<Open> stack_;
  YamlNode root_;
  bool has_root_ = false;
  Diagnostics errors_;
};

}  // namespace

const YamlNode* YamlNode::find(const std::string& key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

void SourceText::add(const std::string& file, const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  lines_[file] = std::move(lines);
}

std::string SourceText::line(const SourceLocation& where) const {
  const auto found = lines_.find(where.file);
  if (found == lines_.end() || where.line < 1 || where.line > static_cast<int>(found->second.size())) return {};
  return found->second[static_cast<std::size_t>(where.line - 1)];
}

bool SourceText::quote_closes(const SourceLocation& where) const {
  const auto found = lines_.find(where.file);
  if (found == lines_.end() || where.line < 1) return true;
  auto column = static_cast<std::size_t>(where.column - 1);
  char quote = 0;
  for (std::size_t i = static_cast<std::size_t>(where.line - 1); i < found->second.size(); ++i) {
    const std::string& text = found->second[i];
    for (; column < text.size(); ++column) {
      const char c = text[column];
      if (quote == 0) {
        if (c != '"' && c != '\'') return true;
        quote = c;
      } else if (quote == '"' && c == '\\') {
        ++column;
      } else if (c == quote) {
        if (quote == '"' || column + 1 >= text.size() || text[column + 1] != quote) return true;
        ++column;  // '' is a quote within
      }
    }
    column = 0;
  }
  return quote == 0;
}

Diagnostic located(const SourceText& sources, const SourceLocation& where, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.where = where;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.source_line = sources.line(where);
  return diagnostic;
}

Result<std::string> read_text_file(const fs::path& file, std::size_t limit) {
  Diagnostic fault;
  fault.fault = Fault::kInputOutput;
  fault.where.file = file.string();
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) {
    fault.message = "no such file";
    return fault;
  }
  if (fs::is_directory(status)) {
    fault.message = "is a folder, not a file";
    return fault;
  }
  if (!fs::is_regular_file(status)) {
    fault.message = "is not a regular file";
    return fault;
  }
  const std::uintmax_t size = fs::file_size(file, error);
  if (!error && size > limit) {
    fault.message = "is too large: " + std::to_string(size) + " bytes, at most " + std::to_string(limit) + " are read";
    return fault;
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    fault.message = std::string("cannot be opened: ") + std::strerror(errno);
    return fault;
  }
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) {
    fault.message = "cannot be read";
    return fault;
  }
  return text;
}

Result<YamlNode> parse_yaml(const std::string& file, const std::string& text, SourceText& sources) {
  sources.add(file, text);
  SourceLocation top;
  top.file = file;
  top.line = 1;
  top.column = 1;
  const std::size_t nul = text.find('\0');
  if (nul != std::string::npos) return located(sources, top, "is not a text file: it holds a zero byte", {});
  for (std::size_t at = 0, begin = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      top.column = static_cast<int>(at - begin) + 1;
      return located(sources, top, "is not UTF-8 from here on", "save it as UTF-8; from Latin-1: iconv -f latin1 -t utf-8");
    }
    if (text[at] == '\n') {
      ++top.line;
      begin = at + 1;
    }
    at += length;
  }
  top.line = 1;
  TreeBuilder builder(file, sources);
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    const bool any = parser.HandleNextDocument(builder);
    if (!any || !builder.has_root()) return located(sources, top, "the file is empty", {});
    if (!builder.errors().empty()) return Result<YamlNode>(builder.errors());
    YamlNode root = builder.take_root();
    TreeBuilder second(file, sources);
    if (parser.HandleNextDocument(second) && second.has_root()) {
      YamlNode other = second.take_root();
      return located(sources, other.where, "a second document begins here",
                     "one file holds one document; remove '---'");
    }
    if (root.kind == YamlNode::Kind::kNull) return located(sources, top, "the file is empty", {});
    return root;
  } catch (const YAML::Exception& fault) {
    // Whatever was refused before the parser gave up is likely the cause of it.
    if (!builder.errors().empty()) return Result<YamlNode>(builder.errors());
    SourceLocation where = place(file, fault.mark);
    if (fault.mark.is_null()) where = top;
    std::string hint = "look at indentation, quotes and brackets here and just above";
    if (fault.msg.find("end of map flow") != std::string::npos) hint = "a '{' further up is not closed";
    if (fault.msg.find("end of sequence flow") != std::string::npos) hint = "a '[' further up is not closed";
    if (sources.line(where).find('\t') != std::string::npos) hint = "indent with blanks; YAML does not allow tabs";
    if (dynamic_cast<const YAML::DeepRecursion*>(&fault) != nullptr) return located(sources, where, "nested too deeply", "no key of a configuration needs more than a few levels");
    return located(sources, where, "not valid YAML: " + fault.msg, hint);
  }
}

}  // namespace waferloom::config
