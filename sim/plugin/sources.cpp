#include "sim/plugin/sources.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace waferloom::plugin {
namespace fs = std::filesystem;
namespace {

// Identifiers and quoted include names of a Verilog text, without comments and strings.
struct Mentions {
  std::set<std::string> names;
  std::set<std::string> includes;
};

Mentions scan_verilog(const std::string& text) {
  Mentions found;
  std::string word;
  std::string previous;
  const auto finish = [&] {
    if (!word.empty()) {
      found.names.insert(word);
      previous = word;
      word.clear();
    }
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
      continue;
    }
    finish();
    if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '*') {
      const size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 1;
    } else if (c == '"') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      if (previous == "include") found.includes.insert(text.substr(i + 1, end - i - 1));
      i = end;
    }
  }
  finish();
  return found;
}

std::vector<std::string> scan_cpp_includes(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t p = line.find_first_not_of(" \t");
    if (p == std::string::npos || line[p] != '#') continue;
    p = line.find_first_not_of(" \t", p + 1);
    if (p == std::string::npos || line.compare(p, 7, "include") != 0) continue;
    const size_t open = line.find('"', p);
    const size_t close = open == std::string::npos ? open : line.find('"', open + 1);
    if (close != std::string::npos) out.push_back(line.substr(open + 1, close - open - 1));
  }
  return out;
}

class Collector {
 public:
  Collector(View view, const SourceRoots& roots, SourceSet* out) : view_(view), roots_(roots), out_(out) {}

  std::string run(const std::string& top) {
    if (view_ == View::kFast && !roots_.macros.empty()) index(roots_.macros, true);
    for (const std::string& root : roots_.rtl) index(root, false);
    if (!error_.empty()) return error_;
    const auto found = modules_.find(top);
    if (found == modules_.end()) return (roots_.rtl.empty() ? "" : roots_.rtl.front()) + ": no file for module " + top;
    add_module(found->second);
    for (const std::string& name : roots_.attached) {
      const auto other = modules_.find(name);
      if (other == modules_.end()) return (roots_.rtl.empty() ? "" : roots_.rtl.back()) + ": no file for module " + name;
      add_module(other->second);
    }
    return error_;
  }

 private:
  void index(const std::string& root, bool macros) {
    std::error_code code;
    if (!fs::is_directory(root, code)) {
      if (!macros) error_ = root + ": not a directory";
      return;
    }
    std::map<std::string, fs::path> here;
    for (auto it = fs::recursive_directory_iterator(root, code); it != fs::recursive_directory_iterator(); it.increment(code)) {
      if (code) break;
      const std::string extension = it->path().extension().string();
      if (extension == ".svh" || extension == ".vh") includes_.emplace(it->path().filename().string(), it->path());
      if (extension != ".sv" && extension != ".v") continue;
      const auto inserted = here.emplace(it->path().stem().string(), it->path());
      if (!inserted.second) {
        error_ = it->path().string() + ": a second file for the module of " + inserted.first->second.string();
      }
    }
    for (const auto& [name, path] : here) modules_.emplace(name, path);
  }

  void add_module(const fs::path& path) {
    if (!seen_.insert(path.string()).second) return;
    SourceFile file{path.string(), "src/" + path.filename().string(), ""};
    if (!read_file(file.path, &file.content)) {
      error_ = file.path + ": cannot be read";
      return;
    }
    const Mentions mentions = scan_verilog(file.content);
    for (const std::string& include : mentions.includes) {
      const auto found = includes_.find(fs::path(include).filename().string());
      if (found != includes_.end()) add_header(found->second);
    }
    for (const std::string& name : mentions.names) {
      const auto found = modules_.find(name);
      if (found != modules_.end()) add_module(found->second);
    }
    out_->rtl.push_back(std::move(file));
    fs::path companion = path;
    companion.replace_extension(".cpp");
    std::error_code code;
    if (view_ == View::kFast && fs::exists(companion, code)) add_cpp(companion, true);
  }

  void add_header(const fs::path& path) {
    if (!seen_.insert(path.string()).second) return;
    SourceFile file{path.string(), "src/" + path.filename().string(), ""};
    if (!read_file(file.path, &file.content)) error_ = file.path + ": cannot be read";
    for (const std::string& name : scan_verilog(file.content).names) {
      const auto found = modules_.find(name);
      if (found != modules_.end()) add_module(found->second);
    }
    out_->headers.push_back(std::move(file));
  }

  void add_cpp(const fs::path& path, bool compile) {
    const fs::path normal = fs::weakly_canonical(path);
    if (!seen_.insert(normal.string()).second) return;
    const fs::path relative = normal.lexically_relative(fs::weakly_canonical(roots_.include));
    const bool inside = !relative.empty() && *relative.begin() != "..";
    SourceFile file{path.string(), "cpp/" + (inside ? relative.string() : normal.relative_path().string()), ""};
    if (!read_file(file.path, &file.content)) {
      error_ = file.path + ": cannot be read";
      return;
    }
    std::error_code code;
    for (const std::string& include : scan_cpp_includes(file.content)) {
      fs::path target = normal.parent_path() / include;
      if (!fs::exists(target, code)) target = fs::path(roots_.include) / include;
      if (!fs::exists(target, code)) continue;  // a system or Verilator header
      add_cpp(target, false);
      fs::path implementation = target;
      implementation.replace_extension(".cpp");
      if (target.extension() == ".h" && fs::exists(implementation, code)) add_cpp(implementation, true);
    }
    (compile ? out_->cpp : out_->headers).push_back(std::move(file));
  }

  View view_;
  const SourceRoots& roots_;
  SourceSet* out_;
  std::map<std::string, fs::path> modules_;
  std::map<std::string, fs::path> includes_;
  std::set<std::string> seen_;
  std::string error_;
};

}  // namespace

const char* to_string(View view) { return view == View::kFast ? "fast" : "rtl"; }

bool read_file(const std::string& path, std::string* content) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  content->assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  return !in.bad();
}

std::string collect_sources(const std::string& top, View view, const SourceRoots& roots, SourceSet* out) {
  return Collector(view, roots, out).run(top);
}

}  // namespace waferloom::plugin
