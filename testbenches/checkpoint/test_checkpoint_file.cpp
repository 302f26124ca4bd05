// The file of a checkpoint and the bytes in it: what is written is read, and nothing that was damaged is.
// State space: types of the archive, sections of every kind of size, a bit flipped at every position, a cut at every byte, files put together wrongly with
// right checksums, folders with no, one and several files. Left out: fabrics (fabric_state_test), whole runs (resume_program_test).
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "sim/checkpoint/archive.h"
#include "sim/checkpoint/checkpoint_file.h"
#include "sim/checkpoint/folder.h"
#include "sim/fabric/ports.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/child.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::checkpoint;
using waferloom::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

struct Inner {
  int a = 0;
  std::string name;
  void transfer(Archive& archive) { archive(a, name); }
  bool operator==(const Inner& o) const { return a == o.a && name == o.name; }
};

struct Everything {
  bool flag = false;
  double number = 0;
  float nan = 0;
  std::int64_t wide = 0;
  std::vector<std::uint16_t> words;
  std::vector<Inner> inners;
  std::deque<std::uint64_t> queue;
  std::optional<Inner> some, none;
  std::map<int, Inner> table;
  std::uint32_t fixed[3] = {0, 0, 0};
  std::pair<std::uint8_t, std::string> two;
  void transfer(Archive& archive) { archive(flag, number, nan, wide, words, inners, queue, some, none, table, fixed, two); }
};

Everything sample() {
  Everything e;
  e.flag = true;
  e.number = -0.0;
  const std::uint32_t bits = 0x7fc01234;  // a NaN keeps its bits
  std::memcpy(&e.nan, &bits, sizeof bits);
  e.wide = std::numeric_limits<std::int64_t>::min();
  e.words = {1, 2, 65535};
  e.inners = {{1, "one"}, {2, std::string("t\0wo", 4)}};
  e.queue = {7, 8, 9};
  e.some = Inner{5, ""};
  e.none = {};
  e.table = {{-3, {3, "three"}}, {4, {4, "four"}}};
  e.fixed[1] = 11;
  e.two = {200, "x"};
  return e;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

const Identity kIdentity = {{"run", "name: a\nseed: 5\nbatch: 3\n"}, {"RTL of wl_pe", "abc"}};

void write_file(const fs::path& file, const std::string& mark = "first") {
  FileWriter writer(file.string());
  save_identity(kIdentity, writer);
  writer.section("host", mark);
  writer.section("pe", std::string(100000, 'x'));
  writer.section("pe", "");
  writer.section("pe", "third block");
  REQUIRE(writer.finish() == "");
}

}  // namespace

TEST_CASE("an archive gives back what it was given, bit by bit") {
  Everything from = sample();
  Archive saved;
  saved(from);
  Everything to;
  to.words = {9, 9, 9, 9, 9};  // loading replaces
  to.none = Inner{1, "gone"};
  to.table[77] = {};
  Archive loaded(saved.bytes());
  loaded(to);
  CHECK(loaded.complete());
  CHECK(std::memcmp(&from.nan, &to.nan, 4) == 0);
  CHECK((to.flag && std::signbit(to.number) && to.wide == from.wide));
  CHECK((to.words == from.words && to.inners == from.inners && to.queue == from.queue && to.table == from.table && to.two == from.two));
  CHECK((to.some == from.some && !to.none && to.fixed[1] == 11));
  Archive again;
  again(to);
  CHECK(again.bytes() == saved.bytes());
}

TEST_CASE("an archive that is too short or too long says so and never reads beyond its end") {
  Everything from = sample();
  Archive saved;
  saved(from);
  for (std::size_t length = 0; length < saved.bytes().size(); ++length) {
    Archive cut(saved.bytes().substr(0, length));
    Everything to;
    cut(to);
    REQUIRE(!cut.complete());
  }
  Archive longer(saved.bytes() + "x");
  Everything to;
  longer(to);
  CHECK(longer.ok());
  CHECK(!longer.complete());
  // A length that would need all memory there is.
  Archive huge;
  std::uint64_t count = UINT64_MAX / 2;
  huge(count);
  Archive loaded(huge.bytes());
  std::vector<std::uint64_t> list;
  loaded(list);
  CHECK(!loaded.ok());
  CHECK(list.empty());
}

