"""Loads configs/spec/*.yaml strictly (a repeated key is an error) into one dictionary by file name."""
import os
import re

import yaml

FILES = ["isa", "registers", "counters", "packet", "fabric", "numbers"]
COMMAND = "scripts/gen"


class SpecError(Exception):
    """A spec that cannot be read at all."""


class StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses repeated keys, and reads 0x and decimal integers only (010 stays text and is refused)."""


def _mapping(loader, node, deep=False):
    seen = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in seen:
            raise SpecError(f"{key_node.start_mark.name}:{key_node.start_mark.line + 1}: key '{key}' is repeated")
        seen.add(key)
    return yaml.SafeLoader.construct_mapping(loader, node, deep)


StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, lambda loader, node: _mapping(loader, node, True))
StrictLoader.yaml_implicit_resolvers = {
    first: [(tag, expression) for tag, expression in rules if tag not in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:bool")]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
StrictLoader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^(0|-?[1-9][0-9]*|0[xX][0-9a-fA-F]+)$"), list("-0123456789"))
StrictLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), list("tf"))


def load(folder):
    result = {}
    for name in FILES:
        path = os.path.join(folder, name + ".yaml")
        try:
            with open(path, encoding="utf-8") as f:
                result[name] = yaml.load(f, Loader=StrictLoader)
        except OSError as error:
            raise SpecError(f"{path}: {error.strerror}") from error
        except yaml.YAMLError as error:
            raise SpecError(f"{path}: {error}") from error
        if not isinstance(result[name], dict):
            raise SpecError(f"{path}: not a mapping")
        expected = f"waferloom-{name}-1"
        if result[name].get("schema") != expected:
            raise SpecError(f"{path}: schema must be {expected}")
    return result


# Derived facts that several outputs need.

def mask(lsb, width):
    return ((1 << width) - 1) << lsb


def field_mask(isa, name):
    f = isa["fields"][name]
    return mask(f["lsb"], f["width"])


VECTOR_FLAGS = ["ut", "async", "fn", "shalf", "scalar"]


def instruction_fields(isa, row):
    """Names of the fields that an instruction's word may set, opcode apart."""
    fmt = isa["formats"][row["format"]]
    names = list(fmt["operands"])
    if "fn" in fmt or "enum" in row:
        names.append("fn")
    if fmt.get("vector"):
        names += ["ut", "async"]
        if row["scalar"] == "never":
            names = [n for n in names if n != "s_reg"]
        else:
            names += ["shalf", "scalar"]
    return names


def second_source(row):
    """The operand whose place the scalar takes, or None (vmacs: the scalar is a third operand)."""
    if row.get("scalar") != "allowed":
        return None
    return {"V1": "b_dsr", "V2": "c_dsr"}[row["format"]]


def legality(isa, row):
    """What makes a word with this opcode legal, as masks: bits that are always zero; bits zero unless async; bits zero with the scalar bit set
    and clear; bits that are set; number of fn values (0: none)."""
    names = instruction_fields(isa, row)
    free = mask(isa["opcode_field"]["lsb"], isa["opcode_field"]["width"])
    for n in names:
        free |= field_mask(isa, n)
    vector = bool(isa["formats"][row["format"]].get("vector"))
    result = {"zero": ~free & 0xFFFFFFFF, "zero_unless_async": field_mask(isa, "ut") if vector else 0, "zero_if_scalar": 0,
              "zero_unless_scalar": 0, "set": 0, "fn_count": len(isa["enums"][row["enum"]]) if "enum" in row else 0}
    if row.get("scalar") == "allowed":
        result["zero_if_scalar"] = field_mask(isa, second_source(row))
        result["zero_unless_scalar"] = field_mask(isa, "s_reg") | field_mask(isa, "shalf")
    if row.get("scalar") == "always":
        result["set"] = field_mask(isa, "scalar")
    return result


def header(comment, sources, extra=""):
    """First lines of a generated file: source and command, no date, no host path."""
    names = ", ".join(f"configs/spec/{n}.yaml" for n in sources)
    line = f"{comment} Generated from {names} by {COMMAND}; do not edit."
    return line + "\n" + (f"{comment} {extra}\n" if extra else "")


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("_"))
