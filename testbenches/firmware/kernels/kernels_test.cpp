// Every kernel folder: it does what its layout expects in any order of events, its README tells the truth, and a wrong opcode in it is caught.
//
// State space: all folders of firmware/kernels, five orders of events, every arithmetic instruction replaced by a sibling with the same operands; layouts
// with one mistake each. What is left out: time, and kernels on verilated tiles (the lockstep tests run the same folders).
#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "testbenches/firmware/kernels/golden_kernel.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/mutation.h"

namespace fs = std::filesystem;

namespace waferloom {
namespace {

std::vector<fs::path> kernel_folders() {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(WL_SOURCE_DIR) / "firmware" / "kernels")) {
    if (fs::exists(entry.path() / "layout.yaml")) folders.push_back(entry.path());  // the others are measured kernels: host/kernels lays them out
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

plan::Kernel loaded(const fs::path& folder) {
  config::Result<plan::Kernel> kernel = plan::load_kernel(folder);
  if (!kernel) FAIL(config::render(kernel.errors()));
  return *kernel;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST_CASE("all kernels of the course are there") {
  std::vector<std::string> names;
  for (const fs::path& folder : kernel_folders()) names.push_back(folder.filename().string());
  CHECK(names == std::vector<std::string>{"01-broadcast", "02-chain-reduction", "03-ring-reduction", "04-linear-forward", "05-bias", "06-relu",
                                          "07-softmax-cross-entropy", "08-weight-gradient", "09-delta", "21-layer-norm", "22-gelu", "23-attention"});
}

TEST_CASE("each kernel does what its layout expects, in any order of events") {
  for (const fs::path& folder : kernel_folders()) {
    const plan::Kernel kernel = loaded(folder);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const testing::KernelRun run = testing::run_kernel(kernel, seed);
      INFO(kernel.name << ", seed " << seed << "\n" << joined(run.problems));
      CHECK(run.problems.empty());
    }
  }
}

TEST_CASE("each README has the command and the last line") {
  for (const fs::path& folder : kernel_folders()) {
    const plan::Kernel kernel = loaded(folder);
    std::ifstream file(folder / "README.md");
    std::stringstream text;
    text << file.rdbuf();
    INFO(kernel.name);
    CHECK(text.str().find("kernel_run firmware/kernels/" + kernel.name + "\n") != std::string::npos);
    CHECK(text.str().find("PASS " + kernel.name + ": " + std::to_string(kernel.target.width) + "x" + std::to_string(kernel.target.height) + " tiles, " +
                          std::to_string(plan::expected_values(kernel)) + " values as expected\n") != std::string::npos);
    CHECK(text.str().find(kernel.title) != std::string::npos);
  }
}

// An instruction of shared code need not run in every kernel that includes it (a middle column's in a kernel of two columns), but somewhere it must matter.
TEST_CASE("a wrong arithmetic opcode in any kernel is caught") {
  std::map<std::string, int> caught;  // by source line: kernels that catch it
  for (const fs::path& folder : kernel_folders()) {
    const plan::Kernel kernel = loaded(folder);
    for (const plan::KernelInstruction& instruction : kernel.code) {
      std::uint32_t word = 0;
      std::memcpy(&word, kernel.images[0].data() + instruction.address, 4);
      const std::uint32_t other = testing::arithmetic_sibling(word);
      if (other == word) continue;
      plan::Kernel mutant = kernel;
      for (std::vector<std::uint8_t>& image : mutant.images) std::memcpy(image.data() + instruction.address, &other, 4);
      caught[instruction.where] += testing::run_kernel(mutant).problems.empty() ? 0 : 1;
    }
  }
  for (const auto& [where, kernels] : caught) {
    INFO(where);
    CHECK(kernels >= 1);
  }
  CHECK(caught.size() >= 38);
}

// A folder with one file changed.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("waferloom-kernel-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    fs::create_directories(path_);
    write("program.wl", "        .include \"protocol.wl\"\n        .task BOOT_TASK, boot\n        .org 0x88\n        .include \"boot.wl\"\nvalues: .space 8\n");
    write("layout.yaml", kLayout);
  }
  ~Folder() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  std::string errors() const {
    const config::Result<plan::Kernel> kernel = plan::load_kernel(path_);
    return kernel ? "" : config::render(kernel.errors());
  }
  void expect(const std::string& from, const std::string& to, const std::string& message) const {
    std::string text = kLayout;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    write("layout.yaml", text);
    INFO("instead of '" << from << "': '" << to << "'\n" << errors());
    CHECK(errors().find(message) != std::string::npos);
    CHECK(errors().find("layout.yaml:") != std::string::npos);
  }
  const fs::path& path() const { return path_; }

