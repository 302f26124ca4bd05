#!/usr/bin/env python3
"""Kernel folders of a user's own on verilated tiles: what goes wrong in one ends the run with the right exit code and names tile, cycle and instruction; a
legal pause of a million cycles is no fault.

usage: kernel_folder_test.py WAFERLOOM SOURCE_DIR
Left out: mistakes within a layout (kernels_test), who waits for whom in detail (waits_for_test), the course's folders in every order of events (kernels_test).
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
from small_run import SOURCE, SmallRun, main, run  # noqa: E402

PROGRAM = """\
        .include "protocol.wl"
        .task BOOT_TASK, boot
        .task TASK_PHASE, go
        .task 40, later
        .org  0x88
        .include "boot.wl"
        .alias row d0
        .alias out d1
        .alias in d2
go:
        ldd   row, row_descriptor(r0)
        ldd   out, out_descriptor(r0)
        ldd   in, in_descriptor(r0)
{body}
        yield
later:
{later}
        yield
        .desc row_descriptor kind=mem1d, type=f32, base=values, len0=4, stride0=4
        .desc out_descriptor kind=fabric_out, type=f32, len0=4, colour=5, queue=1
        .desc in_descriptor kind=fabric_in, type=f32, queue=4
        .align 8
values: .space 16
"""
LAYOUT = """\
title: A test
array: {{width: {width}, height: 1}}
program: program.wl
routes:
  - {{colour: 0, receive: [north], transmit: [ramp]}}
{routes}bind:
  - {{queue: 0, colour: 0}}
{bind}memory:
  - {{tiles: [0, 0], symbol: values, f32: [1, 2, 3, 4]}}
edge:
  - {{control: {{task: TASK_PHASE}}}}
expect:
  memory:
    - {{tile: [{last}, 0], symbol: values, f32: [{values}]}}
