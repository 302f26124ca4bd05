// Plug-ins: what is built, what is cached, what is told to the user when it is not.
// State space: a private module with narrow, wide, array, combinational and counter signals; edits good and bad; two
// variants at once; two processes at once; a path with spaces. Left out: tool upgrades (the hash holds the versions).
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "sim/plugin/cache.h"
#include "sim/plugin/glue.h"
#include "sim/plugin/process.h"
#include "sim/plugin/sha256.h"
#include "testbenches/lib/bench.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/child.h"
#include "testbenches/lib/temporary_folder.h"

namespace fs = std::filesystem;
using namespace waferloom;

namespace {

const char* const kModule = R"(
module wl_probe #(parameter int Step = 1) (
    input  logic        clk_i, rst_ni,
    input  logic [38:0] a_i,
    output logic [38:0] y_o,
    output logic [99:0] wide_o,
    output logic        parity_o,
    output logic [2:0]  busy_o,
    output logic        quiet_o,
    output logic [3:0]  class_o
);
  logic [38:0] sum_q;
  logic [99:0] shift_q;
  logic [47:0] class_cnt_q [4];
  logic [2:0] busy_q;
  assign y_o = sum_q;
  assign wide_o = shift_q;
  assign parity_o = ^a_i;
  assign busy_o = ~busy_q;
  wl_probe_child u_child (.clk_i, .rst_ni, .a_i(a_i[7:0]), .b_o(busy_q));
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sum_q <= 39'd0;
      shift_q <= 100'd0;
      quiet_o <= 1'b0;
      class_o <= 4'd0;
      for (int i = 0; i < 4; i++) class_cnt_q[i] <= 48'd0;
    end else begin
      sum_q <= sum_q + a_i * 39'(Step);
      shift_q <= (a_i != 0) ? {shift_q[60:0], a_i} : shift_q;
      class_cnt_q[(a_i != 0) ? 1 : 0] <= class_cnt_q[(a_i != 0) ? 1 : 0] + 48'd1;
      quiet_o <= a_i == 0;
      class_o <= 4'd0;
    end
  end
endmodule
)";
const char* const kChild = R"(
module wl_probe_child (input logic clk_i, rst_ni, input logic [7:0] a_i, output logic [2:0] b_o);
  logic [2:0] level_q;
  assign b_o = level_q;
  always_ff @(posedge clk_i) level_q <= rst_ni ? a_i[2:0] : 3'd0;
endmodule
)";
const char* const kStranger = "module wl_stranger (input logic a_i, output logic b_o); assign b_o = ~a_i; endmodule\n";

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// A source tree and a cache of its own, both in a path with spaces and a quote.
struct Workspace {
  Workspace() {
    char name[] = "/tmp/wl plug'in XXXXXX";
    root = mkdtemp(name);
    write(root / "rtl tree/a/wl_probe.sv", kModule);
    write(root / "rtl tree/b/wl_probe_child.sv", kChild);
    write(root / "rtl tree/b/wl_stranger.sv", kStranger);
    // Verilator's run-time library takes seconds to compile: workspaces hand it on; units they do not.
    fs::create_directories(root / "a cache");
    for (const auto& entry : fs::directory_iterator(shared())) fs::copy(entry.path(), root / "a cache" / entry.path().filename(), fs::copy_options::recursive);
  }
  ~Workspace() {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(root / "a cache")) {
      if (entry.path().filename().string().compare(0, 8, "runtime-") != 0) continue;
      fs::copy(entry.path(), shared() / entry.path().filename(), fs::copy_options::recursive | fs::copy_options::skip_existing, code);
    }
    fs::remove_all(root, code);
  }
  static const fs::path& shared() {
    struct Holder {
      Holder() {
        char name[] = "/tmp/wl-plugin-XXXXXX";
        path = mkdtemp(name);
        std::error_code code;
        for (const auto& entry : fs::directory_iterator(plugin::default_cache_directory(), code)) {
          if (entry.path().filename().string().compare(0, 8, "runtime-") != 0) continue;
          fs::copy(entry.path(), path / entry.path().filename(), fs::copy_options::recursive, code);
        }
      }
      ~Holder() {
        std::error_code code;
        fs::remove_all(path, code);
      }
      fs::path path;
    };
    static const Holder holder;
    return holder.path;
  }
  plugin::UnitSpec spec(const std::string& step = "1") const {
    plugin::UnitSpec s;
    s.top = "wl_probe";
    s.params = {{"Step", step}};
    s.rtl_roots = {(root / "rtl tree").string()};
    s.macro_root = (root / "macros").string();
    s.cache_directory = (root / "a cache").string();
    s.optimise = 0;
    return s;
  }
  // Names of the finished libraries in the cache.
  std::set<std::string> libraries() const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(root / "a cache")) {
      if (entry.path().extension() == ".so") out.insert(entry.path().filename().string());
      const std::string name = entry.path().filename().string();
      CHECK(name.compare(0, 6, "build-") != 0);  // no scratch directory is left behind
    }
    return out;
  }
  fs::path root;
};

