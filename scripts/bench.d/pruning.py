#!/usr/bin/env python3
"""The sweep of scripts/pruning: one training run for each share of the weights kept; a table on stdout, pruning.csv in the folder.

usage: pruning.py WAFERLOOM RUN.yaml FOLDER KEPT,KEPT,... AFTER_EPOCH THREADS
"""
import csv
import json
import os
import subprocess
import sys

COLUMNS = ["kept", "test_accuracy", "test_loss", "train_loss", "step_cycles", "matrix_cycles", "speedup", "words_in", "lane_utilisation"]


def measure(program, run, folder, kept, after_epoch, threads):
    """Trains with that share and returns its row; cycles are of the steps after the last dense epoch."""
    os.makedirs(folder, exist_ok=True)
    pruned = os.path.join(folder, "run-kept-%s.yaml" % kept)
    with open(pruned, "w", encoding="utf-8") as file:
        file.write("extends: %s\nname: kept-%s\npruning: {kept: %s, after_epoch: %d}\n" % (json.dumps(run), kept, kept, after_epoch))
    results = os.path.join(folder, "kept-%s" % kept)
    done = subprocess.run([program, "run", pruned, "-o", results, "--no-extrapolate", "--threads", str(threads)], stdout=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise SystemExit(1)
    with open(os.path.join(results, "metrics.json"), encoding="utf-8") as file:
        metrics = json.load(file)
    steps = [s for s in metrics["steps"] if s["kind"] == "train" and s["epoch"] > after_epoch]
    mean = lambda value: sum(map(value, steps)) / len(steps)
    # What weights pass through: forward and delta passes. The rest of a step does not depend on them.
    matrix = lambda s: sum(p["cycles"] for p in s["phases"] if p["name"].endswith((".forward", ".delta")))
    last = metrics["epochs"][-1]
    return {"kept": float(kept), "test_accuracy": last["test_accuracy"], "test_loss": last["test_loss"], "train_loss": last["train_loss"], "step_cycles": mean(lambda s: s["cycles"]),
            "matrix_cycles": mean(matrix), "words_in": mean(lambda s: s["wavelets_in"]), "lane_utilisation": metrics["totals"]["lane_utilisation"]}


def main():
    program, run, folder, shares, after_epoch, threads = sys.argv[1:]
    rows = []
    print("   kept  test accuracy  test loss  cycles of a step  forward and delta  speed-up  words in")
    for kept in shares.split(","):
        row = measure(program, run, folder, kept, int(after_epoch), int(threads))
        rows.append(row)
        row["speedup"] = rows[0]["matrix_cycles"] / row["matrix_cycles"]
        print("%7s %12.1f %% %10.4f %17.0f %18.0f %9.2f %9.0f" % (kept, 100 * row["test_accuracy"], row["test_loss"], row["step_cycles"], row["matrix_cycles"], row["speedup"], row["words_in"]), flush=True)
    with open(os.path.join(folder, "pruning.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