TEST_CASE("a budget of words goes on within its fraction") {
  using waferloom::fabric::Budget;
  const auto taken = [](Budget& budget, std::uint64_t from, std::uint64_t to) {
    std::string text;
    for (std::uint64_t cycle = from; cycle < to; ++cycle) {
      int words = 0;
      while (words < 5 && budget.take(cycle)) ++words;
      text += std::to_string(words);
    }
    return text;
  };
  for (std::uint64_t moment = 1; moment < 12; ++moment) {
    Budget whole({5, 7}), first({5, 7}), second({5, 7});
    const std::string expected = taken(whole, 0, 40);
    const std::string before = taken(first, 0, moment);
    Archive saved;
    saved(first);
    Archive loaded(saved.bytes());
    loaded(second);
    REQUIRE(loaded.complete());
    CHECK(before + taken(second, moment, 40) == expected);
  }
}

TEST_CASE("sections come back by name and block") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "c.wlc";
  write_file(file);
  CHECK(fs::file_size(file) < 2000);  // compressed
  FileReader reader;
  REQUIRE(reader.open(file.string()).ok());
  std::string bytes;
  CHECK(reader.blocks("pe") == 3);
  REQUIRE(reader.read("pe", &bytes, 2).ok());
  CHECK(bytes == "third block");
  REQUIRE(reader.read("pe", &bytes, 0).ok());
  CHECK(bytes == std::string(100000, 'x'));
  REQUIRE(reader.read("pe", &bytes, 1).ok());
  CHECK(bytes.empty());
  CHECK(reader.read("pe", &bytes, 3).kind == Fault::Kind::kUnreadable);
  CHECK(reader.read("router", &bytes).reason.find("section router is missing") != std::string::npos);
}

TEST_CASE("a bit flipped anywhere is found") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "c.wlc";
  write_file(file);
  const std::string good = bytes_of(file);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    put(file, bad);
    FileReader reader;
    const Fault fault = reader.open(file.string());
    INFO("byte " << at << ": " << fault.reason);
    REQUIRE(fault.kind == Fault::Kind::kUnreadable);
    REQUIRE(fault.reason.find("damaged") != std::string::npos);
  }
}

TEST_CASE("a file cut at any byte, or with bytes too many, is found") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "c.wlc";
  write_file(file);
  const std::string good = bytes_of(file);
  for (std::size_t length = 0; length < good.size(); ++length) {
    put(file, good.substr(0, length));
    FileReader reader;
    REQUIRE(reader.open(file.string()).kind == Fault::Kind::kUnreadable);
  }
  put(file, good + '\0');
  FileReader reader;
  CHECK(reader.open(file.string()).reason.find("bytes of") != std::string::npos);
}

TEST_CASE("another version is not damage") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "c.wlc";
  write_file(file);
  std::string bytes = bytes_of(file);
  bytes[8] = static_cast<char>(kFormatVersion + 1);
  const std::uint32_t check = static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const unsigned char*>(bytes.data()), 60));
  std::memcpy(&bytes[60], &check, 4);
  put(file, bytes);
  FileReader reader;
  const Fault fault = reader.open(file.string());
  CHECK(fault.kind == Fault::Kind::kForeign);
  CHECK(fault.reason == "has format " + std::to_string(kFormatVersion + 1) + "; this program reads format " + std::to_string(kFormatVersion));
}

TEST_CASE("what is of something else is told with the first difference") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "c.wlc";
  write_file(file);
  FileReader reader;
  REQUIRE(reader.open(file.string()).ok());
  CHECK(compare_identity(kIdentity, reader).ok());
  const auto reason = [&](const std::string& run, const std::string& rtl) {
    const Fault fault = compare_identity({{"run", run}, {"RTL of wl_pe", rtl}}, reader);
    CHECK(fault.kind == Fault::Kind::kForeign);
    return fault.reason;
  };
  CHECK(reason("name: a\nseed: 6\nbatch: 3\n", "abc") == "is of another run: 'seed: 5' there, 'seed: 6' here");
  CHECK(reason("name: a\nseed: 5\n", "abc") == "is of another run: 'batch: 3' there, '(nothing)' here");
  CHECK(reason(kIdentity[0].second, "abd") == "is of another RTL of wl_pe: 'abc' there, 'abd' here");
  CHECK(compare_identity({{"kernel", "x"}}, reader).reason == "does not say its kernel");
}

