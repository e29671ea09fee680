#!/usr/bin/env python3
"""Measures the pointer analysis on real programs, beside SVF 3.4 (`wpa -ander`) on the same.

    pointers.py [--example PATH] [NAME…]

Each program is linked from the units that its build links, with those of the project's own libraries, and analysed
by `examples/pta` in a process of its own. First line: Andersen's analysis, user seconds, peak memory with the model,
the average set over all values (numbers count, with empty sets, as they have with SVF), that over all values and cells of memory
with the pointers that numbers carry (`all`; SVF follows none), the first over the values that are pointers, the largest set, how
many functions nothing is known of. SVF's `AvgPtsSetSize`, shown beside the first, is over all nodes of its graph: it has some 1.4
for each value of ours (constants, memory, both ends of calls), so it is the smaller for that. Its `AvgTopLvlPtsSize` (`top`) is over the values that
are pointers and means what our third does; that is what is compared, where it is known. That we tell apart what one site
allocates for different callers makes no difference of a hundredth (`members-by-site` of `pta measure`). Second line: the value-flow
graph on top, its own seconds, peak memory of both, nodes and edges. SVF's figures are from another, loaded machine (±50 %).
Goals: from expat on a tenth of SVF's time and a quarter of its memory; sqlite 30 s, redis and git 90 s and 4 GB for both
together.
Exit 0: all goals are met; 1: not all; 2: the benchmark could not run.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "projects"))
import prepare  # noqa: E402
import recipe  # noqa: E402

EXAMPLE = recipe.HERE.parent.parent / "target" / "release" / "examples" / "pta"


class Program:
    """The build targets that make one program, what SVF needs for it, and what we may need."""

    def __init__(self, targets, svf, graph=None, both=None, top=None):
        self.targets, self.svf, self.graph, self.top = targets, svf, graph, top
        self.goals = []
        if svf and svf[0] > 1:
            self.goals.append(("seconds", svf[0] / 10))
            self.goals.append(("megabytes", svf[1] / 4))
        if graph and graph[0] > 1:
            self.goals.append(("both", graph[0] / 10))
            self.goals.append(("svfg-megabytes", graph[1] / 4))
        if both:
            self.goals.append(("both", both[0]))
            self.goals.append(("svfg-megabytes", both[1]))


# SVF: seconds, megabytes, average and largest set; with the graph seconds, megabytes, nodes, edges (thousands).
# Then what both may take for us where SVF gave up.
PROGRAMS = {
    "zlib": Program(["example"], (0.7, 115, 3.6, 24), (0.9, 145, 27, 39)),
    "expat": Program(["xmlwf/.libs/xmlwf", "lib/.libs/libexpat.a"], (4.3, 241, 39, 210), (6.3, 357, 51, 138), top=111.3),
    "lua": Program(["src/lua"], (7.4, 372, 56, 251), (12, 590, 112, 172), top=155.4),
    "mosquitto": Program(["build/src/mosquitto"], (3.6, 285, 2.1, 55), (4.5, 420, 114, 177), top=5.2),
    "curl": Program(["src/.libs/curl", "lib/.libs/libcurl.a"], (42, 1111, 86, 590), (87, 2252, 291, 569)),
    "tmux": Program(["tmux"], (82, 1567, 89, 434), (124, 2811, 380, 636)),
    "sqlite": Program(["sqlite3"], (469, 4097, 322, 1232), None, (30, 4096)),
    "redis": Program(["src/redis-server"], (554, 6400, 346, 1992), None, (90, 4096)),
    "git": Program(["git"], None, None, (90, 4096)),
}


def entries(project, targets):
    """The commands of the units that the targets are linked from."""
    facts = json.loads((project.home / "truth.json").read_text())
    wanted = []
    for target in facts["targets"]:
        if target["name"] in targets:
            wanted += [unit for unit in target["direct"] + target["pulled"] if unit not in wanted]
    commands = json.loads((project.tree("db") / "compile_commands.json").read_text())

    def place(entry, key):
        return os.path.normpath(os.path.join(entry["directory"], entry.get(key, "")))

    def command(unit):
        by_object = [e for e in commands if unit["object"] and place(e, "output").endswith("/" + unit["object"])]
        by_file = [e for e in commands if place(e, "file").endswith("/" + unit["file"])]
        if not by_object + by_file:
            raise recipe.Failure(f"{project.name}: no command for {unit['file']}")
        return (by_object + by_file)[0]

    return [command(facts["units"][unit]) for unit in wanted]


def model(example, project, targets):
    """The program's model, made once for each build of the example."""
    folder = project.home / "pointers"
    folder.mkdir(exist_ok=True)
    out = folder / "model"
    if not out.exists() or out.stat().st_mtime < example.stat().st_mtime:
        database = folder / "compile_commands.json"
        database.write_text(json.dumps(entries(project, targets)))
        run([example, "model", database, out])
    return out


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise recipe.Failure(f"{command[0]} {command[1]}: {done.stderr.strip()[-600:]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--example", type=pathlib.Path, default=EXAMPLE)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if not options.example.is_file():
        raise recipe.Failure(f"{options.example} is not here; build it with: cargo build --release --example pta")
    names = [name for name in options.names or PROGRAMS if name in PROGRAMS]
    print("program     instr. |     s    MB  average      all  pointers largest precision unknown |  SVF: s     MB average largest     top")
    print("             graph |     s    MB    nodes    edges                                     |       s     MB k nodes k edges", flush=True)
    missed = []
    for project in recipe.chosen(names):
        program = PROGRAMS[project.name]
        prepare.prepare(project, 2)
        text = run([options.example, "measure", model(options.example, project, program.targets)])
        lines = [line.split(" ", 1) for line in text.splitlines()]
        unknown = sum(1 for name, _ in lines if name == "unknown")
        found = dict(lines)
        measured = {name: float(found[name]) for name in ("seconds", "megabytes", "svfg-seconds", "svfg-megabytes")}
        measured["both"] = measured["seconds"] + measured["svfg-seconds"]
        total = float(found["average"]) * int(found["pointers"])
        average, pointers = total / int(found["values"]), total / int(found["pointer-values"])
        nodes, members = (int(found[a]) + int(found[b]) for a, b in (("values", "cells"), ("members", "members-of-cells")))
        svf = "{:7} {:6} {:7} {:7}".format(*program.svf) if program.svf else "aborts at 16 GB after 846 s"
        graph = "{:7} {:6} {:7} {:7}".format(*program.graph) if program.graph else "-"
        print(f"{project.name:10} {found['instructions']:>7} | {measured['seconds']:5.1f} {measured['megabytes']:5.0f} "
              f"{average:8.1f} {members / nodes:8.1f} {pointers:9.1f} {found['largest']:>7} {found['precision']:>9} "
              f"{unknown:7} | {svf} {program.top or '-':>7}")
        print(f"{'':18} | {measured['svfg-seconds']:5.1f} {measured['svfg-megabytes']:5.0f} {found['svfg-nodes']:>8} "
              f"{found['svfg-edges']:>8} {'':36} | {graph}", flush=True)
        missed += [f"{project.name}: {name} {measured[name]:.2f}, goal {goal:.2f}"
                   for name, goal in program.goals if measured[name] > goal]
        if program.top and pointers > program.top:
            missed.append(f"{project.name}: average set of pointers {pointers:.1f}, SVF {program.top}")
        elif program.svf and not program.top and average > program.svf[2]:
            missed.append(f"{project.name}: average set {average:.1f}, SVF {program.svf[2]}")
    for line in missed:
        print(f"missed  {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    recipe.main_guard(main)
