"""The spec's check of itself: every bit accounted for, every value fits, nothing overlaps, ids are unique, priorities are complete, and
the files agree where they speak of the same thing. faults() returns one sentence per fault."""
import re

import spec as sp

NAME = re.compile(r"^[a-z][a-z0-9_]*$")
KINDS = {"reg", "dsr", "uint", "sint", "rel", "flag", "enum"}
GROUPS = {"integer", "memory", "branch", "float", "vector", "stream", "descriptor", "task", "misc"}
SCALAR_USES = {"allowed", "always", "never"}


class Checker:
    def __init__(self):
        self.found = []

    def fault(self, where, text):
        self.found.append(f"{where}: {text}")

    def require(self, condition, where, text):
        if not condition:
            self.fault(where, text)
        return bool(condition)

    def keys(self, row, where, required, optional=()):
        if not self.require(isinstance(row, dict), where, "must be a mapping"):
            return False
        good = True
        for key in required:
            good &= self.require(key in row, where, f"key '{key}' is missing")
        for key in row:
            good &= self.require(key in required or key in optional, where, f"key '{key}' is unknown")
        for key in ("lsb", "width", "word", "id", "opcode", "base", "bytes", "offset", "count", "stride", "value", "bits"):
            if key in row:
                good &= self.require(isinstance(row[key], int) and not isinstance(row[key], bool) and row[key] >= 0, where,
                                     f"'{key}' must be a number of 0 or more, got {row[key]!r}")
        return good

    def unique(self, values, where, what):
        seen = set()
        for value in values:
            self.require(value not in seen, where, f"{what} {value} appears twice")
            seen.add(value)

    def name(self, row, where):
        return self.require(isinstance(row.get("name"), str) and NAME.match(row["name"]), where, f"bad name {row.get('name')!r}")

    def bit_fields(self, fields, bits, where, complete=False):
        """Fields (with name, lsb, width) fit in `bits` and do not overlap; complete: every bit belongs to one."""
        owner = {}
        for f in fields:
            self.require(f["width"] >= 1, where, f"field {f['name']} has no bits")
            self.require(f["lsb"] + f["width"] <= bits, where, f"field {f['name']} ends beyond bit {bits - 1}")
            for bit in range(f["lsb"], f["lsb"] + f["width"]):
                self.require(bit not in owner, where, f"fields {owner.get(bit)} and {f['name']} overlap in bit {bit}")
                owner.setdefault(bit, f["name"])
        if complete:
            for bit in range(bits):
                self.require(bit in owner, where, f"bit {bit} belongs to no field")

    def intervals(self, rows, where):
        """Rows (name, first, bytes) do not overlap."""
        ordered = sorted(rows, key=lambda r: r[1])
        for before, after in zip(ordered, ordered[1:]):
            self.require(before[1] + before[2] <= after[1], where, f"{before[0]} and {after[0]} overlap at {after[1]:#x}")


