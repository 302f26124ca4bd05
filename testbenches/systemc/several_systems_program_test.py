#!/usr/bin/env python3
"""`waferloom run` with several systems, from outside: what must not change a result, what is reported of each, what is refused.

usage: several_systems_program_test.py WAFERLOOM SOURCE_DIR [full]
Left out: the bits of gradients and the bound on their sums (systemc_several_test). `full` only trains the shipped run to the end.
"""
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from small_run import PROGRAM, RUN, SOURCE, SmallRun, main, run  # noqa: E402

TWO = RUN.replace("machine: wse2\n", "machine: wse2\nsystems: 2\n").replace("epochs: 1", "epochs: 3\npartial_batch: keep").replace("loss_scale: 64", "loss_scale: {mode: dynamic, initial: 64, growth_interval_steps: 2}")


class SeveralSystems(SmallRun):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.yaml = cls.write("two.yaml", TWO)
        cls.base = cls.results("base", yaml=cls.yaml)

    def test_threads_and_the_quantum_never_change_a_result(self):
        self.assert_alike(self.base, self.results("threads", "--threads", "2", yaml=self.yaml))
        self.assert_alike(self.base, self.results("quantum", "--quantum", "7", yaml=self.yaml))

    def test_interrupted_and_resumed_it_ends_with_the_same_bytes(self):
        long = self.write("long.yaml", TWO.replace("epochs: 3", "epochs: 24"))
        begin = time.monotonic()
        whole = self.results("whole", yaml=long)
        seconds = time.monotonic() - begin
        for attempt in range(8):  # a moment within the simulation, on a machine of any speed
            name = "interrupted%d" % attempt
            child = subprocess.Popen([PROGRAM, "run", long, "-o", self.path(name), "--no-extrapolate"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(0.5 * seconds)
            child.send_signal(signal.SIGINT)
            _, errors = child.communicate(timeout=60)
            if os.path.isdir(self.path(name, "checkpoints")):
                break
        self.assertEqual(child.returncode, 130, errors)
        done = run([long, "--resume", self.path(name), "--no-extrapolate", "--quantum", "64"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("resumed from", done.stderr)
        self.assert_alike(whole, self.contents(name))

    def test_checkpoints_at_every_step_change_nothing(self):
        often = self.write("often.yaml", TWO + "checkpoint: {every_steps: 1, keep: 100}\n")
        self.assert_alike(self.base, self.results("often", yaml=often), leave_out=("resolved.yaml",))
        kept = sorted(os.listdir(self.path("often", "checkpoints")))
        middle = self.path("often", "checkpoints", kept[len(kept) // 2])
        done = run([often, "-o", self.path("from the middle"), "--resume", middle, "--no-extrapolate"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_alike(self.base, self.contents("from the middle"), leave_out=("resolved.yaml",))
        # A checkpoint of two systems is none of one.
        one = self.write("one.yaml", TWO.replace("systems: 2\n", ""))
        done = run([one, "-o", self.path("never"), "--resume", middle])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("is of another run", done.stderr)

    def test_every_system_has_its_counters_and_causes(self):
        metrics = json.loads(self.base["metrics.json"])
        self.assertEqual(metrics["systems"], 2)
        self.assertEqual(len(metrics["steps"]), 12)
        for step in metrics["steps"]:
            systems = step["systems"]
            self.assertEqual([s["system"] for s in systems], [0, 1])
            self.assertEqual(step["cycles"], max(s["cycles"] for s in systems))
            for key in ("wavelets_in", "wavelets_out", "saturations"):
                self.assertEqual(step[key], sum(s[key] for s in systems), key)
            for system in systems:
                self.assertEqual(sum(p["cycles"] for p in system["phases"]), system["cycles"])
                for unit in system["units"]:
                    self.assertEqual(unit["units"], 6)
                    self.assertEqual(sum(c["cycles"] for c in unit["causes"]), 6 * system["cycles"])
            for u, unit in enumerate(step["units"]):
                self.assertEqual(unit["units"], 12)
                for c, cause in enumerate(unit["causes"]):
                    self.assertEqual(cause["cycles"], sum(s["units"][u]["causes"][c]["cycles"] for s in systems))
            if step["kind"] == "train":
                self.assertTrue(all(s["wavelets_out"] == step["wavelets_out"] / 2 > 0 for s in systems), "both give gradients")
        totals = metrics["totals"]
        self.assertEqual(totals["edge_wavelets_in"], sum(s["wavelets_in"] for s in totals["systems"]))
        self.assertTrue(all(0 < s["lane_utilisation"] < 1 for s in totals["systems"]))
        rows = list(csv.DictReader(io.StringIO(self.base["metrics.csv"].decode())))
        for row, step in zip(rows, metrics["steps"]):
            self.assertEqual(int(row["system1.cycles"]), step["systems"][1]["cycles"])
            self.assertEqual(int(row["system1.phase.host"]) + int(row["system1.phase.drain"]) > 0, True)
            causes = {"system1.pe." + c["name"]: c["cycles"] for c in step["systems"][1]["units"][0]["causes"]}
            self.assertEqual({name: int(row[name]) for name in causes}, causes)
        page = self.base["report.html"].decode()
        self.assertIn("Causes of cycles by system", page)

    def test_two_learn_what_one_learns(self):
        # The same rows in the same steps: only the order of sums differs.
        one = self.write("one.yaml", TWO.replace("systems: 2\n", "").replace("height: 2", "height: 4"))
        single = json.loads(self.results("one", yaml=one)["metrics.json"])
        double = json.loads(self.base["metrics.json"])
        self.assertNotIn("systems", single["steps"][0])
        self.assertEqual(single["systems"], 1)
        for a, b in zip(single["steps"], double["steps"]):
            self.assertEqual((a["epoch"], a["kind"], a["loss_scale"]), (b["epoch"], b["kind"], b["loss_scale"]))
            self.assertAlmostEqual(a["loss"], b["loss"], delta=1e-3 * a["loss"])
        self.assertLess(double["steps"][-2]["loss"], 0.9 * double["steps"][0]["loss"])

    def test_more_systems_than_rows_are_refused_where_they_are_written(self):
        many = self.write("many.yaml", TWO.replace("systems: 2", "systems: 17"))
        done = run([many, "-o", self.path("never")])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("many.yaml:3:10: error: 17 systems cannot share a batch of 16 rows", done.stderr)
        self.assertIn("hint: each takes at least one row", done.stderr)
        cluster = self.write("cluster.yaml", RUN + "cluster: {extends: single, systems: 32}\n")
        done = run([cluster, "-o", self.path("never")])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"cluster\.yaml:25:\d+: error: 32 systems cannot share a batch of 16 rows")
        self.assertFalse(os.path.exists(self.path("never")))

    def test_a_cycle_limit_names_every_system(self):
        limit = self.write("limit.yaml", TWO + "limits: {cycles: 30000}\n")
        done = run([limit, "-o", self.path("limit"), "--no-extrapolate"])
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("30000 cycles in all", done.stderr)
        self.assertNotIn("sc_stop", done.stdout + done.stderr)
        self.assertIn("system 0: step", done.stderr)
        self.assertIn("system 1: step", done.stderr)


class Shipped(SmallRun):
    def test_two_systems_of_4x4_learn_the_digits(self):
        metrics = json.loads(self.results("digits", yaml=os.path.join(SOURCE, "configs", "runs", "digits-2x4x4.yaml"))["metrics.json"])
        self.assertGreaterEqual(metrics["epochs"][-1]["test_accuracy"], 0.90)
        one = self.write("one.yaml", "extends: %s\nname: one\nsystems: 1\n" % os.path.join(SOURCE, "configs", "runs", "digits-2x4x4.yaml"))
        single = json.loads(self.results("one", yaml=one)["metrics.json"])
        self.assertAlmostEqual(single["epochs"][-1]["test_accuracy"], metrics["epochs"][-1]["test_accuracy"], delta=0.01)
        self.assertLess(metrics["totals"]["cycles"], single["totals"]["cycles"])


if sys.argv[3:] == ["full"]:
    del SeveralSystems
else:
    del Shipped
main()
