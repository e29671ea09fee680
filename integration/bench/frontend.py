#!/usr/bin/env python3
"""Measures the front end on real projects, beside what it is compared with.

    frontend.py [--tool PATH] [--jobs N] [--repetitions R] [NAME…]

Per project, in turn and R times, so that both sides see the same machine:
  clang   `clang-19 -O0 -g -c` over the units of the project's compile_commands.json, N at a time
  cold    `cegas-scan -jN compile_commands.json` with an empty cache                        goal: ≤ 1.5 × clang
  warm    the same again                                                                    goal: ≤ 5 % of cold
  model   the same once more with the units in the cache, each lowered on its own, but no program: less the warm
          run, this is linking all targets; the instructions of their models per second     goal: ≥ 1 M/s
  memory  `cegas-scan --no-cache whole.bc`, the project's largest program or shared library by llvm-link:
          peak memory over the size of whole.bc                                             goal: ≤ 40 ×
Medians of the wall time, and of the processor time in brackets. A busy machine disturbs the second less, so the
instructions per second are of processor time.

Memory has a floor: the fixed part of a run, measured with an empty program and shown above the table. Nearly all of it
is code of the tool and its libraries, mapped from their files. A program so small that the floor alone is more than
half of 40 × its bitcode cannot meet the goal; it is judged without the floor then, and its row says so.
Exit 0: every goal is met; 1: not every one; 2: the benchmark could not run.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "projects"))
import check  # noqa: E402
import prepare  # noqa: E402
import recipe  # noqa: E402

CLANG, LINK = "clang-19", "llvm-link-19"
# A dump ends the scan when the models are made and verified, which is the front end's work.
FRONT_END = ["--dump=targets", "--progress=never", "--quiet"]
# What gcc takes and clang stops at; everything else only draws a warning.
GCC_ONLY = re.compile(r"-f(conserve-stack|no-semantic-interposition|var-tracking-assignments|no-ipa-.*)|-flto.*"
                      r"|-Werror.*|-pedantic-errors|-O.*|-g.*|-M.*|-c|-S|-E")
LENIENT = ["-w", "-Wno-error", "-Wno-implicit-function-declaration", "-Wno-implicit-int", "-Wno-int-conversion",
           "-Wno-incompatible-function-pointer-types"]


class Cost:
    """Wall and processor seconds, and the peak memory in bytes, of one measured run."""

    def __init__(self, wall, processor, memory=0):
        self.wall, self.processor, self.memory = wall, processor, memory


def measured(command, directory, ok=(0, 1)):
    """Run one command; count its children too. Memory is told by `time`: what Python starts is said to have needed at
    least what Python itself did."""
    with tempfile.NamedTemporaryFile("r") as told:
        cost = timed(["/usr/bin/time", "--quiet", "-f", "%M", "-o", told.name, *command], directory, ok)
        cost.memory = int(told.read().split()[-1]) * 1024
        return cost


def timed(command, directory, ok):
    with tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        child = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in ok:
            errors.seek(0)
            raise recipe.Failure(f"{shlex.join(map(str, command))}: exit {child.returncode}: "
                                 + errors.read()[-600:].decode(errors="replace").strip())
    return Cost(wall, usage.ru_utime + usage.ru_stime)


class Unit:
    """One C entry of a compilation database as a clang command without its output."""

    def __init__(self, entry):
        words = entry.get("arguments") or shlex.split(entry["command"])
        self.directory, self.file = entry["directory"], os.path.join(entry["directory"], entry["file"])
        self.output = os.path.normpath(os.path.join(entry["directory"], entry.get("output", "")))
        kept, skip = [], False
        for word in words[1:]:
            if skip or word in ("-o", "-MF", "-MT", "-MQ"):
                skip = not skip
            elif not GCC_ONLY.fullmatch(word) and not word.startswith(("-l", "-L", "-Wl,")) and \
                    not re.search(r"\.(c|o|lo|a|so)$", word) and word not in ("-shared", "-rdynamic"):
                kept.append(word)
        self.flags = kept

    def command(self, output, *more):
        return [CLANG, *self.flags, *LENIENT, "-O0", "-g", *more, "-c", self.file, "-o", str(output)]


def units_of(database):
    return [Unit(entry) for entry in json.loads(database.read_text()) if entry["file"].endswith(".c")
            and os.path.exists(os.path.join(entry["directory"], entry["file"]))]


def clang_over(units, jobs, folder, *more):
    """Compile all units, `jobs` at a time; returns the cost, and writes folder/NUMBER.o."""
    def one(numbered):
        number, unit = numbered
        done = subprocess.run(unit.command(folder / f"{number}.o", *more), cwd=unit.directory, capture_output=True)
        return done.returncode, unit.file, done.stderr
    before = os.times()
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(one, enumerate(units)))
    wall, after = time.monotonic() - began, os.times()
    for status, file, errors in results:
        if status != 0:
            raise recipe.Failure(f"{CLANG} cannot compile {file}: {errors[:400].decode(errors='replace')}")
    return Cost(wall, after.children_user + after.children_system - before.children_user - before.children_system)


def linked(facts, target):
    """The C units that the real linker put into a target."""
    return [facts["units"][n] for n in target["direct"] + target["pulled"] if facts["units"][n]["language"] == "c"]


def whole_program(project, units, jobs, folder):
    """Link the project's largest program or shared library into one bitcode file; None if it has none."""
    facts = json.loads((project.home / "truth.json").read_text())
    tree, numbers = project.tree("db").resolve(), []
    size = lambda target: sum((tree / unit["file"]).stat().st_size for unit in linked(facts, target))
    target = max((t for t in facts["targets"] if t["kind"] != "archive"), key=size, default=None)
    if target is None:
        return None
    for wanted in linked(facts, target):
        file = os.path.realpath(tree / wanted["file"])
        same = [n for n, unit in enumerate(units) if os.path.realpath(unit.file) == file]
        exact = [n for n in same if wanted["object"] and units[n].output == str(tree / wanted["object"])]
        numbers += (exact or same)[:1]
    clang_over([units[n] for n in numbers], jobs, folder, "-emit-llvm")
    whole = project.home / "whole.bc"
    measured([LINK, "-o", str(whole), *(str(folder / f"{n}.o") for n in range(len(numbers)))], folder, ok=(0,))
    return whole


