"""C++ tables: sim/generated/*.h (namespace waferloom::spec) and firmware/generated/isa_table.h (namespace waferloom::assembler::spec;
firmware does not include sim, so it gets a copy of its own)."""
import spec as sp


def text_of(value):
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def constant(name):
    return "k" + sp.camel(name)


def enum(name, base, rows, note=""):
    """rows: (identifier, value, comment)"""
    lines = ([f"// {note}"] if note else []) + [f"enum class {name} : {base} {{"]
    for identifier, value, comment in rows:
        lines.append(f"  {constant(identifier)} = {value}," + (f"  // {comment}" if comment else ""))
    return lines + ["};"]


def name_table(name, values, note=""):
    lines = ([f"// {note}"] if note else [])
    joined = ", ".join(text_of(v) for v in values)
    return lines + [f"inline constexpr const char* {name}[] = {{{joined}}};"]


def file(guard_note, namespace, sources, includes, body):
    text = sp.header("//", sources, guard_note) + "#pragma once\n\n"
    text += "".join(f"#include <{i}>\n" for i in includes) + f"\nnamespace {namespace} {{\n\n"
    return text + "\n".join(body) + f"\n\n}}  // namespace {namespace}\n"


def isa_body(isa):
    fields = isa["fields"]
    fn = fields["fn"]
    b = enum("FieldKind", "uint8_t", [(k, i, n) for i, (k, n) in enumerate([
        ("reg", "r0 to r15, r0 reads zero"), ("dsr", "d0 to d15"), ("uint", ""), ("sint", ""), ("rel", "signed words relative to the instruction"), ("flag", ""), ("enum", "value of the instruction's enum")])])
    b += ["", "struct Field {", "  const char* name;", "  uint8_t lsb;", "  uint8_t width;", "  FieldKind kind;", "",
          "  constexpr uint32_t mask() const { return ((width == 32 ? 0u : 1u << width) - 1u) << lsb; }",
          "  constexpr uint32_t get(uint32_t word) const { return (word & mask()) >> lsb; }",
          "  constexpr uint32_t put(uint32_t value) const { return (value << lsb) & mask(); }",
          "  // The field's value with its sign (sint, rel), else as it stands.",
          "  constexpr int32_t value(uint32_t word) const {",
          "    const uint32_t raw = get(word);",
          "    const bool negative = (kind == FieldKind::kSint || kind == FieldKind::kRel) && (raw >> (width - 1)) != 0;",
          "    return static_cast<int32_t>(negative ? raw | ~(mask() >> lsb) : raw);", "  }", "};", ""]
    b += enum("FieldId", "uint8_t", [(n, i, "") for i, n in enumerate(fields)])
    b += [f"inline constexpr int kFieldCount = {len(fields)};", "inline constexpr Field kFields[kFieldCount] = {"]
    b += [f"    {{{text_of(n)}, {f['lsb']}, {f['width']}, FieldKind::{constant(f['kind'])}}}," for n, f in fields.items()] + ["};"]
    b += ["constexpr const Field& field(FieldId id) { return kFields[static_cast<int>(id)]; }",
          f"inline constexpr Field kOpcodeField{{\"opcode\", {isa['opcode_field']['lsb']}, {isa['opcode_field']['width']}, FieldKind::kUint}};", ""]
    b += enum("FormatId", "uint8_t", [(n, i, "") for i, n in enumerate(isa["formats"])])
    b += ["struct Format {", "  const char* name;", "  uint8_t operand_count;", "  FieldId operands[4];  // in the order they are written", "  bool vector;          // carries ut, async, fn, shalf, scalar",
          "  bool address;         // written \"a, imm(b)\"", "};", f"inline constexpr Format kFormats[{len(isa['formats'])}] = {{"]
    for n, f in isa["formats"].items():
        ops = ", ".join(f"FieldId::{constant(o)}" for o in f["operands"]) or "FieldId::kAReg"
        b.append(f"    {{{text_of(n)}, {len(f['operands'])}, {{{ops}}}, {str(bool(f.get('vector'))).lower()}, {str('syntax' in f).lower()}}},")
    b += ["};", ""]
    b += enum("Group", "uint8_t", [(g, i, "") for i, g in enumerate(dict.fromkeys(r["group"] for r in isa["instructions"]))])
    b += enum("ScalarUse", "uint8_t", [("none", 0, "not a vector instruction"), ("never", 1, ""), ("allowed", 2, "with the scalar bit, in place of the second source (vmov: of the source)"), ("always", 3, "the scalar bit is set; a third operand")])
    b += enum("EnumId", "uint8_t", [(n, i, "") for i, n in enumerate(isa["enums"])], "Which names the field fn has.")
    b += ["struct EnumNames {", "  const char* name;", "  uint8_t count;", "  const char* values[8];", "};", f"inline constexpr EnumNames kEnums[{len(isa['enums'])}] = {{"]
    for n, values in isa["enums"].items():
        b.append(f"    {{{text_of(n)}, {0 if n == 'none' else len(values)}, {{{', '.join(text_of(v) for v in values) if n != 'none' else ''}}}}},")
    b += ["};"]
    for n, values in isa["enums"].items():
        if n != "none":
            b += enum("Fn" + sp.camel(n), "uint8_t", [(v, i, "") for i, v in enumerate(values)])
    b += [""]
    b += enum("Opcode", "uint8_t", [(r["name"], f"{r['opcode']:#04x}", r["does"]) for r in isa["instructions"]])
    b += ["", "struct Instruction {", "  const char* name;", "  Opcode opcode;", "  FormatId format;", "  Group group;", "  ScalarUse scalar;", "  EnumId fn;",
          "  // What makes a word legal:", "  uint32_t zero;                // bits that are zero", "  uint32_t set;                 // bits that are set", "  uint32_t zero_unless_async;   // bits zero when async is clear",
          "  uint32_t zero_if_scalar;      // bits zero when scalar is set", "  uint32_t zero_unless_scalar;  // bits zero when scalar is clear", "  const char* does;", "",
          "  constexpr const Format& layout() const { return kFormats[static_cast<int>(format)]; }", "  constexpr const EnumNames& names() const { return kEnums[static_cast<int>(fn)]; }", "};", "",
          f"inline constexpr int kInstructionCount = {len(isa['instructions'])};", "inline constexpr Instruction kInstructionTable[kInstructionCount] = {"]
    for r in isa["instructions"]:
        l = sp.legality(isa, r)
        masks = ", ".join(f"{l[k]:#010x}" for k in ("zero", "set", "zero_unless_async", "zero_if_scalar", "zero_unless_scalar"))
        b.append(f"    {{{text_of(r['name'])}, Opcode::{constant(r['name'])}, FormatId::{constant(r['format'])}, Group::{constant(r['group'])}, ScalarUse::{constant(r.get('scalar', 'none'))}, EnumId::{constant(r.get('enum', 'none'))},")
        b.append(f"     {masks}, {text_of(r['does'])}}},")
    op_count = 1 << isa["opcode_field"]["width"]
    by_opcode = {r["opcode"]: i for i, r in enumerate(isa["instructions"])}
    b += ["};", "", "// Index into kInstructionTable by opcode; -1: no instruction.", f"inline constexpr int16_t kByOpcode[{op_count}] = {{"]
    for start in range(0, op_count, 16):
        b.append("    " + ", ".join(str(by_opcode.get(i, -1)) for i in range(start, start + 16)) + ",")
    b += ["};", "",
          "// The instruction of this word's opcode, or null. The word's other bits may still be illegal.",
          "constexpr const Instruction* find(uint32_t word) {", "  const int index = kByOpcode[kOpcodeField.get(word)];", "  return index < 0 ? nullptr : &kInstructionTable[index];", "}", "",
          "constexpr bool is_vector(const Instruction& i) { return i.layout().vector; }", "",
          "// True for a word that the machine executes; any other traps (illegal_instruction).", "constexpr bool is_legal(uint32_t word) {", "  const Instruction* i = find(word);",
          "  if (i == nullptr) return false;", "  if ((word & i->zero) != 0 || (word & i->set) != i->set) return false;",
          f"  if ((word & {1 << fields['async']['lsb']:#x}u) == 0 && (word & i->zero_unless_async) != 0) return false;",
          f"  const bool scalar = (word & {1 << fields['scalar']['lsb']:#010x}u) != 0;",
          "  if ((word & (scalar ? i->zero_if_scalar : i->zero_unless_scalar)) != 0) return false;",
          f"  return i->fn == EnumId::kNone || ((word >> {fn['lsb']}) & {(1 << fn['width']) - 1}u) < i->names().count;", "}", "",
          "// All fields of a word at once. Registers and descriptors share a place (a_reg, a_dsr: a), and so do the immediates.",
          "struct Decoded {", "  const Instruction* instruction = nullptr;  // null: no such opcode", "  bool legal = false;"]
    decoded = [("uint8_t", "a", "a_reg"), ("uint8_t", "b", "b_reg"), ("uint8_t", "c", "c_reg"), ("uint8_t", "s", "s_reg"), ("int32_t", "imm", "imm"), ("uint32_t", "uimm", "uimm"), ("int32_t", "rel", "rel"),
               ("uint8_t", "task", "task"), ("uint8_t", "word", "word"), ("uint8_t", "ut", "ut"), ("bool", "async", "async"), ("uint8_t", "fn", "fn"), ("bool", "shalf", "shalf"), ("bool", "scalar", "scalar")]
    for kind, member, _ in decoded:
        b.append(f"  {kind} {member} = {'false' if kind == 'bool' else 0};")
    b += ["};", "", "constexpr Decoded decode(uint32_t word) {", "  Decoded d;", "  d.instruction = find(word);", "  d.legal = is_legal(word);"]
    for kind, member, name in decoded:
        call = f"field(FieldId::{constant(name)})"
        b.append(f"  d.{member} = " + {"int32_t": f"{call}.value(word);", "bool": f"{call}.get(word) != 0;", "uint32_t": f"{call}.get(word);"}.get(kind, f"static_cast<{kind}>({call}.get(word));"))
    b += ["  return d;", "}"]
    return b


