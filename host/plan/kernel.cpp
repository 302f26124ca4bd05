#include "host/plan/kernel.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "firmware/assembler/assembler.h"
#include "host/config/scalar.h"
#include "host/config/yaml_document.h"
#include "host/plan/layout.h"
#include "host/plan/routes.h"
#include "sim/generated/fabric.h"
#include "sim/generated/packet.h"
#include "sim/generated/registers.h"
#include "sim/macros/arith.h"

namespace waferloom::plan {
namespace {

using config::Diagnostic;
using config::Diagnostics;
using config::YamlNode;

// Routes and bindings written in the layout, for a rectangle of tiles.
struct Store {
  Rect where;
  std::uint32_t address = 0;
  std::uint32_t value = 0;
};

class Loader {
 public:
  Loader(std::filesystem::path folder, const Target& target) : folder_(std::move(folder)) { kernel_.target = target; }

  config::Result<Kernel> load() {
    const std::filesystem::path file = folder_ / "layout.yaml";
    config::Result<std::string> text = config::read_text_file(file);
    if (!text) return text.errors();
    sources_.add(file.string(), *text);
    config::Result<YamlNode> root = config::parse_yaml(file.string(), *text, sources_);
    if (!root) return root.errors();
    read(*root);
    if (!errors_.empty()) return errors_;
    return std::move(kernel_);
  }

 private:
  // --- typed reading of nodes: a mistake is noted, a harmless value returned ---
  void fail(const YamlNode& node, const std::string& message, const std::string& hint = {}) {
    errors_.push_back(config::located(sources_, node.where, message, hint));
  }

  void known_keys(const YamlNode& node, const std::vector<std::string>& keys) {
    if (node.kind != YamlNode::Kind::kMapping) return fail(node, "expected a mapping");
    for (const config::YamlEntry& entry : node.entries) {
      bool known = false;
      for (const std::string& key : keys) known = known || key == entry.key;
      if (known) continue;
      const std::string near = config::nearest(entry.key, keys);
      errors_.push_back(config::located(sources_, entry.key_where, "unknown key '" + entry.key + "'", near.empty() ? "" : "did you mean '" + near + "'?"));
    }
  }

  const YamlNode* need(const YamlNode& node, const std::string& key) {
    const YamlNode* found = node.find(key);
    if (found == nullptr) fail(node, "missing key '" + key + "'");
    return found;
  }

