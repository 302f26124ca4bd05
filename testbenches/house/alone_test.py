#!/usr/bin/python3
"""Each C++ header or each source compiles alone: alone_test.py h|cpp COMPILER BUILD_FOLDER. A file whose preprocessed text is unchanged since it last
passed is not compiled again. Then a file that cannot stand alone is seen to fail. Release builds compile several sources as one: there a source
may live on its neighbour's includes unseen."""
import concurrent.futures
import hashlib
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import rules  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
FOLDERS = ["host", "firmware", "sim", "testbenches"]


def files(ending):
    for folder in FOLDERS:
        for at, below, names in os.walk(os.path.join(ROOT, folder)):
            below.sort()
            for name in sorted(names):
                path = os.path.relpath(os.path.join(at, name), ROOT)
                if name.endswith("." + ending) and path not in rules.FRAGMENTS:
                    yield path


def flags(build):
    found = ["-std=c++17", "-x", "c++", "-I", ROOT, "-I", os.path.join(build, "host", "report", "generated"), f'-DWL_SOURCE_DIR="{ROOT}"', "-Wall", "-Wextra", "-Werror"]
    found += ['-DWL_MPI_MODULE=""', "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]  # as sim/ranks/CMakeLists.txt defines them
    for module in ("systemc", "yaml-cpp", "ompi-c"):
        result = subprocess.run(["pkg-config", "--cflags", module], capture_output=True, text=True, check=False)
        found += result.stdout.split()
    for folder in ("/usr/include/eigen3", verilator_include()):
        if folder and os.path.isdir(folder):
            found += ["-isystem", folder]
            if os.path.isdir(os.path.join(folder, "vltstd")):
                found += ["-isystem", os.path.join(folder, "vltstd")]
    return found


def verilator_include():
    result = subprocess.run(["verilator", "--getenv", "VERILATOR_ROOT"], capture_output=True, text=True, check=False)
    return os.path.join(result.stdout.strip(), "include") if result.returncode == 0 else ""


def passes(compiler, options, path, state):
    """Empty if the file compiles alone, else the compiler's message."""
    text = f'#include "{path}"\n'
    before = subprocess.run([compiler, *options, "-E", "-P", "-"], input=text, capture_output=True, text=True, check=False)
    if before.returncode != 0:
        return before.stderr
    stamp = os.path.join(state, hashlib.sha256(before.stdout.encode()).hexdigest()) if state else ""
    if stamp and os.path.exists(stamp):
        return ""
    result = subprocess.run([compiler, *options, "-fsyntax-only", "-"], input=text, capture_output=True, text=True, check=False)
    if result.returncode == 0 and stamp:
        with open(stamp, "w", encoding="utf-8"):
            pass
    return "" if result.returncode == 0 else result.stderr or "failed"


def main():
    ending, compiler, build = sys.argv[1:4]
    state = os.path.join(build, "house")
    os.makedirs(state, exist_ok=True)
    options = flags(build)
    paths = list(files(ending))
    failures = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, message in zip(paths, pool.map(lambda p: passes(compiler, options, p, state), paths)):
            if message:
                failures.append(path)
                print(f"{path} does not compile alone:\n" + "\n".join(message.splitlines()[:20]))
    with tempfile.TemporaryDirectory() as folder:
        broken = os.path.join(folder, "broken." + ending)
        with open(broken, "w", encoding="utf-8") as f:
            f.write("inline std::string name();\n")
        if not passes(compiler, options, broken, ""):
            failures.append("a file that lacks an include was accepted")
            print(failures[-1])
    print(f"{len(paths)} files, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