def isa(s):
    return file("The instruction set: fields, formats, instructions, legality, decoding.", "waferloom::spec", ["isa"], ["cstdint"], isa_body(s["isa"]))


def enum_type(f):
    return {"kind": "Kind", "type": "ElementType", "on_control": "OnControl", "on_done": "OnDone"}.get(f["name"], sp.camel(f["name"]))


def registers(s):
    regs = s["registers"]
    b = [f"inline constexpr int kScalarRegisters = {regs['scalar']['count']};", f"inline constexpr int kDescriptorRegisters = {regs['descriptor_registers']['count']};", ""]
    for f in regs["descriptor"]:
        if "enum" in f:
            b += enum(enum_type(f), "uint8_t", [(v, i, "") for i, v in enumerate(f["enum"])], f["meaning"])
            b += name_table(f"k{enum_type(f)}Names", f["enum"]) + [""]
    b += ["// One descriptor, four 32-bit words. Getters give a field's value; a value outside the enum is possible only where the words are. Setters keep the field's low bits.",
          "struct Descriptor {", "  std::array<uint32_t, 4> words{};", ""]
    for f in regs["descriptor"]:
        m = sp.mask(0, f["width"])
        get = f"(words[{f['word']}] >> {f['lsb']}) & {m:#x}u"
        put = "{{ words[{0}] = (words[{0}] & {1:#010x}u) | ((static_cast<uint32_t>(value) & {2:#x}u) << {3}); }}".format(f["word"], ~sp.mask(f["lsb"], f["width"]) & 0xFFFFFFFF, m, f["lsb"])
        note = f["meaning"] + (f" [{f['unit']}]" if "unit" in f else "")
        b.append(f"  // {note}")
        if "enum" in f:
            t = enum_type(f)
            b += [f"  constexpr {t} {f['name']}() const {{ return static_cast<{t}>({get}); }}", f"  constexpr void set_{f['name']}({t} value) {put}"]
        elif f.get("signed"):
            b += [f"  constexpr int32_t {f['name']}() const {{ return static_cast<int16_t>({get}); }}", f"  constexpr void set_{f['name']}(int32_t value) {put}"]
        elif f["width"] == 1:
            b += [f"  constexpr bool {f['name']}() const {{ return ({get}) != 0; }}", f"  constexpr void set_{f['name']}(bool value) {put}"]
        else:
            b += [f"  constexpr uint32_t {f['name']}() const {{ return {get}; }}", f"  constexpr void set_{f['name']}(uint32_t value) {put}"]
    keep = [0, 0, 0, 0]
    for f in regs["descriptor"]:
        keep[f["word"]] |= sp.mask(f["lsb"], f["width"])
    b += ["", "  constexpr bool operator==(const Descriptor& o) const {", "    for (int i = 0; i < 4; ++i) {", "      if (words[i] != o.words[i]) return false;", "    }", "    return true;", "  }", "};",
          "// Bits of each word that belong to a field; the others are not kept and read zero.", "inline constexpr uint32_t kDescriptorMask[4] = {" + ", ".join(f"{k:#010x}" for k in keep) + "};", "",
          "// One row per descriptor field, for tools that print or parse them. `names` is null for numbers.",
          "struct DescriptorField {", "  const char* name;", "  uint8_t word;", "  uint8_t lsb;", "  uint8_t width;", "  bool is_signed;", "  const char* const* names;", "  uint8_t name_count;", "};",
          f"inline constexpr int kDescriptorFieldCount = {len(regs['descriptor'])};", "inline constexpr DescriptorField kDescriptorFields[kDescriptorFieldCount] = {"]
    for f in regs["descriptor"]:
        names = f"k{enum_type(f)}Names, {len(f['enum'])}" if "enum" in f else "nullptr, 0"
        b.append(f"    {{{text_of(f['name'])}, {f['word']}, {f['lsb']}, {f['width']}, {str(bool(f.get('signed'))).lower()}, {names}}},")
    b += ["};", "", "// Memory map, byte addresses."]
    for r in regs["memory_map"]:
        b += [f"inline constexpr uint32_t {constant(r['name'])}Base = {r['base']:#06x};  // {r['meaning']}", f"inline constexpr uint32_t {constant(r['name'])}MaxBytes = {r['bytes']};"]
    t = regs["task_table"]
    b += [f"inline constexpr uint32_t kTaskTableBase = {t['base']:#06x};  // {t['meaning']}", f"inline constexpr int kTaskCount = {t['entries']};", f"inline constexpr uint32_t kTaskEntryBytes = {t['entry_bytes']};", f"inline constexpr int kBootTask = {regs['boot_task']};", "",
          "// Memory-mapped registers: offsets from kMmioBase."]
    for m in regs["mmio"]:
        b.append(f"inline constexpr uint32_t kMmio{sp.camel(m['name'])} = {m['offset']:#05x};  // {m['access']}; {m['meaning']}")
    b += ["enum class Access : uint8_t { kReadOnly, kReadWrite, kWriteOnly };", "struct MmioRegister {", "  const char* name;", "  uint16_t offset;", "  uint16_t count;", "  uint16_t stride;", "  Access access;", "};",
          f"inline constexpr int kMmioCount = {len(regs['mmio'])};", "inline constexpr MmioRegister kMmio[kMmioCount] = {"]
    for m in regs["mmio"]:
        b.append(f"    {{{text_of(m['name'])}, {m['offset']:#05x}, {m.get('count', 1)}, {m.get('stride', 4)}, Access::{ {'ro': 'kReadOnly', 'rw': 'kReadWrite', 'wo': 'kWriteOnly'}[m['access']]}}},")
    b += ["};", ""]
    for name, key, note in (("Trap", "traps", "Traps of the PE, trap_o[7:0]."), ("RouterTrap", "router_traps", "Traps of the router, trap_o[7:0].")):
        b += enum(name, "uint8_t", [("none", 0, "")] + [(r["name"], r["id"], r["meaning"]) for r in regs[key]], note)
        fn = "router_trap" if name == "RouterTrap" else "trap"
        b += [f"constexpr const char* {fn}_name(uint32_t cause) {{", "  switch (cause) {", '    case 0: return "none";'] + [f"    case {r['id']}: return {text_of(r['name'])};" for r in regs[key]] + ['    default: return "unknown";', "  }", "}",
              f"// One sentence for a user; empty for an unknown cause.", f"constexpr const char* {fn}_meaning(uint32_t cause) {{", "  switch (cause) {"] + [f"    case {r['id']}: return {text_of(r['meaning'])};" for r in regs[key]] + ['    default: return "";', "  }", "}", ""]
    return file("Descriptors, memory map, memory-mapped registers, traps.", "waferloom::spec", ["registers"], ["array", "cstdint"], b[:-1])


