#!/usr/bin/env python3
"""Measures whole runs on small programs with assertions, beside clang and, where it is installed, CBMC.

    assertions.py [--tool PATH] [--repetitions R] SUITE

SUITE is a folder with manifest.json: a list of {"file", "expected": true (safe) | false}. Per program, in turn and R
times, so that all sides see the same machine:
  clang   `clang-19 -O0 -g -emit-llvm -c`, the installed clang alone
  ours    `cegas-scan --rules assertion`, with a cache that has seen no program of the suite (one for each round)
  cbmc    `cbmc --unwind 12`
Processor time of each with all its children, the best of the R runs: what else the machine does disturbs it least.
Then the solver's share: how many questions were settled without Z3, over all programs (`--dump=questions`).

Goals: every verdict right; median of ours less clang <= 15 ms; ours <= 1.2 ms/line and <= 30.6 ms a program, clang
included (3 s for the paper's 98 programs of 2,392 lines); less than CBMC in all; >= 80 % of the questions without Z3.
Exit 0: every goal is met; 1: not every one; 2: the benchmark could not run.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

MEDIAN_MS, LINE_MS, PROGRAM_MS, WITHOUT_Z3 = 15.0, 1.2, 3000 / 98, 0.80


def processor_ms(command, directory, environment):
    """User and system milliseconds of a command and its children, and how it ended."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * spent, ended.returncode


def verdict(file):
    try:
        return json.loads(pathlib.Path(file).read_text())["verdict"]
    except (OSError, ValueError, KeyError):
        return "none"


def without_z3(tool, suite, tasks, scratch):
    """Questions and those settled without Z3, summed over the programs; None if the tool does not tell."""
    asked = settled = 0
    for task in tasks:
        command = [tool, "--rules", "assertion", "--no-cache", "--dump=questions", task["file"]]
        told = subprocess.run(command, cwd=suite, capture_output=True, text=True, check=False).stdout
        found = re.search(r"(\d+) questions?, (\d+) settled without Z3", told)
        if not found:
            return None
        asked, settled = asked + int(found[1]), settled + int(found[2])
    return asked, settled


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--tool", default=str(root / "target/release/cegas-scan"))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("suite", type=pathlib.Path)
    args = parser.parse_args()
    tool, suite = os.path.abspath(args.tool), args.suite.resolve()
    try:
        tasks = json.loads((suite / "manifest.json").read_text())
    except (OSError, ValueError) as error:
        print(f"assertions.py: {suite}: {error}", file=sys.stderr)
        return 2
    cbmc = shutil.which("cbmc")
    if not cbmc:
        print("cbmc is not installed: no numbers beside ours")
    best = {}
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        out, report = os.path.join(scratch, "a.bc"), os.path.join(scratch, "a.json")
        # A folder that is made once is not made for each program.
        for repetition in range(args.repetitions):
            environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(scratch, f"cache{repetition}"))
            for task in tasks:
                name = task["file"]
                sides = {
                    "clang": ["clang-19", "-w", "-Wno-error=implicit-function-declaration", "-O0", "-g",
                              "-emit-llvm", "-c", "-o", out, name],
                    "ours": [tool, "--rules", "assertion", "--timeout", "20", "--quiet", "--json", report, name],
                }
                if cbmc:
                    sides["cbmc"] = [cbmc, "--unwind", "12", name]
                for side, command in sides.items():
                    if side == "ours" and os.path.exists(report):
                        os.remove(report)
                    spent, _ = processor_ms(command, suite, environment)
                    key = (side, name)
                    best[key] = min(spent, best.get(key, spent))
                    if side == "ours" and repetition == 0:
                        said, expected = verdict(report), "safe" if task["expected"] else "unsafe"
                        if said != expected:
                            wrong.append(f"{name}: {said}, and {expected} is right")
        share = without_z3(tool, suite, tasks, scratch)
    names = [task["file"] for task in tasks]
    lines = sum(sum(1 for _ in open(suite / name, "rb")) for name in names)
    print(f"{'program':<28}{'clang ms':>10}{'ours ms':>10}{'beyond':>10}")
    for name in names:
        clang, ours = best["clang", name], best["ours", name]
        print(f"{name:<28}{clang:>10.1f}{ours:>10.1f}{ours - clang:>10.1f}")
    total = {side: sum(best[side, name] for name in names) for side in ("clang", "ours")}
    beyond = statistics.median(best["ours", name] - best["clang", name] for name in names)
    median = statistics.median(best["ours", name] for name in names)
    print(f"\n{len(names)} programs, {lines} lines: clang {total['clang']:.0f} ms, ours {total['ours']:.0f} ms "
          f"(median {median:.1f} ms a program, clang included)")
    met = [("every verdict right", not wrong, f"{len(names) - len(wrong)} of {len(names)}"),
           ("median beyond clang", beyond <= MEDIAN_MS, f"{beyond:.1f} ms (goal {MEDIAN_MS:.0f})"),
           ("per line", total["ours"] / lines <= LINE_MS, f"{total['ours'] / lines:.2f} ms (goal {LINE_MS})"),
           ("a program, on average", total["ours"] / len(names) <= PROGRAM_MS,
            f"{total['ours'] / len(names):.1f} ms (goal {PROGRAM_MS:.1f})")]
    if cbmc:
        spent = sum(best["cbmc", name] for name in names)
        met.append(("less than CBMC", total["ours"] < spent, f"{spent:.0f} ms"))
    if share and share[0]:
        asked, settled = share
        met.append(("settled without Z3", settled >= WITHOUT_Z3 * asked,
                    f"{settled} of {asked} questions, {100 * settled / asked:.1f} %"))
    for line in wrong:
        print(f"  {line}")
    for goal, is_met, shown in met:
        print(f"  {'ok  ' if is_met else 'MISS'} {goal}: {shown}")
    return 0 if all(is_met for _, is_met, _ in met) else 1


if __name__ == "__main__":
    sys.exit(main())