def check_isa(c, isa):
    where = "isa.yaml"
    if not c.keys(isa, where, ["schema", "word_bits", "opcode_field", "fields", "formats", "enums", "instructions"]):
        return
    c.require(isa["word_bits"] == 32, where, "word_bits must be 32")
    opcode = isa["opcode_field"]
    if not c.keys(opcode, where + " opcode_field", ["name", "lsb", "width"]):
        return
    good = True
    for name, f in isa["fields"].items():
        at = f"{where} field {name}"
        good &= c.keys(f, at, ["lsb", "width", "kind"])
        if good:
            c.require(f["kind"] in KINDS, at, f"kind '{f['kind']}' is unknown")
            c.require(f["lsb"] + f["width"] <= isa["word_bits"], at, f"ends beyond bit {isa['word_bits'] - 1}")
            c.require(f["width"] >= 1, at, "has no bits")
            c.require(f["kind"] not in ("reg", "dsr") or f["width"] == 4, at, "a register field has 4 bits")
            c.require(f["kind"] != "flag" or f["width"] == 1, at, "a flag has one bit")
    for name in sp.VECTOR_FLAGS:
        good &= c.require(name in isa["fields"], where, f"field {name} is missing")
    for name, fmt in isa["formats"].items():
        at = f"{where} format {name}"
        if not c.keys(fmt, at, ["operands"], ["fn", "syntax", "vector"]):
            good = False
            continue
        for operand in fmt["operands"]:
            good &= c.require(operand in isa["fields"], at, f"operand '{operand}' is not a field")
        if "fn" in fmt:
            good &= c.require(fmt["fn"] == "fn", at, "fn must name the field fn")
        if not good:
            continue
        names = list(fmt["operands"]) + (["fn"] if "fn" in fmt else []) + (sp.VECTOR_FLAGS if fmt.get("vector") else [])
        rows = [dict(isa["fields"][n], name=n) for n in names] + [opcode]
        c.bit_fields(rows, isa["word_bits"], at)
        c.require(any(r.get("format") == name for r in isa["instructions"]), at, "no instruction uses it")
    if not good:
        return
    used_fields = {n for f in isa["formats"].values() for n in f["operands"]} | set(sp.VECTOR_FLAGS)
    for name in isa["fields"]:
        c.require(name in used_fields, f"{where} field {name}", "no format uses it")
    for name, values in isa["enums"].items():
        at = f"{where} enum {name}"
        c.require(len(values) <= 1 << isa["fields"]["fn"]["width"], at, f"{len(values)} values do not fit in the field fn")
        c.unique(values, at, "value")
        for value in values:
            c.require(isinstance(value, str) and NAME.match(value) and value not in ("async", "h"), at, f"bad value name {value!r}")
        c.require(name == "none" or any(r.get("enum") == name for r in isa["instructions"]), at, "no instruction uses it")
    rows = []
    for row in isa["instructions"]:
        at = f"{where} instruction {row.get('name') if isinstance(row, dict) else row}"
        if not c.keys(row, at, ["name", "opcode", "format", "group", "does"], ["enum", "scalar"]) or not c.name(row, at):
            continue
        c.require(row["group"] in GROUPS, at, f"group '{row['group']}' is unknown")
        c.require(0 < row["opcode"] < 1 << opcode["width"], at, f"opcode {row['opcode']:#x} does not fit in {opcode['width']} bits, or is 0 (an empty word must trap)")
        if not c.require(row["format"] in isa["formats"], at, f"format '{row['format']}' is unknown"):
            continue
        fmt = isa["formats"][row["format"]]
        if "enum" in row:
            c.require(row["enum"] in isa["enums"], at, f"enum '{row['enum']}' is unknown")
            c.require("fn" in fmt or fmt.get("vector"), at, "an enum needs a format with the field fn")
        c.require("fn" not in fmt or "enum" in row, at, "its format has fn, so it needs an enum")
        if fmt.get("vector"):
            if c.require(row.get("scalar") in SCALAR_USES, at, "a vector instruction says scalar: allowed, always or never"):
                if row["scalar"] != "never":
                    c.require("s_reg" in fmt["operands"], at, "uses a scalar but its format has no s_reg")
                if row["scalar"] == "allowed":
                    c.require(row["format"] in ("V1", "V2"), at, "the scalar's place is only defined for V1 and V2")
        else:
            c.require("scalar" not in row, at, "scalar is for vector instructions")
        rows.append(row)
    c.unique([r["name"] for r in rows], where, "instruction")
    c.unique([r["opcode"] for r in rows], where, "opcode")
    if c.found:
        return
    for row in rows:  # every bit is the opcode's, a field's or zero, exactly once
        total = isa["opcode_field"]["width"] + sum(isa["fields"][n]["width"] for n in sp.instruction_fields(isa, row))
        total += bin(sp.legality(isa, row)["zero"]).count("1")
        c.require(total == isa["word_bits"], f"{where} instruction {row['name']}", f"accounts for {total} of {isa['word_bits']} bits")


