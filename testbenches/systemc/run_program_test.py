#!/usr/bin/env python3
"""`waferloom run` from outside, on a small array: what must not change a result, what must end it, and how.

usage: run_program_test.py WAFERLOOM SOURCE_DIR
Left out: the accuracy of the digits run (system/digits test) and gradients (plan_rtl_training_test).
"""
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from small_run import PROGRAM, RUN, SOURCE, SmallRun, main, run  # noqa: E402


class RunProgram(SmallRun):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.yaml = cls.write("small.yaml", RUN)
        cls.base = cls.run_to("base")

    @classmethod
    def run_to(cls, name, *options, yaml=None):
        return cls.results(name, *options, yaml=yaml or cls.yaml)

    def assert_same(self, other):
        self.assert_alike(self.base, other)

    def test_same_seed_same_bytes(self):
        self.assert_same(self.run_to("again"))

    def test_the_quantum_never_changes_a_result(self):
        for quantum in ("1", "7", "63", "1000000"):
            self.assert_same(self.run_to("quantum" + quantum, "--quantum", quantum))

    def test_evaluating_everything_gives_the_same(self):
        other = self.run_to("no-skip", "--no-skip")
        self.assertEqual(other["weights.safetensors"], self.base["weights.safetensors"])
        self.assertEqual(other["metrics.csv"], self.base["metrics.csv"])

    def test_another_seed_gives_another_result(self):
        yaml = self.write("seed.yaml", RUN.replace("seed: 5", "seed: 6"))
        self.assertNotEqual(self.run_to("seed", yaml=yaml)["weights.safetensors"], self.base["weights.safetensors"])

    def test_causes_sum_to_cycles(self):
        metrics = json.loads(self.base["metrics.json"])
        self.assertGreater(len(metrics["steps"]), 2)
        for step in metrics["steps"]:
            self.assertEqual(sum(p["cycles"] for p in step["phases"]), step["cycles"])
            for unit in step["units"]:
                self.assertEqual(sum(c["cycles"] for c in unit["causes"]), unit["units"] * step["cycles"])

    def test_weights_are_read_by_an_independent_reader(self):
        data = self.base["weights.safetensors"]
        (length,) = struct.unpack("<Q", data[:8])
        header = json.loads(data[8 : 8 + length])
        self.assertEqual(header["hidden.weight"]["shape"], [7, 64])
        self.assertEqual(header["logits.bias"]["shape"], [10])
        begin, end = header["hidden.weight"]["data_offsets"]
        values = struct.unpack("<%df" % (7 * 64), data[8 + length + begin : 8 + length + end])
        self.assertTrue(all(-10 < v < 10 for v in values))
        self.assertGreater(len(set(values)), 400)

    def other_rtl(self, name, file, old, new):
        """A copy of the RTL with one edit; returns its folder."""
        tree = os.path.join(self.folder, name)
        shutil.copytree(os.path.join(SOURCE, "rtl"), tree)
        path = os.path.join(tree, file)
        with open(path, encoding="utf-8") as handle:
            text = handle.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(text.replace(old, new, 1))
        return tree

    def run_rtl(self, tree, *options):
        # A cache of its own, so that the edit is new each time.
        environment = dict(os.environ, WAFERLOOM_CACHE=os.path.join(self.folder, "cache"))
        return run([self.yaml, "-o", os.path.join(self.folder, "rtl out"), "--no-extrapolate", "--rtl", tree, *options], env=environment)

    def test_edits_of_the_rtl(self):
        # A file that does not compile: the compiler's message with the place, nothing run, and the next run with good RTL works.
        broken = self.other_rtl("broken rtl", "router/wl_router.sv", "  assign quiet_o = quiet_q;", "  assign quiet_o = quiet_q")
        done = self.run_rtl(broken)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"wl_router\.sv:\d+:\d+:.*syntax error")
        # A quiet flag that lies is found before the run: the first audit of new RTL.
        lying = self.other_rtl("lying rtl", "router/wl_router.sv", "quiet_q <= ~moved;", "quiet_q <= 1'b1;")
        done = self.run_rtl(lying)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("skipping is not exact", done.stderr)
        # Another tree with the same text gives the same result.
        same = self.other_rtl("same rtl", "router/wl_router.sv", "// Depth.", "// Depth:")
        done = self.run_rtl(same)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "rtl out", "weights.safetensors"), "rb") as file:
            self.assertEqual(file.read(), self.base["weights.safetensors"])

    def test_faults_of_an_edited_router_end_the_run_and_say_where(self):
        router = "router/wl_router.sv"
        # Without the first audit, which would refuse the edit on its own small array.
        def ends(name, code, message, *edits):
            tree = self.other_rtl(name, router, *edits[0])
            path = os.path.join(tree, router)
            for old, new in edits[1:]:
                with open(path, encoding="utf-8") as handle:
                    text = handle.read()
                self.assertIn(old, text)
                with open(path, "w", encoding="utf-8") as handle:
                    handle.write(text.replace(old, new, 1))
            done = self.run_rtl(tree, "--no-skip")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertRegex(done.stderr, message)
            self.assertLess(len(done.stderr), 4000)
            return done

        # The ramp never gets colour 1: its stream backs up to the host, within bounded cycles. Who waits for whom ends at the router, which has no reason to.
        done = ends("never delivered", 3, r"deadlock in cycle \d{1,5}: nothing can move on any more\nstep 0: 0 of \d+ results",
                    ("req = left_r & ramp_ready_i[Colours-1:0] & free_r;", "req = left_r & ramp_ready_i[Colours-1:0] & free_r & ~(One << 1);"))
        for part in ("phase load", "the host cannot send colour 0 into tile (0,0) from the north; in the router of tile (0,0) the queue of colour 0 is full",
                     "the first starts task 32 (phase) when the main thread is free", "waits for a wavelet of colour 1 (input queue 1)"):
            self.assertIn(part, done.stderr)
        self.assertIn("tile (0,0): the router holds colour 1 for its PE, where it would be taken, and does not send it: an error in the router", done.stderr)
        # The routes of colour 0 are never laid.
        ends("no route", 1, r"the wafer stopped: tile \(0, 0\) cycle \d+: router trap no_route \(1\), colour 0, port 0 \(north\); sent by the host into tile \(0, 0\) from the north\n",
             ("      if (cfg_i[40]) begin\n        sel = One", "      if (cfg_i[40] && cfg_i[39:35] != 5'd0) begin\n        sel = One"))
        # Every route leads west too, over the edge in column 0.
        ends("over the edge", 1, r"the wafer stopped: tile \(0, 0\) cycle \d+: router trap over_edge \(2\), colour 0, port 3 \(west\); ",
             ("(sel_all & {4 * Colours{cfg_i[8]}})", "(sel_all & {4 * Colours{1'b1}})"))
        # Every route leads east too, and every tile takes what comes from the west: two streams of one colour meet.
        ends("two ports", 1, r"tile \([12], [01]\) cycle \d+: router trap two_ports \(3\), colour [01], port 0 \(north\); ",
             ("(sel_all & {4 * Colours{cfg_i[6]}})", "(sel_all & {4 * Colours{cfg_i[6] | ~edge_i[1]}})"), ("(sel_all & {4 * Colours{cfg_i[3]}})", "(sel_all & {4 * Colours{1'b1}})"))

    def test_a_host_a_million_cycles_away_is_slow_and_nothing_else(self):
        yaml = self.write("far.yaml", RUN + "cluster: {extends: single, swarmx_node_latency_s: 1.2e-3}\nlimits: {watchdog_cycles: 20000}\n")
        other = self.results("far", yaml=yaml)
        self.assertEqual(other["weights.safetensors"], self.base["weights.safetensors"])
        self.assertGreater(json.loads(other["metrics.json"])["steps"][0]["cycles"], 1000000)

    def test_all_logic_gives_the_same_bits(self):
        other = self.run_to("rtl views", "--views", "rtl")
        self.assertEqual(other["weights.safetensors"], self.base["weights.safetensors"])
        self.assertEqual(other["metrics.csv"], self.base["metrics.csv"])

    def test_a_loss_that_is_not_finite_ends_the_run_and_says_where(self):
        yaml = self.write("diverge.yaml", RUN.replace("learning_rate: 0.1", "learning_rate: 1000").replace("epochs: 1", "epochs: 3"))
        done = run([yaml, "-o", os.path.join(self.folder, "diverge"), "--no-extrapolate"])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"diverged at step \d+ \(epoch \d\): .*(logits|hidden).*; first in tile \([012], [01]\): the (activation|output).* of layer (hidden|logits) of feature \d, row \d+ of the batch")
        # Interrupted before the held-out rows were looked at: a dash, not a loss of zero.
        last = [line.split() for line in done.stdout.splitlines() if re.match(r"\s+\d+\s", line)]
        self.assertIn("-", last[0] + last[-1], done.stdout)

    def test_what_does_not_fit_is_refused_with_the_numbers(self):
        yaml = self.write("large.yaml", RUN.replace("outputs: 7", "outputs: 40000"))
        done = run([yaml, "-o", os.path.join(self.folder, "large")])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"\d+ bytes")
        self.assertIn("hint:", done.stderr)

    def test_a_cycle_limit_ends_the_run(self):
        yaml = self.write("limit.yaml", RUN + "limits: {cycles: 20000}\n")
        done = run([yaml, "-o", os.path.join(self.folder, "limit"), "--no-extrapolate"])
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("the cycle limit is reached: 20000 cycles in all (limits.cycles)", done.stderr)
        self.assertIn("hint: raise the limit", done.stderr)
        self.assertLess(len(done.stderr), 2000, "a message, not a dump of registers")
        self.assertNotIn("_q=", done.stderr)

    def test_an_output_folder_that_cannot_be_made(self):
        blocked = self.write("a-file", "x")
        done = run([self.yaml, "-o", os.path.join(blocked, "out")])
        self.assertEqual(done.returncode, 4, done.stderr)

    def test_a_full_disk_leaves_nothing_half_written(self):
        # The largest size of a file stands for the disk: every file that is larger fails as it is written.
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        for name in ("full", "base copy"):
            out = os.path.join(self.folder, name)
            if name == "base copy":
                shutil.copytree(os.path.join(self.folder, "base"), out)
            done = run([self.yaml, "-o", out, "--no-extrapolate"], preexec_fn=small_files)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("File too large", done.stderr)
            self.assertNotIn("manifest.json", os.listdir(out), "a folder without a manifest is unfinished")
            for entry in os.listdir(out):
                if entry == ".partial-unfinished":  # says that the folder is ours, with a result that is not whole
                    continue
                self.assertNotIn("partial", entry)
                with open(os.path.join(out, entry), "rb") as file:
                    self.assertEqual(file.read(), self.base[entry], entry)

    def test_a_disk_that_is_really_full(self):
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20k", "tmpfs", disk], stderr=subprocess.DEVNULL, check=False).returncode == 0
        if not mounted:
            self.skipTest("no right to mount a small disk; the test above stands in for it")
        try:
            out = os.path.join(disk, "out")
            done = run([self.yaml, "-o", out, "--no-extrapolate"])
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("No space left on device", done.stderr)
            self.assertNotIn("manifest.json", os.listdir(out))
            self.assertFalse([e for e in os.listdir(out) if "partial" in e and e != ".partial-unfinished"])
            # The same for the cache of units: an RTL that is not built yet.
            done = run([self.yaml, "-o", os.path.join(self.folder, "no cache"), "--no-extrapolate"], env=dict(os.environ, WAFERLOOM_CACHE=os.path.join(disk, "cache")))
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("WAFERLOOM_CACHE", done.stderr)
            self.assertFalse([e for e in os.listdir(os.path.join(disk, "cache")) if e.endswith(".so") or e.startswith("build-")])
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_interrupt_during_the_build_ends_it_within_a_second(self):
        cache = os.path.join(self.folder, "interrupted cache")
        environment = dict(os.environ, WAFERLOOM_CACHE=cache)
        child = subprocess.Popen([PROGRAM, "run", self.yaml, "-o", os.path.join(self.folder, "never"), "--no-extrapolate"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (os.path.isdir(cache) and any(e.startswith("build-") for e in os.listdir(cache))):
            time.sleep(0.05)
        time.sleep(1)
        self.assertIsNone(child.poll(), "the build ended before it could be interrupted")
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.stderr.readline(), "\n")
        self.assertIn("interrupted", child.stderr.readline())
        self.assertLess(time.monotonic() - begin, 1.0, "acknowledged within a second")
        _, errors = child.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, 4.0, "and ended soon: half a second, on a machine that is not busy")
        self.assertEqual(child.returncode, 130, errors)
        self.assertNotIn("cannot be built", errors)
        self.assertFalse([e for e in os.listdir(cache) if e.endswith(".so") or e.startswith("build-")], "the cache is as it was")

    def test_interrupt_keeps_what_is_finished(self):
        yaml = self.write("long.yaml", RUN.replace("epochs: 1", "epochs: 500"))
        out = os.path.join(self.folder, "interrupted")
        child = subprocess.Popen([PROGRAM, "run", yaml, "-o", out, "--no-extrapolate"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(4)
        self.assertIsNone(child.poll(), "the run ended before it could be interrupted")
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.stderr.readline(), "\n")
        self.assertIn("interrupted", child.stderr.readline())
        self.assertLess(time.monotonic() - begin, 1.0, "acknowledged within a second")
        output, errors = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130, errors)
        with open(os.path.join(out, "metrics.json"), encoding="utf-8") as file:
            metrics = json.load(file)
        self.assertEqual(metrics["status"], "interrupted")
        self.assertGreater(len(metrics["steps"]), 0)
        self.assertTrue(re.search(r"report\.html", output))


main()
