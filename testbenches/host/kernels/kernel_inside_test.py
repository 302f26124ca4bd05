#!/usr/bin/env python3
"""Kernel runs from outside that are traced, saved and gone on with: the same bytes whatever happens on the way; what does not fit is refused.

usage: kernel_inside_test.py WAFERLOOM SOURCE_DIR      (WAFERLOOM_TEST_SEED chooses the moments)
Left out: what is in waves and timelines (trace_session_test), damage of a file (checkpoint_file_test), ranks (ranks_program_test).
"""
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
from small_run import PROGRAM, SOURCE, SmallRun, main, run  # noqa: E402

SEED = int(os.environ.get("WAFERLOOM_TEST_SEED", str(int(time.time()))))
EVERY = 60
RUN = """\
name: inside
machine: wse2
checkpoint: {every_cycles: %d, every_seconds: 0, keep: 1000}
kernels:
  - {name: flood, kernel: broadcast, width: 3, height: 2, words: 40, expected: {cycles: 1, source: nobody}}
  - {name: mine, kernel: folder, folder: "%s"}
  - {name: sum, kernel: allreduce_chain, width: 4, height: 3, words: 24, repeat: 2}
  - {name: block, kernel: transformer_block, width: 2, height: 2, tokens: 8, features: 4, hidden: 8}
  - {name: wave, kernel: stencil25, width: 6, height: 5, cells: 8, machine: wse3}
""" % (EVERY, os.path.join(SOURCE, "firmware", "kernels", "08-weight-gradient"))
LONG = """\
name: long
machine: wse2
checkpoint: {every_cycles: %d, every_seconds: 0, keep: 2}
kernels:
  - {name: sum, kernel: allreduce_chain, width: 4, height: 3, words: 24}
  - {name: wave, kernel: stencil25, width: 6, height: 5, cells: 40, steps: 60}
"""


