#!/usr/bin/env python3
"""`waferloom report` and `compare` from outside: exit codes, places of errors, files, schema, time.

usage: report_test.py WAFERLOOM SOURCE
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]
source = pathlib.Path(sys.argv[2])
sys.path.insert(0, str(source / "testbenches" / "host" / "report"))
from read_back import Validator  # noqa: E402

CHECKS = 0


def check(condition, text):
    global CHECKS
    CHECKS += 1
    if not condition:
        sys.exit(f"FAILED: {text}")


def call(*arguments, folder=None):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=folder, timeout=800)


def runs():
    return sorted(p for p in (source / "configs" / "runs").glob("*.yaml") if re.search(r"^batch_tokens:", p.read_text(), re.M))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        # The first one may have to measure; the others must not.
        call("report", source / "configs/runs/gpt3-13b-cs2.yaml", "-o", folder / "warm")
        call("report", source / "configs/runs/llama3-8b-wse3.yaml", "-o", folder / "warm3")
        schema = Validator(json.loads((source / "configs/schemas/projection.schema.json").read_text()))
        for run in runs():
            begin = time.monotonic()
            done = call("report", run, "-o", folder / run.stem)
            seconds = time.monotonic() - begin
            check(done.returncode == 0, f"{run.name}: exit {done.returncode}: {done.stderr}")
            check(max(map(len, done.stdout.splitlines())) <= max(80, 8 + len(str(folder / run.stem))), f"{run.name}: 80 columns")
            data = json.loads((folder / run.stem / "projection.json").read_text())
            errors = schema.errors(data)
            check(not errors, f"{run.name}: {errors[:3]}")
            check(abs(sum(o["share"] for o in data["operators"]) - 1) < 1e-6, f"{run.name}: shares sum to one")
            for row in csv.DictReader((folder / run.stem / "operators.csv").open()):
                check(float(row["low"] or row["cycles"]) <= float(row["cycles"]), f"{run.name}: {row['name']}")
            check((folder / run.stem / "report.html").stat().st_size > 10000, f"{run.name}: a page")
            print(f"{run.name}: {seconds:.2f} s, {data['answer']['sentence']}")
        again = call("report", runs()[0], "-o", folder / "again")
        check(again.returncode == 0, again.stderr)
        check((folder / "again/projection.json").read_bytes() == (folder / runs()[0].stem / "projection.json").read_bytes(), "the same bytes twice")

        # Without a run file.
        hf = folder / "Tiny"
        hf.mkdir()
        (hf / "config.json").write_text('{"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22, "num_attention_heads": 32,'
                                        '"num_key_value_heads": 4, "vocab_size": 32000, "max_position_embeddings": 2048}')
        done = call("report", "--model", "Tiny/config.json", "--machine", "wse3", "--systems", "16", "--batch-tokens", "4M", folder=folder)
        check(done.returncode == 0, done.stderr)
        data = json.loads((folder / "out/Tiny-16xwse3/projection.json").read_text())
        check(data["batch_tokens"] == 4 * 1024 * 1024 and data["systems"] == 16 and data["model"]["parameters"] == 1100048384, "Tiny")

        done = call("compare", "wse2", "wse3", "--run", source / "configs/runs/gpt3-13b-cs2.yaml", "-o", folder / "compared")
        check(done.returncode == 0, done.stderr)
        data = json.loads((folder / "compared/comparison.json").read_text())
        check(data["figures"][0]["key"] == "step_time" and data["figures"][0]["ratio"] < 1, "wse3 is faster")
        done = call("compare", source / "rtl", "wse2", "--run", source / "configs/runs/gpt3-13b-cs2.yaml", "-o", folder / "trees")
        check(done.returncode == 0, done.stderr)
        check(json.loads((folder / "trees/comparison.json").read_text())["figures"][0]["ratio"] == 1, "the same tree is the same machine")

        done = call("compare", folder / runs()[0].stem, folder / runs()[1].stem, "-o", folder / "folders")
        check(done.returncode == 0, done.stderr)
        data = json.loads((folder / "folders/comparison.json").read_text())
        first = json.loads((folder / runs()[0].stem / "projection.json").read_text())
        check(data["figures"][0]["a"]["value"] == first["answer"]["step_time"]["value"], "a folder is read as it was written")

        # Mistakes.
        bad = folder / "bad.yaml"
        text = "name: t\nmachine: wse2\nmodel: gpt3-13b\nbatch_tokens: 1048576\n"
        other = folder / "other.json"
        calibration = json.loads((source / "configs/calibration/wse2.json").read_text())
        calibration["key"]["pe"] = "0" * 64
        other.write_text(json.dumps(calibration))
        for change, place in [
            ("density: 0\n", "bad.yaml:5:10: error"),
            ("density: 1.01\n", "bad.yaml:5:10: error"),
            ("systems: 1024\n", "bad.yaml:4:15: error: a batch of 1048576 tokens (512 sequences of 2048) cannot be split over 1024 systems"),
            ("sequense: 2\n", "bad.yaml:5:1: error: unknown key"),
            (f"calibration: {other}\n", "is a calibration of another RTL: its processing element is 000000000000"),
            ("calibration: nowhere.json\n", "nowhere.json: error"),
        ]:
            bad.write_text(text + change)
            done = call("report", "bad.yaml", folder=folder)
            check(done.returncode in (2, 4), f"{change}: exit {done.returncode}")
            check(place in done.stderr, f"{change}: {done.stderr}")
        for arguments in (["report"], ["report", "--systems", "4"], ["report", bad, "--model", "gpt3-13b"], ["compare", "wse2", "wse9", "--run", runs()[0]], ["compare", "wse2", "wse3"], ["report", "--model", "gpt5", "--machine", "wse2"]):
            done = call(*arguments, folder=folder)
            check(done.returncode == 2 and "error" in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")
    print(f"{CHECKS} checks")


main()