def check_registers(c, regs):
    where = "registers.yaml"
    if not c.keys(regs, where, ["schema", "scalar", "descriptor_registers", "descriptor", "memory_map", "task_table", "boot_task", "mmio", "traps", "router_traps"]):
        return
    words = {0: [], 1: [], 2: [], 3: []}
    for f in regs["descriptor"]:
        at = f"{where} descriptor {f.get('name')}"
        if not c.keys(f, at, ["name", "word", "lsb", "width", "meaning"], ["unit", "signed", "enum"]) or not c.name(f, at):
            continue
        if c.require(f["word"] in words, at, f"word {f['word']} does not exist"):
            words[f["word"]].append(f)
        if "enum" in f:
            c.require(len(f["enum"]) <= 1 << f["width"], at, f"{len(f['enum'])} values do not fit in {f['width']} bits")
            c.unique(f["enum"], at, "value")
    for word, fields in words.items():
        c.bit_fields(fields, 32, f"{where} descriptor word {word}")
    c.unique([f.get("name") for f in regs["descriptor"]], where, "descriptor field")
    regions = []
    for r in regs["memory_map"]:
        at = f"{where} memory {r.get('name')}"
        if c.keys(r, at, ["name", "base", "bytes", "meaning"]) and c.name(r, at):
            c.require(r["base"] + r["bytes"] <= 1 << 16, at, "ends beyond the 64 KiB address space")
            c.require(r["base"] % 8 == 0 and r["bytes"] % 8 == 0, at, "is not a multiple of 8 bytes")
            regions.append((r["name"], r["base"], r["bytes"]))
    c.intervals(regions, where + " memory_map")
    by_name = {r[0]: r for r in regions}
    for name in ("sram", "window", "mmio"):
        if not c.require(name in by_name, where, f"memory region {name} is missing"):
            return
    table = regs["task_table"]
    c.require(table["base"] + table["entries"] * table["entry_bytes"] <= by_name["sram"][1] + by_name["sram"][2], where, "task_table lies outside sram")
    c.require(0 <= regs["boot_task"] < table["entries"], where, f"boot_task {regs['boot_task']} is not a task")
    spans = []
    for m in regs["mmio"]:
        at = f"{where} mmio {m.get('name')}"
        if not c.keys(m, at, ["name", "offset", "access", "meaning"], ["count", "stride"]) or not c.name(m, at):
            continue
        c.require(m["access"] in ("ro", "rw", "wo"), at, f"access '{m['access']}' is unknown")
        stride = m.get("stride", 4)
        c.require(m["offset"] % 4 == 0 and stride % 4 == 0 and stride >= 4, at, "is not a multiple of 4")
        size = m.get("count", 1) * stride
        c.require(m.get("count", 1) >= 1 and m["offset"] + size <= by_name["mmio"][2], at, "ends beyond the mmio region")
        spans.append((m["name"], m["offset"], size))
    c.unique([m.get("name") for m in regs["mmio"]], where, "mmio register")
    c.intervals(spans, where + " mmio")
    for key in ("traps", "router_traps"):
        for t in regs[key]:
            at = f"{where} {key} {t.get('name')}"
            if c.keys(t, at, ["id", "name", "meaning"]) and c.name(t, at):
                c.require(1 <= t["id"] <= 255, at, f"id {t['id']} is not 1 to 255 (0 is none)")
        c.unique([t.get("id") for t in regs[key]], f"{where} {key}", "id")
        c.unique([t.get("name") for t in regs[key]], f"{where} {key}", "name")