  std::int64_t integer(const YamlNode* node, std::int64_t low, std::int64_t high) {
    if (node == nullptr) return low;
    const config::ParsedInteger parsed = config::parse_integer(node->text);
    if (node->kind == YamlNode::Kind::kScalar && parsed.fault == config::NumberFault::kNone && parsed.value >= low && parsed.value <= high) return parsed.value;
    fail(*node, "expected a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return low;
  }

  double real(const YamlNode& node) {
    const config::ParsedReal parsed = config::parse_real(node.text);
    if (node.kind == YamlNode::Kind::kScalar && parsed.fault == config::NumberFault::kNone) return parsed.value;
    fail(node, "expected a number");
    return 0;
  }

  // A number that is finite as `type`.
  double real_of(const YamlNode& node, KernelType type) {
    const double value = real(node);
    const bool half = type == KernelType::kF16;
    const bool fits = half ? (bits_of(value, type) & 0x7C00U) != 0x7C00U : std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
    if (fits) return value;
    fail(node, half ? "the value does not fit in binary16" : "the value does not fit in binary32", half ? "it holds -65504 to 65504" : "it holds -3.4e38 to 3.4e38");
    return 0;
  }

  std::vector<double> reals(const YamlNode* node, KernelType type) {
    std::vector<double> values;
    if (node == nullptr) return values;
    if (node->kind != YamlNode::Kind::kSequence) fail(*node, "expected a list of numbers");
    for (const YamlNode& item : node->items) values.push_back(real_of(item, type));
    return values;
  }

  const std::vector<YamlNode>& items(const YamlNode& root, const std::string& key) {
    static const std::vector<YamlNode> none;
    const YamlNode* node = root.find(key);
    if (node == nullptr) return none;
    if (node->kind != YamlNode::Kind::kSequence) fail(*node, "expected a list");
    return node->items;
  }

  std::uint32_t directions(const YamlNode* node) {
    std::uint32_t mask = 0;
    if (node == nullptr) return mask;
    if (node->kind != YamlNode::Kind::kSequence) fail(*node, "expected a list of directions");
    for (const YamlNode& item : node->items) {
      bool found = false;
      for (int d = 0; d < spec::kDirections; ++d) {
        if (item.text != spec::kDirectionNames[d]) continue;
        mask |= 1u << d;
        found = true;
      }
      if (!found) fail(item, "'" + item.text + "' is no direction", "north, east, south, west, ramp");
    }
    return mask;
  }

  // [x, y] or [x, y, width, height], inside the array.
  Rect tiles(const YamlNode* node) {
    Rect rect{0, 0, kernel_.target.width, kernel_.target.height};
    if (node == nullptr) return rect;
    if (node->kind != YamlNode::Kind::kSequence || (node->items.size() != 2 && node->items.size() != 4)) {
      fail(*node, "expected [x, y] or [x, y, width, height]");
      return rect;
    }
    rect.x = static_cast<int>(integer(&node->items[0], 0, kernel_.target.width - 1));
    rect.y = static_cast<int>(integer(&node->items[1], 0, kernel_.target.height - 1));
    rect.width = rect.height = 1;
    if (node->items.size() == 4) {
      rect.width = static_cast<int>(integer(&node->items[2], 1, kernel_.target.width - rect.x));
      rect.height = static_cast<int>(integer(&node->items[3], 1, kernel_.target.height - rect.y));
    }
    return rect;
  }

  // A number, or a symbol of the program of tile (x, y).
  std::int64_t value_of(const YamlNode* node, int x = 0, int y = 0) {
    if (node == nullptr) return 0;
    const config::ParsedInteger parsed = config::parse_integer(node->text);
    if (parsed.fault == config::NumberFault::kNone) return parsed.value;
    const std::optional<std::int64_t> symbol = program(x, y).symbol(node->text);
    if (!symbol) fail(*node, "the program has no symbol '" + node->text + "'");
    return symbol.value_or(0);
  }

  const assembler::Program& program(int x, int y) const { return programs_[static_cast<std::size_t>(y * kernel_.target.width + x)]; }

  // --- the parts of a layout ---
  void read(const YamlNode& root) {
    known_keys(root, {"title", "array", "machine", "program", "routes", "bind", "memory", "edge", "expect"});
    kernel_.name = folder_.filename().string();
    if (const YamlNode* title = need(root, "title")) kernel_.title = title->text;
    if (const YamlNode* array = need(root, "array")) {
      known_keys(*array, {"width", "height"});
      kernel_.target.width = static_cast<int>(integer(need(*array, "width"), 1, 64));
      kernel_.target.height = static_cast<int>(integer(need(*array, "height"), 1, 64));
    }
    if (const YamlNode* machine = root.find("machine")) {
      known_keys(*machine, {"lanes", "sram_bytes", "window_bytes"});
      if (const YamlNode* lanes = machine->find("lanes")) kernel_.target.lanes = static_cast<int>(integer(lanes, 2, 8));
      if (const YamlNode* sram = machine->find("sram_bytes")) kernel_.target.sram_bytes = static_cast<int>(integer(sram, 4096, 49152));
      if (const YamlNode* window = machine->find("window_bytes")) kernel_.target.window_bytes = static_cast<int>(integer(window, 0, 512));
    }
    const YamlNode* file = need(root, "program");
    if (!errors_.empty() || file == nullptr) return;
    if (!assemble(*file)) return;
    read_routes(root);
    if (!errors_.empty()) return;
    const assembler::Program& first = program(0, 0);
    kernel_.task_names = assembler::task_names(first);
    for (const assembler::LineEntry& line : first.lines) {
      if (!line.code) continue;
      const std::string where = std::filesystem::path(first.sources[line.file].name).filename().string() + ":" + std::to_string(line.line);
      for (std::uint32_t at = line.address; at < line.address + line.bytes; at += 4) kernel_.code.push_back({at, where});
    }
    make_images(root);
    for (const YamlNode& item : items(root, "edge")) read_edge(item);
    if (const YamlNode* expect = need(root, "expect")) {
      known_keys(*expect, {"memory", "edge"});
      for (const YamlNode& item : items(*expect, "memory")) kernel_.memory.push_back(read_expectation(item, false));
      for (const YamlNode& item : items(*expect, "edge")) kernel_.results.push_back(read_expectation(item, true));
      if (kernel_.memory.empty() && kernel_.results.empty()) fail(*expect, "nothing is expected");
    }
  }

  bool assemble(const YamlNode& file) {
    for (int y = 0; y < kernel_.target.height; ++y) {
      for (int x = 0; x < kernel_.target.width; ++x) {
        assembler::Assembler assembler;
        assembler.add_include_folder(default_firmware().string());
        assembler.set_sram_bytes(static_cast<std::uint32_t>(kernel_.target.sram_bytes));
        assembler.define("COLUMN", x);
        assembler.define("ROW", y);
        assembler.define("WIDTH", kernel_.target.width);
        assembler.define("HEIGHT", kernel_.target.height);
        const std::string path = (folder_ / file.text).string();
        assembler::Outcome outcome = assembler.assemble_file(path);
        for (const assembler::Error& error : outcome.errors) {
          if (error.unreadable && error.where.line == 0) {  // the program itself, not what it includes
            fail(file, "'" + path + "' cannot be read");
            errors_.back().fault = config::Fault::kInputOutput;
            continue;
          }
          const config::Fault fault = error.unreadable ? config::Fault::kInputOutput : config::Fault::kUsage;
          errors_.push_back({config::Severity::kError, fault, {error.where.file, error.where.line, error.where.column, error.where.length}, error.message,
                             error.source_line, error.hint});
        }
        if (!outcome.ok()) return false;
        programs_.push_back(std::move(*outcome.program));
      }
    }
    return true;
  }

  void read_routes(const YamlNode& root) {
    const YamlNode* routes = root.find("routes");
    if (routes != nullptr && routes->kind == YamlNode::Kind::kScalar) {
      if (routes->text != "training") fail(*routes, "expected a list of routes, or the word training");
      training_routes_ = true;
      return;
    }
    for (const YamlNode& item : items(root, "routes")) {
      known_keys(item, {"colour", "tiles", "receive", "transmit"});
      const std::uint32_t colour = static_cast<std::uint32_t>(integer(need(item, "colour"), 0, spec::kColours - 1));
      const std::uint32_t word = spec::route_word(directions(need(item, "receive")), directions(need(item, "transmit")));
      stores_.push_back({tiles(item.find("tiles")), spec::kMmioBase + spec::kMmioRoute + 4 * spec::route_index(colour, 0), word});
    }
    for (const YamlNode& item : items(root, "bind")) {
      known_keys(item, {"queue", "colour", "tiles"});
      const std::uint32_t queue = static_cast<std::uint32_t>(integer(need(item, "queue"), 0, spec::kInputQueues - 1));
      const std::uint32_t colour = static_cast<std::uint32_t>(integer(need(item, "colour"), 0, spec::kColours - 1));
      stores_.push_back({tiles(item.find("tiles")), spec::kMmioBase + spec::kMmioQueueBind + 4 * queue, 0x80u | colour});
    }
  }

  void make_images(const YamlNode& root) {
    std::size_t most = 0;
    for (int y = 0; y < kernel_.target.height; ++y) {
      for (int x = 0; x < kernel_.target.width; ++x) {
        std::vector<std::uint8_t> image = program(x, y).image;
        std::vector<BootStore> stores;
        if (training_routes_) stores = boot_stores(position_of(x, y, kernel_.target.width, kernel_.target.height));
        for (const Store& store : stores_) {
          const Rect& r = store.where;
          if (x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height) stores.push_back({store.address, store.value});
        }
        most = std::max(most, stores.size());
        image.resize((std::max<std::size_t>(image.size(), kCodeBase) + 7) / 8 * 8);
        const std::uint32_t table = static_cast<std::uint32_t>(image.size());
        image.resize(image.size() + 8 * stores.size() + 8);
        write(image, kBootPointer, 4, table);
        for (std::size_t i = 0; i < stores.size(); ++i) {
          write(image, table + static_cast<std::uint32_t>(8 * i), 4, stores[i].address);
          write(image, table + static_cast<std::uint32_t>(8 * i) + 4, 4, stores[i].value);
        }
        kernel_.images.push_back(std::move(image));
      }
    }
    kernel_.boot_cycles = 256 + 32 * (most + 1);
    for (const YamlNode& item : items(root, "memory")) {
      known_keys(item, {"tiles", "symbol", "f16", "f32"});
      const Rect where = tiles(item.find("tiles"));
      KernelType type = KernelType::kF16;
      const std::vector<double> values = typed_values(item, type);
      const YamlNode* symbol = need(item, "symbol");
      for (int y = where.y; symbol != nullptr && y < where.y + where.height; ++y) {
        for (int x = where.x; x < where.x + where.width; ++x) {
          const std::uint32_t bytes = type == KernelType::kF16 ? 2 : 4;
          std::uint32_t at = static_cast<std::uint32_t>(value_of(symbol, x, y));
          if (at + bytes * values.size() > kernel_.image(x, y).size()) {
            fail(item, "the values go beyond the program's memory");
            return;
          }
          for (const double value : values) {
            write(kernel_.images[static_cast<std::size_t>(y * kernel_.target.width + x)], at, bytes, bits_of(value, type));
            at += bytes;
          }
        }
      }
    }
  }

  std::vector<double> typed_values(const YamlNode& item, KernelType& type) {
    const YamlNode* f16 = item.find("f16");
    const YamlNode* f32 = item.find("f32");
    if ((f16 == nullptr) == (f32 == nullptr)) fail(item, "expected either f16 or f32 with a list of values");
    type = f16 != nullptr ? KernelType::kF16 : KernelType::kF32;
    return reals(f16 != nullptr ? f16 : f32, type);
  }

  static std::uint32_t bits_of(double value, KernelType type) {
    return type == KernelType::kF16 ? macros::double_to_half(value) : macros::to_bits(static_cast<float>(value));
  }

  static void write(std::vector<std::uint8_t>& image, std::uint32_t at, std::uint32_t bytes, std::uint32_t value) {
    for (std::uint32_t i = 0; i < bytes; ++i) image[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }

  void read_edge(const YamlNode& item) {
    known_keys(item, {"column", "colour", "control", "weights", "f32"});
    EdgeWord word;
    word.column = kEveryColumn;
    if (const YamlNode* column = item.find("column")) word.column = static_cast<std::uint16_t>(integer(column, 0, kernel_.target.width - 1));
    const std::uint32_t colour = item.find("colour") != nullptr ? static_cast<std::uint32_t>(integer(item.find("colour"), 0, spec::kColours - 1)) : 0;
    if (const YamlNode* control = item.find("control")) {
      known_keys(*control, {"task", "argument"});
      const std::uint32_t task = static_cast<std::uint32_t>(value_of(need(*control, "task")));
      const std::uint32_t argument = static_cast<std::uint32_t>(value_of(control->find("argument")));
      word.link = spec::link_word(spec::control_payload(task, spec::Command::kNone, argument), colour, true);
      kernel_.edge.push_back(word);
      return;
    }
    if (const YamlNode* weights = item.find("weights")) {
      for (const YamlNode& pair : weights->items) {
        if (pair.items.size() != 2) {
          fail(pair, "expected [weight, row offset in bytes]");
          continue;
        }
        const std::uint32_t offset = static_cast<std::uint32_t>(integer(&pair.items[1], 0, 65535));
        word.link = spec::link_word(spec::weight_payload(bits_of(real_of(pair.items[0], KernelType::kF16), KernelType::kF16), offset), colour);
        kernel_.edge.push_back(word);
      }
      return;
    }
    for (const double value : reals(need(item, "f32"), KernelType::kF32)) {
      word.link = spec::link_word(bits_of(value, KernelType::kF32), colour);
      kernel_.edge.push_back(word);
    }
  }

  KernelExpectation read_expectation(const YamlNode& item, bool at_edge) {
    KernelExpectation e;
    if (at_edge) {
      known_keys(item, {"column", "colour", "f32", "within"});
      e.x = static_cast<int>(integer(need(item, "column"), 0, kernel_.target.width - 1));
      e.colour = static_cast<std::uint8_t>(integer(need(item, "colour"), 0, spec::kColours - 1));
      e.values = reals(need(item, "f32"), KernelType::kF32);
      for (const KernelExpectation& other : kernel_.results) {
        if (other.x == e.x) fail(item, "column " + std::to_string(e.x) + " has two expectations");
      }
    } else {
      known_keys(item, {"tile", "symbol", "f16", "f32", "within"});
      const Rect tile = tiles(need(item, "tile"));
      e.x = tile.x;
      e.y = tile.y;
      e.values = typed_values(item, e.type);
      if (const YamlNode* symbol = need(item, "symbol")) {
        e.symbol = symbol->text;
        e.address = static_cast<std::uint16_t>(value_of(symbol, e.x, e.y));
      }
    }
    if (const YamlNode* within = item.find("within")) e.within = real(*within);
    return e;
  }

  std::filesystem::path folder_;
  config::SourceText sources_;
  Diagnostics errors_;
  Kernel kernel_;
  std::vector<assembler::Program> programs_;
  std::vector<Store> stores_;
  bool training_routes_ = false;
};

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

config::Result<Kernel> load_kernel(const std::filesystem::path& folder, const Target& target) { return Loader(folder, target).load(); }

std::size_t expected_values(const Kernel& kernel) {
  std::size_t count = 0;
  for (const KernelExpectation& e : kernel.memory) count += e.values.size();
  for (const KernelExpectation& e : kernel.results) count += e.values.size();
  return count;
}

std::vector<std::string> check_kernel(const Kernel& kernel, const KernelOutcome& outcome) {
  std::vector<std::string> differences;
  const auto report = [&](const std::string& line) {
    if (differences.size() < 20) differences.push_back(line);
  };
  const auto compare = [&](const std::string& where, const KernelExpectation& e, std::size_t i, double found) {
    const double wanted = e.values[i];
    const bool good = e.within == 0 ? found == wanted : std::fabs(found - wanted) <= e.within;
    if (!good) report(where + "[" + std::to_string(i) + "]: expected " + number_text(wanted) + ", found " + number_text(found));
  };
  for (const KernelExpectation& e : kernel.memory) {
    const std::string where = "tile (" + std::to_string(e.x) + ", " + std::to_string(e.y) + ") " + e.symbol;
    const std::uint32_t bytes = e.type == KernelType::kF16 ? 2 : 4;
    for (std::size_t i = 0; i < e.values.size(); ++i) {
      const std::uint32_t bits = outcome.peek(e.x, e.y, static_cast<std::uint16_t>(e.address + bytes * i), bytes);
      compare(where, e, i, static_cast<double>(macros::to_float(e.type == KernelType::kF16 ? macros::half_to_single(static_cast<std::uint16_t>(bits)) : bits)));
    }
  }
  std::vector<bool> expected(outcome.edge.size(), false);
  for (const KernelExpectation& e : kernel.results) {
    const std::string where = "column " + std::to_string(e.x) + " of the north edge";
    const std::vector<std::uint64_t>& words = outcome.edge[static_cast<std::size_t>(e.x)];
    expected[static_cast<std::size_t>(e.x)] = true;
    if (words.size() != e.values.size()) report(where + ": expected " + std::to_string(e.values.size()) + " words, found " + std::to_string(words.size()));
    for (std::size_t i = 0; i < e.values.size() && i < words.size(); ++i) {
      if (spec::link_colour(words[i]) != e.colour || spec::link_control(words[i])) report(where + ": word " + std::to_string(i) + " has colour " + std::to_string(spec::link_colour(words[i])));
      compare(where, e, i, static_cast<double>(macros::to_float(spec::link_data(words[i]))));
    }
  }
  for (std::size_t x = 0; x < outcome.edge.size(); ++x) {
    if (!expected[x] && !outcome.edge[x].empty()) report("column " + std::to_string(x) + " of the north edge: " + std::to_string(outcome.edge[x].size()) + " words that nobody expects");
  }
  return differences;
}

}  // namespace waferloom::plan
