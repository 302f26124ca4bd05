// A trace beside a running fabric: it changes nothing, its files agree with the run and with each other, it stops at its limit, and it refuses what lies
// outside. Waves are read back with fst2vcd where GTKWave is installed.
#include <sys/stat.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "firmware/assembler/disassembler.h"
#include "sim/trace/pe_trace.h"
#include "sim/trace/session.h"
#include "testbenches/lib/temporary_folder.h"
#include "testbenches/system/echo.h"

using namespace waferloom;
using namespace waferloom::test;
using fabric::Stop;
using fabric::UnitKind;
using trace::TraceFault;
using trace::TraceOptions;
using trace::TraceResult;

namespace {

const plugin::Unit& twin_pe() {
  static const plugin::Unit unit = [] {
    plugin::UnitSpec spec = trace::traced(small_pe_spec(), WL_SOURCE_DIR);
    spec.trace = true;
    plugin::Unit made;
    REQUIRE(made.open(spec) == "");
    return made;
  }();
  return unit;
}

struct Run {
  uint64_t digest = 0;
  std::vector<Received> received;
  TraceResult trace;
  uint64_t stores = 0;                  // wavelets that PE (2,1) has sent
  std::map<uint64_t, uint64_t> ramp;    // what router (2,1) shows on its ramp, by cycle
};

// 4x3 echoes for `cycles`, with a trace if options are given.
Run run(uint64_t cycles, const TraceOptions* options) {
  fabric::FabricOptions o;
  o.width = 4;
  o.height = 3;
  o.router = open_router();
  o.pe = open_small_pe();
  const std::unique_ptr<Fabric> f = make_fabric(o);
  EchoTraffic echo(f.get(), "session");
  Run out;
  std::unique_ptr<trace::TraceSession> session;
  if (options) {
    session = std::make_unique<trace::TraceSession>(*options, open_router(1, 0, true), twin_pe(), [](uint32_t, uint32_t, unsigned task) { return task == 30 ? "vectors" : ""; },
                                                    [](uint32_t word) { return assembler::disassemble(word); });
    out.trace = session->start(f.get());
    if (out.trace.fault != TraceFault::kNone) return out;
  }
  for (uint64_t c = 0; c < cycles; ++c) {
    echo.drive(c % 600 < 400);
    out.ramp[f->cycle()] = f->link(2, 1, Direction::kRamp);
    REQUIRE(f->step() == Stop::kCycle);
  }
  if (session) out.trace = session->finish();
  out.digest = f->digest();
  out.received = echo.received;
  return out;
}

TraceOptions options_for(const std::filesystem::path& folder) {
  TraceOptions options;
  options.region = {1, 1, 2, 1};
  options.first_cycle = 250;
  options.last_cycle = 749;
  options.folder = (folder / "trace").string();
  return options;
}

bool exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

}  // namespace

