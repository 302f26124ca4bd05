#!/usr/bin/python3
"""House rules over the whole tree: rules.py RULE [ROOT]. Prints one line per breach; exit 1 if there is any.

  arrows          a folder includes only what lies to its right: host -> firmware, sim; firmware and sim never each other
  links           relative links and anchors of the documents lead somewhere
  lengths         a hand-written source file of more than 500 lines says why near its top ("Length: ..."), none has more than 1000
  executables     files under scripts/ and .ci/ that start with #! are executable, others are not
  words           no leftover markers, no path of the machine that wrote it
  headers_marked  each C++ header starts with what it is for, and guards itself
  benches         each RTL module has a bench of its own: a C++ string under testbenches/ names it (what is opened, or the test case)
"""
import os
import re
import sys

TOP = ["configs", "host", "firmware", "sim", "rtl", "testbenches", "scripts", "docs", ".ci"]
SKIP = {".git", "__pycache__", "node_modules", "out"}
ALLOWED = {"host": {"host", "firmware", "sim"}, "firmware": {"firmware"}, "sim": {"sim"}, "testbenches": {"testbenches", "host", "firmware", "sim"}}
# Parts of one generated translation unit, not headers: they lean on what the generated text says before them.
FRAGMENTS = {"sim/plugin/unit_glue.h", "sim/plugin/unit_memories.h"}
SOURCE = (".cpp", ".h", ".sv", ".py", ".s", ".cmake")


def files(root, folders=None):
    """Relative paths of the tree's files, without builds and results."""
    found = []
    for folder in folders or [""] + TOP:
        top = os.path.join(root, folder) if folder else root
        if not os.path.isdir(top):
            continue
        for at, folders_below, names in os.walk(top):
            folders_below[:] = [] if not folder else sorted(d for d in folders_below if d not in SKIP and not d.startswith("build"))
            found += [os.path.relpath(os.path.join(at, n), root) for n in sorted(names)]
    return found


def text_of(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def generated(path):
    return "generated" in path.split(os.sep)


def arrows(root):
    for path in files(root, list(ALLOWED)):
        if not path.endswith((".cpp", ".h")):
            continue
        top = path.split(os.sep)[0]
        for number, line in enumerate(text_of(root, path).splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            target = match.group(1).split("/")[0]
            if ".." in match.group(1).split("/"):
                yield f"{path}:{number}: includes upwards: {match.group(1)}"
            elif target in TOP and target not in ALLOWED[top]:
                yield f"{path}:{number}: {top} includes {match.group(1)}"


def anchors(text):
    """GitHub's anchors of a page's headings."""
    plain = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    heads = re.findall(r"^#+\s+(.*)$", plain, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", h.strip().lower().replace("`", "")).replace(" ", "-") for h in heads}


def links(root):
    for path in files(root):
        if not path.endswith(".md"):
            continue
        text = re.sub(r"^```.*?^```", lambda m: "\n" * m.group(0).count("\n"), text_of(root, path), flags=re.S | re.M)
        for number, line in enumerate(text.splitlines(), 1):
            line = re.sub(r"`[^`]*`", "", line)
            for target in re.findall(r"\]\(([^)\s]+)\)", line) + re.findall(r'(?:src|href)="([^"]+)"', line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                full = os.path.normpath(os.path.join(root, os.path.dirname(path), name)) if name else os.path.join(root, path)
                if not os.path.exists(full):
                    yield f"{path}:{number}: link to nothing: {target}"
                elif anchor and full.endswith(".md") and anchor not in anchors(text_of(root, os.path.relpath(full, root))):
                    yield f"{path}:{number}: no such heading: {target}"


def lengths(root):
    for path in files(root):
        if not path.endswith(SOURCE) or generated(path):
            continue
        text = text_of(root, path)
        count = text.count("\n")
        reason = "Length: " in "\n".join(text.splitlines()[:40])
        if count > 1000 or (count > 500 and not reason):
            yield f"{path}: {count} lines"
        elif count > 500 or (count > 400 and path.startswith("rtl" + os.sep)):
            print(f"note: {path}: {count} lines (soft limits: RTL 400, others 500)")


def executables(root):
    for path in files(root, ["scripts", ".ci"]):
        full = os.path.join(root, path)
        with open(full, "rb") as f:
            script = f.read(2) == b"#!"
        runs = os.access(full, os.X_OK)
        module = path.endswith(".py")  # may be either: run by a script, or by hand
        if script and not runs and not module:
            yield f"{path}: starts with #! and is not executable"
        if runs and not script:
            yield f"{path}: is executable and does not start with #!"


def words(root):
    marker = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
    place = re.compile(r"/(wo" r"rk|home/\w+|root)/|\.\./sha" r"red\b")
    for path in files(root):
        if path.endswith((".csv", ".png", ".safetensors", ".bin")):
            continue
        for number, line in enumerate(text_of(root, path).splitlines(), 1):
            match = marker.search(line) or place.search(line)
            if match:
                yield f"{path}:{number}: '{match.group(0)}'"


def headers_marked(root):
    for path in files(root, list(ALLOWED)):
        if not path.endswith(".h") or path in FRAGMENTS:
            continue
        text = text_of(root, path)
        if not text.startswith(("//", "/*", "#pragma once\n//", "#pragma once\n\n//")):
            yield f"{path}: does not start with a comment that says what it is for"
        if "#pragma once" not in text and not re.search(r"^#ifndef (\w+)\n#define \1\b", text, flags=re.M):
            yield f"{path}: has no guard"


def strings(text):
    """The string literals of a C++ file, comments left out."""
    return re.findall(r'"(?:[^"\\\n]|\\.)*"', re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda m: m.group(1) or " ", text, flags=re.S))


def benches(root):
    """A module that others instantiate is not thereby tested: its own bench says which of its states were left out."""
    house = os.path.join("testbenches", "house")
    named = "\n".join("\n".join(strings(text_of(root, p))) for p in files(root, ["testbenches"]) if p.endswith((".cpp", ".h")) and not p.startswith(house))
    for path in files(root, ["rtl"]):
        if not path.endswith(".sv") or generated(path):
            continue
        stem = os.path.splitext(os.path.basename(path))[0]
        modules = re.findall(r"^\s*module\s+(\w+)", re.sub(r"//.*", "", text_of(root, path)), flags=re.M)
        if modules and modules != [stem]:
            yield f"{path}: file and module differ: {', '.join(modules)}"
        for module in modules:
            if not re.search(rf"\b{module}\b", named):
                yield f"{path}: no bench of its own (docs/developer/benches.md)"


RULES = {f.__name__: f for f in (arrows, links, lengths, executables, words, headers_marked, benches)}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in RULES:
        print(__doc__)
        return 2
    root = sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    breaches = list(RULES[sys.argv[1]](root))
    for breach in breaches:
        print(breach)
    print(f"{sys.argv[1]}: {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
