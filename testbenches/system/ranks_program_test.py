#!/usr/bin/env python3
"""`mpirun -n N waferloom run`: any number of processes and threads leaves the same bytes, a lost one ends the run and can be made good.

usage: ranks_program_test.py WAFERLOOM SOURCE_DIR MPIRUN      (WAFERLOOM_TEST_SEED chooses the moments)
State space: a small training step on digits and a collective, by 1 to 4 ranks of 1 to 3 threads; a rank killed at a random moment, another number of ranks that
goes on; more ranks than tiles. Left out: every register in every cycle (ranks_test), several hosts.
"""
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, SOURCE, MPIRUN = sys.argv[1], sys.argv[2], sys.argv[3]
SEED = int(os.environ.get("WAFERLOOM_TEST_SEED", str(int(time.time()))))
KILLS = 2
# Open MPI refuses root and more ranks than cores, and ties each rank to one core, unless told otherwise: by OMPI_ variables up to version 4, PRTE_ ones from 5 on.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_odls_base_sigkill_timeout="30",
                   PRTE_ALLOW_RUN_AS_ROOT="1", PRTE_ALLOW_RUN_AS_ROOT_CONFIRM="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                   PRTE_MCA_hwloc_default_binding_policy="none", PRTE_MCA_odls_base_sigkill_timeout="30", TMPDIR="/tmp")

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
  train_rows: 32
  test_rows: 16
  value_min: 0
  value_max: 16
  scale: 0.0625
batch: 16
epochs: %d
optimiser: {kind: sgd, learning_rate: 0.1, momentum: 0.9}
accumulate: fp32
seed: 5
checkpoint: {every_steps: 1, keep: 3}
"""
KERNELS = """\
name: few
machine: wse2
kernels:
  - {name: allreduce, kernel: allreduce_chain, width: 5, words: 9}
"""
# Leaves each rank's process number, and rank 0's exit code and words: mpirun's own code is that of the rank that was killed, and it may drop the last words of others.
WRAPPER = """#!/bin/sh
rank=$OMPI_COMM_WORLD_RANK
if [ "$rank" = 0 ]; then
  trap "" TERM
  "$@" 2> "$NOTES/errors"
  echo $? > "$NOTES/code"
else
  echo $$ > "$NOTES/pid.$rank"
  exec "$@"
