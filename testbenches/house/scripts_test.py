#!/usr/bin/python3
"""scripts/setup against a package system of our own (nothing is installed), and the usage errors of scripts/test and scripts/run."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SCRIPTS = os.path.join(ROOT, "scripts")

# STATE/installed has a line per package that is there: name, version. apt-get adds what it is asked for, unless STATE/broken exists.
FAKES = {
    "dpkg-query": """#!/bin/bash
shift 2
case "$1" in *Provides*) [ ! -e "$STATE/provides" ] || cat "$STATE/provides"; exit 0 ;; esac
for name in "$@"; do
  line=$(grep "^$name " "$STATE/installed") && printf 'ii \\t%s\\t%s\\n' "$name" "${line#* }"
done
""",
    "apt-get": """#!/bin/bash
echo "$*" >>"$STATE/calls"
[ -e "$STATE/broken" ] && { echo "E: no network"; exit 100; }
for name in "$@"; do
  case "$name" in -* | update | install) ;; *) echo "$name 9:999.0" >>"$STATE/installed" ;; esac
done
exit 0
""",
    "sudo": '#!/bin/bash\necho "sudo" >>"$STATE/calls"\nexec "$@"\n',
    "id": '#!/bin/bash\ncat "$STATE/uid"\n',
}


class World:
    def __init__(self, folder, absent=(), uid=0):
        self.folder = folder
        self.bin = os.path.join(folder, "bin")
        os.makedirs(self.bin)
        for name, text in FAKES.items():
            self.write(os.path.join("bin", name), text)
            os.chmod(os.path.join(self.bin, name), 0o755)
        self.write("uid", f"{uid}\n")
        with open(os.path.join(SCRIPTS, "packages.txt"), encoding="utf-8") as f:
            self.packages = [line.split()[:2] for line in f if line.strip() and not line.startswith("#")]
        self.write("installed", "".join(f"{n} 1:{v}-1\n" for n, v in self.packages if n not in absent))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def calls(self):
        path = os.path.join(self.folder, "calls")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as f:
            return f.read().splitlines()

    def setup(self, *arguments, path=None):
        env = dict(os.environ, STATE=self.folder, PATH=path or self.bin + ":/usr/bin:/bin")
        return subprocess.run([os.path.join(SCRIPTS, "setup"), *arguments], capture_output=True, text=True, env=env, check=False)


FAILURES = []


def expect(condition, what, result):
    if not condition:
        FAILURES.append(f"{what}\n  exit {result.returncode}\n  out: {result.stdout}\n  err: {result.stderr}")


def setup_cases():
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder)
        result = world.setup()
        expect(result.returncode == 0 and "are there" in result.stdout and not world.calls(), "all there: nothing is called", result)
        expect(len(result.stdout.splitlines()) == 1, "all there: one line", result)
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder, absent=("verilator", "catch2"))
        result = world.setup("--check")
        expect(result.returncode == 1 and "verilator catch2" in result.stdout and not world.calls(), "--check only says", result)
        result = world.setup()
        calls = world.calls()
        expect(result.returncode == 0 and len(calls) == 2 and "update" in calls[0] and calls[1].endswith("--no-install-recommends verilator catch2"), f"missing ones are installed, as root: {calls}", result)
        expect(result.stdout.splitlines() == ["setup: apt-get update", "setup: apt-get install verilator catch2", "setup: done"], "one line per action", result)
        expect(world.setup().returncode == 0 and len(world.calls()) == 2, "the second time nothing is called", result)
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder, absent=("chromium", "npm"))
        result = world.setup("--check")
        expect(result.returncode == 1 and result.stdout.strip() == "setup: missing: npm", "what only the tests need is not asked for", result)
        result = world.setup("--tests", "--check")
        expect(result.returncode == 1 and result.stdout.strip() == "setup: missing: npm chromium", "but with --tests", result)
        world.write("provides", "nodejs-dev, nodejs-legacy, npm")
        expect(world.setup("--check").returncode == 0, "what another package provides is there", result)
        result = world.setup("--tests")
        expect(result.returncode == 0 and world.calls()[-1].endswith("--no-install-recommends chromium"), f"--tests installs: {world.calls()}", result)
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder, absent=("yosys",), uid=1000)
        result = world.setup()
        expect(result.returncode == 0 and world.calls()[0] == "sudo", "a user goes through sudo", result)
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder, absent=("yosys",), uid=1000)
        os.remove(os.path.join(world.bin, "sudo"))
        for name in ("bash", "dirname", "readlink", "dpkg", "sed", "mktemp", "rm", "tail", "grep", "cat", "env"):
            os.symlink(shutil.which(name), os.path.join(world.bin, name))
        result = world.setup(path=world.bin)
        expect(result.returncode == 2 and "run as root: apt-get install yosys" in result.stderr, "neither root nor sudo: says what to run", result)
        os.remove(os.path.join(world.bin, "dpkg-query"))
        result = world.setup(path=world.bin)
        expect(result.returncode == 2 and "not a Debian system" in result.stderr, "not Debian: says so", result)
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder, absent=("yosys",))
        world.write("broken", "")
        result = world.setup()
        expect(result.returncode == 2 and "E: no network" in result.stderr and "apt-get update failed" in result.stderr, "a failing apt-get is shown", result)
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder, absent=("verilator",))
        with open(os.path.join(folder, "installed"), "a", encoding="utf-8") as f:
            f.write("verilator 4.038-1\n")
        result = world.setup()
        expect(result.returncode == 2 and "verilator is 4.038-1; at least 5.006 is needed" in result.stderr, "too old: says so", result)


def usage_cases():
    cases = [
        ("test", ["--colour"], 2, "unknown argument '--colour'"),
        ("test", ["--seed", "x1"], 2, "--seed must be a number, got 'x1'"),
        ("test", ["--seed"], 2, "--seed needs a value"),
        ("test", ["--wave", "a.fst"], 2, "--wave needs a --filter"),
        ("test", ["--filter", "x", "--wave", "/no/such/folder/a.fst"], 2, "there is no folder"),
        ("test", ["--help"], 0, "--filter RE"),
        ("run", ["missing.yaml"], 4, "there is no file 'missing.yaml'"),
        ("run", ["--help"], 0, "scripts/run [RUN.yaml]"),
        ("setup", ["--help"], 0, "scripts/setup --check"),
        ("setup", ["now"], 2, "unknown argument 'now'"),
        ("setup", ["--tests", "now"], 2, "unknown argument 'now'"),
    ]
    for script, arguments, code, text in cases:
        result = subprocess.run([os.path.join(SCRIPTS, script), *arguments], capture_output=True, text=True, check=False, cwd="/")
        expect(result.returncode == code and text in result.stdout + result.stderr, f"{script} {arguments}: expected exit {code} and '{text}'", result)


def main():
    setup_cases()
    usage_cases()
    # The list says what CMake asks for.
    with open(os.path.join(SCRIPTS, "packages.txt"), encoding="utf-8") as f:
        listed = {line.split()[0] for line in f if line.strip() and not line.startswith("#")}
    with open(os.path.join(SCRIPTS, "cmake", "Dependencies.cmake"), encoding="utf-8") as f:
        for package in re.findall(r"wl_require_(?:pkg|config)\(.*?([a-z0-9.+-]+)\)\n", f.read()):
            if package not in listed:
                FAILURES.append(f"scripts/cmake/Dependencies.cmake needs {package}, scripts/packages.txt does not list it")
    for failure in FAILURES:
        print(failure)
    print(f"{len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