 private:
  static constexpr const char* kLayout =
      "title: A test\n"
      "array: {width: 2, height: 1}\n"
      "program: program.wl\n"
      "routes:\n"
      "  - {colour: 0, receive: [north], transmit: [ramp]}\n"
      "memory:\n"
      "  - {tiles: [0, 0], symbol: values, f16: [1, 2]}\n"
      "expect:\n"
      "  memory:\n"
      "    - {tile: [1, 0], symbol: values, f16: [0]}\n";
  fs::path path_;
};

TEST_CASE("mistakes in a layout are located") {
  const Folder folder;
  REQUIRE(folder.errors() == "");
  folder.expect("title: A test\n", "", "missing key 'title'");
  folder.expect("width: 2", "width: 0", "expected a whole number from 1 to 64");
  folder.expect("width: 2", "widht: 2", "did you mean 'width'?");
  folder.expect("array: {width: 2, height: 1}", "array: 7", "expected a mapping");
  folder.expect("receive: [north]", "receive: [up]", "'up' is no direction");
  folder.expect("colour: 0", "colour: 24", "expected a whole number from 0 to 23");
  folder.expect("tiles: [0, 0]", "tiles: [2, 0]", "expected a whole number from 0 to 1");
  folder.expect("tiles: [0, 0]", "tiles: [0]", "expected [x, y]");
  folder.expect("symbol: values, f16: [1, 2]", "symbol: value, f16: [1, 2]", "no symbol 'value'");
  folder.expect("f16: [1, 2]", "f16: [1, two]", "expected a number");
  folder.expect("f16: [1, 2]", "f16: 1", "expected a list of numbers");
  folder.expect("f16: [1, 2]", "f16: [1, -65520]", "layout.yaml:7:46: error: the value does not fit in binary16\n");
  folder.expect("f16: [1, 2]", "f32: [4e38, 2]", "layout.yaml:7:43: error: the value does not fit in binary32\n");
  folder.expect("f16: [0]", "f16: [1e9]", "the value does not fit in binary16\n");
  folder.expect("expect:", "edge:\n  - {weights: [[1e5, 0]]}\n  - {f32: [1e39]}\nexpect:", "layout.yaml:9:17: error: the value does not fit in binary16\n");
  folder.expect("expect:", "edge:\n  - {f32: [1e39]}\nexpect:", "layout.yaml:9:12: error: the value does not fit in binary32\n");
  folder.expect("f16: [1, 2]", "f16: [1], f32: [2]", "expected either f16 or f32");
  folder.expect("f16: [1, 2]", "f32: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]", "beyond the program's memory");
  folder.expect("    - {tile: [1, 0], symbol: values, f16: [0]}\n", "    []\n", "nothing is expected");
  folder.write("layout.yaml", "title: [\n");
  CHECK(folder.errors().find("layout.yaml:") != std::string::npos);
}

TEST_CASE("mistakes in a program are located, a missing one is an input fault") {
  const Folder folder;
  folder.write("program.wl", "        vad d0, d1, d2\n");
  CHECK(folder.errors().find("program.wl:1:9: error: unknown instruction") != std::string::npos);
  fs::remove(folder.path() / "program.wl");
  const config::Result<plan::Kernel> kernel = plan::load_kernel(folder.path());
  REQUIRE_FALSE(kernel.ok());
  CHECK(kernel.errors().front().fault == config::Fault::kInputOutput);
  CHECK(folder.errors().find("layout.yaml:3:10: error: '" + (folder.path() / "program.wl").string() + "' cannot be read\n") != std::string::npos);
  CHECK_FALSE(plan::load_kernel(folder.path() / "nowhere").ok());
}

TEST_CASE("the check sees a wrong value, a missing word and a word too many") {
  const plan::Kernel kernel = loaded(fs::path(WL_SOURCE_DIR) / "firmware" / "kernels" / "08-weight-gradient");
  plan::KernelOutcome outcome;
  outcome.edge = testing::run_kernel(kernel).edge;
  CHECK(plan::check_kernel(kernel, outcome).empty());
  plan::KernelOutcome changed = outcome;
  changed.edge[1][0] ^= 1;
  CHECK(plan::check_kernel(kernel, changed).size() == 1);
  changed = outcome;
  changed.edge[2].pop_back();
  CHECK(plan::check_kernel(kernel, changed).size() == 1);
  changed = outcome;
  changed.edge[0].push_back(changed.edge[0].back());
  CHECK(plan::check_kernel(kernel, changed).size() == 1);
}

}  // namespace
}  // namespace waferloom
