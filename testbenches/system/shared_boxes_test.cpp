// Messages through memory that processes share: all arrive, whole and in order, whatever their size; nobody waits for ever; a sleeper costs no processor.
// State space: processes that all send before they receive, to all others; empty messages to some that are longer than the rings. Left out: a lost process
// (ranks_program_test.py).
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "sim/ranks/shared_boxes.h"
#include "testbenches/lib/catch.h"

using waferloom::ranks::SharedBoxes;
using std::chrono::microseconds;

namespace {

constexpr std::chrono::seconds kSleep(60);

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// The k-th message of a pair.
std::string message_of(unsigned from, unsigned to, unsigned k) {
  const uint64_t draw = mix(from * 0x10001u + to * 0x101u + k + 1);
  const size_t length = k % 7 == 3 ? 0 : k % 11 == 5 ? 700'000 + draw % 300'000 : draw % 3000;
  std::string text(length, 'x');
  for (size_t i = 0; i < length; i += 97) text[i] = static_cast<char>(mix(draw + i));
  return text;
}

template <typename Ready>
void wait(SharedBoxes& boxes, SharedBoxes::Wanted wanted, Ready&& ready) {
  for (bool found = ready(); !found;) {
    const auto look = [&] {
      boxes.drain_all();
      return found = ready();
    };
    boxes.sleep(wanted, kSleep, look);
    if (!found) look();
  }
}

// Exit code of one process: 0 if all came as it was sent.
int trade(const std::string& name, unsigned members, unsigned own, unsigned messages) {
  SharedBoxes boxes;
  if (!boxes.open(name, members, own)) return 2;
  for (unsigned k = 0; k < messages; ++k) {
    for (unsigned to = 0; to < members; ++to) {
      if (to == own) continue;
      const std::string text = message_of(own, to, k);
      std::size_t done = 0;
      wait(boxes, SharedBoxes::Wanted::kRoom, [&] { return boxes.put(to, text, &done); });
    }
    for (unsigned from = 0; from < members; ++from) {
      if (from == own) continue;
      std::string got;
      wait(boxes, SharedBoxes::Wanted::kData, [&] { return boxes.get(from, &got); });
      if (got != message_of(from, own, k)) return 3;
    }
  }
  return 0;
}

std::string own_name(const char* what) { return "/waferloom-test-" + std::string(what) + "-" + std::to_string(::getpid()); }

int code_of(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

double processor_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + 1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

}  // namespace

TEST_CASE("messages of any size arrive whole and in order") {
  for (const unsigned members : {2u, 3u, 5u}) {
    const std::string name = own_name("trade");
    SharedBoxes keeper;
    REQUIRE(keeper.create(name, members, 0));
    std::vector<pid_t> processes;
    for (unsigned own = 0; own < members; ++own) {
      const pid_t process = ::fork();
      REQUIRE(process >= 0);
      if (process == 0) ::_exit(trade(name, members, own, 60));
      processes.push_back(process);
    }
    for (const pid_t process : processes) CHECK(code_of(process) == 0);
    SharedBoxes::forget(name);
  }
}

TEST_CASE("a name is taken once, and gone when it is forgotten") {
  const std::string name = own_name("once");
  SharedBoxes first, second, third;
  REQUIRE(first.create(name, 2, 0));
  CHECK_FALSE(second.create(name, 2, 0));
  CHECK(second.open(name, 2, 1));
  SharedBoxes::forget(name);
  CHECK_FALSE(third.open(name, 2, 1));
  std::size_t done = 0;
  REQUIRE(first.put(1, "still", &done));
  std::string got;
  second.drain(0);
  REQUIRE(second.get(0, &got));
  CHECK(got == "still");
}

TEST_CASE("a sleeper costs no processor and wakes when a message comes") {
  const std::string name = own_name("sleep");
  SharedBoxes boxes;
  REQUIRE(boxes.create(name, 2, 0));
  const pid_t process = ::fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    SharedBoxes other;
    if (!other.open(name, 2, 1)) ::_exit(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::size_t done = 0;
    ::_exit(other.put(0, "wake", &done) ? 0 : 3);
  }
  const double before = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  std::string got;
  wait(boxes, SharedBoxes::Wanted::kData, [&] { return boxes.get(1, &got); });
  CHECK(std::chrono::steady_clock::now() - start < kSleep);  // the bell woke it
  CHECK(got == "wake");
  CHECK(processor_seconds() - before < 0.1);
  CHECK(code_of(process) == 0);
  SharedBoxes::forget(name);
}
