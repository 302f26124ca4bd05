#!/usr/bin/env python3
"""The waferloom program from outside: exit codes, streams, signals, full disks and closed pipes.

usage: program_test.py WAFERLOOM FAULTS SOURCE_FOLDER
"""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM, FAULTS, SOURCE = (os.path.abspath(a) for a in sys.argv[1:4])
CHECKS = 0


def check(condition, text):
    global CHECKS
    CHECKS += 1
    if not condition:
        sys.exit(f"FAILED: {text}")


def call(*arguments, program=PROGRAM, **options):
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([program, *arguments], stderr=subprocess.PIPE, text=True, timeout=60, **options)


def commands():
    run = os.path.join(SOURCE, "configs", "runs", "digits-8x8.yaml")
    done = call("check", run)
    check(done.returncode == 0 and done.stderr == "" and done.stdout.startswith("name: digits-8x8\n"), "check prints the resolved file")
    check(all(ord(c) < 127 for c in done.stdout), "the resolved file is ASCII")
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "resolved.yaml"
        path.write_text(done.stdout)
        again = call("check", str(path), cwd=scratch)
        check(again.returncode == 0 and again.stdout == done.stdout, "the resolved file resolves to itself, from another folder")
        path.write_text("extends: digits-8x8\nbacth: 3\n")
        wrong = call("check", "resolved.yaml", cwd=scratch)
        check(wrong.returncode == 2 and wrong.stdout == "", "a wrong file is exit code 2, and nothing on stdout")
        check(wrong.stderr == "resolved.yaml:2:1: error: unknown key 'bacth' in a run\n  bacth: 3\n  ^~~~~\n  hint: did you mean 'batch'?\n", f"the message has its usual shape: {wrong.stderr}")
        # Another configuration folder.
        shutil.copytree(os.path.join(SOURCE, "configs"), os.path.join(scratch, "other"))
        (pathlib.Path(scratch) / "other" / "machines" / "mine.yaml").write_text("extends: wse2\nlanes: 8\n")
        mine = call("list", "machines", env={**os.environ, "WAFERLOOM_CONFIGS": os.path.join(scratch, "other")})
        check("mine  750x994 tiles, 8 lanes" in mine.stdout, "WAFERLOOM_CONFIGS names another folder")
    check(call("check", "/nonexistent.yaml").returncode == 4, "an unreadable file is exit code 4")
    check(call("check").returncode == 2, "a missing argument is exit code 2")
    check(call("--bogus").returncode == 2, "an unknown option is exit code 2")
    check(call().returncode == 2, "no command is exit code 2")
    version = call("--version")
    check(version.returncode == 0 and version.stdout.startswith("waferloom ") and version.stderr == "", "--version")
    check("\x1b" not in call("list").stderr, "no escape sequences when stderr is no terminal")


def streams():
    with open("/dev/full", "w") as full:
        done = call("list", stdout=full)
        check(done.returncode == 4 and "cannot write to standard output: No space left on device" in done.stderr, "a full disk behind stdout is exit code 4")
    read, write = os.pipe()
    os.close(read)
    done = call("list", stdout=write)
    os.close(write)
    check(done.returncode == 0 and done.stderr == "", "a closed pipe is no fault")


def start(mode):
    child = subprocess.Popen([FAULTS, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(child.stdout.readline() == "ready\n", f"{mode} starts")
    return child


def signals():
    for number, code, word in ((signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "asked to end")):
        child = start("wait")
        begin = time.monotonic()
        child.send_signal(number)
        child.wait(10)
        check(time.monotonic() - begin < 1, "a polling job stops within a second")
        check(child.returncode == code, f"exit code {code}, was {child.returncode}")
        check(word in child.stderr.read(), "the signal is acknowledged")
        # What is acknowledged shows in the exit code, however late it came, unless something worse does.
        child = start("late")
        child.send_signal(number)
        check(child.wait(10) == code and word in child.stderr.read(), f"a signal at the end: exit code {code}, was {child.returncode}")
        child = start("failed")
        child.send_signal(number)
        check(child.wait(10) == 1, f"a signal at the end of what failed: exit code 1, was {child.returncode}")
        child = start("over")
        child.send_signal(number)
        out, text = child.communicate("x", 10)
        check(child.returncode == 0 and text == "", f"a signal behind the end: {child.returncode}, {text}")
    child = start("deaf")
    child.send_signal(signal.SIGINT)
    begin = time.monotonic()
    line = child.stderr.readline() + child.stderr.readline()
    check("keeping what is finished" in line and time.monotonic() - begin < 1, "even a busy job acknowledges within a second")
    check(child.poll() is None, "the first signal only asks")
    child.send_signal(signal.SIGINT)
    check(child.wait(10) == 130, "the second signal ends the program")


def faults():
    for mode, text in (("segv", "SIGSEGV"), ("abort", "aborted"), ("throw", "on purpose"), ("stack", "SIGSEGV")):
        with tempfile.TemporaryDirectory() as scratch:
            done = call(mode, program=FAULTS, cwd=scratch, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)[1:] * 2))
            check(done.returncode == 1, f"{mode}: exit code 1, was {done.returncode}")
            check("internal error" in done.stderr and text in done.stderr, f"{mode}: {done.stderr}")
            check(os.listdir(scratch) == [], f"{mode}: no core dump")
    dumped = call("abort", program=FAULTS, env={**os.environ, "WAFERLOOM_CORE": "1"}, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
    check(dumped.returncode == -signal.SIGABRT, "WAFERLOOM_CORE=1 leaves the fault to the system")


commands()
streams()
signals()
faults()
print(f"{CHECKS} checks passed")
