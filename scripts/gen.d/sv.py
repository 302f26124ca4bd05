"""rtl/generated/wl_pkg.sv: local parameters and pure functions of one value. Users write wl_pkg::OP_VADD (Yosys 0.23 has no import)."""
import spec as sp


def hexa(bits, value):
    return f"{bits}'h{value:0{(bits + 3) // 4}x}"


class Package:
    def __init__(self):
        self.lines = []

    def title(self, text):
        self.lines += ["", f"  // {text}"]

    def value(self, name, bits, value, note=""):
        self.lines.append(f"  localparam logic [{bits - 1}:0] {name} = {hexa(bits, value)};" + (f"  // {note}" if note else ""))

    def size(self, name, value, note=""):
        self.lines.append(f"  localparam int unsigned {name} = {value};" + (f"  // {note}" if note else ""))

    def field(self, name, f, note=""):
        self.size(f"{name}_LSB", f["lsb"], note)
        self.size(f"{name}_WIDTH", f["width"])


def legal_function(isa):
    """instr_legal: opcodes with the same condition share a case item."""
    groups = {}
    for row in isa["instructions"]:
        legal = sp.legality(isa, row)
        terms = []
        if legal["zero"]:
            terms.append(f"(w_i & {hexa(32, legal['zero'])}) == 32'd0")
        if legal["set"]:
            terms.append(f"(w_i & {hexa(32, legal['set'])}) != 32'd0")
        flag = {n: isa["fields"][n]["lsb"] for n in ("async", "scalar")}
        if legal["zero_unless_async"]:
            terms.append(f"(w_i[{flag['async']}] || (w_i & {hexa(32, legal['zero_unless_async'])}) == 32'd0)")
        if legal["zero_if_scalar"]:
            terms.append(f"(w_i & (w_i[{flag['scalar']}] ? {hexa(32, legal['zero_if_scalar'])} : {hexa(32, legal['zero_unless_scalar'])})) == 32'd0")
        fn = isa["fields"]["fn"]
        if legal["fn_count"] and legal["fn_count"] < 1 << fn["width"]:
            terms.append(f"w_i[{fn['lsb'] + fn['width'] - 1}:{fn['lsb']}] < {fn['width']}'d{legal['fn_count']}")
        groups.setdefault(tuple(terms), []).append("OP_" + row["name"].upper())
    op = isa["opcode_field"]
    lines = ["  // A word that the machine executes; any other traps (illegal_instruction). An instruction's fields: docs/reference/isa.md.",
             "  function automatic logic instr_legal(input logic [31:0] w_i);",
             f"    case (w_i[{op['lsb'] + op['width'] - 1}:{op['lsb']}])"]
    for terms, names in groups.items():
        for start in range(0, len(names), 8):
            more = start + 8 < len(names)
            part = ", ".join(names[start:start + 8])
            lines.append(f"      {part}" + ("," if more else ":"))
        lines.append("        instr_legal = " + " && ".join(terms or ["1'b1"]) + ";")
    lines += ["      default: instr_legal = 1'b0;", "    endcase", "  endfunction"]
    return lines


def opcode_predicate(name, note, isa, rows):
    op = isa["opcode_field"]
    lines = [f"  // {note}", f"  function automatic logic {name}(input logic [{op['width'] - 1}:0] opcode_i);", "    case (opcode_i)"]
    names = ["OP_" + r["name"].upper() for r in rows]
    for start in range(0, len(names), 8):
        more = start + 8 < len(names)
        lines.append("      " + ", ".join(names[start:start + 8]) + ("," if more else f": {name} = 1'b1;"))
    lines += [f"      default: {name} = 1'b0;", "    endcase", "  endfunction"]
    return lines


