#!/usr/bin/env python3
"""Scans the prepared projects and compares with the truth.

    check.py [--tool PATH] [--jobs N] [--modes recorded,bear,cmake] [--repeat] [NAME…]

`recorded`: `cegas-scan -- make`; `bear`, `cmake`: the compile_commands.json that Bear or cmake wrote. With --repeat,
each scan is done again with another -j and an empty cache, and every byte of its output must be the same.
Exit 0: all as it should be; 1: something is wrong, each thing on a line; 2: the check could not run.
"""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import compare
import prepare
import recipe

TOOL = recipe.HERE.parent.parent / "target" / "release" / "cegas-scan"
# Scans of one project that take longer hang, for all we know.
LIMIT_SECONDS = 1800
# The text of larger projects' models is gigabytes: for these we look at the report only.
DUMPED_UNITS = 400


class Scan:
    """One run of the tool: its exit code, its report, the functions in its models, a digest of everything it wrote."""

    def __init__(self, tool, project, mode, jobs, cache, whole):
        self.tree = project.fresh("rec") if mode == "recorded" else project.tree("db")
        out = project.home / f"report.{mode}.j{jobs}.json"
        out.unlink(missing_ok=True)
        command = [str(tool), f"-j{jobs}", "--json", str(out), "--cache-dir", str(cache), "--progress=never"]
        # A dump ends the scan with the models: what is checked on them is another test's business.
        command += ["--dump=ir" if whole else "--dump=targets"]
        command += {"recorded": ["--", *project.build_command(jobs)],
                    "bear": [str(self.tree / "compile_commands.json")],
                    "cmake": [str(self.tree / (project.database or ""))]}[mode]
        self.functions, digest, ours = {}, hashlib.sha256(), False
        self.stderr = out.with_suffix(".stderr")
        began = time.monotonic()
        with open(self.stderr, "wb") as stderr:
            # A build that writes the time of day into its sources or the commit of a repository around it (redis does) would be another program each time.
            fixed = {**os.environ, "SOURCE_DATE_EPOCH": "0", "GIT_CEILING_DIRECTORIES": str(recipe.CACHE)}
            child = subprocess.Popen(["timeout", str(LIMIT_SECONDS), *command], cwd=self.tree, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=stderr, env=fixed)
            for line in child.stdout:
                # A recorded build prints to the same standard output, and first.
                if line.startswith(b'program "'):
                    ours, model = True, self.functions.setdefault(json.loads(line[8:]), compare.Functions())
                elif ours and line.startswith(b"func "):
                    model.read(line.decode(errors="replace").rstrip("\n"))
                if ours:
                    digest.update(line)
            self.exit = child.wait()
        self.seconds = time.monotonic() - began
        self.text = out.read_bytes() if out.exists() else b""
        digest.update(self.text)
        self.digest = digest.hexdigest()

    def report(self):
        return json.loads(self.text) if self.text else None


def check(tool, project, mode, jobs, repeat):
    """What is wrong with the tool's answer for one project, as lines; and how long it took."""
    cache = project.home / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    facts = json.loads((project.home / "truth.json").read_text())
    whole = len(facts["units"]) <= DUMPED_UNITS
    scan = Scan(tool, project, mode, jobs, cache, whole)
    report = scan.report()
    if report is None:
        last = scan.stderr.read_text(errors="replace").strip().splitlines()[-1:] or ["nothing on standard error"]
        return [f"exit {scan.exit} and no report: {last[0]}"], scan.seconds
    wrong = compare.compare(facts, report, scan.tree, scan.functions, by_symbols=(mode == "bear"))
    # 1 means findings, which a real project may have.
    if scan.exit not in (0, 1):
        wrong.append(f"exit {scan.exit}")
    if repeat:
        shutil.rmtree(cache, ignore_errors=True)
        again = Scan(tool, project, mode, 1 if jobs > 1 else 2, cache, whole)
        if again.digest != scan.digest:
            wrong.append(f"not byte-identical with another -j: compare {project.home}/report.{mode}.j*.json")
    shutil.rmtree(cache, ignore_errors=True)
    return wrong, scan.seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", type=pathlib.Path, default=pathlib.Path(os.environ.get("CEGAS_SCAN", TOOL)))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--modes", default="recorded,bear,cmake")
    parser.add_argument("--repeat", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if not options.tool.is_file():
        raise recipe.Failure(f"{options.tool} is not here; build it with: cargo build --release")
    bad = 0
    for project in recipe.chosen(options.names):
        prepare.prepare(project, options.jobs)
        for mode in options.modes.split(","):
            if mode == "cmake" and not project.database:
                continue
            wrong, seconds = check(options.tool.absolute(), project, mode, options.jobs, options.repeat)
            bad += bool(wrong)
            print(f"{'FAIL' if wrong else 'ok  '} {project.name} {mode} ({seconds:.1f} s)", flush=True)
            for line in wrong:
                print(f"     {line}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    recipe.main_guard(main)
