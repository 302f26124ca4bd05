#!/usr/bin/env python3
"""`mpirun -n N waferloom run`: any number of processes and threads leaves the same bytes, a lost one ends the run and can be made good.

usage: ranks_program_test.py WAFERLOOM SOURCE_DIR MPIRUN      (WAFERLOOM_TEST_SEED chooses the moments)
State space: a small training step on digits, a collective and a transformer block, by 1 to 4 ranks of 1 to 3 threads; a rank killed at a random moment, another number of ranks that
goes on; the launcher killed; more ranks than tiles. Left out: every register in every cycle (ranks_test), several hosts.
"""
import csv
import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import small_run  # noqa: E402
from small_run import PROGRAM, SmallRun, main  # noqa: E402

MPIRUN = sys.argv[3]
SEED = int(os.environ.get("WAFERLOOM_TEST_SEED", str(int(time.time()))))
FST_DATE = slice(202, 321)  # bytes
TRIES = 8  # to kill a run before it is over
SECONDS = 20  # in which all that is left of a run is gone; a few on a machine with nothing else to do
# Open MPI refuses root and more ranks than cores, and ties each rank to one core, unless told otherwise: by OMPI_ variables up to version 4, PRTE_ ones from 5 on.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_hwloc_base_binding_policy="none",
                   PRTE_ALLOW_RUN_AS_ROOT="1", PRTE_ALLOW_RUN_AS_ROOT_CONFIRM="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                   PRTE_MCA_hwloc_default_binding_policy="none", TMPDIR="/tmp")

RUN = small_run.RUN.replace("train_rows: 40", "train_rows: %d").replace("batch: 16", "batch: 8").replace("test_rows: 16", "test_rows: 8") + "checkpoint: {every_steps: 1, keep: 3}\n"
SHORT, LONG = RUN % 16, RUN % 64
KERNELS = """\
name: few
machine: wse2
kernels:
  - {name: allreduce, kernel: allreduce_chain, width: 5, words: 9}
"""
TWO_KINDS = """\
name: two
machine: wse2
checkpoint: {every_seconds: 0, every_cycles: 300, keep: 200}
kernels:
  - {name: allreduce, kernel: allreduce_chain, width: 5, height: 3, words: 300}
  - {name: block, kernel: transformer_block, width: 3, height: 2, tokens: 8, features: 12, hidden: 24, heads: 1}
"""
# Leaves each rank's process number, and rank 0's exit code and words: mpirun's own code is that of the rank that was killed, and it may drop the last words of others.
# It kills what has not ended a second after it has lost one: rank 0 lies out of its reach, so that a slow machine changes nothing.
WRAPPER = """#!/bin/sh
rank=$OMPI_COMM_WORLD_RANK
if [ "$rank" = 0 ]; then
  exec setsid --wait sh -c '"$@" 2> "$NOTES/errors" & echo $! > "$NOTES/pid.0"; wait $!; echo $? > "$NOTES/code.new"; mv "$NOTES/code.new" "$NOTES/code"' sh "$@"
fi
echo $$ > "$NOTES/pid.$rank"
exec "$@"
"""


