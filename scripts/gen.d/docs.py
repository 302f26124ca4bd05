"""docs/reference/*.md: the spec as pages."""
import spec as sp


def head(title, sources):
    return sp.header("<!--", sources).rstrip("\n") + " -->\n\n# " + title + "\n\n"


def cell(text):
    return str(text).replace("|", "\\|")


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]) + "\n"


def bits(lsb, width):
    return str(lsb) if width == 1 else f"{lsb + width - 1}:{lsb}"


def values(names):
    return ", ".join(f"{i} {n}" for i, n in enumerate(names))


def syntax(isa, row):
    fmt = isa["formats"][row["format"]]
    short = {"a_reg": "rA", "b_reg": "rB", "c_reg": "rC", "s_reg": "rS", "a_dsr": "dA", "b_dsr": "dB", "c_dsr": "dC", "s_dsr": "dS", "rel": "label"}
    name = row["name"] + (f".{{{','.join(isa['enums'][row['enum']])}}}" if "enum" in row else "")
    operands = [short.get(o, o) for o in fmt["operands"]]
    if "syntax" in fmt:
        text = f"{operands[0]}, imm(rB)"
        return f"{name} {text}"
    if fmt.get("vector"):
        plain = [o for o in operands if o != "rS"]
        if row["scalar"] == "always":
            return f"{name} {', '.join(operands)}"
        forms = f"{name} {', '.join(plain)}"
        if row["scalar"] == "allowed":
            forms += f" or {name} {', '.join(plain[:-1] + ['rS'])}"
        return forms
    return f"{name} {', '.join(operands)}".strip()


def layout(isa, row):
    """The word from bit 31 down to 0, one piece per field."""
    pieces = [(isa["opcode_field"]["lsb"], isa["opcode_field"]["width"], f"{row['opcode']:#04x}")]
    for n in sp.instruction_fields(isa, row):
        pieces.append((isa["fields"][n]["lsb"], isa["fields"][n]["width"], "1" if n == "scalar" and row.get("scalar") == "always" else n.replace("_reg", "").replace("_dsr", "")))
    out, at = [], isa["word_bits"]
    for lsb, width, name in sorted(pieces, reverse=True):
        top = lsb + width
        if top < at:
            out.append(f"[{bits(top, at - top)}] 0")
        out.append(f"[{bits(lsb, width)}] {name}")
        at = lsb
    if at > 0:
        out.append(f"[{bits(0, at)}] 0")
    return " ".join(out)


def isa_page(s):
    isa = s["isa"]
    t = head("Instruction set", ["isa"])
    t += f"{len(isa['instructions'])} instructions, one 32-bit word each. Registers r0 to r15 (r0 reads zero), descriptors d0 to d15. What the machine around them does: [contracts](../developer/contracts.md), section 6.\n\n"
    t += "## What makes a word legal\n\nA word whose opcode is not listed, or that has a bit set in a place marked 0 below, traps (illegal_instruction). So does a value of `fn` that is not listed, and:\n\n"
    t += "- `ut` is zero unless `async` is set;\n- where the scalar is optional: with `scalar` clear, `s` and `shalf` are zero; with `scalar` set, the field of the operand that it replaces is zero (the last descriptor: `c`, or `b` of vmov);\n- where the scalar always takes part (vmacs), `scalar` is set;\n- where it never does, `s`, `shalf` and `scalar` are zero.\n\n"
    t += "`wl_pkg::instr_legal` and `spec::is_legal` are generated from the same rows.\n\n"
    for group in dict.fromkeys(r["group"] for r in isa["instructions"]):
        t += f"## {group.capitalize()}\n\n"
        t += table(["assembly", "does", "word"], [(f"`{syntax(isa, r)}`", r["does"], f"`{layout(isa, r)}`") for r in isa["instructions"] if r["group"] == group]) + "\n"
    t += "Vector instructions take the suffixes `.async(N)` (run on microthread N) and `.h` (the scalar is the 16-bit value in the register's low half), after the function's suffix: `vsfu.exp2.async(3) d1, d2`.\n\n"
    t += "## Fields\n\n" + table(["field", "bits", "kind"], [(n, bits(f["lsb"], f["width"]), f["kind"]) for n, f in isa["fields"].items()])
    t += "\n## Functions (field fn)\n\n" + table(["enum", "values"], [(n, values(v)) for n, v in isa["enums"].items() if n != "none"])
    return t


