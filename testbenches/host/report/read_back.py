#!/usr/bin/env python3
"""Reads a result folder with nothing but Python's standard library.

The point is independence: no code here is shared with the writers. It reads weights.safetensors by the published format, validates metrics.json and
manifest.json against their schemas, holds the CSV files against the JSON, looks for anything that a self-contained HTML file must not have, and
compares two results of the same program byte by byte.

usage: read_back.py SAMPLE_PROGRAM SCHEMA_FOLDER
"""
import csv
import html.parser
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

CHECKS = 0


def check(condition, text):
    global CHECKS
    CHECKS += 1
    if not condition:
        sys.exit(f"FAILED: {text}")


def read_safetensors(path):
    """Tensors as lists of numbers, by name, and the metadata."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    check(8 + length <= len(raw), "the header fits the file")
    header_text = raw[8 : 8 + length].decode("utf-8")
    check(header_text[0] == "{", "the header begins with a brace")
    check((8 + length) % 8 == 0, "the data is aligned to eight bytes")
    pairs = json.loads(header_text, object_pairs_hook=lambda p: p)
    names = [name for name, _ in pairs]
    check(len(set(names)) == len(names), "no name twice")
    header = json.loads(header_text)
    metadata = header.pop("__metadata__", {})
    data = raw[8 + length :]
    sizes = {"F32": (4, "f"), "F16": (2, "e")}
    at = 0
    tensors = {}
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        check(begin == at, f"{name} begins where the one before it ends")
        size, code = sizes[entry["dtype"]]
        check(begin % size == 0, f"{name} is aligned to its element")
        count = math.prod(entry["shape"])
        check(end - begin == count * size, f"{name} is as long as its shape says")
        tensors[name] = (entry["shape"], list(struct.unpack(f"<{count}{code}", data[begin:end])))
        at = end
    check(at == len(data), "the data ends with the last tensor")
    return tensors, metadata


class Validator:
    """The part of JSON Schema that the schemas use; an unknown keyword is an error, so that none is skipped silently."""

    KNOWN = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "required", "properties", "additionalProperties", "items", "enum", "const", "oneOf", "minimum"}
    TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}

    def __init__(self, schema):
        self.root = schema

    def errors(self, value, schema=None, path="$"):
        schema = self.root if schema is None else schema
        unknown = set(schema) - self.KNOWN
        if unknown:
            return [f"{path}: the schema uses {unknown}"]
        if "$ref" in schema:
            return self.errors(value, self.root["$defs"][schema["$ref"].rsplit("/", 1)[1]], path)
        found = []
        kind = schema.get("type")
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if kind in self.TYPES and not isinstance(value, self.TYPES[kind]):
            return [f"{path}: not of type {kind}: {value!r}"]
        if kind == "integer" and not (number and isinstance(value, int)):
            return [f"{path}: not an integer: {value!r}"]
        if kind == "number" and not number:
            return [f"{path}: not a number: {value!r}"]
        if "const" in schema and value != schema["const"]:
            found.append(f"{path}: not {schema['const']!r}")
        if "enum" in schema and value not in schema["enum"]:
            found.append(f"{path}: {value!r} is not one of {schema['enum']}")
        if "minimum" in schema and number and value < schema["minimum"]:
            found.append(f"{path}: {value} is less than {schema['minimum']}")
        if "oneOf" in schema and sum(not self.errors(value, s, path) for s in schema["oneOf"]) != 1:
            found.append(f"{path}: {value!r} fits not exactly one alternative")
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            found += [f"{path}: missing {key}" for key in schema.get("required", []) if key not in value]
            for key, inner in value.items():
                if key in properties:
                    found += self.errors(inner, properties[key], f"{path}.{key}")
                elif schema.get("additionalProperties") is False:
                    found.append(f"{path}: unknown {key}")
                elif isinstance(schema.get("additionalProperties"), dict):
                    found += self.errors(inner, schema["additionalProperties"], f"{path}.{key}")
        if isinstance(value, list) and "items" in schema:
            for index, inner in enumerate(value):
                found += self.errors(inner, schema["items"], f"{path}[{index}]")
        return found


class PageReader(html.parser.HTMLParser):
    """Open tags must close; nothing may be fetched."""

    VOID = ("meta", "link")

    def __init__(self):
        super().__init__()
        self.open = []
        self.text = []
        self.charts = ""

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_starttag(self, tag, attributes):
        check(tag not in ("iframe", "img", "object"), f"no <{tag}> in the report")
        for key, value in attributes:
            check(key != "src" and not key.startswith("on"), f"no {key} in the report")
            check(key != "href" or value.startswith("#") or value == "data:,", f"{value}: nothing is fetched")
            check("url(" not in (value or ""), "nothing is fetched by style")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        check(self.open and self.open.pop() == tag, f"</{tag}> closes what was opened")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            if not self.charts:
                self.charts = data
        elif not self.open or self.open[-1] != "style":
            self.text.append(data)


def no_constant(name):
    sys.exit(f"FAILED: {name} stands bare in the JSON")


def read_json(path):
    return json.loads(path.read_text("ascii" if path.name == "manifest.json" else "utf-8"), parse_constant=no_constant)


def check_folder(folder, schemas):
    names = {"resolved.yaml", "metrics.json", "metrics.csv", "epochs.csv", "weights.safetensors", "report.html", "manifest.json"}
    check({p.name for p in folder.iterdir()} == names, "the folder holds its seven files and nothing else")
    metrics = read_json(folder / "metrics.json")
    manifest = read_json(folder / "manifest.json")
    for name, value in (("metrics", metrics), ("manifest", manifest)):
        validator = Validator(json.loads((schemas / f"{name}.schema.json").read_text()))
        found = validator.errors(value)
        check(not found, f"{name}.json follows its schema: {found[:3]}")
        # The schema must be able to refuse.
        check(validator.errors({**value, "extra": 1}), "an unknown key is refused")
        check(validator.errors({k: v for k, v in value.items() if k != "seed"}), "a missing key is refused")
        check(validator.errors({**value, "seed": "7"}), "a wrong type is refused")
    check(set(manifest["files"]) == names - {"manifest.json"}, "the manifest lists the files")

    rows = list(csv.DictReader((folder / "metrics.csv").open(newline="")))
    check(len(rows) == len(metrics["steps"]), "a line per step")
    for row, step in zip(rows, metrics["steps"]):
        check(int(row["step"]) == step["step"] and int(row["cycles"]) == step["cycles"], "CSV and JSON agree on cycles")
        check(row["loss"] == "NaN" if step["loss"] == "NaN" else float(row["loss"]) == step["loss"], "CSV and JSON agree on the loss")
        phases = {k[len("phase.") :]: int(v) for k, v in row.items() if k.startswith("phase.")}
        check(phases == {p["name"]: p["cycles"] for p in step["phases"]}, "CSV and JSON agree on phases")
        check(sum(phases.values()) == step["cycles"], "phases sum to the step")
        for unit in step["units"]:
            causes = {k[len(unit["unit"]) + 1 :]: int(v) for k, v in row.items() if k.startswith(unit["unit"] + ".")}
            check(causes == {c["name"]: c["cycles"] for c in unit["causes"]}, "CSV and JSON agree on causes")
            check(sum(causes.values()) == unit["units"] * step["cycles"], "causes sum to units x cycles")
    epochs = list(csv.DictReader((folder / "epochs.csv").open(newline="")))
    check([float(e["test_accuracy"]) if e["test_accuracy"] else None for e in epochs] == [e["test_accuracy"] for e in metrics["epochs"]], "CSV and JSON agree on epochs")

    page = PageReader()
    page.feed((folder / "report.html").read_text("utf-8"))
    page.close()
    check(not page.open, f"every tag closes: {page.open}")
    text = " ".join(page.text)
    for word in ("measured", "fitted", "extrapolated", "published", "assumed", "4,006", "12288", "Hot Chips 34"):
        check(word in text, f"the report says {word}")
    check(str(manifest["wall_clock"]["started"]) not in text + page.charts, "no time of day in the report")
    charts = json.loads(page.charts, parse_constant=no_constant)
    loss = next(c for c in charts if c["title"].startswith("Training loss"))
    shown = [y for _, y in loss["series"][0]["points"]]
    check(shown == [s["loss"] for s in metrics["steps"] if s["kind"] == "train"], "the chart of the loss and the JSON agree")
    return metrics, manifest


def main():
    program, schemas = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        folders = [pathlib.Path(scratch) / name for name in ("one", "two")]
        for folder in folders:
            subprocess.run([program, str(folder)], check=True)
        subprocess.run([program, str(folders[1])], check=True)  # over an earlier result
        metrics, _ = check_folder(folders[0], schemas)
        check(metrics["steps"][3]["loss"] == "NaN", "NaN is a text that says so")
        for file in folders[0].iterdir():
            check(file.read_bytes() == (folders[1] / file.name).read_bytes(), f"{file.name} is the same in both")
        tensors, metadata = read_safetensors(folders[0] / "weights.safetensors")
        check(metadata == {"format": "pt"}, "metadata is kept")
        shape, values = tensors["hidden.weight"]
        check(shape == [2, 3], "the shape is kept")
        check(struct.pack("<6f", *values) == struct.pack("<6f", 1.0, -2.5, 0.0, 1e-40, 3.4e38, -0.0), "fp32 values are kept to the bit")
        check(tensors["hidden.half"] == ([3], [1.0, -2.0, 2.0**-24]), "fp16 values are kept")
        check(tensors["scalar"] == ([], [42.0]) and tensors["empty"] == ([0, 5], []), "a scalar and an empty tensor are kept")
    print(f"{CHECKS} checks passed")


if __name__ == "__main__":
    main()