def alive(pid):
    """Whether the process is there and not only waiting to be asked how it ended."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def segments(pids):
    """Files in /dev/shm that these processes have mapped: what MPI keeps there."""
    found = set()
    for pid in pids:
        with open("/proc/%d/maps" % pid, encoding="utf-8") as file:
            found.update(line[line.index("/dev/shm/"):].split(" (deleted)")[0].strip() for line in file if "/dev/shm/" in line and "_segment." in line)
    return found


class Ranks(SmallRun):
    @classmethod
    def setUpClass(cls):
        print("seed", SEED, flush=True)
        cls.random = random.Random(SEED)
        super().setUpClass()
        cls.yaml = cls.write("short.yaml", SHORT)
        cls.kernels = cls.write("few.yaml", KERNELS)
        cls.wrapper = cls.write("wrapper.sh", WRAPPER)
        os.chmod(cls.wrapper, 0o755)

    @classmethod
    def run_ranks(cls, ranks, *arguments):
        return small_run.run(arguments, launcher=(MPIRUN, "-n", str(ranks)) if ranks > 1 else (), env=ENVIRONMENT)

    def test_any_number_of_ranks_and_threads_leaves_the_same_bytes(self):
        base = self.results("base", yaml=self.yaml)
        for ranks, threads in ((2, 1), (2, 2), (3, 1), (4, 3)):
            name = "by%dx%d" % (ranks, threads)
            done = self.run_ranks(ranks, self.yaml, "-o", self.path(name), "--no-extrapolate", "--threads", str(threads))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_alike(base, self.contents(name))

    def traces(self, name):
        found = {}
        for at, _, names in os.walk(self.path(name, "trace")):
            for entry in names:
                with open(os.path.join(at, entry), "rb") as file:
                    data = file.read()
                if entry.endswith(".fst"):  # the header holds the date
                    data = data[:FST_DATE.start] + data[FST_DATE.stop:]
                found[os.path.relpath(os.path.join(at, entry), self.path(name))] = data
        return found

    def test_a_trace_over_ranks_is_the_same_and_changes_nothing(self):
        options = ("--no-extrapolate", "--trace", "tiles=1,0:2,1", "cycles=12000:12299")  # of rank 0 and of another
        for ranks in (1, 2):
            done = self.run_ranks(ranks, self.yaml, "-o", self.path("traced%d" % ranks), *options)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(self.traces("traced1")), 6)
        self.assert_alike(self.traces("traced1"), self.traces("traced2"))
        self.assert_alike(self.contents("traced1"), self.contents("traced2"))

    def test_kernels_are_traced_saved_and_resumed_over_ranks(self):
        def results(name):
            found = {}
            for entry in ("kernels.csv", "block.json"):
                with open(self.path(name, entry), "rb") as file:
                    found[entry] = file.read()
            return found

        yaml = self.write("two.yaml", TWO_KINDS)
        for ranks, threads in ((1, 1), (2, 2)):
            done = self.run_ranks(ranks, yaml, "-o", self.path("two%d" % ranks), "--threads", str(threads), "--trace", "tiles=1,0:3,2", "cycles=100:160")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(self.traces("two1")), 6)
        self.assert_alike(self.traces("two1"), self.traces("two2"))
        self.assert_alike(results("two1"), results("two2"))
        saved = self.checkpoints("two2")
        for ranks, at, case in ((3, 2, "allreduce"), (1, -3, "block"), (3, -2, "block")):
            name = "two from %d by %d" % (at, ranks)
            done = self.run_ranks(ranks, yaml, "-o", self.path(name), "--resume", self.path("two2", "checkpoints", saved[at]))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(case + " goes on in cycle", done.stderr)
            self.assert_alike(results("two1"), results(name))

    def test_a_collective_takes_the_same_cycles(self):
        def rows(name):
            with open(self.path(name, "kernels.csv"), encoding="utf-8") as file:
                return [{k: v for k, v in row.items() if "second" not in k and "memory" not in k and not k.endswith("_s")} for row in csv.DictReader(file)]

        for ranks in (1, 2, 3):
            name = "kernels%d" % ranks
            done = self.run_ranks(ranks, self.kernels, "-o", self.path(name), "--threads", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(rows(name), rows("kernels1"))

    def test_more_ranks_than_tiles_are_refused(self):
        done = self.run_ranks(7, self.yaml, "-o", self.path("refused"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"short\.yaml:3:\d+: error: 7 ranks cannot share an array of 6 tiles")
        self.assertIn("hint: mpirun -n 6 or fewer", done.stderr)
        self.assertFalse(os.path.exists(self.path("refused")))
        done = self.run_ranks(6, self.kernels, "-o", self.path("refused"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"few\.yaml:\d+:\d+: error: .*6 ranks cannot share an array of 5 tiles")
        self.assertFalse(os.path.exists(self.path("refused")))

    def catch(self, name, ranks, yaml):
        """Starts a run and comes back at some moment between its first checkpoint and its end: the launcher, the ranks' processes, the folder of notes."""
        for attempt in range(TRIES):
            folder, notes = "%s.%d" % (name, attempt), self.path("notes of %s.%d" % (name, attempt))
            os.mkdir(notes)
            child = subprocess.Popen([MPIRUN, "-n", str(ranks), self.wrapper, PROGRAM, "run", yaml, "-o", self.path(folder), "--no-extrapolate"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(ENVIRONMENT, NOTES=notes))
            while not self.checkpoints(folder) and child.poll() is None:
                time.sleep(0.002)
            time.sleep(self.random.uniform(0, 0.05))
            if child.poll() is None:
                pids = []
                for rank in range(ranks):
                    with open(os.path.join(notes, "pid.%d" % rank), encoding="utf-8") as file:
                        pids.append(int(file.read()))
                yield child, pids, folder, notes
                if child.poll() is None:
                    child.kill()
            child.wait()
        self.fail("the run was over each time before it could be disturbed")

    def words_of_rank_0(self, notes):
        end = time.monotonic() + SECONDS
        while not os.path.exists(os.path.join(notes, "code")) and time.monotonic() < end:
            time.sleep(0.02)
        with open(os.path.join(notes, "code"), encoding="utf-8") as file:
            code = int(file.read())
        with open(os.path.join(notes, "errors"), encoding="utf-8") as file:
            return code, file.read()

    def assert_gone(self, pids):
        end = time.monotonic() + SECONDS
        while any(alive(pid) for pid in pids) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual([pid for pid in pids if alive(pid)], [])

    def test_a_lost_rank_ends_the_run_and_the_newest_checkpoint_goes_on(self):
        yaml = self.write("long.yaml", LONG)
        base = self.results("long", yaml=yaml)
        for ranks in (2, 3):
            for child, pids, folder, notes in self.catch("lost%d" % ranks, ranks, yaml):
                victim = 1 + self.random.randrange(ranks - 1)
                os.kill(pids[victim], signal.SIGKILL)
                self.assert_gone(pids)
                child.wait(timeout=60)
                code, errors = self.words_of_rank_0(notes)
                if code == 0:  # its work was done when the other went
                    continue
                self.assertNotEqual(child.returncode, 0)
                self.assertRegex(errors, r"long\.yaml: error: rank %d \(process %d on .*\) was lost in cycle \d+" % (victim, pids[victim]))
                self.assertRegex(errors, r"hint: the same command with --resume .* goes on from the newest checkpoint")
                self.assertEqual(code, 4)
                break
            done = self.run_ranks(1 + ranks % 3, yaml, "-o", self.path(folder), "--resume", self.path(folder), "--no-extrapolate", "--threads", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("resumed from", done.stderr)
            self.assert_alike(base, self.contents(folder))

    def test_ranks_end_by_themselves_when_their_launcher_or_rank_0_is_gone(self):
        yaml = self.write("endless.yaml", LONG.replace("epochs: 1", "epochs: 1000"))
        for child, pids, folder, notes in self.catch("orphans", 3, yaml):
            mapped = segments(pids)
            self.assertTrue(mapped)
            child.kill()
            child.wait()
            self.assert_gone(pids)
            self.assertEqual([path for path in mapped if os.path.exists(path)], [])
            code, errors = self.words_of_rank_0(notes)
            self.assertEqual(code, 143, errors)
            self.assertIn("goes on from here", errors)
            break
        for child, pids, folder, notes in self.catch("headless", 2, yaml):
            os.kill(child.pid, signal.SIGSTOP)  # so that it cannot end the other itself
            os.kill(pids[0], signal.SIGKILL)
            self.assert_gone(pids)
            os.kill(child.pid, signal.SIGCONT)
            child.wait(timeout=60)
            break


if __name__ == "__main__":
    main()
