#!/usr/bin/python3
"""The spec's check of itself refuses broken specs: each mutant below is one plausible slip, and the sentence that must name it."""
import copy
import os
import shutil
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts", "gen.d"))

import check  # noqa: E402
import spec  # noqa: E402


def row(rows, name):
    return next(r for r in rows if r["name"] == name)


def setter(path, value):
    """path: keys, indices, or ("name", X) for the row of that name; sets the last key."""
    def mutate(s):
        at = s
        for key in path[:-1]:
            at = row(at, key[1]) if isinstance(key, tuple) else at[key]
        at[path[-1]] = value
    return mutate


def remove(path):
    def mutate(s):
        at = s
        for key in path[:-1]:
            at = row(at, key[1]) if isinstance(key, tuple) else at[key]
        del at[path[-1]]
    return mutate


def named(name):
    return ("name", name)


ISA = ["isa", "instructions"]
MUTANTS = [
    ("two opcodes", setter(ISA + [named("sub"), "opcode"], 1), "opcode 1 appears twice"),
    ("opcode too large", setter(ISA + [named("sub"), "opcode"], 128), "does not fit in 7 bits"),
    ("opcode 0", setter(ISA + [named("sub"), "opcode"], 0), "an empty word must trap"),
    ("opcode as text", setter(ISA + [named("sub"), "opcode"], "0x2"), "must be a number"),
    ("two names", setter(ISA + [named("sub"), "name"], "add"), "instruction add appears twice"),
    ("bad name", setter(ISA + [named("sub"), "name"], "Sub"), "bad name"),
    ("unknown format", setter(ISA + [named("sub"), "format"], "R9"), "format 'R9' is unknown"),
    ("unknown group", setter(ISA + [named("sub"), "group"], "maths"), "group 'maths' is unknown"),
    ("unknown enum", setter(ISA + [named("vsfu"), "enum"], "sfx"), "enum 'sfx' is unknown"),
    ("unknown key", setter(ISA + [named("sub"), "opcod"], 3), "key 'opcod' is unknown"),
    ("missing does", remove(ISA + [named("sub"), "does"]), "key 'does' is missing"),
    ("missing enum", remove(ISA + [named("fcvt"), "enum"]), "needs an enum"),
    ("enum without a place", setter(ISA + [named("add"), "enum"], "sfu"), "needs a format with the field fn"),
    ("vector without scalar", remove(ISA + [named("vadd"), "scalar"]), "allowed, always or never"),
    ("scalar elsewhere", setter(ISA + [named("add"), "scalar"], "never"), "scalar is for vector instructions"),
    ("scalar without a field", setter(ISA + [named("saxpy"), "scalar"], "always"), "has no s_reg"),
    ("scalar without a place", setter(ISA + [named("sdot"), "scalar"], "allowed"), "only defined for V1 and V2"),
    ("field over the opcode", setter(["isa", "fields", "a_reg", "lsb"], 6), "overlap in bit 6"),
    ("fields overlap", setter(["isa", "fields", "c_reg", "lsb"], 14), "overlap in bit 14"),
    ("field beyond the word", setter(["isa", "fields", "imm", "width"], 17), "ends beyond bit 31"),
    ("register of 5 bits", setter(["isa", "fields", "b_reg", "width"], 5), "a register field has 4 bits"),
    ("flag of 2 bits", setter(["isa", "fields", "shalf", "width"], 2), "a flag has one bit"),
    ("unknown kind", setter(["isa", "fields", "imm", "kind"], "int"), "kind 'int' is unknown"),
    ("unused field", setter(["isa", "fields", "spare"], {"lsb": 20, "width": 2, "kind": "uint"}), "no format uses it"),
    ("unused format", setter(["isa", "formats", "Z"], {"operands": []}), "no instruction uses it"),
    ("unused enum", setter(["isa", "enums", "zoo"], ["a"]), "no instruction uses it"),
    ("operand not a field", setter(["isa", "formats", "R3", "operands"], ["a_reg", "b_reg", "q_reg"]), "operand 'q_reg' is not a field"),
    ("enum too large", setter(["isa", "enums", "sfu"], [f"f{i}" for i in range(9)]), "9 values do not fit"),
    ("enum repeats", setter(["isa", "enums", "shift"], ["sll", "sll", "sra"]), "value sll appears twice"),
    ("suffix taken", setter(["isa", "enums", "red"], ["sum", "h", "min"]), "bad value name 'h'"),
    ("descriptor overlap", setter(["registers", "descriptor", named("len0"), "lsb"], 15), "base and len0 overlap in bit 15"),
    ("descriptor beyond", setter(["registers", "descriptor", named("len1"), "width"], 17), "ends beyond bit 31"),
    ("descriptor word 4", setter(["registers", "descriptor", named("len1"), "word"], 4), "word 4 does not exist"),
    ("descriptor enum", setter(["registers", "descriptor", named("type"), "enum"], ["f16", "f32", "i16", "i32", "bf16"]), "5 values do not fit in 2 bits"),
    ("memory overlap", setter(["registers", "memory_map", named("window"), "base"], 0xB000), "sram and window overlap"),
    ("memory beyond", setter(["registers", "memory_map", named("mmio"), "bytes"], 8192), "beyond the 64 KiB"),
    ("memory missing", setter(["registers", "memory_map", named("window"), "name"], "windo"), "memory region window is missing"),
    ("mmio overlap", setter(["registers", "mmio", named("trap"), "offset"], 0xC), "overlap at 0xc"),
    ("mmio beyond", setter(["registers", "mmio", named("route"), "count"], 2000), "beyond the mmio region"),
    ("mmio odd", setter(["registers", "mmio", named("trap"), "offset"], 0x12), "not a multiple of 4"),
    ("mmio access", setter(["registers", "mmio", named("trap"), "access"], "r"), "access 'r' is unknown"),
    ("trap id twice", setter(["registers", "traps", named("software"), "id"], 2), "id 2 appears twice"),
    ("trap id 0", setter(["registers", "traps", named("software"), "id"], 0), "is not 1 to 255"),
    ("boot task", setter(["registers", "boot_task"], 64), "boot_task 64 is not a task"),
    ("task table", setter(["registers", "task_table", "base"], 0xBFF0), "task_table lies outside sram"),
    ("class without priority", setter(["counters", "pe_class_priority"], ["idle"]), "class axpy has no priority"),
    ("priority twice", lambda s: s["counters"]["pe_class_priority"].append("idle"), "priority of class idle appears twice"),
    ("priority unknown", lambda s: s["counters"]["pe_class_priority"].append("sleep"), "unknown class sleep"),
    ("class ids", setter(["counters", "pe_classes", named("dot"), "id"], 7), "ids must be 0, 1, 2"),
    ("event name twice", setter(["counters", "pe_events", named("macs"), "name"], "tasks"), "name tasks appears twice"),
    ("class without report", remove(["counters", "pe_classes", named("dot"), "report"]), "key 'report' is missing"),
    ("link gap", setter(["packet", "link_word", "fields", named("colour"), "width"], 4), "bit 36 belongs to no field"),
    ("link overlap", setter(["packet", "link_word", "fields", named("control"), "lsb"], 36), "colour and control overlap in bit 36"),
    ("payload gap", remove(["packet", "control_payload", "zero"]), "bit 8 belongs to no field"),
    ("command enum", setter(["packet", "control_payload", "fields", named("command"), "enum"], ["a", "b", "c", "d", "e"]), "do not fit in 2 bits"),
    ("directions", setter(["fabric", "directions"], ["east", "north", "south", "west", "ramp"]), "directions must be"),
    ("ready bits", setter(["fabric", "ready_bits"], 23), "one per colour"),
    ("config gap", setter(["fabric", "config_word", "bits"], 42), "bit 41 belongs to no field"),
    ("route masks", setter(["fabric", "route_word", named("receive"), "width"], 4), "a bit per direction"),
    ("nan", setter(["numbers", "formats", "f16", "canonical_nan"], 0x7C00), "canonical_nan must be 0x7e00"),
    ("format bits", setter(["numbers", "formats", "f32", "fraction_bits"], 22), "do not add up"),
    ("bias", setter(["numbers", "formats", "f16", "bias"], 16), "bias is not"),
    ("operation values", setter(["numbers", "lane_ops", named("add"), "value"], 0), "value 0 appears twice"),
    ("microthreads disagree", setter(["fabric", "microthreads"], 4), "microthreads"),
    ("routes disagree", setter(["registers", "mmio", named("route"), "count"], 200), "router configuration words"),
    ("queues disagree", setter(["fabric", "queues", "input", "count"], 4), "input queues"),
    ("special functions disagree", setter(["isa", "enums", "sfu"], ["log2", "exp2", "rcp", "rsqrt"]), "special functions"),
    ("types disagree", setter(["registers", "descriptor", named("type"), "enum"], ["f32", "f16", "i16", "i32"]), "element types"),
    ("events disagree", lambda s: s["counters"]["pe_events"].pop(), "events (mmio event_count"),
    ("not a list", setter(["isa", "instructions"], 3), "is not shaped as expected"),
]