def counters(s):
    c = s["counters"]
    b = ["struct CounterRow {", "  const char* name;", "  const char* report;  // the report's column; empty for events", "  const char* counts;  // exactly what increments it", "};", ""]
    for name, key, note in (("PeClass", "pe_classes", "Cycle classes of the PE: every cycle has exactly one."), ("PeEvent", "pe_events", "Events of the PE."), ("RouterClass", "router_classes", "Cycle classes of the router.")):
        table = {"PeClass": "kPeClasses", "PeEvent": "kPeEvents", "RouterClass": "kRouterClasses"}[name]
        b += enum(name, "uint8_t", [(r["name"], r["id"], "") for r in c[key]], note)
        b += [f"inline constexpr int {table[:-2] if table.endswith('sses') else table[:-1]}Count = {len(c[key])};", f"inline constexpr CounterRow {table}[] = {{"]
        b += [f"    {{{text_of(r['name'])}, {text_of(r.get('report', ''))}, {text_of(r['counts'])}}}," for r in c[key]] + ["};", ""]
    b += ["// When several classes could claim a cycle, the first of these does.", "inline constexpr PeClass kPeClassPriority[] = {" + ", ".join(f"PeClass::{constant(n)}" for n in c["pe_class_priority"]) + "};"]
    reports = list(dict.fromkeys(r["report"] for r in c["pe_classes"]))
    b += name_table("kPeReports", reports, "The report's columns, in order of first use.") + [f"inline constexpr int kPeReportCount = {len(reports)};"]
    return file("Cycle classes and events.", "waferloom::spec", ["counters"], ["cstdint"], b)


