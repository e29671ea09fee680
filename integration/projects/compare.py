"""Compares what the tool says about a build with what is true.

Invariant: the truth decides. A unit is right in a target if the real linker put it there; it may also be there if the
linker was offered it (an archive member, or a unit of a shared library of the same build that the program is
linked with), because the model is of the whole program.
"""

import collections
import os
import pathlib
import re

# What the tool links in where nobody defines it.
MODELS = {path.stem for path in (pathlib.Path(__file__).resolve().parents[2] / "src/library/models").glob("*.c")}


class Told:
    """One target of the tool's JSON, with its units as files relative to the project."""

    def __init__(self, target, tree, functions):
        self.functions = functions.get(target["name"])
        self.name, self.kind, self.evidence = target["name"], target["kind"], target["evidence"]
        self.model, self.failure = target.get("model"), target.get("failure")
        self.units = collections.Counter(place(unit, tree) for unit in target["units"])


def place(unit, tree):
    """A unit's file relative to the project; reports are relative to the repository around it."""
    name = unit if isinstance(unit, str) else unit["file"]
    for base in [tree, *tree.parents]:
        if (base / name).exists():
            return os.path.relpath((base / name).resolve(), tree.resolve())
    return name


def stem(name):
    """`a/libz.so.1.2.13`, `libz.a`, `z` → `z`; `.libs/lt-prog` → `prog`."""
    name = re.sub(r"^lt-", "", pathlib.PurePath(name).name)
    return re.sub(r"^lib", "", re.sub(r"\.(so|a)(\.[\d.]+)?$", "", name))


class Truth:
    def __init__(self, facts):
        self.units, self.targets = facts["units"], facts["targets"]
        self.by_name = {target["name"]: target for target in self.targets}

    def files(self, numbers):
        """The C files of these units, as a multiset."""
        return collections.Counter(self.units[n]["file"] for n in numbers if self.units[n]["language"] == "c")

    def functions(self, target, seen=()):
        """The functions that the target and the libraries of the build it is linked with may have."""
        names = set(target["functions"])
        for name in target["libraries"]:
            if name not in seen:
                names |= self.functions(self.by_name[name], (*seen, name))
        return names

    def required(self, target):
        return self.files(target["direct"] + target["pulled"])

    def allowed(self, target, seen=()):
        """Everything that may be in the model of the target: also the libraries of the build it is linked with."""
        units = self.files(target["direct"] + target["offered"])
        for name in target["libraries"]:
            if name not in seen:
                units += self.allowed(self.by_name[name], (*seen, name))
        return units


def compare(facts, report, tree, functions, by_symbols):
    """The list of what is wrong, each a line of text; empty if all is well.

    `functions`: per target of the tool, the functions with a body in its model: all, and those seen from outside.
    `by_symbols`: the tool had no link commands to go by, so the names and the make-up of libraries are its own."""
    truth, wrong = Truth(facts), []
    told = [Told(target, tree, functions) for target in report["targets"]]
    for failed in report["failed"]:
        wrong.append(f"{failed['file']}: not compiled: {failed['error']}")
    for target in told:
        if target.model is None:
            wrong.append(f"target {target.name}: no model: {target.failure}")
    everywhere = sum((target.units for target in told), collections.Counter())
    for file in sorted(truth.files(range(len(truth.units)))):
        if file not in everywhere:
            wrong.append(f"{file}: in no target")
    for target in truth.targets:
        if not truth.required(target) or (by_symbols and target["kind"] != "program") or target["kind"] == "archive":
            continue
        wrong += compare_target(truth, target, told, by_symbols)
    return wrong


def compare_target(truth, target, told, by_symbols):
    required, allowed = truth.required(target), truth.allowed(target)
    if by_symbols:
        # An object that nothing asks for is in the program only because the link line says so.
        required = truth.files(target["needed"])
    alike = lambda form: [t for t in told if form(t.name) == form(target["name"])]
    named = alike(str) or alike(lambda name: pathlib.PurePath(name).name) or alike(stem)
    if not named and not by_symbols:
        return [f"target {target['name']}: not found"]
    # Among several of one name (program and library `mosquitto`), and if there are no names, the most alike.
    best = min(named or told, key=lambda t: ((required - t.units).total() + (t.units - allowed).total(), t.name))
    missing, extra = required - best.units, best.units - (allowed | required)
    label = f"target {target['name']} (told as {best.name}, by {best.evidence})"
    wrong = [f"{label}: lacks {some(missing)}"] if missing else []
    wrong += [f"{label}: has, wrongly, {some(extra)}"] if extra else []
    if best.functions and not wrong:
        # The same files, but perhaps not the same variants of them.
        lacking = set(target["functions"]) - best.functions.all if required == truth.required(target) else set()
        # A member of an archive that the linker was offered but did not take may be in the model.
        foreign = best.functions.external - truth.functions(target) - MODELS if required == best.units else set()
        wrong += [f"{label}: its model lacks the functions {some(lacking)}"] if lacking else []
        wrong += [f"{label}: its model has functions of something else, {some(foreign)}"] if foreign else []
    return wrong


class Functions:
    """The functions with a body in one model."""

    def __init__(self):
        self.all, self.external = set(), set()

    HEAD = re.compile(r"func f\d+ @(\S+?|\".*?\")\((.*)\{(?:  ;.*)?$")

    def read(self, line):
        """Take in one line of `--dump=ir`."""
        head = self.HEAD.match(line)
        if head:
            self.all.add(head[1].strip('"'))
            if " external" in head[2]:
                self.external.add(head[1].strip('"'))


def some(files):
    """The first few names, and how many more."""
    names = sorted(files.elements() if isinstance(files, collections.Counter) else files)
    return " ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