TEXTS = [
    ("repeated key", "registers", "boot_task: 24", "boot_task: 24\nboot_task: 25", "key 'boot_task' is repeated"),
    ("octal", "registers", "boot_task: 24", "boot_task: 030", "is not shaped as expected"),
    ("schema", "packet", "schema: waferloom-packet-1", "schema: waferloom-packet-2", "schema must be waferloom-packet-1"),
    ("not YAML", "fabric", "directions: [", "directions: [[", "fabric.yaml"),
    ("file missing", "counters", None, None, "No such file"),
]


def faults_of_folder(folder):
    try:
        return check.faults(spec.load(folder))
    except spec.SpecError as error:
        return [str(error)]


def main():
    source = os.path.join(ROOT, "configs", "spec")
    good = spec.load(source)
    failures = []
    found = check.faults(good)
    if found:
        failures.append(f"the spec itself is refused: {found}")
    for name, mutate, expected in MUTANTS:
        mutant = copy.deepcopy(good)
        mutate(mutant)
        found = check.faults(mutant)
        if not any(expected in fault for fault in found):
            failures.append(f"mutant '{name}': expected '{expected}', found {found or 'nothing'}")
    # Every opcode set to its neighbour's, every field moved onto the opcode.
    rows = good["isa"]["instructions"]
    for i, _ in enumerate(rows):
        mutant = copy.deepcopy(good)
        mutant["isa"]["instructions"][i]["opcode"] = rows[i - 1]["opcode"]
        if not check.faults(mutant):
            failures.append(f"opcode of {rows[i]['name']} set to that of {rows[i - 1]['name']}: not refused")
    for name in good["isa"]["fields"]:
        mutant = copy.deepcopy(good)
        mutant["isa"]["fields"][name]["lsb"] = 0
        if not check.faults(mutant):
            failures.append(f"field {name} moved to bit 0: not refused")
    for name, file, old, new, expected in TEXTS:
        with tempfile.TemporaryDirectory() as folder:
            for each in spec.FILES:
                shutil.copy(os.path.join(source, each + ".yaml"), folder)
            path = os.path.join(folder, file + ".yaml")
            if old is None:
                os.remove(path)
            else:
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                assert old in text, (name, old)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text.replace(old, new))
            found = faults_of_folder(folder)
            if not any(expected in fault for fault in found):
                failures.append(f"text mutant '{name}': expected '{expected}', found {found or 'nothing'}")
    for failure in failures:
        print(failure)
    print(f"{len(MUTANTS) + len(rows) + len(good['isa']['fields']) + len(TEXTS)} mutants, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