// Drives one instance by hand.
struct Driver {
  explicit Driver(const plugin::Unit& u, uint32_t reset = WL_RESET_RANDOM) : unit(u) {
    const WlCreate create{3, reset, 7};
    arena = unit.api().create(&create);
    REQUIRE(arena != nullptr);
    set("rst_ni", 0);
    tick();
    tick();
    set("rst_ni", 1);
  }
  ~Driver() { unit.api().destroy(arena); }
  char* at(uint32_t offset) { return static_cast<char*>(unit.api().state(arena, 1)) + offset; }
  void set(const char* name, uint64_t v) { plugin::store_value(at(unit.port(name)->offset), unit.port(name)->bytes, v); }
  uint64_t get(const char* name) { return plugin::load_value(at(unit.port(name)->offset), unit.port(name)->bytes); }
  void tick() { REQUIRE(unit.api().tick(arena, 1) == 0); }
  const plugin::Unit& unit;
  WlArena* arena = nullptr;
};

}  // namespace

TEST_CASE("sha256 gives the published digests") {
  CHECK(plugin::sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(plugin::sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("member names become source names") {
  CHECK(plugin::source_name("wl_t__DOT__g__BRA__10__KET____DOT__u_x__DOT__a_q", "wl_t") == "g[10].u_x.a_q");
  const auto members = plugin::parse_members(
      "    VL_IN8(clk_i,0,0);\n    VL_OUTW(w_o,99,0,4);\n    CData/*3:0*/ t__DOT__a_q;\n"
      "    VlUnpacked<VlUnpacked<IData/*31:0*/, 4>, 2> t__DOT__m_q;\n    CData/*0:0*/ t__DOT____Vcellout__u__b;\n"
      "    VlUnpacked<VlWide<3>/*71:0*/, 8> t__DOT__wide_q;\n    IData/*31:0*/ __VactIterCount;\n");
  REQUIRE(members.size() == 5);
  CHECK(members[1].element_bytes == 16);
  CHECK(members[3].elements == 8);
  CHECK(members[4].element_bytes == 12);
}

TEST_CASE("a unit builds in a path with spaces, describes itself and runs") {
  Workspace w;
  plugin::Unit unit;
  REQUIRE(unit.open(w.spec("3")) == "");
  const WlUnitApi& api = unit.api();
  CHECK(std::string(api.top) == "wl_probe");
  CHECK(api.direct == 1);
  CHECK(std::string(api.params[0].value) == "3");
  REQUIRE(unit.port("wide_o"));
  CHECK(unit.port("wide_o")->bytes == 16);
  REQUIRE(unit.reg("u_child.level_q"));
  CHECK(unit.reg("class_cnt_q")->elements == 4);
  CHECK((unit.reg("class_cnt_q")->flags & WL_REG_COUNTER) != 0);
  for (const uint32_t reset : kAllResets) {
    Driver d(unit, reset);
    d.set("a_i", 5);
    REQUIRE(api.settle(d.arena, 1) == 0);
    CHECK(d.get("parity_o") == 0);
    CHECK(d.get("y_o") == 0);
    for (int i = 1; i <= 10; ++i) {
      d.tick();
      CHECK(d.get("y_o") == 15u * i);
    }
    // Batches credit what was skipped: edges 12, then 20 of an idle input.
    const uint32_t list[] = {1};
    uint32_t changed = 0;
    api.set_cycle(d.arena, 1, 12);
    d.set("a_i", 0);
    REQUIRE(api.tick_batch(d.arena, list, 1, 12, &changed) == 0);
    CHECK((changed & WL_CHANGED_QUIET) != 0);
    CHECK((changed & unit.changed_bits("y_o")) == 0);
    api.credit(d.arena, 1, 20);
    const char* counts = d.at(unit.reg("class_cnt_q")->offset);
    CHECK(plugin::load_value(counts, 8) == 1 + 7);
    CHECK(plugin::load_value(counts + 8, 8) == 10);
  }
}

TEST_CASE("what an unknown Verilator would get is slower and equal; so is a model in many files") {
  Workspace w;
  std::vector<uint64_t> expected;
  struct Variant {
    plugin::Evaluation evaluation;
    unsigned split;
  };
  const Variant variants[] = {{plugin::Evaluation::kAuto, 0}, {plugin::Evaluation::kLoop, 0}, {plugin::Evaluation::kBothEdges, 0},
                              {plugin::Evaluation::kAuto, 30}, {plugin::Evaluation::kLoop, 30}};
  std::set<std::string> hashes;
  for (const auto& [evaluation, split] : variants) {
    plugin::UnitSpec spec = w.spec("3");
    spec.evaluation = evaluation;
    spec.split = split;
    CAPTURE(split);
    hashes.insert(plugin::build_unit(spec).build_hash);
    plugin::Unit unit;
    REQUIRE(unit.open(spec) == "");
    CHECK(unit.api().direct == (evaluation == plugin::Evaluation::kAuto ? 1u : 0u));
    Driver d(unit);
    std::vector<uint64_t> seen;
    for (uint64_t i = 0; i < 200; ++i) {
      d.set("a_i", i * i % 7);
      if (i % 3 == 0) REQUIRE(unit.api().settle(d.arena, 1) == 0);
      seen.push_back(d.get("parity_o"));
      d.tick();
      for (const char* name : {"y_o", "parity_o", "busy_o", "quiet_o"}) seen.push_back(d.get(name));
    }
    if (expected.empty()) expected = seen;
    CHECK(seen == expected);
  }
  CHECK(hashes.size() == std::size(variants));
}

TEST_CASE("the second open comes from the cache, in under a tenth of a second") {
  Workspace w;
  const plugin::BuildResult first = plugin::build_unit(w.spec());
  REQUIRE(first.error == "");
  CHECK_FALSE(first.from_cache);
  const auto start = std::chrono::steady_clock::now();
  plugin::Unit unit;
  REQUIRE(unit.open(w.spec()) == "");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CHECK(unit.build().from_cache);
  CHECK(seconds < 0.1);
}

TEST_CASE("an edit rebuilds, of what the top needs and nothing else; parameters and roots count too") {
  Workspace w;
  const plugin::BuildResult first = plugin::build_unit(w.spec());
  REQUIRE(first.error == "");
  write(w.root / "rtl tree/b/wl_stranger.sv", std::string(kStranger) + "// edited\n");
  CHECK(plugin::build_unit(w.spec()).from_cache);
  std::string child = kChild;
  child.replace(child.find("a_i[2:0]"), 8, "a_i[3:1]");
  write(w.root / "rtl tree/b/wl_probe_child.sv", child);
  const plugin::BuildResult edited = plugin::build_unit(w.spec());
  REQUIRE(edited.error == "");
  CHECK_FALSE(edited.from_cache);
  CHECK(edited.source_hash != first.source_hash);
  plugin::Unit unit;
  REQUIRE(unit.load(edited.library_path) == "");
  Driver d(unit);
  d.set("a_i", 6);
  d.tick();
  CHECK(plugin::load_value(d.at(unit.reg("u_child.level_q")->offset), 1) == 3);
  write(w.root / "rtl tree/b/wl_probe_child.sv", kChild);
  CHECK(plugin::build_unit(w.spec()).from_cache);
  std::string error;
  CHECK(plugin::unit_source_hash(w.spec("2"), &error) != first.source_hash);
  CHECK(plugin::unit_source_hash(w.spec("1"), &error) == first.source_hash);
  CHECK(error == "");
}

TEST_CASE("a broken edit shows the compiler's message with file and line, and the cache stays sound") {
  Workspace w;
  // What a killed process left behind goes with the next build; a running one's stays.
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const fs::path stale = w.root / "a cache" / ("build-" + std::to_string(gone) + "-abcdef");
  write(stale / "src/half.sv", "module");
  fs::last_write_time(stale, fs::file_time_type::clock::now() - std::chrono::hours(2));
  REQUIRE(plugin::build_unit(w.spec()).error == "");
  CHECK_FALSE(fs::exists(stale));
  const auto before = w.libraries();
  std::string broken = kModule;
  broken.replace(broken.find("assign y_o = sum_q;"), 19, "assign y_o = sum_qq;");
  const std::string path = (w.root / "rtl tree/a/wl_probe.sv").string();
  write(path, broken);
  const plugin::BuildResult failed = plugin::build_unit(w.spec());
  INFO(failed.error);
  CHECK(failed.error.find(path + ":16:") != std::string::npos);
  CHECK(failed.error.find("sum_qq") != std::string::npos);
  CHECK(w.libraries() == before);
  write(path, kModule);
  CHECK(plugin::build_unit(w.spec()).from_cache);
  plugin::UnitSpec missing = w.spec();
  missing.top = "wl_absent";
  CHECK(plugin::build_unit(missing).error.find("no file for module wl_absent") != std::string::npos);
  missing.rtl_roots = {"/nowhere"};
  CHECK(plugin::build_unit(missing).error.find("/nowhere: not a directory") != std::string::npos);
}

TEST_CASE("an interrupted build ends within a second, with its programs, and leaves the cache sound") {
  Workspace w;
  plugin::UnitSpec spec = w.spec("7");
  std::atomic<bool> stop{false};
  spec.interrupted = [&] { return stop.load(); };
  // Wherever the moment falls: Verilator, the compiler, the linker.
  for (const int milliseconds : {0, 150, 600, 1500}) {
    stop = false;
    std::chrono::steady_clock::time_point asked;
    std::thread asking([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      asked = std::chrono::steady_clock::now();
      stop = true;
    });
    const plugin::BuildResult result = plugin::build_unit(spec);
    const auto ended = std::chrono::steady_clock::now();
    asking.join();
    if (result.ok()) break;  // a fast machine
    INFO(result.error);
    CHECK(result.fault == plugin::BuildFault::kInterrupted);
    CHECK(ended - asked < std::chrono::seconds(1));
    CHECK(w.libraries().empty());
    for (const auto& entry : fs::directory_iterator(spec.cache_directory)) CHECK(entry.path().filename().string().compare(0, 6, "build-") != 0);
  }
  stop = false;
  const plugin::BuildResult whole = plugin::build_unit(spec);
  CHECK(whole.error == "");
  CHECK(whole.fault == plugin::BuildFault::kNone);
  CHECK(w.libraries().size() == 1);
}

TEST_CASE("a program that is ended takes what it started with it") {
  const test::TemporaryFolder folder;
  const std::string mark = (folder.path() / "late").string();
  const auto begin = std::chrono::steady_clock::now();
  const plugin::ProcessResult result = plugin::run_process({"sh", "-c", "(sleep 6; echo late > '" + mark + "') & sleep 60"}, "", [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(300);
  });
  CHECK(result.interrupted);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(4300));
  std::this_thread::sleep_for(std::chrono::milliseconds(6500));
  CHECK_FALSE(fs::exists(mark));
  const plugin::ProcessResult whole = plugin::run_process({"sh", "-c", "echo out; echo err >&2; exit 3"}, "", [] { return false; });
  CHECK(whole.exit_code == 3);
  CHECK(whole.output == "out\nerr\n");
}

TEST_CASE("what a program says does not depend on the user's locale") {
  const char* const names[] = {"LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"};
  for (const char* name : names) setenv(name, "xx_XX.UTF-8", 1);  // none that is installed: perl complains, in front of what Verilator says
  const plugin::ProcessResult result = plugin::run_process({"sh", "-c", "echo $LC_ALL $LC_MESSAGES $LANG $LANGUAGE; perl -e 1"}, "");
  for (const char* name : names) unsetenv(name);
  CHECK(result.output == "C\n");
}

TEST_CASE("the cache has a limit: what was used longest ago goes first, what was used lately never") {
  Workspace w;
  const plugin::UnitSpec spec = w.spec("9");
  const fs::path cache = spec.cache_directory;
  const auto keep = [&](const std::string& name, std::size_t bytes, std::chrono::minutes age) {
    std::ofstream(cache / name) << std::string(bytes, ' ');
    fs::last_write_time(cache / name, fs::file_time_type::clock::now() - age);
  };
  using std::chrono::minutes;
  keep("old-1.so", 1000, minutes(300));
  keep("older-2.so", 1000, minutes(400));
  keep("new-3.so", 1000, minutes(10));
  keep("older.txt", 5000, minutes(500));
  CHECK(plugin::prune_cache(cache.string(), 3000) == 0);
  CHECK(plugin::prune_cache(cache.string(), 2999) == 1);
  CHECK(w.libraries() == std::set<std::string>{"old-1.so", "new-3.so"});
  plugin::mark_used((cache / "old-1.so").string());
  CHECK(plugin::prune_cache(cache.string(), 0) == 0);
  CHECK(plugin::prune_cache(cache.string(), 1500, std::chrono::seconds(300)) == 1);
  CHECK(w.libraries() == std::set<std::string>{"old-1.so"});
  CHECK(fs::exists(cache / "older.txt"));
  // Scratch folders of builds that are no more, by their number or without one; not that of a process that lives.
  for (const std::string& name : {std::string("build-x7"), std::string("build-999999999-x"), "build-" + std::to_string(getpid()) + "-x"}) {
    fs::create_directory(cache / name);
    fs::last_write_time(cache / name, fs::file_time_type::clock::now() - minutes(90));
  }
  plugin::prune_cache(cache.string(), 1 << 20);
  CHECK_FALSE(fs::exists(cache / "build-x7"));
  CHECK_FALSE(fs::exists(cache / "build-999999999-x"));
  CHECK(fs::remove(cache / ("build-" + std::to_string(getpid()) + "-x")));
  // A build keeps to it, and using a unit counts.
  keep("large-4.so", 3 << 20, minutes(90));
  setenv("WAFERLOOM_CACHE_MIB", "x", 1);
  CHECK(plugin::build_unit(spec).error == "WAFERLOOM_CACHE_MIB is 'x', not a whole number of MiB from 1 on");
  CHECK(fs::exists(cache / "large-4.so"));
  setenv("WAFERLOOM_CACHE_MIB", "1", 1);
  const plugin::BuildResult built = plugin::build_unit(spec);
  unsetenv("WAFERLOOM_CACHE_MIB");
  CHECK(built.error == "");
  CHECK_FALSE(fs::exists(cache / "large-4.so"));
  fs::last_write_time(built.library_path, fs::file_time_type::clock::now() - minutes(90));
  CHECK(plugin::build_unit(spec).from_cache);
  CHECK(fs::file_time_type::clock::now() - fs::last_write_time(built.library_path) < minutes(1));
}

TEST_CASE("a cache that cannot be written is told apart from sources that do not compile") {
  Workspace w;
  plugin::UnitSpec spec = w.spec("8");
  const plugin::BuildResult none = [&] {
    plugin::UnitSpec nowhere = spec;
    nowhere.cache_directory = "/proc/nowhere";
    return plugin::build_unit(nowhere);
  }();
  CHECK(none.fault == plugin::BuildFault::kInputOutput);
  CHECK(none.error.find("/proc/nowhere") != std::string::npos);
  // A child whose files may not grow beyond a few kilobytes: as a full disk, wherever it strikes.
  for (const rlim_t most : {rlim_t{16}, rlim_t{3000}, rlim_t{40000}}) {
    CHECK(test::holds_with_files_of(most, [&] { return plugin::build_unit(spec).fault == plugin::BuildFault::kInputOutput; }));
    CHECK(w.libraries().empty());
  }
  CHECK(plugin::build_unit(spec).error == "");
}

TEST_CASE("two variants of one module live in one process") {
  Workspace w;
  plugin::Unit one, five;
  REQUIRE(one.open(w.spec("1")) == "");
  REQUIRE(five.open(w.spec("5")) == "");
  CHECK(std::string(one.api().build_hash) != five.api().build_hash);
  Driver a(one), b(five);
  for (int i = 1; i <= 100; ++i) {
    a.set("a_i", 2);
    b.set("a_i", 2);
    a.tick();
    b.tick();
    REQUIRE(a.get("y_o") == 2u * i);
    REQUIRE(b.get("y_o") == 10u * i);
  }
}

TEST_CASE("concurrent builds of one unit give one sound library") {
  Workspace w;
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      plugin::Unit unit;
      const bool good = unit.open(w.spec("9")).empty();
      _exit(good && std::string(unit.api().top) == "wl_probe" ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(w.libraries().size() == 1);
}

TEST_CASE("the traced twin writes waves and says when it cannot") {
  Workspace w;
  plugin::UnitSpec spec = w.spec();
  spec.trace = true;
  plugin::Unit unit;
  REQUIRE(unit.open(spec) == "");
  Driver d(unit);
  CHECK(unit.api().open_trace(d.arena, 1, "/nowhere/x.fst") != 0);
  CHECK(std::string(unit.api().last_error()).find("/nowhere/x.fst") != std::string::npos);
  const std::string path = (w.root / "wave.fst").string();
  REQUIRE(unit.api().open_trace(d.arena, 1, path.c_str()) == 0);
  for (int i = 0; i < 50; ++i) {
    d.set("a_i", 3);
    d.tick();
    CHECK(d.get("y_o") == 3u * (i + 1));
  }
  unit.api().close_trace(d.arena);
  CHECK(fs::file_size(path) > 200);
}
