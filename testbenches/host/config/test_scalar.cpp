// Numbers as configurations read them, at the edges of their ranges, and the guesses behind unit hints.
#include <cmath>
#include <random>

#include "host/config/scalar.h"
#include "testbenches/lib/catch.h"

using namespace waferloom::config;

TEST_CASE("integers") {
  CHECK(parse_integer("0").value == 0);
  CHECK(parse_integer("-0").value == 0);
  CHECK(parse_integer("+17").value == 17);
  CHECK(parse_integer("9223372036854775807").value == INT64_MAX);
  CHECK(parse_integer("-9223372036854775808").value == INT64_MIN);
  CHECK(parse_integer("9223372036854775808").fault == NumberFault::kTooLarge);
  CHECK(parse_integer("-9223372036854775809").fault == NumberFault::kTooLarge);
  CHECK(parse_integer("010").fault == NumberFault::kLeadingZero);
  CHECK(parse_integer("-08").fault == NumberFault::kLeadingZero);
  CHECK(parse_integer("4.9").fault == NumberFault::kNotWhole);
  CHECK(parse_integer("1e3").fault == NumberFault::kNotWhole);
  for (const char* text : {"", "-", "+", "0x10", "1_000", "1,000", " 1", "1 ", "one", "--1", "+-1"}) {
    INFO(text);
    CHECK(parse_integer(text).fault == NumberFault::kNotANumber);
  }
}

TEST_CASE("reals") {
  CHECK(parse_real("1.1e9").value == 1.1e9);
  CHECK(parse_real("-.5").value == -0.5);
  CHECK(parse_real("+2.").value == 2.0);
  CHECK(parse_real("0.0625").value == 0.0625);
  CHECK(parse_real("1E+3").value == 1000.0);
  CHECK(parse_real("007").fault == NumberFault::kLeadingZero);
  CHECK(parse_real("1e999").fault == NumberFault::kTooLarge);
  for (const char* text : {"", ".", "-", "e5", "1e", "1e+", ".inf", "inf", "nan", ".nan", "NaN", "0x1p3", "1.2.3",
                           "1d5", "1 e5", "00.5"}) {
    INFO(text);
    CHECK(parse_real(text).fault == NumberFault::kNotANumber);
  }
}

TEST_CASE("printed reals read back as the same number") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::uint64_t bits = random();
    double value = 0;
    static_assert(sizeof bits == sizeof value);
    __builtin_memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const ParsedReal back = parse_real(format_real(value));
    // Subnormal numbers may be reported as out of range by the reader's library; none occurs in a configuration.
    if (std::abs(value) < 1e-300) continue;
    REQUIRE(back.fault == NumberFault::kNone);
    REQUIRE(back.value == value);
  }
  CHECK(format_real(1.1e9) == "1100000000");
  CHECK(format_real(0.1) == "0.1");
  CHECK(format_real(-2.0) == "-2");
}

TEST_CASE("a value with a unit is converted to the key's unit") {
  CHECK(value_with_unit("48 KiB", "sram_bytes") == 49152.0);
  CHECK(value_with_unit("48KiB", "sram_bytes") == 49152.0);
  CHECK(value_with_unit("40 GB", "sram_total_bytes") == 40e9);
  CHECK(value_with_unit("1.1 GHz", "clock_hz") == Approx(1.1e9));
  CHECK(value_with_unit("850MHz", "clock_hz") == Approx(850e6));
  CHECK(value_with_unit("1.2 Tb/s", "io_bits_per_s") == Approx(1.2e12));
  CHECK(value_with_unit("100 Gbps", "io_bits_per_s") == Approx(100e9));
  CHECK(value_with_unit("150 GB/s", "io_bits_per_s") == Approx(1.2e12));
  CHECK(value_with_unit("150 Gbits/s", "io_bits_per_s") == Approx(150e9));
  CHECK(value_with_unit("8 B/s", "io_bits_per_s") == Approx(64.0));
  CHECK(!value_with_unit("40 Gb", "sram_total_bytes").has_value());  // bits or bytes: nobody knows
  CHECK(value_with_unit("40 bytes", "sram_total_bytes") == 40.0);
  CHECK(value_with_unit("23 kW", "system_power_w") == 23000.0);
  CHECK(value_with_unit("23 MW", "system_power_w") == Approx(23e6));
  CHECK(value_with_unit("23 mW", "system_power_w") == Approx(0.023));
  CHECK(value_with_unit("2 us", "swarmx_node_latency_s") == Approx(2e-6));
  CHECK(value_with_unit("2 cycles", "hop_cycles") == 2.0);
  CHECK(!value_with_unit("48 KiB", "clock_hz"));
  CHECK(!value_with_unit("48 bananas", "sram_bytes"));
  CHECK(!value_with_unit("48", "sram_bytes"));
  CHECK(!value_with_unit("many KiB", "sram_bytes"));
  CHECK(!value_with_unit("48 KiB", "lanes"));
}

TEST_CASE("keys that differ by their unit only") {
  CHECK(unit_factor("clock_mhz", "clock_hz") == 1e6);
  CHECK(unit_factor("clock_ghz", "clock_hz") == 1e9);
  CHECK(unit_factor("clock", "clock_hz") == 1.0);
  CHECK(unit_factor("sram_kib", "sram_bytes") == 1024.0);
  CHECK(unit_factor("io_gbits_per_s", "io_bits_per_s") == 1e9);
  CHECK(unit_factor("io_gb_per_s", "io_bits_per_s") == 8e9);
  CHECK(unit_factor("system_power_kw", "system_power_w") == 1e3);
  CHECK(!unit_factor("clock_kib", "clock_hz"));
  CHECK(!unit_factor("watch_mhz", "clock_hz"));
  CHECK(!unit_factor("clock_mhz", "lanes"));
}
