#!/usr/bin/python3
"""`waferloom run` of transformer blocks, from outside: block_run_test.py PROGRAM SOURCE.

The shipped run file to its end: phases, errors, the files of the result folder. Mistakes of a user: refused where they stand in the file.
"""
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
from kernel_program import SOURCE, check, run  # noqa: E402

CASE = """name: block
machine: wse2
kernels:
  - {name: b, kernel: transformer_block, width: 2, height: 2, tokens: 8, features: 4, hidden: 8, heads: 2, repeat: 2}
"""


def blocks(folder):
    return json.loads((folder / "out" / "block.json").read_text(encoding="utf-8"))


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    done = run(folder, (SOURCE / "configs/runs/transformer-block.yaml").read_text(encoding="utf-8"))
    for word in ("attention_gradient", "rotate, axis_reduce, elementwise", "input_delta", "of its bound", "block-6x6"):
        check(word in done.stdout, f"'{word}' is not printed\n{done.stdout}")
    tables = done.stdout[done.stdout.index("block-4x4, seed 1"):done.stdout.index("Report: ")]
    check(max(len(line) for line in tables.splitlines()) <= 80, tables)
    found = blocks(folder)
    check(len(found) == 5, f"{len(found)} passes, expected 5: two cases and three repetitions")
    for one in found:
        check(one["schema"] == "waferloom-block-1" and one["different"] == 0 and one["compared"] > 1000, one)
        check(len(one["phases"]) == 22 and all(phase["cycles"] > 0 for phase in one["phases"]), one["phases"])
        check(all(tensor["of_bound"] <= 1 and 0 <= tensor["relative"] < 2**-8 for tensor in one["tensors"]), one["tensors"])
    kept = json.loads((folder / "out" / "kernels.json").read_text(encoding="utf-8"))["cases"]
    check([case["verdict"] for case in kept] == ["reported"] * 3 and kept[0]["cycles"] == sum(phase["cycles"] for phase in found[0]["phases"]), kept)

    # The same again, in another way and on another machine.
    run(folder, CASE)
    first = blocks(folder)
    check(first[0]["seed"] + 1 == first[1]["seed"] and first[0]["tensors"] != first[1]["tensors"], "two seeds, one result")
    run(folder, CASE, "--no-skip")
    check(blocks(folder) == first, "skipping changes a result")
    run(folder, CASE, "--machine", "wse3")
    check(sum(p["cycles"] for p in blocks(folder)[0]["phases"]) != sum(p["cycles"] for p in first[0]["phases"]), "wse3 takes the cycles of wse2")

    # Mistakes: the place of the key, and what to change.
    for change, message in (
        (("heads: 2", "heads: 3"), "error: 3 heads do not divide 2 columns"),
        (("tokens: 8", "tokens: 12"), "error: 12 tokens do not divide over 2 rows in fours"),
        (("features: 4", "features: 5"), "error: 5 features do not divide over 2 columns"),
        (("width: 2", "width: 1"), "error: a block needs two columns at least"),
        (("hidden: 8", "hidden: 60000"), "do not fit into a tile"),
    ):
        done = run(folder, CASE.replace(*change), code=2)
        check("run.yaml:4:" in done.stderr and message in done.stderr and "hint: " in done.stderr and "?" not in done.stderr, done.stderr)
    done = run(folder, CASE + "limit_cycles: 100\n", code=3)
    check("not finished after 100 cycles" in done.stderr, done.stderr)
print("ok")