def bench(tool, project, jobs, repetitions, floor):
    """One row of the table."""
    database = project.tree("db") / "compile_commands.json"
    units, runs = units_of(database), {"clang": [], "cold": [], "warm": [], "model": [], "memory": []}
    cache, out = project.home / "bench-cache", project.home / "bench.json"
    scan = [str(tool), *FRONT_END, f"-j{jobs}", "--cache-dir", str(cache), str(database)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        whole = whole_program(project, units, jobs, folder)
        for _ in range(repetitions):
            runs["clang"].append(clang_over(units, jobs, folder))
            shutil.rmtree(cache, ignore_errors=True)
            runs["cold"].append(measured(scan, project.home, ok=(0, 1, 3)))
            runs["warm"].append(measured(scan, project.home, ok=(0, 1, 3)))
            forget_programs(cache)
            runs["model"].append(measured([*scan, "--json", str(out)], project.home, ok=(0, 1, 3)))
            if whole:
                runs["memory"].append(measured([str(tool), *FRONT_END, "--no-cache", str(whole)], project.home))
    shutil.rmtree(cache, ignore_errors=True)
    models = [target["model"] for target in json.loads(out.read_text())["targets"] if target["model"]]
    instructions = sum(model["instructions"] for model in models)
    return Row(project.name, len(units), runs, instructions, whole.stat().st_size if whole else 0, floor)


def forget_programs(cache):
    """Take the lowered programs out of the tool's cache."""
    folders = list(cache.glob("*/programs"))
    if not folders:
        raise recipe.Failure(f"{cache} keeps no programs where this benchmark looks for them")
    for folder in folders:
        shutil.rmtree(folder)


class Row:
    HEAD = ("project", "units", "clang s", "cold s", "× clang", "warm s", "% of cold", "instructions", "link+lower s", "M/s",
            "bitcode MB", "peak MB", "× bitcode", "without floor")

    def __init__(self, name, units, runs, instructions, size, floor):
        middle = lambda kind, field: statistics.median(getattr(cost, field) for cost in runs[kind]) if runs[kind] else 0
        wall = {kind: middle(kind, "wall") for kind in runs}
        cpu = {kind: middle(kind, "processor") for kind in runs}
        model = max(cpu["model"] - cpu["warm"], 1e-3)
        self.cold, self.warm = wall["cold"] / wall["clang"], wall["warm"] / wall["cold"]
        self.speed, peak = instructions / model / 1e6, middle("memory", "memory")
        # Small programs are judged without the floor.
        self.is_small = 40 * size <= 2 * floor
        self.memory = max(peak - floor * self.is_small, 0) / size if size else 0
        two = lambda kind: f"{wall[kind]:.2f} ({cpu[kind]:.2f})"
        self.cells = (name, units, two("clang"), two("cold"), f"{self.cold:.2f} ({cpu['cold'] / cpu['clang']:.2f})",
                      two("warm"), f"{100 * self.warm:.1f}", instructions, f"({model:.2f})", f"{self.speed:.2f}")
        less = f"{max(peak - floor, 0) / size:.0f}" + " (judged)" * self.is_small if size else "–"
        self.cells += (f"{size / 1e6:.2f}", f"{peak / 1e6:.0f}", f"{peak / size:.0f}", less) if size else ("–",) * 4

    def met(self):
        """Whether the project meets every goal."""
        return self.cold <= 1.5 and self.warm <= 0.05 and self.speed >= 1 and self.memory <= 40


def show(rows):
    table = [Row.HEAD] + [tuple(map(str, row.cells)) for row in rows]
    widths = [max(len(line[n]) for line in table) for n in range(len(Row.HEAD))]
    for line in table:
        print("  ".join(cell.ljust(width) if n == 0 else cell.rjust(width) for n, (cell, width) in enumerate(zip(line, widths))))


def fixed_part(tool, folder):
    """What a run costs before it has anything to do."""
    empty = pathlib.Path(folder) / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    bitcode = empty.with_suffix(".bc")
    measured([CLANG, "-O0", "-g", "-emit-llvm", "-c", str(empty), "-o", str(bitcode)], folder, ok=(0,))
    costs = [measured([str(tool), *FRONT_END, "--no-cache", str(bitcode)], folder) for _ in range(5)]
    return statistics.median(c.wall for c in costs), statistics.median(c.memory for c in costs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", type=pathlib.Path, default=pathlib.Path(os.environ.get("CEGAS_SCAN", check.TOOL)))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    for tool, package in ((CLANG, "clang-19"), (LINK, "llvm-19"), ("/usr/bin/time", "time")):
        if shutil.which(tool) is None:
            raise recipe.Failure(f"{tool} is not here; install the package {package}")
    if not options.tool.is_file():
        raise recipe.Failure(f"{options.tool} is not here; build it with: cargo build --release")
    tool, rows = options.tool.absolute(), []
    with tempfile.TemporaryDirectory() as folder:
        wall, memory = fixed_part(tool, folder)
    print(f"fixed part of a run: {wall:.3f} s, {memory / 1e6:.0f} MB (the floor); wall seconds (processor seconds), -j{options.jobs}")
    for project in recipe.chosen(options.names):
        prepare.prepare(project, options.jobs)
        try:
            rows.append(bench(tool, project, options.jobs, options.repetitions, memory))
        except recipe.Failure as failure:
            print(f"{project.name}: {failure}", file=sys.stderr, flush=True)
            rows.append(None)
    show([row for row in rows if row])
    return 0 if all(row and row.met() for row in rows) else 1


if __name__ == "__main__":
    recipe.main_guard(main)
