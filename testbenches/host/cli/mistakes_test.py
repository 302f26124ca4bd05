#!/usr/bin/env python3
"""What a user gets wrong in a run, as the program answers it: `waferloom check` and `waferloom run` say the same, with file, line, column and a hint, before
anything is built or written.

usage: mistakes_test.py WAFERLOOM SOURCE_FOLDER
One case per kind of mistake; every message of the resolver and of the data reader has its own test in testbenches/host/config. What goes wrong while a run runs:
testbenches/systemc/run_program_test.py.
"""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = (os.path.abspath(a) for a in sys.argv[1:3])
RUN = """\
name: small
machine: wse2
array: {width: 3, height: 2}
model:
  name: small
  inputs: 4
  layers:
    - {name: hidden, outputs: 7, activation: relu}
    - {name: logits, outputs: 3}
  loss: softmax_cross_entropy
data: {file: rows.csv, train_rows: 6, test_rows: 2, value_min: 0, value_max: 16, scale: 0.0625}
batch: 3
epochs: 1
optimiser: {kind: sgd, learning_rate: 0.1}
loss_scale: 64
seed: 5
io_words_per_cycle: 2
"""
ROWS = "".join(f"{i},2,3.5,16,{i % 3}\n" for i in range(8))

# name, (text of the run, replacement), first line of stderr behind the folder, hint, exit code
CASES = [
    ("unknown key", ("batch: 3", "batch: 3\nbacth: 4"), r"run\.yaml:13:1: error: unknown key 'bacth' in a run", "did you mean 'batch'", 2),
    ("wrong type", ("batch: 3", "batch: three"), r"run\.yaml:12:8: error: 'batch' must be an integer, found 'three'", "rows in a step", 2),
    ("repeated key", ("epochs: 1", "epochs: 1\nepochs: 2"), r"run\.yaml:14:1: error: key 'epochs' is repeated; it first stands in line 13", "keep one of the two", 2),
    ("missing key", ("batch: 3\n", ""), r"run\.yaml:1:1: error: missing key 'batch' in a run", "add 'batch: ...'", 2),
    ("negative size", ("width: 3", "width: -3"), r"run\.yaml:3:16: error: 'width' cannot be negative: -3", "allowed: from 1 to 4096", 2),
    ("unit in the value", ("machine: wse2", "machine: {extends: wse2, sram_bytes: 48 KiB}"), r"run\.yaml:2:38: error: 'sram_bytes' must be an integer, found '48 KiB'", "write sram_bytes: 49152", 2),
    ("unit in the key", ("machine: wse2", "machine: {extends: wse2, clock_mhz: 850}"), r"run\.yaml:2:26: error: unknown key 'clock_mhz' in a machine", "write clock_hz: 850000000", 2),
    ("extends itself", ("name: small\nmachine", "extends: run.yaml\nname: small\nmachine"), r"run\.yaml:1:10: error: 'extends' goes in a circle: run\.yaml -> run\.yaml", "cannot be its own base", 2),
    ("extends nothing", ("name: small\nmachine", "extends: bsae.yaml\nname: small\nmachine"), r"run\.yaml:1:10: error: no such file: '.*bsae\.yaml'", "did you mean 'base.yaml'", 2),
    ("no such machine", ("machine: wse2", "machine: wse22"), r"run\.yaml:2:10: error: no machine is called 'wse22'", "did you mean 'wse2'", 2),
    ("not YAML", ("array: {width: 3, height: 2}", "array: {width: 3, height: 2"), r"run\.yaml:4:6: error: not valid YAML: end of map flow not found", "a '{' further up is not closed", 2),
    ("last layer with an activation", ("outputs: 3}", "outputs: 3, activation: relu}"), r"run\.yaml:9:46: error: the last layer feeds softmax and cannot have an activation", "activation: none", 2),
    ("a machine that cannot train", ("machine: wse2", "machine: nano"), r"run\.yaml:2:10: error: machine 'nano' has 8 colours; the training program needs 12", "wse2", 2),
    ("array larger than the machine", ("width: 3", "width: 751"), r"run\.yaml:3:16: error: an array of 751 x 2 does not fit machine 'wse2'", "750 x 994", 2),
    ("does not fit in SRAM", ("outputs: 7", "outputs: 400000"), r"run\.yaml:3:8: error: the network does not fit in the tiles' SRAM: tile \(0, 0\), .* needs \d+ bytes and has 49152 bytes", "use a", 2),
    ("data file missing", ("rows.csv", "row.csv"), r"run\.yaml:11:14: error: no such data file: 'row\.csv'", "looked for row.csv and ", 4),
]
# name, rows, first line of stderr, hint, exit code
DATA = [
    ("wrong column count", ROWS.replace("1,2,3.5,16,1", "1,2,16,1"), r"rows\.csv:2:8: error: the row has 4 columns, expected 5", "must agree", 2),
    ("label out of range", ROWS.replace("1,2,3.5,16,1", "1,2,3.5,16,3"), r"rows\.csv:2:12: error: the label 3 is out of range", "labels are 0 to 2", 2),
    ("value out of range", ROWS.replace("1,2,3.5,16,1", "1,2,3.5,17,1"), r"rows\.csv:2:9: error: the value 17 is out of range", "value_max is 16", 2),
    ("not a number", ROWS.replace("1,2,3.5,16,1", "1,2,x,16,1"), r"rows\.csv:2:5: error: 'x' is not a number", "then the label", 2),
    ("truncated within a row", ROWS[: len(ROWS) // 2 + 5], r"rows\.csv:5:\d+: error: the row has 3 columns, expected 5", "it is truncated, fetch it again", 4),
    ("truncated behind a row", ROWS[: len(ROWS) // 2], r"rows\.csv: error: has 4 rows; 6 to train and 2 to test are needed", "the file is truncated, or", 4),
]
failures, checks = [], 0


def check(condition, text):
    global checks
    checks += 1
    if not condition:
        failures.append(text)


def answers(folder, name, pattern, hint, code):
    """Both commands, from inside the folder; nothing may appear in it."""
    before = sorted(os.listdir(folder))
    for command in (["check", "run.yaml"], ["run", "run.yaml", "-o", "out"]):
        done = subprocess.run([PROGRAM, *command], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        what = f"{name}: {command[0]}: exit code {done.returncode}\n{done.stderr}"
        check(done.returncode == code, what)
        lines = done.stderr.splitlines() or [""]
        check(re.search("^(?:.*/)?(?:" + pattern + ")", lines[0]) is not None, f"{what}\nexpected {pattern}")
        check(hint is None or ("hint: " in done.stderr and hint in done.stderr), f"{what}\nexpected the hint {hint!r}")
        check(done.stdout == "", f"{what}\nstdout {done.stdout}")
    check(sorted(os.listdir(folder)) == before, f"{name}: left behind {os.listdir(folder)}")


def main():
    with tempfile.TemporaryDirectory(prefix="waferloom mistakes ") as top:
        def fresh(run, rows):
            folder = tempfile.mkdtemp(dir=top)
            for file, text in (("run.yaml", run), ("rows.csv", rows), ("base.yaml", RUN)):
                with open(os.path.join(folder, file), "w", encoding="utf-8") as handle:
                    handle.write(text)
            return folder

        good = subprocess.run([PROGRAM, "check", "-q", "run.yaml"], cwd=fresh(RUN, ROWS), capture_output=True, text=True, check=False)
        check(good.returncode == 0 and good.stderr == "", f"the run without a mistake: {good.stderr}")
        for name, (old, new), pattern, hint, code in CASES:
            assert RUN.count(old) == 1, name
            answers(fresh(RUN.replace(old, new), ROWS), name, pattern, hint, code)
        for name, rows, pattern, hint, code in DATA:
            assert rows != ROWS, name
            answers(fresh(RUN, rows), name, pattern, hint, code)
        # A packed file that ends too soon, and one that may not be read.
        folder = fresh(RUN.replace("rows.csv", "rows.csv.gz"), ROWS)
        packed = gzip.compress((ROWS * 200).encode())
        with open(os.path.join(folder, "rows.csv.gz"), "wb") as handle:
            handle.write(packed[: len(packed) // 2])
        answers(folder, "packed and truncated", r"rows\.csv\.gz: error: the gzip stream is truncated after", "fetch the file again", 4)
        folder = fresh(RUN, ROWS)
        os.remove(os.path.join(folder, "rows.csv"))
        os.mkdir(os.path.join(folder, "rows.csv"))
        answers(folder, "a folder for data", r"rows\.csv: error: is not a regular file", None, 4)
        for path in os.listdir(top):
            shutil.rmtree(os.path.join(top, path))
    for failure in failures:
        print("FAILED:", failure)
    print(f"{checks} checks, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