class KernelInside(SmallRun):
    @classmethod
    def setUpClass(cls):
        print("seed", SEED, flush=True)
        cls.random = random.Random(SEED)
        super().setUpClass()
        cls.yaml = cls.write("inside.yaml", RUN)
        done = run([cls.yaml, "-o", cls.path("base")])
        cls.said = done.stderr
        assert done.returncode == 1, done.stderr  # what nobody states is missed
        cls.saved = sorted(e for e in os.listdir(cls.path("base", "checkpoints")) if e.endswith(".wlc"))

    def results(self, name):
        """Bytes of the result's files without what the clock says; the clock's figures by case."""
        found = self.contents(name)
        cases = json.loads(found.pop("kernels.json"))
        clocks = {case["name"]: case.pop("wall_clock") for case in cases["cases"]}
        found["cases"] = json.dumps(cases).encode()
        found.pop("trace", None)
        return found, clocks

    @classmethod
    def contents(cls, name):
        trace = cls.path(name, "trace")
        hidden = cls.path(name + ".trace")
        if os.path.isdir(trace):
            os.rename(trace, hidden)
        try:
            return super().contents(name)
        finally:
            if os.path.isdir(hidden):
                os.rename(hidden, trace)

    def trace(self, name):
        found = {}
        for at, _, files in os.walk(self.path(name, "trace")):
            for file in files:
                with open(os.path.join(at, file), "rb") as stream:
                    found[os.path.relpath(os.path.join(at, file), self.path(name, "trace"))] = stream.read()
        return found

    def assert_like_base(self, name, base="base"):
        expected, clocks = self.results(base)
        found, again = self.results(name)
        self.assert_alike(expected, found)
        return clocks, again

    def test_goes_on_from_any_checkpoint(self):
        self.assertGreater(len(self.saved), 12)
        within = set()
        for number, file in enumerate(self.saved):
            if number not in (0, 4, 8, 12) and number % 45 != 30 and number + 1 != len(self.saved):
                continue
            name = "from%d" % number
            done = run([self.yaml, "-o", self.path(name), "--resume", self.path("base", "checkpoints", file)])
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, r"resumed from .*: \d of 5 cases are finished\n")
            self.assertIn("flood: ", done.stderr)  # its verdict is said again
            clocks, again = self.assert_like_base(name)
            finished = int(done.stderr.split(" of 5 cases")[0].rsplit(" ", 1)[1])
            for case in list(clocks)[:finished]:
                self.assertEqual(clocks[case], again[case], "a finished case was run again")
            within.add(done.stderr.split(" goes on in cycle")[0].rsplit("\n", 1)[1])
            shutil.rmtree(self.path(name))
        self.assertEqual(within, {"flood", "mine", "sum", "block", "wave"})

    def test_killed_and_interrupted_it_goes_on(self):
        base = self.write("base.yaml", LONG % 0)
        begin = time.monotonic()
        self.assertEqual(run([base, "-o", self.path("long")]).returncode, 0)
        seconds = time.monotonic() - begin
        yaml = self.write("long.yaml", LONG % 150)
        name, kills, resumed, code = "broken off", 0, 0, None
        while code is None:
            arguments = [yaml, "-o", self.path(name)]
            if os.path.isdir(self.path(name, "checkpoints")):
                arguments += ["--resume", self.path(name)]
            child = subprocess.Popen([PROGRAM, "run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                _, errors = child.communicate(timeout=1000 if kills == 3 else self.random.uniform(0.3, 0.8) * seconds)
                code = child.returncode
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL if kills % 2 == 0 else signal.SIGINT)
                kills += 1
                _, errors = child.communicate(timeout=60)
                if child.returncode == 0:
                    code = 0
                elif child.returncode != -signal.SIGKILL:
                    self.assertEqual(child.returncode, 130, errors)
            resumed += "resumed from" in errors
        self.assertEqual(code, 0, errors)
        self.assertGreater(resumed, 0)
        expected, _ = self.results("long")
        found, _ = self.results(name)
        self.assert_alike(expected, found, ("manifest", "report.html", "resolved.yaml"))  # which tell how often was saved

    def test_interrupted_by_a_signal_it_saves_and_says_so(self):
        yaml = self.write("quiet.yaml", LONG % 0)
        begin = time.monotonic()
        self.assertEqual(run([yaml, "-o", self.path("quiet")]).returncode, 0)
        seconds = time.monotonic() - begin
        for attempt in range(8):  # a moment within the simulation, on a machine of any speed
            name = "quiet%d" % attempt
            child = subprocess.Popen([PROGRAM, "run", yaml, "-o", self.path(name)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(self.random.uniform(0.4, 0.8) * seconds)
            child.send_signal(signal.SIGINT)
            _, errors = child.communicate(timeout=60)
            if os.path.isdir(self.path(name, "checkpoints")):
                break
        self.assertEqual(child.returncode, 130, errors)
        self.assertIn("hint: the same command with --resume " + self.path(name), errors)
        done = run([yaml, "--resume", self.path(name)])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_like_base(name, "quiet")

    def test_a_trace_shows_a_case_and_changes_nothing(self):
        words = ["--trace", "tiles=1,0:2,1", "case=sum", "repetition=2"]
        done = run([self.yaml, "-o", self.path("traced"), *words])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_like_base("traced")
        self.assertRegex(done.stdout, r"Trace: .*trace \(cycles 0 to \d+, [0-9.]+ MiB\)")
        traced = self.trace("traced")
        self.assertEqual(sorted(k for k in traced if "/" not in k), ["counters.csv", "link-load.svg", "stalls.svg", "timeline.json", "trace.json", "utilisation.svg", "waves.fst"])
        # Boot and start, which the host activates, lie in the window.
        names = {event.get("name", "") for event in json.loads(traced["timeline.json"])["traceEvents"]}
        self.assertTrue({"task 24 boot", "task 30 start"} <= names, names)
        self.assertIn(b"vadd", traced["instructions/tile_1_0.txt"])
        rows = list(csv.DictReader(traced["counters.csv"].decode().splitlines()))
        self.assertEqual(len(rows), 12)
        # By another number of threads: the same files. From a checkpoint within the case on: what the window shows from there.
        for threads in ("2", "3"):
            again = run([self.yaml, "-o", self.path("threads" + threads), *words, "--threads", threads])
            self.assertEqual(again.returncode, 1, again.stderr)
            self.assert_alike(traced, self.trace("threads" + threads))
        start, where = self.within("sum", "repetition 2")
        late = [*words, "cycles=%d:%d" % (start, start + 60)]
        self.assertEqual(run([self.yaml, "-o", self.path("late"), *late]).returncode, 1)
        self.assertEqual(run([self.yaml, "-o", self.path("resumed"), *late, "--resume", where]).returncode, 1)
        self.assert_alike(self.trace("late"), self.trace("resumed"))
        self.assert_like_base("resumed")
        self.assertEqual(run([self.yaml, "-o", self.path("block"), "--trace", "tiles=0,0", "case=block", "kinds=timeline,instructions"]).returncode, 1)
        self.assertGreater(len(self.trace("block")["instructions/tile_0_0.txt"]), 10000)
        self.assertEqual(run([self.yaml, "-o", self.path("mine"), "--trace", "tiles=0,0", "case=mine", "kinds=instructions"]).returncode, 1)
        self.assertIn(b"sdot", self.trace("mine")["instructions/tile_0_0.txt"])

    def within(self, case, what):
        """A cycle and a checkpoint within a case."""
        for file in reversed(self.saved[:24]):
            place = self.path("base", "checkpoints", file)
            done = run([self.yaml, "-o", self.path("probe"), "--resume", place, "--trace", "tiles=0,0", "cycles=900000:", "case=" + case, "repetition=" + what[-1], "kinds=counters"])
            if done.returncode == 2 and case + " goes on in cycle " in done.stderr:
                return int(done.stderr.split(case + " goes on in cycle ")[1].split("\n")[0]), place
        self.fail("no checkpoint lies within " + case)

    def test_what_makes_no_sense_is_refused(self):
        for words, message in [
            (["tiles=0,0", "case=summ"], "--trace case=summ: the file has no such case\n  hint: did you mean 'sum'?"),
            (["tiles=0,0", "case=sum", "repetition=3"], "--trace repetition=3: case 'sum' has 2"),
            (["tiles=0,0", "repetition=0"], "--trace repetition=0: '0' is no number of a repetition"),
            (["tiles=0,0", "case=sum", "case=sum"], "'case' is given twice"),
            (["tiles=3,0"], "--trace tiles=3,0: the array has 3x2 tiles"),
            (["tiles=0,0", "cycles=9:3", "case=wave"], "the window is inverted"),
        ]:
            done = run([self.yaml, "-o", self.path("refused"), "--trace", *words])
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(self.path("refused")))
        last = self.path("base", "checkpoints", self.saved[-1])
        for arguments, code, message in [
            ([self.yaml, "--resume", last, "--trace", "tiles=0,0"], 2, "repetition 1 of case 'flood' had ended when the checkpoint was written"),
            ([self.write("other.yaml", RUN.replace("words: 24", "words: 25")), "--resume", last], 2, "is of another run: 'words: 24' there"),
            ([self.yaml, "--resume", self.folder], 2, "holds no checkpoint"),
            ([self.yaml, "--resume", self.path("nowhere")], 4, "cannot be read"),
            ([self.yaml, "--resume", last, "--no-skip"], 2, "is of another choice of skipping"),
        ]:
            done = run([*arguments, "-o", self.path("refused")])
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(self.path("refused", "manifest.json")))


if __name__ == "__main__":
    main()