def check_counters(c, counters):
    where = "counters.yaml"
    if not c.keys(counters, where, ["schema", "pe_classes", "pe_class_priority", "pe_events", "router_classes"]):
        return
    for key, limit in (("pe_classes", 16), ("pe_events", 8), ("router_classes", 16)):
        at = f"{where} {key}"
        need = ["id", "name", "counts"] + (["report"] if key != "pe_events" else [])
        if not all([c.keys(r, at, need) and c.name(r, at) for r in counters[key]]):
            continue
        c.require([r["id"] for r in counters[key]] == list(range(len(counters[key]))), at, "ids must be 0, 1, 2, ... in order")
        c.require(len(counters[key]) <= limit, at, f"more than {limit} rows")
        c.unique([r["name"] for r in counters[key]], at, "name")
    names = [r.get("name") for r in counters["pe_classes"]]
    c.unique(counters["pe_class_priority"], where, "priority of class")
    for name in names:
        c.require(name in counters["pe_class_priority"], where, f"class {name} has no priority")
    for name in counters["pe_class_priority"]:
        c.require(name in names, where, f"priority names the unknown class {name}")


def check_word(c, word, where, complete):
    if not c.keys(word, where, ["bits", "fields"], ["zero"]):
        return
    good = all([c.keys(f, f"{where} field", ["name", "lsb", "width"], ["meaning", "unit", "enum"]) and c.name(f, where) for f in word["fields"]])
    if not good:
        return
    zero = [dict(z, name="zero") for z in word.get("zero", [])]
    c.bit_fields(word["fields"] + zero, word["bits"], where, complete)
    c.unique([f["name"] for f in word["fields"]], where, "field")
    for f in word["fields"]:
        if "enum" in f:
            c.require(len(f["enum"]) <= 1 << f["width"], where, f"values of {f['name']} do not fit in {f['width']} bits")
            c.unique(f["enum"], f"{where} {f['name']}", "value")


def check_packet(c, packet):
    if c.keys(packet, "packet.yaml", ["schema", "link_word", "control_payload", "weight_payload"]):
        for name in ("link_word", "control_payload", "weight_payload"):
            check_word(c, packet[name], f"packet.yaml {name}", True)


def check_fabric(c, fabric):
    where = "fabric.yaml"
    if not c.keys(fabric, where, ["schema", "directions", "colours", "ready_bits", "route_word", "control_word", "config_word", "queues", "microthreads"]):
        return
    c.require(fabric["directions"] == ["north", "east", "south", "west", "ramp"], where, "directions must be north, east, south, west, ramp")
    check_word(c, {"bits": 32, "fields": fabric["route_word"]}, where + " route_word", False)
    check_word(c, {"bits": 32, "fields": fabric["control_word"]["fields"]}, where + " control_word", False)
    check_word(c, fabric["config_word"], where + " config_word", True)
    for f in fabric["route_word"]:
        c.require(f.get("width") == len(fabric["directions"]), where, f"route_word {f.get('name')} must have a bit per direction")
    c.require(fabric["ready_bits"] == fabric["colours"], where, "ready_bits must be one per colour")
    c.require(fabric["colours"] <= 32, where, "colours do not fit in 5 bits")


def check_numbers(c, numbers):
    where = "numbers.yaml"
    for key in ("formats", "lane_ops", "acc_ops", "sfu_ops"):
        if not c.require(key in numbers, where, f"key '{key}' is missing"):
            return
    for name, f in numbers["formats"].items():
        if "exponent_bits" in f:
            c.require(1 + f["exponent_bits"] + f["fraction_bits"] == f["bits"], f"{where} {name}", "sign, exponent and fraction do not add up to its bits")
            c.require(f["bias"] == (1 << (f["exponent_bits"] - 1)) - 1, f"{where} {name}", "bias is not 2**(exponent_bits - 1) - 1")
            quiet = mask_nan(f)
            c.require(f["canonical_nan"] == quiet, f"{where} {name}", f"canonical_nan must be {quiet:#x}")
    for key in ("lane_ops", "acc_ops", "sfu_ops"):
        if all([c.keys(r, f"{where} {key}", ["name", "value", "meaning"]) and c.name(r, f"{where} {key}") for r in numbers[key]]):
            c.unique([r["name"] for r in numbers[key]], f"{where} {key}", "name")
            c.unique([r["value"] for r in numbers[key]], f"{where} {key}", "value")