def word_accessors(prefix, fields, type_name, skip=()):
    b = []
    for f in fields:
        if f["name"] in skip:
            continue
        suffix = "ull" if type_name == "uint64_t" else "u"
        get = f"(word >> {f['lsb']}) & {sp.mask(0, f['width']):#x}{suffix}"
        kind = "bool" if f["width"] == 1 else "uint32_t"
        body = f"({get}) != 0" if kind == "bool" else (f"static_cast<uint32_t>({get})" if type_name == "uint64_t" else get)
        note = f"  // {f['meaning']}" if "meaning" in f else ""
        b.append(f"constexpr {kind} {prefix}_{f['name']}({type_name} word) {{ return {body}; }}{note}")
    return b


def packet(s):
    p = s["packet"]
    link = {f["name"]: f for f in p["link_word"]["fields"]}
    ctrl = {f["name"]: f for f in p["control_payload"]["fields"]}
    weight = {f["name"]: f for f in p["weight_payload"]["fields"]}
    b = [f"inline constexpr int kLinkBits = {p['link_word']['bits']};", "",
         "// A link word that holds a wavelet. Requires colour < 32.",
         "constexpr uint64_t link_word(uint32_t data, uint32_t colour, bool control = false) {",
         f"  return (static_cast<uint64_t>(data) << {link['data']['lsb']}) | (static_cast<uint64_t>(colour & {sp.mask(0, link['colour']['width']):#x}u) << {link['colour']['lsb']}) |",
         f"         (static_cast<uint64_t>(control) << {link['control']['lsb']}) | (1ull << {link['valid']['lsb']});", "}",
         "inline constexpr uint64_t kNoWavelet = 0;"]
    b += word_accessors("link", p["link_word"]["fields"], "uint64_t")
    b += [""] + enum("Command", "uint8_t", [(v, i, "") for i, v in enumerate(ctrl["command"]["enum"])], ctrl["command"]["meaning"])
    b += name_table("kCommandNames", ctrl["command"]["enum"])
    b += ["", "// Payload of a control wavelet. Requires task < 64, argument < 65536.", "constexpr uint32_t control_payload(uint32_t task, Command command, uint32_t argument = 0) {",
          f"  return ((task & {sp.mask(0, ctrl['task']['width']):#x}u) << {ctrl['task']['lsb']}) | (static_cast<uint32_t>(command) << {ctrl['command']['lsb']}) | ((argument & {sp.mask(0, ctrl['argument']['width']):#x}u) << {ctrl['argument']['lsb']});", "}"]
    b += word_accessors("control", p["control_payload"]["fields"], "uint32_t", ("command",))
    b += [f"constexpr Command control_command(uint32_t word) {{ return static_cast<Command>((word >> {ctrl['command']['lsb']}) & {sp.mask(0, ctrl['command']['width']):#x}u); }}"]
    b += ["", "// Payload of a streamed weight. `weight` is a binary16 bit pattern, `index` a byte offset.", "constexpr uint32_t weight_payload(uint32_t weight, uint32_t index) {",
          f"  return ((weight & {sp.mask(0, weight['weight']['width']):#x}u) << {weight['weight']['lsb']}) | ((index & {sp.mask(0, weight['index']['width']):#x}u) << {weight['index']['lsb']});", "}"]
    b += word_accessors("weight", p["weight_payload"]["fields"], "uint32_t")
    return file("Link words and payloads.", "waferloom::spec", ["packet"], ["cstdint"], b)


