#!/usr/bin/env python3
"""`waferloom compare` of training runs, from outside: two result folders, two RTL trees, two machines; what is refused and how. And `waferloom tile`.

usage: compare_program_test.py WAFERLOOM SOURCE_DIR
Left out: the tables themselves (host_report_run_comparison), projections (host_cluster_report).
"""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from small_run import PROGRAM, RUN, SOURCE, SmallRun, main  # noqa: E402


def compare(arguments, **options):
    return subprocess.run([PROGRAM, "compare", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900, **options)


class Compare(SmallRun):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.yaml = cls.write("small.yaml", RUN)
        cls.results("a", yaml=cls.yaml)
        cls.results("again", yaml=cls.yaml)
        cls.results("pruned", yaml=cls.write("pruned.yaml", RUN + "pruning: 0.5\n"))

    def compared(self, *arguments):
        done = compare([*arguments, "-o", self.path("compared")])
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("compared", "comparison.json"), encoding="utf-8") as file:
            return done.stdout, json.load(file)

    def test_the_same_run_twice_is_the_same(self):
        text, data = self.compared(self.path("a"), self.path("again"))
        self.assertEqual(data["differences"]["exact"], 0)
        self.assertGreater(data["differences"]["same"], 30)
        self.assertEqual(data["settings"], [])
        self.assertIn("The configurations, the RTL and the firmware are the same.", text)

    def test_half_of_the_weights_are_seen_where_they_matter(self):
        text, data = self.compared(self.path("a"), self.path("pruned"))
        groups = {g["key"]: {r["label"]: r for r in g["rows"]} for g in data["groups"]}
        self.assertLess(groups["cycles"]["wavelets into the edge"]["difference"], 0)
        self.assertEqual(groups["phases"]["load"]["certainty"], "same")
        self.assertEqual(groups["learnt"]["training steps"]["certainty"], "same")
        self.assertEqual({s["key"]: (s["a"], s["b"]) for s in data["settings"]}, {"pruning.kept": ("1", "0.5")})
        self.assertIn("pruning.kept", text)
        with open(self.path("compared", "report.html"), encoding="utf-8") as file:
            self.assertIn("Comparison of training runs", file.read())
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80 + len(self.folder), line)

    def test_two_rtl_trees(self):
        tree = self.path("rtl")
        shutil.copytree(os.path.join(SOURCE, "rtl"), tree)
        with open(os.path.join(tree, "router", "wl_router.sv"), "a", encoding="utf-8") as file:
            file.write("// An edit that changes no cycle.\n")
        out = self.path("trees")
        done = compare([os.path.join(SOURCE, "rtl"), tree, "--run", self.yaml, "-o", out])
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(out, "comparison.json"), encoding="utf-8") as file:
            data = json.load(file)
        self.assertEqual(data["differences"]["exact"], 0)
        self.assertEqual([s["key"] for s in data["settings"]], ["RTL of router"])
        self.assertTrue(os.path.exists(os.path.join(out, "a", "report.html")))
        # Again into the same folder, and two machines.
        done = compare(["wse2", "wse3", "--run", self.yaml, "-o", out])
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(out, "comparison.json"), encoding="utf-8") as file:
            data = json.load(file)
        self.assertGreater(data["differences"]["exact"], 10)
        self.assertIn("machine.lanes.value", [s["key"] for s in data["settings"]])

    def test_what_the_units_are(self):
        def tile(*arguments):
            done = subprocess.run([PROGRAM, "tile", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        text = tile()
        for words in ("wl_router, fast view", "wl_pe, fast view", "class_cnt_q", "quiet_o", "sources and parameters", "Verilator", "Lanes"):
            self.assertIn(words, text)
        self.assertNotIn("inst_q", text)
        self.assertEqual(tile("--rtl", os.path.join(SOURCE, "rtl")), text)
        self.assertNotEqual(tile("--machine", "wse3"), text)
        with open(self.path("a", "manifest.json"), encoding="utf-8") as file:
            self.assertTrue(any(unit["hash"] in text for unit in json.load(file)["units"]))

    def refused(self, code, words, *arguments):
        done = compare([*arguments, "-o", self.path("never")])
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertIn("hint:", done.stderr)
        self.assertFalse(os.path.exists(self.path("never", "report.html")))

    def test_what_cannot_be_compared_is_refused(self):
        os.makedirs(self.path("empty"), exist_ok=True)
        no_result = "empty' holds no result (metrics.json, projection.json) and no RTL"
        self.refused(2, no_result, self.path("a"), self.path("empty"))
        self.refused(2, no_result, self.path("empty"), self.path("empty"))
        self.refused(2, "a' is a training result, 'wse2' is none", self.path("a"), "wse2")
        self.refused(2, "a' is a training result, which needs no run", self.path("a"), self.path("again"), "--run", self.yaml)
        done = compare([self.path("a"), self.path("again"), "-o", self.path("again")])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the comparison cannot take the place of", done.stderr)
        self.assertTrue(os.path.exists(self.path("again", "metrics.json")))
        # Both sides are looked at, and the run, before anything is trained.
        self.refused(2, no_result, "wse2", self.path("empty"), "--run", self.yaml)
        self.refused(2, "waferloom: error: no machine is called 'wse9'", "wse2", "wse9", "--run", self.yaml)
        self.refused(2, "waferloom: error: no machine is called 'wse9'", "wse2", "wse9")
        self.refused(2, "'wse2' is a machine; what is it to do?", "wse2", "wse3")
        self.refused(2, "small.yaml' is not a machine", "wse2", self.yaml, "--run", self.yaml)
        self.refused(2, "error: machine 'nano' has 8 colours", "wse2", "nano", "--run", self.yaml)
        os.makedirs(self.path("half"), exist_ok=True)
        shutil.copy(os.path.join(SOURCE, "rtl", "router", "wl_router.sv"), self.path("half"))
        self.refused(2, "half: error: wl_pe cannot be built", os.path.join(SOURCE, "rtl"), self.path("half"), "--run", self.yaml)
        self.assertFalse(os.path.exists(self.path("never")))
        shutil.copytree(self.path("a"), self.path("cut"))
        os.remove(self.path("cut", "manifest.json"))
        self.refused(4, "cut: error: holds no finished result", self.path("a"), self.path("cut"))
        bad = self.write("bad.yaml", RUN.replace("batch: 16", "batch: 0"))
        self.refused(2, "bad.yaml:19:8: error: 'batch' is out of range: 0", "wse2", "wse3", "--run", bad)
        shutil.rmtree(self.path("never"), ignore_errors=True)
        done = compare([self.path("a"), self.path("again"), "-o", self.yaml])
        self.assertEqual(done.returncode, 4, done.stderr)


main()
