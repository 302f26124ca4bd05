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
    ("a router queue that no router has", ("machine: wse2", "machine: {extends: wse2, router_queue_depth: 64}"), r"run\.yaml:2:46: error: 'router_queue_depth' .*64", "from 3 to 4", 2),
    ("a ramp longer than the queue", ("machine: wse2", "machine: {extends: wse2, ramp_cycles: 4}"), r"run\.yaml:2:39: error: ramp_cycles is 4; a router queue of 3 words allows at most 3", "under way", 2),
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
    ("no number of binary16", ROWS.replace("1,2,3.5,16,1", "1,2,1e30,16,1"), r"rows\.csv:2:5: error: the value 1e30 is .* after `scale`; activations are binary16", "data.scale is 0.0625", 2),
    ("not a number", ROWS.replace("1,2,3.5,16,1", "1,2,x,16,1"), r"rows\.csv:2:5: error: 'x' is not a number", "then the label", 2),
    ("truncated within a row", ROWS[: len(ROWS) // 2 + 5], r"rows\.csv:5:\d+: error: the row has 3 columns, expected 5", "it is truncated, fetch it again", 4),
    ("truncated behind a row", ROWS[: len(ROWS) // 2], r"rows\.csv: error: has 4 rows; 6 to train and 2 to test are needed", "the file is truncated, or", 4),
]
failures, checks = [], 0

# Words of the command line: arguments, first line of stderr, hint, exit code. Files: those of `kinds` below.
LINES = [
    (["report", "--model", "gpt2-small", "--batch-tokens", "1e9"], r"--batch-tokens: error: 'batch_tokens' must be an integer, found the text \"1e9\"", "a whole number; of tokens also with K, M or G", 2),
    (["report", "--model", "gpt2-small", "--batch-tokens", "4X"], r"--batch-tokens: error: 'batch_tokens' must be an integer, found the text \"4X\"", "a whole number; of tokens also with K, M or G", 2),
    (["report", "config.json"], r"config\.json: error: this is a model's config\.json, not a run\n", "waferloom report --model config.json", 2),
    (["report", "nano.yaml"], r"nano\.yaml: error: the training program needs 12 colours, the machine has 8\n", "more colours", 2),
    (["asm", "a.wl", "-D", "X=1", "-D", "Y=3", "-D", "X=2", "-o", "a.bin"], r"waferloom: error: -D X=2: 'X' is given twice\n", "the first is -D X=1", 2),
    (["report", "--model", "gpt2-small", "--batch-tokens", "1500"], r"--batch-tokens: error: a batch of 1500 tokens is not a whole number of sequences of 1024", "", 2),
    (["report", "--model", "gpt2-small", "--systems", "0"], r"--systems: error: 'systems' is out of range: 0", "from 1 to 2048", 2),
    (["report", "--model", "gpt2-small", "--cluster", "nope"], r"--cluster: error: no cluster is called 'nope'", "known: ", 2),
    (["report", "--model", "gpt5"], r"--model: error: .*gpt5", "", 2),
    (["report", "--model", "gpt2-small", "--machine", "wse9"], r"--machine: error: no machine is called 'wse9'", "known: nano", 2),
    (["report", "--model", "gpt2-small", "--systems", ""], r"waferloom: error: --systems: the name is empty", "--help", 2),
    (["report", "--model", "gpt2-small", "--rtl", "kernels.yaml"], r"waferloom: error: --rtl: Directory ", "--help", 2),
    (["report", "--model", "gpt2-small", "-o", "run.yaml"], r"run\.yaml: error: ", "", 4),
    (["calibrate", "wse9"], r"waferloom: error: no machine is called 'wse9'", "known: nano", 2),
    (["calibrate", "run.yaml"], r"run\.yaml: error: this is not a machine", "waferloom list machines", 2),
    (["calibrate", "wse2", "-o", "nowhere/x.json"], r"nowhere/x\.json: error: cannot be written: No such file or directory", "-o", 4),
    (["calibrate", "wse2", "-o", "."], r"\.: error: is a folder, not a file", "", 4),
    (["compare", "wse2", "wse9"], r"waferloom: error: no machine is called 'wse9'", "known: nano", 2),
    (["compare", "wse2", "."], r"waferloom: error: the folder '\.' holds no result .* and no RTL", "a side is", 2),
    (["compare", "wse2", "run.yaml"], r"waferloom: error: the file 'run\.yaml' is not a machine", "--run", 2),
    (["compare", "wse2", "wse3"], r"waferloom: error: 'wse2' is a machine; what is it to do\?", "--run RUN.yaml", 2),
    (["compare", "wse2", "wse3", "--run", "kernels.yaml"], r"kernels\.yaml: error: this is a kernel run", "waferloom run kernels.yaml", 2),
    (["compare", "wse2", "nano", "--run", "run.yaml"], r"--machine: error: machine 'nano' has 8 colours", "wse2", 2),
    (["check", "large.yaml"], r"large\.yaml:4:\d+: error: ", "", 2),
    (["check", "odd.yaml"], r"odd\.yaml:4:15: error: a batch of 1500 tokens is not a whole number of sequences of 1024", "", 2),
]


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
            wide = RUN.replace("value_max: 16", "value_max: 1e30") if "1e30" in rows else RUN
            answers(fresh(wide, rows), name, pattern, hint, code)
        # A file of another kind: the command that it is for.
        folder = fresh(RUN, ROWS)
        kinds = (("projection.yaml", "name: p\nmachine: wse3\nmodel: gpt3-13b\nbatch_tokens: 1048576\n"), ("more.yaml", "extends: run.yaml\nepochs: 2\n"),
                           ("kernels.yaml", "name: k\nmachine: wse2\nkernels:\n  - {name: a, kernel: reduce_chain, width: 8, words: 16}\n"), ("machine.yaml", "extends: wse2\nlanes: 8\n"),
                 ("large.yaml", "name: k\nmachine: wse2\nkernels:\n  - {name: a, kernel: reduce_chain, width: 8, words: 100000}\n"),
                 ("odd.yaml", "name: p\nmachine: wse3\nmodel: gpt2-small\nbatch_tokens: 1500\n"),
                 ("nano.yaml", "name: p\nmachine: nano\nmodel: gpt2-small\nbatch_tokens: 1024\n"), ("config.json", '{"model_type": "gpt2", "n_layer": 12}\n'), ("a.wl", ".word X + Y\n"))
        for file, text in kinds:
            with open(os.path.join(folder, file), "w", encoding="utf-8") as handle:
                handle.write(text)
        for command, file, kind, hint in (("run", "projection.yaml", "this is a projection, not a run", "waferloom report projection.yaml"), ("report", "run.yaml", "this is a training run, not a proj", "waferloom run run.yaml"),
                                          ("report", "more.yaml", "this is a training run, not a proj", "waferloom run more.yaml"), ("report", "kernels.yaml", "this is a kernel run, not a proj", "waferloom run kernels.yaml"),
                                          ("run", "machine.yaml", "this is a machine, not a run", "`machine:`"), ("report", "machine.yaml", "this is a machine, not a run", "`machine:`")):
            done = subprocess.run([PROGRAM, command, file, "-o", "out"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            check(done.returncode == 2 and done.stderr.startswith(f"{file}: error: {kind}") and "hint: " in done.stderr and hint in done.stderr, f"{command} {file}: {done.returncode} {done.stderr}")
        before = sorted(os.listdir(folder))
        for arguments, pattern, hint, code in LINES:
            done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            check(done.returncode == code and re.match(pattern, done.stderr) is not None and hint in done.stderr and done.stdout == "", f"{arguments}: {done.returncode} {done.stderr}{done.stdout}")
        check(sorted(os.listdir(folder)) == before, f"left behind by a wrong line: {os.listdir(folder)}")
        done = subprocess.run([PROGRAM, "run", "--help"], capture_output=True, text=True, timeout=60, check=False)
        check("Usage: waferloom run [OPTIONS]" in done.stdout, done.stdout[:200])
        # A folder for results that holds somebody's file.
        folder = fresh(RUN, ROWS)
        os.mkdir(os.path.join(folder, "out"))
        with open(os.path.join(folder, "out", "thesis.partial-draft.txt"), "w", encoding="utf-8") as handle:
            handle.write("thesis")
        done = subprocess.run([PROGRAM, "run", "run.yaml", "-o", "out"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        check(done.returncode == 4 and "out: error: the folder holds other files and no result of a run" in done.stderr, f"somebody's file: {done.returncode} {done.stderr}")
        check(os.listdir(os.path.join(folder, "out")) == ["thesis.partial-draft.txt"], "somebody's file stays")
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