def packer(name, fields, type_name, args, note):
    parts = [f"((static_cast<{type_name}>({f['name']}) & {sp.mask(0, f['width']):#x}u) << {f['lsb']})" for f in fields if f["name"] in args]
    params = ", ".join(f"{'bool' if f['width'] == 1 else 'uint32_t'} {f['name']}" for f in fields if f["name"] in args)
    return [f"// {note}", f"constexpr {type_name} {name}({params}) {{", "  return " + " |\n         ".join(parts) + ";", "}"]


def fabric(s):
    f = s["fabric"]
    config = {x["name"]: x for x in f["config_word"]["fields"]}
    b = enum("Direction", "uint8_t", [(n, i, "") for i, n in enumerate(f["directions"])], "x grows east, y grows south.")
    b += [f"inline constexpr int kDirections = {len(f['directions'])};"] + name_table("kDirectionNames", f["directions"])
    b += ["// The direction seen from the other side of a link; the ramp is its own opposite.", "constexpr Direction opposite(Direction d) {", "  return d == Direction::kRamp ? d : static_cast<Direction>((static_cast<int>(d) + 2) % 4);", "}",
          "constexpr uint32_t direction_bit(Direction d) { return 1u << static_cast<int>(d); }",
          f"inline constexpr int kColours = {f['colours']};", f"inline constexpr int kReadyBits = {f['ready_bits']};", f"inline constexpr int kInputQueues = {f['queues']['input']['count']};", f"inline constexpr int kOutputQueues = {f['queues']['output']['count']};",
          f"inline constexpr int kOutputQueueDepth = {f['queues']['output']['depth']};", f"inline constexpr int kMicrothreads = {f['microthreads']};", f"inline constexpr int kSwitchPositions = {f['control_word']['index']};", f"inline constexpr uint32_t kControlWordIndex = {f['control_word']['index']};",
          f"inline constexpr int kConfigBits = {f['config_word']['bits']};", ""]
    b += packer("route_word", f["route_word"], "uint32_t", ("receive", "transmit"), "One switch position: masks of directions (direction_bit).")
    b += word_accessors("route", f["route_word"], "uint32_t") + [""]
    b += packer("switch_word", f["control_word"]["fields"], "uint32_t", ("position", "last", "ring"), "A colour's control word.")
    b += word_accessors("switch", f["control_word"]["fields"], "uint32_t") + [""]
    b += ["// A configuration write as it travels on cfg_o and cfg_i; word 0 to 3: switch position, 4: control.", "constexpr uint64_t config_word(uint32_t colour, uint32_t word, uint32_t data) {",
          f"  return (static_cast<uint64_t>(data) << {config['data']['lsb']}) | (static_cast<uint64_t>(word & {sp.mask(0, config['word']['width']):#x}u) << {config['word']['lsb']}) | (static_cast<uint64_t>(colour & {sp.mask(0, config['colour']['width']):#x}u) << {config['colour']['lsb']}) | (1ull << {config['valid']['lsb']});", "}"]
    b += word_accessors("config", f["config_word"]["fields"], "uint64_t")
    b += ["// Index of a configuration word in the PE's mmio register `route`.", f"constexpr uint32_t route_index(uint32_t colour, uint32_t word) {{ return (colour << {config['word']['width']}) | word; }}"]
    return file("Directions, router configuration, queues.", "waferloom::spec", ["fabric"], ["cstdint"], b)


