"""Coefficients of the special function unit: one quadratic per segment of 1/128, from exact decimal arithmetic. Written to
rtl/generated/wl_sfu_rom.sv and sim/generated/sfu_table.h.

A row holds c0, c1, c2 in units of 2**-32. For the position u = dx / 2**20 in its segment the unit computes
    y = c0 + (((c1 + ((c2 * dx) >> 20)) * dx) >> 20)        (arithmetic shifts)
The polynomial interpolates the function at the three Chebyshev nodes of the segment, so its error is near the smallest
possible: max|f'''| / 192 * 2**-21.
"""
from decimal import Decimal, ROUND_HALF_EVEN, getcontext

getcontext().prec = 60
SEGMENT = Decimal(1) / 128
LN2 = Decimal(2).ln()
NODES = [Decimal("0.5") - Decimal(3).sqrt() / 4, Decimal("0.5"), Decimal("0.5") + Decimal(3).sqrt() / 4]


def exp2(x):
    return (x * LN2).exp()


def log2_slope(t):
    """log2(1 + t) / t"""
    return (1 + t).ln() / LN2 / t


# name, function, start of the range, width of a segment, number of segments. The rows follow each other in the ROM.
SECTIONS = [
    ("exp2", exp2, Decimal(0), SEGMENT, 128),
    ("log2", log2_slope, Decimal("-0.25"), SEGMENT, 128),  # the last quarter, above 0.5, is never read
    ("rcp", lambda m: 1 / m, Decimal(1), SEGMENT, 128),
    ("rsqrt_even", lambda m: 1 / m.sqrt(), Decimal(1), SEGMENT, 128),
    ("rsqrt_odd", lambda m: 1 / m.sqrt(), Decimal(2), 2 * SEGMENT, 128),
]


def quantise(value):
    return int((value * 2**32).to_integral_value(rounding=ROUND_HALF_EVEN))


def fit(function, start, width):
    """Quadratic in u = (x - start) / width through the three nodes, Newton's form expanded."""
    u0, u1, u2 = NODES
    f0, f1, f2 = (function(start + width * u) for u in NODES)
    d01 = (f1 - f0) / (u1 - u0)
    d12 = (f2 - f1) / (u2 - u1)
    d012 = (d12 - d01) / (u2 - u0)
    c2 = d012
    c1 = d01 - d012 * (u0 + u1)
    c0 = f0 - d01 * u0 + d012 * u0 * u1
    return quantise(c0), quantise(c1), quantise(c2)


def rows():
    out = []
    for _, function, start, width, count in SECTIONS:
        for k in range(count):
            out.append(fit(function, start + width * k, width))
    # 2**0 exactly, so that every whole power of two is (the fit is off by 4 units there).
    out[0] = (2**32, out[0][1], out[0][2])
    return out


BANNER = "Generated from scripts/gen.d/sfu_table.py by scripts/gen; do not edit."


def header():
    table = rows()
    lines = [
        f"// {BANNER}",
        "// Segment polynomials of the special function unit, units of 2**-32; how they are used: sim/macros/arith_sfu.h.",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        "namespace waferloom::macros {",
        "",
        "struct SfuRow {",
        "  int64_t c0;",
        "  int32_t c1;",
        "  int32_t c2;",
        "};",
        "",
    ]
    base = 0
    for name, _, _, _, count in SECTIONS:
        camel = "".join(part.capitalize() for part in name.split("_"))
        lines.append(f"inline constexpr int kSfu{camel}Base = {base};")
        base += count
    lines += ["", f"inline constexpr SfuRow kSfuTable[{len(table)}] = {{"]
    lines += [f"    {{{c0}, {c1}, {c2}}}," for c0, c1, c2 in table]
    lines += ["};", "", "}  // namespace waferloom::macros", ""]
    return "\n".join(lines)


def rom():
    table = rows()
    lines = [
        f"// {BANNER}",
        "// Segment polynomials of the special function unit: row_o = {c0 (33, unsigned), c1 (27, signed), c2 (20, signed)}, units of 2**-32.",
        "module wl_sfu_rom (",
        "    input  logic [ 9:0] row_i,",
        "    output logic [79:0] row_o",
        ");",
        "",
        "  always_comb begin",
        "    unique case (row_i)",
    ]
    for index, (c0, c1, c2) in enumerate(table):
        assert 0 <= c0 < 2**33 and -(2**26) <= c1 < 2**26 and -(2**19) <= c2 < 2**19, (index, c0, c1, c2)
        word = (c0 << 47) | ((c1 & (2**27 - 1)) << 20) | (c2 & (2**20 - 1))
        lines.append(f"      10'd{index}: row_o = 80'h{word:020x};")
    lines += ["      default: row_o = 80'h0;", "    endcase", "  end", "", "endmodule", ""]
    return "\n".join(lines)
