#!/usr/bin/python3
"""Each house rule can fail: builds a small tree that keeps all rules, breaks one at a time and sees exactly that rule complain."""
import contextlib
import io
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import rules  # noqa: E402

NAMES = ["arrows", "links", "lengths", "executables", "words", "headers_marked", "benches"]

GOOD = {
    "README.md": "# A title\n\nSee [the guide](docs/guide.md#second-part) and [this](#a-title), <https://example.org>.\n",
    "docs/guide.md": "# Guide\n\n## Second part\n\n```\n[not a link](nowhere)\n```\n",
    "host/a.cpp": '#include "sim/b.h"\n#include "firmware/c.h"\n#include <vector>\n',
    "sim/b.h": "// What it is for.\n#pragma once\n",
    "firmware/c.h": "// What it is for.\n#ifndef C_H\n#define C_H\n#endif\n",
    "scripts/run": "#!/bin/sh\n",
    "rtl/wl_x.sv": "module wl_x (input logic clk_i);\n  wl_below u_below ();\nendmodule\n",
    "rtl/wl_below.sv": "module wl_below;\nendmodule\n",
    "host/table.cpp": "// Length: a table.\n" + "int a;\n" * 600,
    "testbenches/unit/x_test.cpp": '// Two benches, "quoted" too.\nBench b("wl_x");  /* both\n */ TEST_CASE("wl_below: adds") {}\n',
}

# rule, path, new content (None: only the mode changes), mode
BROKEN = [
    ("arrows", "sim/b.h", '// What it is for.\n#pragma once\n#include "host/a.h"\n', 0o644),
    ("arrows", "firmware/c.h", '// What it is for.\n#pragma once\n#include "sim/b.h"\n', 0o644),
    ("arrows", "sim/b.h", '// What it is for.\n#pragma once\n#include "../firmware/c.h"\n', 0o644),
    ("links", "README.md", "[gone](docs/gone.md)\n", 0o644),
    ("links", "README.md", "[gone](docs/guide.md#third-part)\n", 0o644),
    ("lengths", "host/a.cpp", "int a;\n" * 501, 0o644),
    ("lengths", "host/a.cpp", "// Length: a table.\n" + "int a;\n" * 1000, 0o644),
    ("executables", "scripts/run", "#!/bin/sh\n", 0o644),
    ("executables", "scripts/run", "plain\n", 0o755),
    ("words", "host/a.cpp", "// TO" + "DO later\n", 0o644),
    ("words", "docs/guide.md", "# Guide\n\n## Second part\n\nin /ro" + "ot/x\n", 0o644),
    ("headers_marked", "sim/b.h", "#pragma once\nint a;\n", 0o644),
    ("headers_marked", "sim/b.h", "// What it is for.\nint a;\n", 0o644),
    ("benches", "rtl/wl_y.sv", "module wl_y;\nendmodule\n", 0o644),
    ("benches", "rtl/wl_x.sv", "module wl_z;\nendmodule\n", 0o644),
    # A module that is only instantiated, or only mentioned in a comment.
    ("benches", "testbenches/unit/x_test.cpp", 'Bench b("wl_x");\n', 0o644),
    ("benches", "testbenches/unit/x_test.cpp", 'Bench b("wl_x");  // and "wl_below"\n', 0o644),
    ("benches", "testbenches/unit/x_test.cpp", '/* "wl_below"\n */ Bench b("wl_x");\n', 0o644),
]


def write(root, path, text, mode):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(full, mode)


def breaks(root):
    with contextlib.redirect_stdout(io.StringIO()):
        return {n for n in NAMES if list(rules.RULES[n](root))}


def main():
    failures = []
    for index, change in enumerate([None] + BROKEN):
        with tempfile.TemporaryDirectory() as root:
            for path, text in GOOD.items():
                write(root, path, text, 0o755 if path == "scripts/run" else 0o644)
            if change:
                write(root, *change[1:])
            expected = {change[0]} if change else set()
            found = breaks(root)
            if found != expected:
                failures.append(f"case {index} {change}: expected {expected or 'no breach'}, found {found or 'none'}")
    for failure in failures:
        print(failure)
    print(f"{len(BROKEN) + 1} trees, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