TEST_CASE("nothing half-written has a final name") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "c.wlc";
  {
    FileWriter writer(file.string());
    writer.section("a", "b");
  }  // not finished
  CHECK(fs::is_empty(folder.path()));
  FileWriter nowhere((folder.path() / "none" / "c.wlc").string());
  nowhere.section("a", "b");
  CHECK(nowhere.finish() == "No such file or directory");
  // A disk that is full after any number of bytes: the file before stays.
  write_file(file, "before");
  const std::string before = bytes_of(file);
  for (const rlim_t most : {rlim_t{0}, rlim_t{64}, rlim_t{100}, rlim_t{200}}) {
    CHECK(waferloom::test::holds_with_files_of(most, [&] {
      FileWriter writer(file.string());
      writer.section("host", std::string(5000, 'y') + "z");
      writer.section("pe", std::string(100, 'q') + std::to_string(getpid()) + "some more that does not shrink: 0123456789abcdefghijklmnopqrstuvwxyz");
      return writer.finish() == "File too large";
    }));
    CHECK(bytes_of(file) == before);
  }
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("the newest whole checkpoint is taken, the last few are kept") {
  const TemporaryFolder folder;
  const std::string place = (folder.path() / "result" / "checkpoints").string();
  Keeper keeper(place, 2);
  CHECK(!fs::exists(place));
  std::string error;
  for (int i = 1; i <= 4; ++i) {
    const std::string path = keeper.next(&error);
    REQUIRE(error.empty());
    CHECK(fs::path(path).filename() == "checkpoint-00000" + std::to_string(i) + ".wlc");
    write_file(path, "number " + std::to_string(i));
    put(fs::path(place) / ".checkpoint-000009.wlc.partial-1", "cut off");
    keeper.prune();
  }
  CHECK(checkpoints_in(place).size() == 2);
  CHECK(std::distance(fs::directory_iterator(place), fs::directory_iterator()) == 2);
  const auto mark = [&](const std::string& from) {
    const Opened opened = open_newest(from, kIdentity);
    std::string bytes;
    return opened.reader && opened.reader->read("host", &bytes).ok() ? bytes : opened.fault.reason;
  };
  CHECK(mark(place) == "number 4");
  CHECK(mark((folder.path() / "result").string()) == "number 4");
  CHECK(mark(place + "/checkpoint-000003.wlc") == "number 3");
  // The newest is damaged: the one before it is taken, and that is said.
  const std::string newest = place + "/checkpoint-000004.wlc";
  put(newest, bytes_of(newest).substr(0, 300));
  const Opened older = open_newest(place, kIdentity);
  CHECK(older.where == place + "/checkpoint-000003.wlc");
  REQUIRE(older.passed_over.size() == 1);
  CHECK(older.passed_over[0].find("checkpoint-000004.wlc is damaged: it has 300 bytes of") != std::string::npos);
  // All are damaged; none is there; something else is there.
  put(place + "/checkpoint-000003.wlc", "short");
  CHECK(open_newest(place, kIdentity).fault.kind == Fault::Kind::kUnreadable);
  fs::create_directory(folder.path() / "empty");
  const Opened empty = open_newest((folder.path() / "empty").string(), kIdentity);
  CHECK(empty.fault.kind == Fault::Kind::kForeign);
  CHECK(empty.fault.reason.find("holds no checkpoint") == 0);
  put(folder.path() / "empty" / "checkpoint-x.wlc", "not ours");
  CHECK(open_newest((folder.path() / "empty").string(), kIdentity).fault.reason.find("holds no checkpoint") == 0);
  CHECK(open_newest((folder.path() / "absent").string(), kIdentity).fault.kind == Fault::Kind::kUnreadable);
  write_file(place + "/checkpoint-000005.wlc");
  CHECK(open_newest(place, {{"run", "name: b\n"}}).fault.reason == "is of another run: 'name: a' there, 'name: b' here");
  // A folder that cannot be made.
  Keeper blocked((folder.path() / "empty" / "checkpoint-x.wlc" / "deeper").string(), 1);
  CHECK(blocked.next(&error).empty());
  CHECK(error.find("cannot be made") != std::string::npos);
}