def mask_nan(f):
    return ((1 << (f["exponent_bits"] + 1)) - 1) << (f["fraction_bits"] - 1)


def check_agreement(c, s):
    """What two files say of one thing must be the same."""
    isa, regs, counters, packet, fabric, numbers = (s[n] for n in ("isa", "registers", "counters", "packet", "fabric", "numbers"))
    mmio = {m["name"]: m for m in regs["mmio"]}
    link = {f["name"]: f for f in packet["link_word"]["fields"]}
    config = {f["name"]: f for f in fabric["config_word"]["fields"]}
    desc = {f["name"]: f for f in regs["descriptor"]}
    control = {f["name"]: f for f in packet["control_payload"]["fields"]}
    tasks = regs["task_table"]["entries"]

    def same(a, b, text):
        c.require(a == b, "spec", f"{text}: {a} against {b}")

    same(1 << isa["fields"]["ut"]["width"], fabric["microthreads"], "microthreads (isa field ut, fabric.yaml)")
    same(1 << isa["fields"]["task"]["width"], tasks, "tasks (isa field task, task_table)")
    same(1 << control["task"]["width"], tasks, "tasks (control_payload task, task_table)")
    same(1 << desc["done_task"]["width"], tasks, "tasks (descriptor done_task, task_table)")
    same(link["colour"]["width"], config["colour"]["width"], "colour bits (link_word, config_word)")
    same(link["colour"]["width"], desc["colour"]["width"], "colour bits (link_word, descriptor)")
    same(mmio["route"]["count"], fabric["colours"] << config["word"]["width"], "router configuration words (mmio route, fabric.yaml)")
    same(mmio["queue_bind"]["count"], fabric["queues"]["input"]["count"], "input queues (mmio queue_bind, fabric.yaml)")
    same(1 << desc["queue"]["width"], fabric["queues"]["input"]["count"], "input queues (descriptor queue, fabric.yaml)")
    same(mmio["task_active"]["count"] * 32, tasks, "task flags (mmio task_active, task_table)")
    same(mmio["task_blocked"]["count"] * 32, tasks, "task flags (mmio task_blocked, task_table)")
    same(mmio["event_count"]["count"], len(counters["pe_events"]), "events (mmio event_count, counters.yaml)")
    c.require(mmio["class_count"]["count"] >= len(counters["pe_classes"]), "spec", "mmio class_count has fewer words than there are classes")
    c.require(fabric["colours"] <= 1 << link["colour"]["width"], "spec", "colours do not fit in the link word")
    same(regs["scalar"]["count"], 1 << isa["fields"]["a_reg"]["width"], "scalar registers (registers.yaml, isa field a_reg)")
    same(regs["descriptor_registers"]["count"], 1 << isa["fields"]["a_dsr"]["width"], "descriptor registers (registers.yaml, isa field a_dsr)")
    same(isa["enums"]["sfu"], [r["name"] for r in sorted(numbers["sfu_ops"], key=lambda r: r["value"])], "special functions (isa enum sfu, numbers.yaml)")
    same(desc["type"]["enum"], list(numbers["formats"]), "element types (descriptor type, numbers.yaml)")


def faults(s):
    c = Checker()
    for name, check in (("isa", check_isa), ("registers", check_registers), ("counters", check_counters), ("packet", check_packet), ("fabric", check_fabric), ("numbers", check_numbers)):
        try:
            check(c, s[name])
        except (KeyError, TypeError, AttributeError) as error:
            c.fault(f"{name}.yaml", f"is not shaped as expected ({type(error).__name__}: {error})")
    if not c.found:
        try:
            check_agreement(c, s)
        except (KeyError, TypeError) as error:
            c.fault("spec", f"a row that other files rely on is missing ({error})")
    return c.found
