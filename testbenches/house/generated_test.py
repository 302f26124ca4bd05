#!/usr/bin/python3
"""Generated files are what scripts/gen writes today, byte for byte: regenerates into a temporary folder and compares. Then breaks one copy on
purpose and sees scripts/gen --check notice."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
GEN = os.path.join(ROOT, "scripts", "gen")


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(at, f), folder) for at, _, names in os.walk(folder) for f in names)


def main():
    failures = []
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([GEN, "--out", out], check=True, stdout=subprocess.DEVNULL)
        made = files_below(out)
        for path in made:
            with open(os.path.join(out, path), "rb") as f:
                fresh = f.read()
            try:
                with open(os.path.join(ROOT, path), "rb") as f:
                    kept = f.read()
            except FileNotFoundError:
                kept = None
            if kept != fresh:
                failures.append(f"{path} differs from what scripts/gen writes")
            first = fresh.decode().split("\n", 1)[0]
            if not ("configs/spec/" in first or "scripts/gen.d/" in first) or "scripts/gen" not in first or ROOT in fresh.decode():
                failures.append(f"{path}: its first line must name source and command, and no host path may be in it")
        # A file in a generated folder that nothing writes any more is stale, too.
        for folder in sorted({os.path.dirname(p) for p in made}):
            for name in sorted(os.listdir(os.path.join(ROOT, folder))):
                path = os.path.join(folder, name)
                if os.path.isfile(os.path.join(ROOT, path)) and path not in made and not name.endswith(".txt"):
                    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                        if "by scripts/gen;" in f.readline():
                            failures.append(f"{path} is not written by scripts/gen any more")
        # The check can fail.
        victim = made[len(made) // 2]
        with open(os.path.join(out, victim), "a", encoding="utf-8") as f:
            f.write("\n")
        broken = subprocess.run([GEN, "--out", out, "--check"], capture_output=True, text=True, check=False)
        if broken.returncode != 1 or victim not in broken.stdout:
            failures.append("scripts/gen --check did not notice a changed file")
    for failure in failures:
        print(failure)
    print(f"{len(made)} generated files, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
