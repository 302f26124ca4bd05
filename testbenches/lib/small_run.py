"""A small training run for tests of the program from outside: its file, running it, and the bytes of what it leaves."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = sys.argv[1], sys.argv[2]

RUN = """\
name: small
machine: wse2
array: {width: 3, height: 2}
io_words_per_cycle: 2
model:
  name: small
  inputs: 64
  layers:
    - {name: hidden, outputs: 7, activation: relu}
    - {name: logits, outputs: 10}
  loss: softmax_cross_entropy
data:
  file: digits.csv.gz
  train_rows: 40
  test_rows: 16
  value_min: 0
  value_max: 16
  scale: 0.0625
batch: 16
epochs: 1
optimiser: {kind: sgd, learning_rate: 0.1, momentum: 0.9}
loss_scale: 64
accumulate: fp32
seed: 5
"""


def run(arguments, launcher=(), **options):
    """`waferloom run`, to its end; behind the words of a launcher."""
    return subprocess.run([*launcher, PROGRAM, "run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900, **options)


class SmallRun(unittest.TestCase):
    """Tests of runs in a folder of their own that is gone afterwards."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="waferloom run ")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def path(cls, *parts):
        return os.path.join(cls.folder, *parts)

    @classmethod
    def write(cls, name, text):
        with open(cls.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return cls.path(name)

    @classmethod
    def checkpoints(cls, name):
        """Names of the whole ones, oldest first."""
        folder = cls.path(name, "checkpoints")
        return sorted(e for e in os.listdir(folder) if e.endswith(".wlc")) if os.path.isdir(folder) else []

    @classmethod
    def contents(cls, name):
        """Bytes of every result file, the manifest without its wall clock."""
        found = {}
        for entry in sorted(os.listdir(cls.path(name))):
            if entry in ("checkpoints", "trace"):
                continue
            with open(cls.path(name, entry), "rb") as file:
                found[entry] = file.read()
        manifest = json.loads(found.pop("manifest.json"))
        manifest.pop("wall_clock", None)
        found["manifest"] = json.dumps(manifest, sort_keys=True).encode()
        return found

    @classmethod
    def results(cls, name, *options, yaml):
        """Runs to the end without extrapolation; the contents of its folder `name`."""
        done = run([yaml, "-o", cls.path(name), "--no-extrapolate", *options])
        assert done.returncode == 0, done.stderr + done.stdout
        return cls.contents(name)

    def assert_alike(self, base, other, leave_out=()):
        """The same files with the same bytes."""
        self.assertEqual(sorted(other), sorted(base))
        for name, data in base.items():
            if name not in leave_out:
                self.assertEqual(other[name], data, name)


def main():
    unittest.main(module="__main__", argv=[sys.argv[0]], verbosity=2)
