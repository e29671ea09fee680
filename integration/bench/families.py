#!/usr/bin/env python3
"""Measures how the cost of one assertion grows with the program around it.

    families.py [--tool PATH] [--repetitions R] [--largest LINES]

Three families of generated programs of 100 to 100,000 lines, in each of which the assertion depends on a few lines:
  straight    assignments and sums, one after the other
  branching   an input decides at each step which of two things is done
  calls       functions that call each other, each doing a little
Per program: the processor time of a whole cold run less that of `clang-19 -O0 -g -emit-llvm -c` (best of R each), per
line. Goal: it does not grow from one size to the next by more than a tenth, and every verdict is `safe`.
Exit 0: the goal is met; 1: it is not; 2: the benchmark could not run.
"""

import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from assertions import processor_ms, verdict  # noqa: E402

SIZES = [100, 1_000, 10_000, 100_000]
HEAD = ["extern int __VERIFIER_nondet_int(void);", "extern void __VERIFIER_error(void);"]
# What the assertion depends on, whatever the size.
KEPT = ["    int x = __VERIFIER_nondet_int();", "    int kept = x > 10 ? 10 : x < 0 ? 0 : x;"]
ASKED = ["    if (kept < 0 || kept > 10) __VERIFIER_error();", "    return 0;", "}"]


def straight(lines):
    body = [f"    v{i % 16} = v{(i + 1) % 16} + {i % 97}u;" for i in range(lines - 24)]
    names = [f"    unsigned v{i} = {i};" for i in range(16)]
    return HEAD + ["int main(void) {"] + KEPT + names + body + ASKED


def branching(lines):
    body = [f"    if (__VERIFIER_nondet_int()) v{i % 16} += {i % 97}u; else v{(i + 3) % 16} ^= {i % 89}u;"
            for i in range(lines - 24)]
    names = [f"    unsigned v{i} = {i};" for i in range(16)]
    return HEAD + ["int main(void) {"] + KEPT + names + body + ASKED


def calls(lines):
    count = max(1, (lines - 9) // 3)
    functions = ["static unsigned f0(unsigned a) { return a + 1; }"]
    for i in range(1, count):
        functions += [f"static unsigned f{i}(unsigned a) {{", f"    return f{i // 2}(a) + {i % 97}u;", "}"]
    used = [f"    unsigned used = f{count - 1}(1u);", "    (void)used;"]
    return HEAD + functions + ["int main(void) {"] + KEPT + used + ASKED


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--tool", default=str(root / "target/release/cegas-scan"))
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    args = parser.parse_args()
    tool = os.path.abspath(args.tool)
    if not os.path.exists(tool):
        print(f"families.py: no {tool}", file=sys.stderr)
        return 2
    missed = False
    print(f"{'family':<12}{'lines':>8}{'clang ms':>10}{'ours ms':>10}{'µs/line':>10}  verdict")
    with tempfile.TemporaryDirectory() as scratch:
        for family in (straight, branching, calls):
            before = None
            for size in (size for size in SIZES if size <= args.largest):
                name = f"{family.__name__}{size}.c"
                text = family(size)
                pathlib.Path(scratch, name).write_text("\n".join(text) + "\n")
                report = os.path.join(scratch, "a.json")
                clang = ["clang-19", "-w", "-O0", "-g", "-emit-llvm", "-c", "-o", os.path.join(scratch, "a.bc"), name]
                ours = [tool, "--rules", "assertion", "--timeout", "60", "--quiet", "--no-cache", "--json", report, name]
                repetitions = args.repetitions if size < SIZES[-1] else 1
                spent = {}
                for _ in range(repetitions):
                    for side, command in (("clang", clang), ("ours", ours)):
                        once, _ = processor_ms(command, scratch, dict(os.environ))
                        spent[side] = min(once, spent.get(side, once))
                said = verdict(report)
                a_line = 1000 * (spent["ours"] - spent["clang"]) / len(text)
                grew = before is not None and a_line > 1.1 * max(before, 1.0)
                missed |= grew or said != "safe"
                mark = "  GREW" if grew else ""
                print(f"{family.__name__:<12}{len(text):>8}{spent['clang']:>10.0f}{spent['ours']:>10.0f}"
                      f"{a_line:>10.1f}  {said}{mark}", flush=True)
                before = a_line
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
