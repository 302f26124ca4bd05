// Host pages of the fast SRAM: what is shared, what becomes private and when, what comes back.
//
// State space: zero, image and private pages; loads that cover whole pages, parts and nothing; several instances; threads that write at
// once. Left out: the ports (state_views_test).
#include <memory>
#include <thread>
#include <vector>

#include "sim/macros/sram_pages.h"
#include "testbenches/lib/catch.h"

using waferloom::macros::kPageWords;
using waferloom::macros::SramPages;

namespace {

struct Destroy {
  void operator()(SramPages* p) const { p->destroy(); }
};
using Memory = std::unique_ptr<SramPages, Destroy>;
Memory make(uint32_t words) { return Memory(SramPages::create(words)); }

constexpr uint32_t kAll = 0xffffffffu;

}  // namespace

TEST_CASE("an untouched memory reads zero and owns nothing") {
  const Memory m = make(12288);
  CHECK(m->words() == 12288);
  CHECK(m->read(0) == 0);
  CHECK(m->read(12287) == 0);
  CHECK(m->read(12288) == 0);
  m->write(12288, 1, kAll);
  m->write(17, 0, kAll);           // writing what is there changes nothing
  m->write(17, 0x12340000, 0xffff);
  CHECK(m->changes() == 0);
  CHECK(m->private_bytes() == 0);
}

TEST_CASE("the first change makes one page private") {
  const Memory m = make(12288);
  m->write(300, 0xaabbccdd, 0xffff0000u);
  CHECK(m->read(300) == 0xaabb0000u);
  CHECK(m->changes() == 1);
  CHECK(m->private_bytes() == 1024);
  m->write(301, 5, kAll);
  CHECK(m->private_bytes() == 1024);
  m->write(1023, 5, kAll);
  CHECK(m->private_bytes() == 2048);
  m->write(300, 0, kAll);  // all zero again, and still its own
  CHECK(m->read(300) == 0);
  CHECK(m->private_bytes() == 2048);
  CHECK(m->changes() == 4);
}

TEST_CASE("images are shared until written") {
  std::vector<uint64_t> image(1000);
  for (size_t i = 0; i < image.size(); ++i) image[i] = 0x100000001ull * (i + 1);  // only the low half counts
  const Memory a = make(4096);
  const Memory b = make(4096);
  a->load(100, image.data(), static_cast<uint32_t>(image.size()));
  b->load(100, image.data(), static_cast<uint32_t>(image.size()));
  CHECK(a->private_bytes() == 0);
  CHECK(a->changes() == 0);
  for (uint32_t w : {99u, 100u, 255u, 256u, 511u, 1099u, 1100u}) {
    const uint32_t expected = w >= 100 && w < 1100 ? w - 99 : 0;
    CHECK(a->read(w) == expected);
    CHECK(b->read(w) == expected);
  }
  a->write(256, 77, kAll);
  CHECK(a->read(256) == 77);
  CHECK(a->read(257) == 158);
  CHECK(b->read(256) == 157);
  CHECK(a->private_bytes() == 1024);
  // A later image replaces private pages and keeps what lies around it.
  b->write(3, 9, kAll);
  b->load(0, image.data(), 2);
  CHECK(b->read(0) == 1);
  CHECK(b->read(3) == 9);
  CHECK(b->private_bytes() == 0);
  // Beyond the end, and nothing at all.
  b->load(4095, image.data(), 10);
  CHECK(b->read(4095) == 1);
  b->load(5000, image.data(), 10);
  b->load(0, image.data(), 0);
  CHECK(b->read(0) == 1);
}