def package(s):
    isa, regs, counters, packet, fabric = (s[n] for n in ("isa", "registers", "counters", "packet", "fabric"))
    p = Package()
    p.title("Link word, ready word and payloads.")
    p.size("LINK_BITS", packet["link_word"]["bits"])
    for f in packet["link_word"]["fields"]:
        p.field(f"LINK_{f['name'].upper()}", f, f["meaning"])
    p.size("READY_BITS", fabric["ready_bits"], "one level per colour")
    for f in packet["control_payload"]["fields"]:
        p.field(f"CTRL_{f['name'].upper()}", f, f["meaning"])
        for value, name in enumerate(f.get("enum", [])):
            p.value(f"CTRL_{f['name'].upper()}_{name.upper()}", f["width"], value)
    for f in packet["weight_payload"]["fields"]:
        p.field(f"WEIGHT_{f['name'].upper()}", f, f["meaning"])

    p.title("Fabric.")
    p.size("DIRECTIONS", len(fabric["directions"]))
    for value, name in enumerate(fabric["directions"]):
        p.size(f"DIR_{name.upper()}", value)
    p.size("COLOURS", fabric["colours"])
    p.size("CFG_BITS", fabric["config_word"]["bits"])
    for f in fabric["config_word"]["fields"]:
        p.field(f"CFG_{f['name'].upper()}", f)
    for f in fabric["route_word"]:
        p.field(f"ROUTE_{f['name'].upper()}", f, f["meaning"])
    word = next(f for f in fabric["config_word"]["fields"] if f["name"] == "word")
    p.value("ROUTE_CONTROL_WORD", word["width"], fabric["control_word"]["index"], "word index of a colour's control")
    for f in fabric["control_word"]["fields"]:
        p.field(f"SWITCH_{f['name'].upper()}", f, f["meaning"])
    p.size("IN_QUEUES", fabric["queues"]["input"]["count"])
    p.size("OUT_QUEUES", fabric["queues"]["output"]["count"])
    p.size("OUT_QUEUE_DEPTH", fabric["queues"]["output"]["depth"])
    p.size("MICROTHREADS", fabric["microthreads"])

    p.title("Instruction fields.")
    p.field("OPCODE", isa["opcode_field"])
    for name, f in isa["fields"].items():
        p.field(name.upper(), f, f["kind"])
    p.title("Opcodes.")
    for row in isa["instructions"]:
        p.value(f"OP_{row['name'].upper()}", isa["opcode_field"]["width"], row["opcode"], f"{row['format']}: {row['does']}")
    p.title("Values of the field fn.")
    for enum, values in isa["enums"].items():
        if enum != "none":
            for value, name in enumerate(values):
                p.value(f"{enum.upper()}_{name.upper()}", isa["fields"]["fn"]["width"], value)

    p.title("Descriptor: bit positions in its 128 bits, word 0 lowest.")
    for f in regs["descriptor"]:
        p.field(f"DESC_{f['name'].upper()}", {"lsb": f["word"] * 32 + f["lsb"], "width": f["width"]}, f["meaning"])
        for value, name in enumerate(f.get("enum", [])):
            p.value(f"{f['name'].upper()}_{name.upper()}", f["width"], value)
    keep = [0, 0, 0, 0]
    for f in regs["descriptor"]:
        keep[f["word"]] |= sp.mask(f["lsb"], f["width"])
    for word, bits in enumerate(keep):
        p.value(f"DESC_WORD{word}_MASK", 32, bits, "bits that belong to a field; the others are not kept and read zero")

    p.title("Memory map and memory-mapped registers (offsets in the mmio region).")
    for r in regs["memory_map"]:
        p.value(f"{r['name'].upper()}_BASE", 16, r["base"], r["meaning"])
        p.size(f"{r['name'].upper()}_MAX_BYTES", r["bytes"])
    p.value("TASK_TABLE_BASE", 16, regs["task_table"]["base"])
    p.size("TASKS", regs["task_table"]["entries"])
    p.value("BOOT_TASK", 6, regs["boot_task"])
    for m in regs["mmio"]:
        p.value(f"MMIO_{m['name'].upper()}", 12, m["offset"], f"{m['access']}; {m['meaning']}")
        if m.get("count", 1) > 1:
            p.size(f"MMIO_{m['name'].upper()}_COUNT", m["count"])
            p.size(f"MMIO_{m['name'].upper()}_STRIDE", m.get("stride", 4))

    p.title("Traps; 0 is none.")
    for prefix, key in (("TRAP", "traps"), ("ROUTER_TRAP", "router_traps")):
        p.value(f"{prefix}_NONE", 8, 0)
        for t in regs[key]:
            p.value(f"{prefix}_{t['name'].upper()}", 8, t["id"], t["meaning"])

    p.title("Cycle classes and events.")
    p.size("PE_CLASSES", len(counters["pe_classes"]))
    for r in counters["pe_classes"]:
        p.value(f"CLASS_{r['name'].upper()}", 4, r["id"], r["counts"])
    p.size("PE_EVENTS", len(counters["pe_events"]))
    for r in counters["pe_events"]:
        p.size(f"EVENT_{r['name'].upper()}", r["id"], r["counts"])
    p.size("ROUTER_CLASSES", len(counters["router_classes"]))
    for r in counters["router_classes"]:
        p.value(f"ROUTER_CLASS_{r['name'].upper()}", 4, r["id"], r["counts"])

    p.lines.append("")
    p.lines += legal_function(isa)
    p.lines.append("")
    p.lines += opcode_predicate("op_vector", "Vector and streamed instructions: they run in a context and carry ut, async, fn, shalf, scalar.", isa,
                                [r for r in isa["instructions"] if isa["formats"][r["format"]].get("vector")])
    text = sp.header("//", ["isa", "registers", "counters", "packet", "fabric"])
    waiver = "  // A table: each user takes what it needs of it.\n  /* verilator lint_off UNUSEDPARAM */\n\n"
    return text + "package wl_pkg;\n" + waiver + "\n".join(p.lines).lstrip("\n") + "\n\n  /* verilator lint_on UNUSEDPARAM */\nendpackage\n"
