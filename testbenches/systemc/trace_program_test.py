#!/usr/bin/env python3
"""`waferloom run --trace` from outside, on a small array: it changes no result, leaves its files, and refuses what makes no sense before anything is written.

usage: trace_program_test.py WAFERLOOM SOURCE_DIR
Left out: what is in waves, instructions and timeline (trace_session_test).
"""
import csv
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import small_run  # noqa: E402
from small_run import SmallRun, main  # noqa: E402

RUN = (small_run.RUN.replace("    - {name: hidden, outputs: 7, activation: relu}\n", "").replace("train_rows: 40", "train_rows: 16").replace("test_rows: 16", "test_rows: 8")
       .replace("batch: 16", "batch: 8").replace(", momentum: 0.9", "")) + "limits: {cycles: 3000000}\n"

CLASSES = ["pe_" + name for name in ("idle", "axpy", "dot", "reduce", "elementwise", "scalar", "stream", "wait_bank", "wait_hazard", "wait_out", "wait_in", "control", "stopped")]


def run(*arguments):
    return small_run.run(arguments)


class TraceProgram(SmallRun):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.yaml = cls.write("small.yaml", RUN)

    def bytes(self, *path):
        with open(os.path.join(self.folder, *path), "rb") as file:
            return file.read()

    def test_a_trace_changes_no_result(self):
        plain = run(self.yaml, "-o", self.path("plain"), "--no-extrapolate")
        self.assertEqual(plain.returncode, 0, plain.stderr)
        # The file may stand behind the words, too.
        traced = run("-o", self.path("traced"), "--no-extrapolate", "--trace", "tiles=1,0:2,1", "cycles=1000:2999", self.yaml)
        self.assertEqual(traced.returncode, 0, traced.stderr)
        for name in ("metrics.json", "metrics.csv", "epochs.csv", "weights.safetensors"):
            with self.subTest(name):
                self.assertEqual(self.bytes("plain", name), self.bytes("traced", name))
        self.assertRegex(traced.stdout, r"Trace: .*trace \(cycles 1000 to 2999, [0-9.]+ MiB\)")
        found = sorted(os.listdir(self.path("traced/trace")))
        self.assertEqual(found, ["counters.csv", "instructions", "link-load.svg", "stalls.svg", "timeline.json", "trace.json", "utilisation.svg", "waves.fst"])
        self.assertEqual(sorted(os.listdir(self.path("traced/trace/instructions"))), ["tile_1_0.txt", "tile_1_1.txt", "tile_2_0.txt", "tile_2_1.txt"])
        with open(self.path("traced/trace/counters.csv"), encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                self.assertEqual((row["first_cycle"], row["cycles"]), ("1000", "2000"))
                self.assertEqual(sum(int(row["router_" + k]) for k in ("idle", "forward", "stalled", "trapped")), 2000)
                self.assertEqual(sum(int(v) for k, v in row.items() if k in CLASSES), 2000)
        names = set()
        with open(self.path("traced/trace/timeline.json"), encoding="utf-8") as file:
            for event in json.load(file)["traceEvents"]:
                names.add(event.get("name", ""))
        self.assertIn("task 32 phase", names)

    def trace(self, name):
        found = {}
        for at, _, files in os.walk(self.path(name + "/trace")):
            for file in files:
                found[os.path.relpath(os.path.join(at, file), self.path(name))] = self.bytes(at, file)
        return found

    def test_from_a_checkpoint_on_and_by_several_threads_it_shows_the_same(self):
        yaml = self.write("saved.yaml", RUN + "checkpoint: {every_steps: 1, every_seconds: 0, keep: 9}\n")
        saved = run(yaml, "-o", self.path("saved"), "--no-extrapolate")
        self.assertEqual(saved.returncode, 0, saved.stderr)
        checkpoint = self.path("saved/checkpoints/checkpoint-000001.wlc")
        # From where the checkpoint stands, and to the end.
        resumed = run(yaml, "-o", self.path("from"), "--no-extrapolate", "--resume", checkpoint, "--trace", "tiles=0,0:1,1", "kinds=waves,counters")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        start = int(re.search(r"step 1 of \d+, cycle (\d+)", resumed.stderr).group(1))
        self.assertIn("(cycles %d to " % start, resumed.stdout)
        for name in ("metrics.csv", "weights.safetensors"):
            self.assertEqual(self.bytes("saved", name), self.bytes("from", name))
        words = ["--trace", "tiles=0,0:1,1", "cycles=%d:%d" % (start, start + 1500)]
        traces = {}
        for name, more in (("whole", []), ("resumed", ["--resume", checkpoint]), ("threads", ["--threads", "2"])):
            done = run(yaml, "-o", self.path(name), "--no-extrapolate", *more, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            traces[name] = self.trace(name)
        self.assertGreater(len(traces["whole"]["trace/waves.fst"]), 5000)
        for name in ("resumed", "threads"):
            self.assertEqual(sorted(traces[name]), sorted(traces["whole"]))
            for file, data in traces["whole"].items():
                self.assertEqual(traces[name][file], data, name + ": " + file)

    def test_counters_sum_up_and_maps_agree(self):
        done = run(self.yaml, "-o", self.path("counters"), "--no-extrapolate", "--trace", "tiles=0,0", "kinds=counters")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("counters/trace/counters.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(int(r["x"]), int(r["y"])) for r in rows], [(x, y) for y in range(2) for x in range(3)])
        waits = []
        for row in rows:
            classes = [int(v) for k, v in row.items() if k in CLASSES]
            self.assertEqual(len(classes), 13)
            self.assertEqual(sum(classes), int(row["cycles"]))
            self.assertEqual(sum(int(row["router_" + k]) for k in ("idle", "forward", "stalled", "trapped")), int(row["cycles"]))
            waits.append(sum(int(row["pe_wait_" + k]) for k in ("bank", "hazard", "out", "in")) / int(row["cycles"]))
        svg = self.bytes("counters", "trace", "stalls.svg").decode()
        values = [float(v) for v in re.findall(r'data-value="([0-9.]+)"', svg)]
        self.assertEqual(len(values), 6)
        for value, wait in zip(values, waits):
            self.assertAlmostEqual(value, wait, places=5)

    def test_what_makes_no_sense_is_refused_before_anything_is_written(self):
        cases = [
            (["tiles=2,1:1,0"], "--trace tiles=2,1:1,0: the rectangle is inverted"),
            (["tiles=1,1:3,1"], "--trace tiles=1,1:3,1: the array has 3x2 tiles, the last is (2,1)"),
            (["tiles=7,7"], "--trace tiles=7,7: the array has 3x2 tiles"),
            (["tiles=a,1"], "--trace tiles=a,1: 'a,1' is not a tile"),
            (["tiles=-1,1"], "--trace tiles=-1,1: '-1,1' is not a tile"),
            (["tiles=1,1:1,1:1,1"], "more than two corners"),
            (["tiles=0,0", "cycles=2000:1000"], "--trace cycles=2000:1000: the window is inverted"),
            (["tiles=0,0", "cycles=5"], "is not a window of cycles"),
            (["tiles=0,0", "cycles=4000000:4000001"], "past the end: the run has at most 3000000 cycles"),
            (["tiles=0,0", "kinds=wave"], "did you mean 'waves'?"),
            (["tiles=0,0", "kind=waves"], "did you mean 'kinds'?"),
            (["tiles=0,0", "limit=none"], "--trace limit=none: 'none' is no size"),
            (["tiles=0,0", "tiles=1,1"], "'tiles' is given twice"),
            (["cycles=1:2"], "--trace: no tiles are given"),
            (["tiles=0,0", "waves"], "--trace waves: not of the form name=value"),
        ]
        for words, message in cases:
            with self.subTest(words):
                done = run(self.yaml, "-o", self.path("refused"), "--trace", *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertFalse(os.path.exists(self.path("refused")))

    def test_a_window_past_the_end_leaves_an_earlier_result_alone(self):
        first = run(self.yaml, "-o", self.path("kept"), "--no-extrapolate", "--trace", "tiles=0,0", "cycles=0:99", "kinds=timeline")
        self.assertEqual(first.returncode, 0, first.stderr)
        before = {name: os.stat(os.path.join(self.path("kept"), name)).st_mtime_ns for name in os.listdir(self.path("kept"))}
        late = run(self.yaml, "-o", self.path("kept"), "--no-extrapolate", "--trace", "tiles=0,0", "cycles=2900000:2900001", "kinds=timeline")
        self.assertEqual(late.returncode, 2, late.stderr)
        self.assertRegex(late.stderr, r"--trace: the run ended in cycle \d+, before the first traced cycle 2900000")
        after = {name: os.stat(os.path.join(self.path("kept"), name)).st_mtime_ns for name in os.listdir(self.path("kept"))}
        self.assertEqual(before, after)

    def test_a_limit_ends_the_trace_and_not_the_run(self):
        done = run(self.yaml, "-o", self.path("limited"), "--no-extrapolate", "--trace", "tiles=0,0:2,1", "kinds=instructions", "limit=300K")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"note: the trace ends with cycle \d+: it reached its limit of 307200 bytes")
        size = sum(os.path.getsize(os.path.join(self.path("limited/trace/instructions"), n)) for n in os.listdir(self.path("limited/trace/instructions")))
        self.assertLess(size, 600000)
        self.assertGreater(size, 200000)


if __name__ == "__main__":
    main()