TEST_CASE("memories that differ in every way live side by side") {
  // Against plain arrays; instances die in between, so pages are used again.
  std::vector<std::vector<uint32_t>> plain;
  std::vector<Memory> memories;
  uint64_t state = 1;
  const auto next = [&state] { return state = state * 6364136223846793005ull + 1442695040888963407ull; };
  for (int step = 0; step < 20000; ++step) {
    if (memories.size() < 8 && next() >> 60 == 0) {
      memories.push_back(make(2048));
      plain.emplace_back(2048, 0);
    }
    if (memories.empty()) continue;
    const size_t k = (next() >> 33) % memories.size();
    const uint64_t r = next() >> 20;
    const auto word = static_cast<uint32_t>((r >> 8) % 2048);
    if (r % 997 == 0) {
      memories.erase(memories.begin() + static_cast<long>(k));
      plain.erase(plain.begin() + static_cast<long>(k));
    } else if (r % 61 == 0) {
      std::vector<uint64_t> image((r >> 30) % 600);
      for (size_t i = 0; i < image.size(); ++i) image[i] = r % 122 == 0 ? 0 : i * 3;
      memories[k]->load(word, image.data(), static_cast<uint32_t>(image.size()));
      for (size_t i = 0; i < image.size() && word + i < 2048; ++i) plain[k][word + i] = static_cast<uint32_t>(image[i]);
    } else {
      memories[k]->write(word, static_cast<uint32_t>(r), kAll);
      plain[k][word] = static_cast<uint32_t>(r);
    }
  }
  REQUIRE(!memories.empty());
  uint32_t wrong = 0;
  for (size_t k = 0; k < memories.size(); ++k) {
    for (uint32_t w = 0; w < 2048; ++w) wrong += memories[k]->read(w) != plain[k][w] ? 1u : 0u;
  }
  CHECK(wrong == 0);
}

TEST_CASE("instances may be written by different threads") {
  std::vector<Memory> memories;
  std::vector<uint64_t> image(4096, 5);
  for (int i = 0; i < 64; ++i) {
    memories.push_back(make(4096));
    memories.back()->load(0, image.data(), 4096);
  }
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&memories, t] {
      for (uint32_t w = 0; w < 4096; w += 64) {
        for (uint32_t i = t; i < memories.size(); i += 4) memories[i]->write(w, i, kAll);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < memories.size(); ++i) {
    for (uint32_t w = 0; w < 4096; ++w) wrong += memories[i]->read(w) != (w % 64 == 0 ? i : 5) ? 1u : 0u;
    wrong += memories[i]->private_bytes() != 16 * 1024 && i != 5 ? 1u : 0u;  // instance 5 writes the fives that are there
  }
  CHECK(wrong == 0);
  CHECK(memories[5]->private_bytes() == 0);
  static_assert(kPageWords * 4 == 1024, "a page is 1 KiB");
}

TEST_CASE("a clone has the same words and its own future; a load like another's shares its pages") {
  std::vector<uint64_t> image(600);
  for (size_t i = 0; i < image.size(); ++i) image[i] = 7 * i + 1;
  const Memory first = make(4096);
  first->write(2000, 9, kAll);
  const Memory before(first->clone());
  CHECK(before->read(2000) == 9);
  CHECK(before->private_bytes() == 1024);
  first->write(2000, 10, kAll);
  CHECK(before->read(2000) == 9);

  const Memory alike = make(4096), other = make(4096);
  other->write(520, 77, kAll);  // in the image's last page, behind it: must stay
  other->write(100, 78, kAll);
  const Memory plain = make(4096);
  const Memory empty(plain->clone());
  plain->load(10, image.data(), 580);
  for (const Memory* m : {&alike, &other}) (*m)->load_like(*empty, *plain, 10, image.data(), 580);
  for (uint32_t w = 0; w < 700; ++w) {
    const uint32_t expected = w >= 10 && w < 590 ? static_cast<uint32_t>(image[w - 10]) : 0;
    REQUIRE(plain->read(w) == expected);
    REQUIRE(alike->read(w) == expected);
    REQUIRE(other->read(w) == expected);
  }
  other->write(595, 1, kAll);
  CHECK(other->read(595) == 1);
  CHECK(alike->read(595) == 0);
  const Memory rest = make(4096);
  rest->write(595, 77, kAll);
  rest->load_like(*empty, *plain, 10, image.data(), 580);
  CHECK(rest->read(595) == 77);
  CHECK(rest->read(589) == image[579]);

  std::vector<uint64_t> a(kPageWords, 5), b(kPageWords, 5);
  CHECK(plain->block(1024, kPageWords, a.data()) == 0);
  CHECK(a[0] == 5);
  const uint64_t shared = plain->block(256, kPageWords, a.data());
  CHECK(shared > 1);
  CHECK(shared % 2 == 0);
  CHECK(alike->block(256, kPageWords, b.data()) == shared);
  CHECK(a == b);
  CHECK(a[0] == image[246]);
  alike->write(256, 3, kAll);
  CHECK(alike->block(256, kPageWords, b.data()) == 1);
  CHECK(b[0] == 3);
}