"""
SEND = "        bnez  r8, done\n        vmov  out, row\ndone:"
SEND_OR_TAKE = "        bnez  r8, take\n        vmov  out, row\n        yield\ntake:   vmov  row, in"
EAST = "  - {colour: 5, tiles: [0, 0], receive: [ramp], transmit: [east]}\n"
INTO = "  - {colour: 5, tiles: [1, 0], receive: [west], transmit: [ramp]}\n"
BIND = "  - {queue: 4, colour: 5, tiles: [1, 0]}\n"


class KernelFolder(SmallRun):
    def run_case(self, name, body, later="", width=2, routes="", bind="", values="0, 0, 0, 0", run_keys="", layout=LAYOUT):
        os.makedirs(self.path(name, "mine"), exist_ok=True)
        self.write(os.path.join(name, "mine", "program.wl"), PROGRAM.format(body=body, later=later))
        self.write(os.path.join(name, "mine", "layout.yaml"), layout.format(width=width, last=width - 1, routes=routes, bind=bind, values=values))
        # The folder is named relative to the file, not to where the program is started.
        yaml = self.write(os.path.join(name, "run.yaml"), "name: %s\nmachine: wse2\n%skernels:\n  - {name: mine, kernel: folder, folder: mine}\n" % (name.replace(" ", "-"), run_keys))
        return run([yaml, "-o", self.path(name, "out")])

    def ends(self, name, code, message, verdict, **case):
        done = self.run_case(name, **case)
        with self.subTest(name):
            self.assertEqual(done.returncode, code, done.stderr + done.stdout)
            self.assertRegex(done.stderr, message)
            with open(self.path(name, "out", "kernels.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["cases"][0]["verdict"], verdict)
        return done

    def test_traps_name_tile_cycle_and_instruction(self):
        self.ends("out of range", 1, r"tile \(0, 0\) cycle \d+: PE trap out_of_range \(3\), instruction at 0x00[0-9a-f]{2}: lw r1, 0\(r2\)\n", "trap", body="        li32  r2, 0xd000\n        lw    r1, 0(r2)")
        self.ends("illegal", 1, r"PE trap illegal_instruction \(1\), instruction at 0x00[0-9a-f]{2}: \.word 0x0000007f\n", "trap", body="        .word 0x7f")
        sender = r"; sent by tile \(0, 0\), instruction at 0x00[0-9a-f]{2}: vmov d1, d0\n"
        self.ends("no route here", 1, r"tile \(0, 0\) cycle \d+: router trap no_route \(1\), colour 5, port 4 \(ramp\)" + sender, "trap", body=SEND)
        self.ends("no route there", 1, r"tile \(1, 0\) cycle \d+: router trap no_route \(1\), colour 5, port 3 \(west\)" + sender, "trap", body=SEND, routes=EAST)
        self.ends("over the edge", 1, r"tile \(1, 0\) cycle \d+: router trap over_edge \(2\), colour 5, port 1 \(east\)" + sender, "trap", body=SEND, routes=EAST + INTO.replace("[ramp]", "[ramp, east]"), bind=BIND)
        both = "  - {colour: 5, tiles: [1, 0], receive: [west, east], transmit: [ramp]}\n  - {colour: 5, tiles: [2, 0], receive: [ramp], transmit: [west]}\n"
        self.ends("two ports", 1, r"tile \(1, 0\) cycle \d+: router trap two_ports \(3\), colour 5, port [13] \((east|west)\); sent by tile \([02], 0\), instruction at 0x00[0-9a-f]{2}: vmov d1, d0\n", "trap",
                  body="        addi  r7, r8, -1\n        beqz  r7, done\n        vmov  out, row\ndone:", width=3, routes=EAST + both, bind=BIND)
        self.ends("from the host", 1, r"tile \(1, 0\) cycle \d+: router trap no_route \(1\), colour 0, port 0 \(north\); sent by the host into tile \(1, 0\) from the north\n", "trap", body="",
                  layout=LAYOUT.replace("{{colour: 0,", "{{colour: 0, tiles: [0, 0],"))

    def test_what_cannot_go_on_is_a_deadlock_that_names_its_cause(self):
        self.ends("blocked", 3, r"nothing has moved since cycle \d+\n(.*\n)*.*task 40 \(later\) is blocked and nothing under way unblocks it", "deadlock", body="        blk   r0, 40\n        act   r0, 40")
        self.ends("not drained", 3, r"tile \(1,0\): input queue 4 holds \d wavelets of colour 5; nobody reads it", "deadlock", body=SEND, routes=EAST + INTO, bind=BIND)
        self.ends("never sent", 3, r"waits for a wavelet of colour 5 \(input queue 4\); no instruction under way at tile \(0,0\) sends it", "deadlock",
                  body="        beqz  r8, done\n        vmov  row, in\ndone:", routes=EAST + INTO, bind=BIND, values="1, 2, 3, 4")

    def test_a_livelock_ends_by_itself_or_at_the_limit_and_a_pause_of_a_million_cycles_does_not(self):
        self.ends("livelock", 3, r"not finished after 5000 cycles\n(.*\n)*.*tile \(0,0\): PE busy in 1000 cycles.*started task 40 \(later\)", "cycle limit", body="        act   r0, 40", later="        act   r0, 40",
                  run_keys="limit_cycles: 5000\n")
        self.ends("circle", 3, r"for ever: the same \d+ cycles follow each other again and again, and nothing passes the edge\n(.*\n)*.*tile \(0,0\): PE busy in 1000 cycles.*started task 40 \(later\)", "livelock",
                  body="        act   r0, 40", later="        act   r0, 40")
        wait = "        bnez  r8, take\n        li32  r9, 350000\nagain:  addi  r9, r9, -1\n        bnez  r9, again\n        vmov  out, row\n        yield\ntake:   vmov  row, in"
        self.ends("pause", 0, r"^$", "reported", body=wait, routes=EAST + INTO, bind=BIND, values="1, 2, 3, 4")
        with open(self.path("pause", "out", "kernels.json"), encoding="utf-8") as file:
            self.assertGreater(json.load(file)["cases"][0]["cycles"], 1000000)

    def test_values_and_mistakes(self):
        self.ends("wrong", 1, r"run\.yaml:4:12: error: mine: not all of 4 values are as the layout expects\n(.*\n)*.*values", "wrong", body=SEND_OR_TAKE, routes=EAST + INTO, bind=BIND, values="1, 2, 3, 5")
        done = self.run_case("right", SEND_OR_TAKE, routes=EAST + INTO, bind=BIND, values="1, 2, 3, 4")
        self.assertEqual(done.returncode, 0, done.stderr)
        again = run([self.path("right", "out", "resolved.yaml"), "-o", self.path("right again")])
        self.assertEqual(again.returncode, 0, again.stderr)
        layout = self.path("right", "mine", "layout.yaml")
        with open(layout, encoding="utf-8") as file:
            text = file.read()
        yaml = self.path("right", "run.yaml")
        for change, code, message in [
            (lambda t: t.replace("title: A test", "titel: A test"), 2, "layout.yaml:1:1: error: unknown key 'titel'"),
            (lambda t: t + "machine: {lanes: 8}\n", 2, "the layout is for lanes = 8; machine 'wse2' has 4"),
            (lambda t: t.replace("program.wl", "nowhere.wl"), 4, "layout.yaml:3:10: error: '"),
        ]:
            self.write(layout, change(text))
            done = run([yaml, "-o", self.path("refused")])
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)
        for case, code, message in [
            ("kernel: folder, folder: nowhere", 4, "mistake.yaml:4:42: error: '"),
            ("kernel: folder", 2, "folder needs 'folder'"),
            ("kernel: folder, folder: mine, words: 3", 2, "'words' means nothing to folder"),
            ("kernel: broadcast, words: 3, width: 2, folder: mine", 2, "'folder' means nothing to broadcast"),
            ("kernel: broadcast, words: 3", 2, "broadcast needs 'width'"),
        ]:
            done = run([self.write("mistake.yaml", "name: mistake\nmachine: wse2\nkernels:\n  - {name: mine, %s}\n" % case), "-o", self.path("refused")])
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)

    def test_folders_of_the_course_run_on_tiles(self):
        cases = "".join("  - {name: %s, kernel: folder, folder: %s}\n" % (name, os.path.join(SOURCE, "firmware", "kernels", name)) for name in sorted(os.listdir(os.path.join(SOURCE, "firmware", "kernels"))) if os.path.exists(os.path.join(SOURCE, "firmware", "kernels", name, "layout.yaml")))
        done = run([self.write("course.yaml", "name: course\nmachine: wse2\nkernels:\n" + cases), "-o", self.path("course")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("reported"), 12, done.stdout)


if __name__ == "__main__":
    main()