def registers_page(s):
    regs = s["registers"]
    t = head("Registers and memory map", ["registers"])
    t += f"{regs['scalar']['count']} scalar registers of {regs['scalar']['bits']} bits; r{regs['scalar']['zero']} reads zero, r1 and r2 are set when a task starts. {regs['descriptor_registers']['count']} descriptors of {regs['descriptor_registers']['bits']} bits.\n\n"
    t += "## Descriptor\n\nBits that no field has are not kept: they read zero.\n\n"
    t += table(["field", "word", "bits", "unit", "meaning"], [(f["name"], f["word"], bits(f["lsb"], f["width"]), f.get("unit", "") + (" (signed)" if f.get("signed") else ""), f["meaning"] + (": " + values(f["enum"]) if "enum" in f else "")) for f in regs["descriptor"]])
    t += "\n## Memory\n\n" + table(["region", "base", "bytes", "meaning"], [(r["name"], f"{r['base']:#06x}", r["bytes"], r["meaning"]) for r in regs["memory_map"]])
    task = regs["task_table"]
    t += f"\nTask table: {task['entries']} entries of {task['entry_bytes']} bytes from {task['base']:#06x}; {task['meaning']}. The boot task is {regs['boot_task']}.\n"
    base = next(r["base"] for r in regs["memory_map"] if r["name"] == "mmio")
    t += "\n## Memory-mapped registers\n\n" + table(["register", "address", "count", "stride", "access", "meaning"], [(m["name"], f"{base + m['offset']:#06x}", m.get("count", 1), m.get("stride", 4), m["access"], m["meaning"]) for m in regs["mmio"]])
    return t


def counters_page(s):
    c = s["counters"]
    t = head("Counters", ["counters"])
    t += "Every cycle of a unit has exactly one class; the classes sum to the elapsed cycles. All counters have 48 bits.\n\n## Cycle classes of the processing element\n\n"
    t += table(["id", "class", "report column", "counts"], [(r["id"], r["name"], r["report"], r["counts"]) for r in c["pe_classes"]])
    t += "\nWhen several could claim a cycle, the first of these does: " + ", ".join(c["pe_class_priority"]) + ".\n\n## Events of the processing element\n\n"
    t += table(["id", "event", "counts"], [(r["id"], r["name"], r["counts"]) for r in c["pe_events"]])
    t += "\n## Cycle classes of the router\n\n" + table(["id", "class", "report column", "counts"], [(r["id"], r["name"], r["report"], r["counts"]) for r in c["router_classes"]])
    return t


def word_table(word):
    rows = [(f["lsb"], (f["name"], bits(f["lsb"], f["width"]), f.get("meaning", "") + (": " + values(f["enum"]) if "enum" in f else ""))) for f in word["fields"]]
    rows += [(z["lsb"], ("0", bits(z["lsb"], z["width"]), "zero")) for z in word.get("zero", [])]
    return table(["field", "bits", "meaning"], [r for _, r in sorted(rows, key=lambda r: r[0])])


def packet_page(s):
    p, f = s["packet"], s["fabric"]
    t = head("Wavelets and routes", ["packet", "fabric"])
    t += f"## Link word, {p['link_word']['bits']} bits\n\n" + word_table(p["link_word"])
    t += "\n## Payload of a control wavelet\n\n" + word_table(p["control_payload"])
    t += "\n## Payload of a streamed weight\n\n" + word_table(p["weight_payload"])
    t += "\n## Directions\n\n" + table(["number", "direction"], list(enumerate(f["directions"])))
    t += f"\n{f['colours']} colours. {f['queues']['input']['count']} input queues ({f['queues']['input']['meaning']}), {f['queues']['output']['count']} output queues ({f['queues']['output']['meaning']}), {f['microthreads']} microthreads.\n"
    t += f"\n## Router configuration word, {f['config_word']['bits']} bits\n\n" + word_table(f["config_word"])
    t += f"\nWords 0 to {f['control_word']['index'] - 1} of a colour are its switch positions:\n\n" + word_table({"fields": f["route_word"]})
    t += f"\nWord {f['control_word']['index']} is its control:\n\n" + word_table(f["control_word"])
    return t


def traps_page(s):
    regs = s["registers"]
    t = head("Traps", ["registers"])
    t += "A trap freezes its unit; the first cause stays in `trap_o` until reset.\n\n## Processing element\n\n"
    t += table(["cause", "name", "meaning"], [(r["id"], r["name"], r["meaning"]) for r in regs["traps"]])
    t += "\n## Router\n\n" + table(["cause", "name", "meaning"], [(r["id"], r["name"], r["meaning"]) for r in regs["router_traps"]])
    return t


def numbers_page(s):
    n = s["numbers"]
    t = head("Number formats and arithmetic", ["numbers"])
    t += table(["format", "bits", "standard", "canonical NaN"], [(k, f["bits"], f["standard"], f"{f['canonical_nan']:#x}" if "canonical_nan" in f else "") for k, f in n["formats"].items()])
    t += "\n" + table(["rule", ""], list(n.get("rules", {}).items()))
    for key, title in (("lane_ops", "Lanes (wl_lanes)"), ("acc_ops", "Accumulators (wl_acc)"), ("sfu_ops", "Special functions (wl_sfu)")):
        t += f"\n## {title}\n\n" + table(["value", "operation", "meaning"], [(r["value"], r["name"], r["meaning"]) for r in n[key]])
    return t


def pages(s):
    return {f"docs/reference/{name}.md": page(s) for name, page in (("isa", isa_page), ("registers", registers_page), ("counters", counters_page), ("packet", packet_page), ("traps", traps_page), ("numbers", numbers_page))}
