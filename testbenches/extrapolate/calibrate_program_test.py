#!/usr/bin/env python3
"""`waferloom calibrate` from outside: exit codes, places of errors, what an interrupted one leaves behind.

usage: calibrate_program_test.py WAFERLOOM mistakes|interrupted
"""
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]
part = sys.argv[2]
CHECKS = 0


def check(condition, text):
    global CHECKS
    CHECKS += 1
    if not condition:
        sys.exit(f"FAILED: {text}")


def default_cache():
    if "WAFERLOOM_CACHE" in os.environ:
        return pathlib.Path(os.environ["WAFERLOOM_CACHE"])
    if os.environ.get("XDG_CACHE_HOME"):
        return pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "waferloom"
    return pathlib.Path(os.environ["HOME"]) / ".cache/waferloom"


def environment(cache):
    return {**os.environ, "WAFERLOOM_CACHE": str(cache)}


def call(*arguments, cache, timeout=800):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, env=environment(cache), timeout=timeout)


def store_without(folder):
    """A cache that has the units of the default one, and a store of its own."""
    cache = folder / "cache"
    cache.mkdir()
    default = default_cache()
    if default.is_dir():
        for entry in default.iterdir():
            if not entry.name.startswith("calibration.sqlite"):
                (cache / entry.name).symlink_to(entry)
    return cache


def count(cache):
    store = cache / "calibration.sqlite"
    if not store.exists():
        return 0
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=60) as database:
        try:
            return database.execute("select count(*) from run").fetchone()[0]
        except sqlite3.OperationalError:
            return 0  # being made


def interrupted(cache, how, code):
    """Starts a calibration, ends it when it has measured two more arrays, returns what the store holds then."""
    before = count(cache)
    process = subprocess.Popen([program, "calibrate", "wse2", "--jobs", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(cache))
    end = time.monotonic() + 700
    while count(cache) < before + 2 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.2)
    check(process.poll() is None, f"it still runs: {process.stderr.read() if process.poll() is not None else ''}")
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    check(process.returncode == code, f"{how}: exit {process.returncode}, {err}")
    if how == signal.SIGINT:
        check("goes on from here" in err, err)
    after = count(cache)
    check(after >= before + 2, f"{how}: {before} arrays before, {after} after")
    with sqlite3.connect(cache / "calibration.sqlite", timeout=60) as database:
        check(database.execute("pragma integrity_check").fetchone()[0] == "ok", "the store is whole")
        # A training step has seven phases (and one number more where it runs as a whole), a block six; nothing has fewer.
        short = database.execute("select count(*) from run where (select count(*) from measurement where measurement.key = run.key) <"
                                 " case when label like '%heads of%' then 6 else 7 end").fetchone()[0]
        check(short == 0, f"{short} runs without all of their phases")
    return after


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        cache = store_without(folder)
        if part == "mistakes":
            mistakes(folder, cache)
        else:
            # By hand, then killed, then told to end: what was measured stays.
            first = interrupted(cache, signal.SIGINT, 130)
            second = interrupted(cache, signal.SIGKILL, -signal.SIGKILL)
            third = interrupted(cache, signal.SIGTERM, 143)
            check(first < second < third, f"{first} {second} {third}")
    print(f"{CHECKS} checks")


def mistakes(folder, cache):
    for arguments, code, words in [
        (["calibrate"], 2, "machine"),
        (["calibrate", "wse9"], 2, "wse9"),
        (["calibrate", "nano"], 2, "nano: error: this machine cannot be calibrated"),
        (["calibrate", "wse2", "--jobs", "0"], 2, "--jobs"),
        (["calibrate", "wse2", "--jobs", "99999999999999999999"], 2, "--jobs"),
        (["calibrate", "wse2", "--rtl", folder / "nothing"], 2, "nothing"),
        (["calibrate", "wse2", "--rtl", folder], 2, "error"),
        (["calibrate", "wse2", "--accumulate", "fp64"], 2, "fp64"),
    ]:
        done = call(*arguments, cache=cache)
        check(done.returncode == code and words in done.stderr + done.stdout, f"{arguments}: exit {done.returncode}, {done.stderr}")
    machine = folder / "machine.yaml"
    text = "extends: wse2\nname: mine\nclock_hz: "
    for value in (".nan", ".inf", "0", "-1e9", "1,1e9"):
        machine.write_text(text + value + "\n")
        done = call("calibrate", machine, cache=cache)
        check(done.returncode == 2 and "machine.yaml:3:11: error" in done.stderr, f"{value}: exit {done.returncode}, {done.stderr}")
    # Stores that cannot be.
    done = call("calibrate", "wse2", cache="/proc/nowhere")
    check(done.returncode == 4 and "calibration.sqlite: error: the calibration store cannot be opened" in done.stderr, done.stderr)
    store = cache / "calibration.sqlite"
    store.write_text("damaged " * 500)
    done = call("calibrate", "wse2", cache=cache)
    check(done.returncode == 4 and "calibration.sqlite: error: the calibration store is damaged" in done.stderr and "hint" in done.stderr, done.stderr)
    check(store.read_text() == "damaged " * 500, "a damaged store is not written to")
    store.unlink()


main()
