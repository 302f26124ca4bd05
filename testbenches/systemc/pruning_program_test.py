#!/usr/bin/env python3
"""Pruning by MemoryX, from outside: a dropped weight is a word that does not enter and cycles that are not spent, from its epoch on; the sweep's table says the same.

usage: pruning_program_test.py WAFERLOOM SOURCE_DIR
Left out: which weights are dropped (optimiser_test), the digits' accuracy (docs/user/sparsity.md shows the sweep).
"""
import csv
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from small_run import PROGRAM, RUN, SOURCE, SmallRun, main, run  # noqa: E402

# Without biases: whether one is zero, and so not sent, depends on what was learnt.
THREE = RUN.replace("epochs: 1", "epochs: 3").replace("outputs: 7,", "outputs: 7, bias: false,").replace("outputs: 10}", "outputs: 10, bias: false}")


class Pruning(SmallRun):
    def test_the_sweep(self):
        yaml = self.write("small.yaml", THREE)
        out = self.path("sweep")
        sweep = os.path.join(SOURCE, "scripts", "bench.d", "pruning.py")
        done = subprocess.run([sys.executable, sweep, PROGRAM, yaml, out, "1,0.5,0.1", "1", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 4)
        with open(os.path.join(out, "pruning.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        speedups = [float(r["speedup"]) for r in rows]
        self.assertEqual([float(r["kept"]) for r in rows], [1, 0.5, 0.1])
        self.assertEqual(speedups[0], 1)
        self.assertGreater(speedups[1], 1.1)
        self.assertGreater(speedups[2], speedups[1])
        words = {}
        for kept in ("1", "0.5", "0.1"):
            with open(os.path.join(out, "kept-" + kept, "metrics.json"), encoding="utf-8") as file:
                metrics = json.load(file)
            words[kept] = metrics["totals"]["edge_wavelets_in"]
            # The first epoch is dense in all of them.
            first = [s["cycles"] for s in metrics["steps"] if s["epoch"] == 1 and s["kind"] == "train"]
            dense = first if kept == "1" else dense
            self.assertEqual(first[:2], dense[:2])
        # 448 + 70 weights forward, 70 on the way back; four training steps and two evaluations with the rule. 45 and 7 stay of a tenth.
        self.assertEqual(words["1"] - words["0.5"], 4 * (224 + 35 + 35) + 2 * (224 + 35))
        self.assertEqual(words["1"] - words["0.1"], 4 * (403 + 63 + 63) + 2 * (403 + 63))

    def test_a_pruned_run_is_resumed(self):
        yaml = self.write("pruned.yaml", THREE + "pruning: {kept: 0.3, threshold: 0.01, after_epoch: 1}\ncheckpoint: {every_steps: 1, keep: 100}\n")
        base = self.results("base", yaml=yaml)
        kept = sorted(os.listdir(self.path("base", "checkpoints")))
        done = run([yaml, "-o", self.path("on"), "--resume", self.path("base", "checkpoints", kept[len(kept) // 2]), "--no-extrapolate"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_alike(base, self.contents("on"))

    def test_shares_that_mean_nothing_are_refused(self):
        for text, words in (("pruning: 0", "'kept' is out of range: 0"), ("pruning: 1.5", "'kept' is out of range: 1.5"), ("pruning: {threshold: -1}", "'threshold'"), ("pruning: {kept: .nan}", "'kept'"),
                            ("pruning: {after_epoch: 1.5}", "'after_epoch' must be an integer")):
            yaml = self.write("bad.yaml", RUN + text + "\n")
            done = run([yaml, "-o", self.path("never")])
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("bad.yaml:25:", done.stderr)
            self.assertIn(words, done.stderr)


main()