def assembler_table(s):
    regs, fab, pk = s["registers"], s["fabric"], s["packet"]
    b = isa_body(s["isa"])
    b += ["", "// A descriptor field of `.desc`; `names` is null for numbers.", "struct DescriptorField {", "  const char* name;", "  uint8_t word;", "  uint8_t lsb;", "  uint8_t width;", "  bool is_signed;", "  const char* names[8];", "};",
          f"inline constexpr int kDescriptorFieldCount = {len(regs['descriptor'])};", "inline constexpr DescriptorField kDescriptorFields[kDescriptorFieldCount] = {"]
    for f in regs["descriptor"]:
        b.append(f"    {{{text_of(f['name'])}, {f['word']}, {f['lsb']}, {f['width']}, {str(bool(f.get('signed'))).lower()}, {{{', '.join(text_of(v) for v in f.get('enum', [])) or 'nullptr'}}}}},")
    b += ["};", "", "// Symbols that every program may use.", "struct BuiltIn {", "  const char* name;", "  int64_t value;", "};", "inline constexpr BuiltIn kBuiltIns[] = {"]
    rows = [(f"{r['name'].upper()}_BASE", r["base"]) for r in regs["memory_map"]]
    mmio_base = next(r["base"] for r in regs["memory_map"] if r["name"] == "mmio")
    rows += [(f"MMIO_{m['name'].upper()}", mmio_base + m["offset"]) for m in regs["mmio"]]
    rows += [(f"DIR_{n.upper()}", i) for i, n in enumerate(fab["directions"])]
    rows += [(f"BIT_{n.upper()}", 1 << i) for i, n in enumerate(fab["directions"])]
    rows += [("BOOT_TASK", regs["boot_task"])]
    for f in pk["control_payload"]["fields"]:
        rows += [(f"CMD_{v.upper()}", i << f["lsb"]) for i, v in enumerate(f.get("enum", []))]
    rows += [("ROUTE_TRANSMIT_SHIFT", next(f["lsb"] for f in fab["route_word"] if f["name"] == "transmit")), ("CTRL_ARGUMENT_SHIFT", next(f["lsb"] for f in pk["control_payload"]["fields"] if f["name"] == "argument"))]
    for f in regs["descriptor"]:
        rows += [(f"{f['name'].upper()}_{v.upper()}", i) for i, v in enumerate(f.get("enum", []))]
    b += [f"    {{{text_of(n)}, {v:#x}}}," for n, v in rows] + ["};", "",
          f"inline constexpr uint32_t kTaskTableBase = {regs['task_table']['base']:#06x};", f"inline constexpr int kTaskCount = {regs['task_table']['entries']};", f"inline constexpr uint32_t kTaskEntryBytes = {regs['task_table']['entry_bytes']};",
          f"inline constexpr uint32_t kSramBytes = {next(r['bytes'] for r in regs['memory_map'] if r['name'] == 'sram')};"]
    return file("The assembler's and disassembler's table.", "waferloom::assembler::spec", ["isa", "registers", "fabric", "packet"], ["cstdint"], b)
