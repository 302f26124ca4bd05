#!/usr/bin/env python3
"""`waferloom run --resume` from outside: killed at any moment, a run goes on and ends with the same bytes; what does not fit is refused.

usage: resume_program_test.py WAFERLOOM SOURCE_DIR      (WAFERLOOM_TEST_SEED chooses the moments)
Left out: damage byte by byte (checkpoint_file_test), the fabric's state in detail (checkpoint_fabric_test).
"""
import hashlib
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import small_run  # noqa: E402
from small_run import PROGRAM, SOURCE, SmallRun, main  # noqa: E402

SEED = int(os.environ.get("WAFERLOOM_TEST_SEED", str(int(time.time()))))
KILLS = 20

RUN = small_run.RUN.replace("epochs: 1", "partial_batch: keep\nepochs: 5").replace("loss_scale: 64", "loss_scale: {mode: dynamic, initial: 64, growth_interval_steps: 3}")
EVERY_STEP = RUN + "checkpoint: {every_steps: 1, keep: 3}\n"


def run(arguments, **options):
    return small_run.run([*arguments, "--no-extrapolate"], **options)


def tree(folder):
    """Every path below a folder with its contents."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                found[os.path.relpath(os.path.join(at, name), folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


class Resume(SmallRun):
    @classmethod
    def setUpClass(cls):
        print("seed", SEED, flush=True)
        cls.random = random.Random(SEED)
        super().setUpClass()
        cls.yaml = cls.write("small.yaml", EVERY_STEP)
        begin = time.monotonic()
        done = run([cls.yaml, "-o", cls.path("base")])
        cls.seconds = time.monotonic() - begin
        assert done.returncode == 0, done.stderr

    def assert_like(self, base, name, leave_out=()):
        self.assert_alike(self.contents(base), self.contents(name), leave_out)

    def assert_like_base(self, name, leave_out=()):
        self.assert_like("base", name, leave_out)

    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, "run", *arguments, "--no-extrapolate"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_killed_at_any_moment_it_goes_on(self):
        kills, resumed, whole = 0, 0, 0
        while kills < KILLS or whole == 0:
            name = "killed%d" % whole
            code = None
            while code is None:
                arguments = [self.yaml, "-o", self.path(name)]
                if self.checkpoints(name):
                    arguments += ["--resume", self.path(name)]
                child = self.start(*arguments)
                wait = 1000 if kills >= KILLS else self.random.uniform(0.02, 0.6) * self.seconds
                try:
                    _, errors = child.communicate(timeout=wait)
                    code = child.returncode
                    self.assertEqual(code, 0, errors)
                except subprocess.TimeoutExpired:
                    child.send_signal(signal.SIGKILL)
                    _, errors = child.communicate()
                    kills += 1
                resumed += "resumed from" in errors
                self.assertLessEqual(len(self.checkpoints(name)), 3 + 1, "old ones are removed")
            self.assert_like_base(name)
            whole += 1
        print(kills, "kills,", resumed, "resumed,", whole, "runs ended", flush=True)
        self.assertGreater(resumed, KILLS // 3)

    def test_interrupted_and_resumed(self):
        quiet = RUN.replace("epochs: 5", "epochs: 40") + "checkpoint: {every_seconds: 0}\n"  # only the interrupt writes one
        yaml = self.write("quiet.yaml", quiet)
        begin = time.monotonic()
        done = run([yaml, "-o", self.path("quiet")])
        seconds = time.monotonic() - begin
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.exists(self.path("quiet", "checkpoints")))
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for attempt in range(8):  # a moment within the simulation, on a machine of any speed
                name = "interrupted%d.%d" % (code, attempt)
                child = self.start(yaml, "-o", self.path(name))
                time.sleep(self.random.uniform(0.3, 0.7) * seconds)
                child.send_signal(number)
                _, errors = child.communicate(timeout=60)
                if self.checkpoints(name):
                    break
            self.assertEqual(child.returncode, code, errors)
            self.assertIn("--resume " + self.path(name), errors)
            with open(self.path(name, "metrics.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["status"], "interrupted")
            # Another rule of checkpoints, another folder for the results and a checkpoint itself as the place: all the same run.
            often = self.write("often.yaml", quiet.replace("every_seconds: 0", "every_steps: 7"))
            done = run([often, "-o", self.path(name + " on"), "--resume", self.path(name, "checkpoints", self.checkpoints(name)[0]), "--quantum", "7"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_like("quiet", name + " on", leave_out=("resolved.yaml",))
            # Without -o the results go where the run's results were.
            done = run([yaml, "--resume", self.path(name)])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_like("quiet", name)

    def test_when_checkpoints_are_written_changes_nothing(self):
        yaml = self.write("often.yaml", RUN + "checkpoint: {every_seconds: 0.001, keep: 1}\n")
        done = run([yaml, "-o", self.path("often")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.checkpoints("often")), 1)
        self.assert_like_base("often", leave_out=("resolved.yaml",))

    def refused(self, code, words, *arguments, place=None):
        """Refused with that exit code and those words, and nothing changed anywhere."""
        before = tree(self.folder)
        done = run([*arguments, "--resume", place or self.path("base")])
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, words)
        self.assertIn("error: ", done.stderr)
        self.assertEqual(tree(self.folder), before)

    def test_what_is_of_something_else_is_refused(self):
        out = ("-o", self.path("never"))
        other = self.write("other.yaml", EVERY_STEP.replace("seed: 5", "seed: 6"))
        self.refused(2, r"checkpoint-\d+\.wlc: error: is of another run: 'seed: 5' there, 'seed: 6' here", other, *out)
        self.refused(2, r"is of another run: '.*wse2.*' there, '.*wse3.*' here|is of another run", self.yaml, "--machine", "wse3", *out)
        longer = self.write("longer.yaml", EVERY_STEP.replace("epochs: 5", "epochs: 6"))
        self.refused(2, "'epochs: 5' there, 'epochs: 6' here", longer)
        rtl = self.path("rtl")
        shutil.copytree(os.path.join(SOURCE, "rtl"), rtl)
        with open(os.path.join(rtl, "router", "wl_router.sv"), "a", encoding="utf-8") as file:
            file.write("// An edit.\n")
        self.refused(2, r"is of another RTL of wl_router: '[0-9a-f]{64}' there, '[0-9a-f]{64}' here", self.yaml, "--rtl", rtl, *out)
        self.refused(2, "is of another RTL", self.yaml, "--views", "rtl", *out)
        self.refused(2, "another choice of skipping", self.yaml, "--no-skip", *out)
        shutil.rmtree(rtl)

    def test_places_without_a_checkpoint_are_refused(self):
        out = ("-o", self.path("never"))
        os.makedirs(self.path("empty"), exist_ok=True)
        self.refused(2, "empty: error: holds no checkpoint", self.yaml, *out, place=self.path("empty"))
        os.makedirs(self.path("foreign", "checkpoints"), exist_ok=True)
        self.write("foreign/checkpoints/model.pt", "x")
        self.refused(2, "holds no checkpoint", self.yaml, place=self.path("foreign"))
        self.refused(4, "absent: error: cannot be read: No such file", self.yaml, *out, place=self.path("absent"))
        done = run([self.yaml, "--resume", ""])
        self.assertEqual(done.returncode, 2)
        self.assertIn("--resume: the name is empty", done.stderr)

    def test_damage_is_refused(self):
        with open(self.path("base", "checkpoints", self.checkpoints("base")[-1]), "rb") as file:
            good = file.read()
        os.makedirs(self.path("damaged"), exist_ok=True)
        place = self.path("damaged", "checkpoint-000001.wlc")

        def put(data):
            with open(place, "wb") as file:
                file.write(data)

        for _ in range(6):
            at = self.random.randrange(len(good))
            bad = bytearray(good)
            bad[at] ^= 1 << self.random.randrange(8)
            put(bad)
            self.refused(4, "checkpoint-000001.wlc: error: is damaged: ", self.yaml, place=self.path("damaged"))
        for length in [0, 1, 63, 64, len(good) - 1] + [self.random.randrange(len(good)) for _ in range(4)]:
            put(good[:length])
            self.refused(4, "error: is damaged: ", self.yaml, place=self.path("damaged"))
        # A whole file of the next format.
        header = bytearray(good[:64])
        (version,) = struct.unpack("<I", header[8:12])
        header[8:12] = struct.pack("<I", version + 1)
        header[60:64] = struct.pack("<I", zlib.crc32(bytes(header[:60])))
        put(bytes(header) + good[64:])
        self.refused(2, "has format %d; this program reads format %d" % (version + 1, version), self.yaml, place=self.path("damaged"))
        # An older whole one is taken instead, and that is said.
        shutil.copytree(self.path("base", "checkpoints"), self.path("older", "checkpoints"))
        newest = self.checkpoints("older")[-1]
        with open(self.path("older", "checkpoints", newest), "r+b") as file:
            file.truncate(1000)
        done = run([self.yaml, "--resume", self.path("older")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, re.escape(newest) + r" is damaged: .*\n  hint: an older checkpoint is taken instead\nresumed from .*: step \d+ of 20, cycle \d+\n")
        self.assert_like_base("older")


main()
