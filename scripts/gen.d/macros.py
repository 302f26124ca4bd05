"""Operations of the arithmetic macros: rtl/generated/wl_macro_pkg.sv and sim/generated/macro_ops.h (namespace waferloom::macros)."""
import spec as sp
import cpp

# key in numbers.yaml, C++ enum, prefix in SystemVerilog, bits of the op_i port
KINDS = [("lane_ops", "LaneOp", "Lane", 5, "wl_lanes"), ("acc_ops", "AccOp", "Acc", 3, "wl_acc"), ("sfu_ops", "SfuOp", "Sfu", 2, "wl_sfu")]


def package(s):
    text = sp.header("//", ["numbers"]) + "package wl_macro_pkg;\n\n  // Each module uses some of these.\n  /* verilator lint_off UNUSEDPARAM */\n"
    for key, _, prefix, bits, module in KINDS:
        text += f"\n  // {module}\n"
        for row in s["numbers"][key]:
            text += f"  localparam logic [{bits - 1}:0] {prefix}{sp.camel(row['name'])} = {bits}'d{row['value']};  // {row['meaning']}\n"
    return text + "\n  /* verilator lint_on UNUSEDPARAM */\nendpackage\n"


def operations(s):
    body = []
    for key, name, _, _, module in KINDS:
        body += cpp.enum(name, "uint8_t", [(r["name"], r["value"], r["meaning"]) for r in s["numbers"][key]], f"Operations of {module}.") + [""]
    return cpp.file("", "waferloom::macros", ["numbers"], ["cstdint"], body[:-1])
