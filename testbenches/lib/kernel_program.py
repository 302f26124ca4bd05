"""Kernel runs by the program from outside: a file is written, run, and its exit code held."""
import pathlib
import subprocess
import sys

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")


def run(folder, text, *more, code=0, env=None):
    """`waferloom run` of `text` as folder/run.yaml into folder/out, to its end."""
    file = folder / "run.yaml"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run([PROGRAM, "run", str(file), "-o", str(folder / "out"), *more], env=env, capture_output=True, text=True, check=False)
    check(done.returncode == code, f"exit code {done.returncode}, expected {code}\n{done.stdout}\n{done.stderr}")
    return done