fi
"""


class Ranks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print("seed", SEED, flush=True)
        cls.random = random.Random(SEED)
        cls.folder = tempfile.mkdtemp(prefix="waferloom ranks ")
        cls.yaml = cls.write("small.yaml", RUN % 2)
        cls.kernels = cls.write("few.yaml", KERNELS)
        begin = time.monotonic()
        done = cls.run_alone(cls.yaml, "-o", cls.path("base"), "--no-extrapolate")
        cls.seconds = time.monotonic() - begin
        assert done.returncode == 0, done.stderr

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
    def run_alone(cls, *arguments):
        return subprocess.run([PROGRAM, "run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)

    @classmethod
    def run_ranks(cls, ranks, *arguments):
        return subprocess.run([MPIRUN, "-n", str(ranks), PROGRAM, "run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
                              env=ENVIRONMENT)

    @classmethod
    def results(cls, name):
        """Bytes of every result file, the manifest without its wall clock."""
        found = {}
        for entry in sorted(os.listdir(cls.path(name))):
            if entry == "checkpoints":
                continue
            with open(cls.path(name, entry), "rb") as file:
                found[entry] = file.read()
        manifest = json.loads(found.pop("manifest.json"))
        manifest.pop("wall_clock", None)
        found["manifest"] = json.dumps(manifest, sort_keys=True).encode()
        return found

    def assert_like(self, base, name, leave_out=()):
        base, other = self.results(base), self.results(name)
        self.assertEqual(sorted(other), sorted(base))
        for entry, data in base.items():
            if entry not in leave_out:
                self.assertEqual(other[entry], data, entry)

    def test_any_number_of_ranks_and_threads_leaves_the_same_bytes(self):
        for ranks, threads in ((2, 1), (2, 2), (3, 1), (4, 3)):
            name = "by%dx%d" % (ranks, threads)
            done = self.run_ranks(ranks, self.yaml, "-o", self.path(name), "--no-extrapolate", "--threads", str(threads))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_like("base", name)

    def test_a_collective_takes_the_same_cycles(self):
        def rows(name):
            with open(self.path(name, "kernels.csv"), encoding="utf-8") as file:
                return [{k: v for k, v in row.items() if "second" not in k and "memory" not in k and not k.endswith("_s")} for row in csv.DictReader(file)]

        alone = self.run_alone(self.kernels, "-o", self.path("kernels-alone"))
        self.assertEqual(alone.returncode, 0, alone.stderr)
        for ranks in (2, 3):
            name = "kernels%d" % ranks
            done = self.run_ranks(ranks, self.kernels, "-o", self.path(name), "--threads", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(rows(name), rows("kernels-alone"))

    def test_more_ranks_than_tiles_are_refused(self):
        done = self.run_ranks(7, self.yaml, "-o", self.path("refused"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"small\.yaml:3:\d+: error: 7 ranks cannot share an array of 6 tiles")
        self.assertIn("hint: mpirun -n 6 or fewer", done.stderr)
        self.assertFalse(os.path.exists(self.path("refused")))
        done = self.run_ranks(6, self.kernels, "-o", self.path("refused"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"few\.yaml:\d+:\d+: error: .*6 ranks cannot share an array of 5 tiles")
        self.assertFalse(os.path.exists(self.path("refused")))

    def checkpoints(self, name):
        folder = self.path(name, "checkpoints")
        return sorted(e for e in os.listdir(folder) if e.endswith(".wlc")) if os.path.isdir(folder) else []

    def test_a_lost_rank_ends_the_run_and_the_newest_checkpoint_goes_on(self):
        yaml = self.write("long.yaml", RUN % 4)
        done = self.run_alone(yaml, "-o", self.path("long"), "--no-extrapolate")
        self.assertEqual(done.returncode, 0, done.stderr)
        wrapper = self.write("wrapper.sh", WRAPPER)
        os.chmod(wrapper, 0o755)
        for kill in range(KILLS):
            name, ranks = "lost%d" % kill, 2 + kill
            notes = self.path("notes%d" % kill)
            os.mkdir(notes)
            child = subprocess.Popen([MPIRUN, "-n", str(ranks), wrapper, PROGRAM, "run", yaml, "-o", self.path(name), "--no-extrapolate"], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, env=dict(ENVIRONMENT, NOTES=notes))
            while len(self.checkpoints(name)) < 1 + kill and child.poll() is None:
                time.sleep(0.005)
            time.sleep(self.random.uniform(0, 0.05))
            victim = 1 + self.random.randrange(ranks - 1)
            self.assertIsNone(child.poll(), "the run was over before a rank could be killed")
            with open(os.path.join(notes, "pid.%d" % victim), encoding="utf-8") as file:
                pid = int(file.read())
            os.kill(pid, signal.SIGKILL)
            child.communicate(timeout=60)
            self.assertNotEqual(child.returncode, 0)
            with open(os.path.join(notes, "errors"), encoding="utf-8") as file:
                errors = file.read()
            self.assertRegex(errors, r"long\.yaml: error: rank %d \(process %d on .*\) was lost in cycle \d+" % (victim, pid))
            self.assertRegex(errors, r"hint: the same command with --resume .* goes on from the newest checkpoint")
            with open(os.path.join(notes, "code"), encoding="utf-8") as file:
                self.assertEqual(file.read().strip(), "4")
            other = 1 + ranks % 3
            done = self.run_ranks(other, yaml, "-o", self.path(name), "--resume", self.path(name), "--no-extrapolate", "--threads", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("resumed from", done.stderr)
            self.assert_like("long", name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
