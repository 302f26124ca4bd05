#!/usr/bin/env python3
"""The main job as shipped: configs/runs/digits-8x8.yaml reaches 90 % on the held-out half, sums up, and prices both workloads with an error.

usage: digits_run_test.py WAFERLOOM SOURCE_DIR
"""
import json
import os
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = sys.argv[1], sys.argv[2]

with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "digits")
    run = os.path.join(SOURCE, "configs", "runs", "digits-8x8.yaml")
    done = subprocess.run([PROGRAM, "run", run, "-o", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=1500)
    assert done.returncode == 0, done.stderr
    with open(os.path.join(out, "metrics.json"), encoding="utf-8") as file:
        metrics = json.load(file)

last = metrics["epochs"][-1]
print("held-out accuracy", last["test_accuracy"], "after", last["epoch"], "epochs")
assert last["test_accuracy"] >= 0.90, last
assert all(epoch["skipped_steps"] == 0 for epoch in metrics["epochs"])
rows = metrics["extrapolations"]
assert [row["name"] for row in rows] == ["digits-network", "dense-12288"], rows
for row in rows:
    # The fit is judged on arrays that it never saw; beyond a tenth it would have to be refused.
    assert 0 < row["fit_error"] < 0.10, row
print("1 passed, 0 failed")