TEST_CASE("trace: it changes no bit of the run, and its files agree with it") {
  TemporaryFolder folder;
  const TraceOptions options = options_for(folder.path());
  const Run plain = run(1000, nullptr);
  const Run traced = run(1000, &options);
  INFO(traced.trace.message);
  REQUIRE(traced.trace.fault == TraceFault::kNone);
  CHECK(traced.digest == plain.digest);
  CHECK(traced.received == plain.received);
  CHECK(traced.trace.note.empty());
  CHECK(traced.trace.first_cycle == 250);
  CHECK(traced.trace.end_cycle == 750);
  for (const char* name : {"waves.fst", "timeline.json", "counters.csv", "utilisation.svg", "stalls.svg", "link-load.svg", "trace.json", "instructions/tile_1_1.txt", "instructions/tile_2_1.txt"}) {
    INFO(name);
    CHECK(exists(options.folder + "/" + name));
  }
  CHECK(!exists(options.folder + ".partial-trace"));

  SECTION("the timeline is in order, and its slices nest") {
    const nlohmann::json timeline = nlohmann::json::parse(read_file(options.folder + "/timeline.json"));
    uint64_t last = 0;
    std::map<std::pair<int, int>, std::string> open;
    size_t slices = 0, vectors = 0;
    for (const auto& event : timeline.at("traceEvents")) {
      const std::string ph = event.at("ph");
      if (ph == "M") continue;
      const uint64_t ts = event.at("ts");
      CHECK(ts >= last);
      CHECK(ts >= 250);
      CHECK(ts <= 750);
      last = ts;
      std::string& slice = open[{event.at("pid"), event.at("tid")}];
      if (ph == "B") {
        CHECK(slice.empty());
        slice = event.at("name");
        if (slice == "task 30 vectors") ++vectors;
        ++slices;
      } else {
        REQUIRE(ph == "E");
        CHECK(!slice.empty());
        slice.clear();
      }
    }
    for (const auto& [track, slice] : open) CHECK(slice.empty());
    CHECK(slices > 50);
    CHECK(vectors > 0);
  }

  SECTION("the instructions are those of the program") {
    std::istringstream lines(read_file(options.folder + "/instructions/tile_2_1.txt"));
    size_t scalar = 0, groups = 0, starts = 0;
    uint64_t last = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line[0] == '#') continue;
      const uint64_t cycle = std::stoull(line);
      CHECK(cycle > (last == 0 ? 249 : last));
      CHECK(cycle < 750);
      last = cycle;
      if (line.find(" main ") != std::string::npos) ++scalar;
      if (line.find(" : group of ") != std::string::npos) ++groups;
      if (line.find("task 0 starts") != std::string::npos) ++starts;
    }
    CHECK(scalar > 30);
    CHECK(groups > 10);
    CHECK(starts > 3);
    CHECK(read_file(options.folder + "/instructions/tile_2_1.txt").find("lw r4, ") != std::string::npos);
  }

  SECTION("the waves show what the routers showed, cycle by cycle") {
    if (std::system("command -v fst2vcd >/dev/null 2>&1") != 0) {
      WARN("fst2vcd is not installed: apt-get install gtkwave");
      return;
    }
    const std::string vcd = (folder.path() / "waves.vcd").string();
    REQUIRE(std::system(("fst2vcd -f '" + options.folder + "/waves.fst' -o '" + vcd + "' >/dev/null 2>&1").c_str()) == 0);
    std::istringstream lines(read_file(vcd));
    std::string scope, code;
    bool in_tile = false;
    std::map<uint64_t, uint64_t> seen;
    uint64_t time = 0;
    std::vector<std::string> scopes;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string first;
      words >> first;
      if (first == "$scope") {
        std::string kind, name;
        words >> kind >> name;
        scopes.push_back(name);
      } else if (first == "$upscope") {
        scopes.pop_back();
      } else if (first == "$var") {
        std::string kind, width, id, name;
        words >> kind >> width >> id >> name;
        in_tile = scopes.size() == 2 && scopes[0] == "tile_2_1" && scopes[1] == "router";
        if (in_tile && name == "ramp_o") code = id;
      } else if (first[0] == '#') {
        time = std::stoull(first.substr(1));
      } else if (first[0] == 'b' && !code.empty()) {
        std::string id;
        words >> id;
        if (id == code) seen[time] = std::stoull(first.substr(1), nullptr, 2);
      }
    }
    REQUIRE(!code.empty());
    REQUIRE(seen.count(250) == 1);
    uint64_t value = 0, compared = 0;
    for (uint64_t cycle = 250; cycle < 750; ++cycle) {
      if (seen.count(cycle)) value = seen[cycle];
      CHECK(value == plain.ramp.at(cycle));
      compared += value != 0;
    }
    CHECK(compared > 10);
  }
}

TEST_CASE("trace: it stops before its limit, stays whole, and says so") {
  TemporaryFolder folder;
  TraceOptions options = options_for(folder.path());
  options.first_cycle = 0;
  options.last_cycle = UINT64_MAX;
  options.limit_bytes = 200000;
  options.kinds = trace::kInstructions | trace::kTimeline;
  const Run traced = run(6000, &options);
  INFO(traced.trace.message);
  REQUIRE(traced.trace.fault == TraceFault::kNone);
  CHECK(traced.trace.note.find("limit of 200000 bytes") != std::string::npos);
  CHECK(traced.trace.end_cycle < 6000);
  CHECK(traced.trace.bytes < 300000);  // looked at every 256 cycles
  CHECK(nlohmann::json::parse(read_file(options.folder + "/timeline.json")).at("traceEvents").size() > 100);
  CHECK(nlohmann::json::parse(read_file(options.folder + "/trace.json")).at("stopped_early") == traced.trace.note);
}

TEST_CASE("trace: what lies outside is refused, and nothing is written or replaced") {
  TemporaryFolder folder;
  folder.write("trace/old.txt", "old");
  TraceOptions options = options_for(folder.path());
  options.region = {3, 1, 2, 1};
  CHECK(run(10, &options).trace.fault == TraceFault::kInput);
  options = options_for(folder.path());
  options.first_cycle = 5000;
  options.last_cycle = 6000;
  const Run late = run(300, &options);
  CHECK(late.trace.fault == TraceFault::kInput);
  CHECK(late.trace.message == "the run ended in cycle 300, before the first traced cycle 5000");
  CHECK(read_file(folder.path() / "trace" / "old.txt") == "old");
  CHECK(!exists(options.folder + ".partial-trace"));

  options = options_for(folder.path());
  options.folder = (folder.path() / "trace" / "old.txt" / "below").string();
  CHECK(run(10, &options).trace.fault == TraceFault::kOutput);
}
