#!/usr/bin/env python3
"""Real consumers of our SARIF: Microsoft's validator with its rules for GitHub must have nothing to say, and PyPI's
sarif-tools must read it.

check.py TOOL    scans small programs of its own with TOOL, in every way that changes the report's form

The validator ends with exit code 0 even if there are errors, so its words are read.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

VALIDATOR = "@microsoft/sarif-multitool-linux@5.7.0"

READER = "sarif-tools==3.0.5"

PROGRAM = r"""
#include <assert.h>
#include <stdlib.h>
static int way(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }
int main(int argc, char **argv) {
    if (argc > 1) assert(argc == 7);
    int *p = malloc(4);
    *p = way(900); /* cegas-ignore: null-deref memory is there */
    assert(*p < 3); // cegas-ignore: assertion known
    return 0;
}
"""


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def validator(folder):
    code, said = run("npm", "install", "--silent", "--no-audit", "--no-fund", VALIDATOR, cwd=folder)
    if code != 0:
        sys.exit(f"sarif: the validator could not be fetched: {said.strip()}")
    return folder / "node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"


def reader(folder):
    for command in ([sys.executable, "-m", "venv", "venv"],
                    ["venv/bin/pip", "install", "-q", "--disable-pip-version-check", READER]):
        code, said = run(*command, cwd=folder)
        if code != 0:
            sys.exit(f"sarif: sarif-tools could not be fetched: {said.strip()}")
    return folder / "venv/bin/sarif"


def scans(tool, folder):
    """The reports, each with the scan that made it."""
    project = folder / "a project, with spaces"
    project.mkdir()
    (project / "a b.c").write_text(PROGRAM)
    (project / "broken.c").write_text("int f( {\n")
    entries = [{"directory": str(project), "file": name, "arguments": ["cc", "-c", name]}
               for name in ("a b.c", "broken.c")]
    (project / "compile_commands.json").write_text(json.dumps(entries))
    for number, more in enumerate((["a b.c"], ["--sarif-kinds=all", "a b.c"], ["--sarif-keep-suppressed", "a b.c"],
                                   ["--sarif-kinds=all", "--sarif-category=nightly/x"])):
        report = folder / f"{number}.sarif"
        arguments = ["--rules=assertion,leak,null-deref,signed-overflow", "--timeout=5", *more]
        code, said = run(tool, f"--sarif={report}", *arguments, cwd=project)
        if code not in (0, 1, 3):
            sys.exit(f"sarif: {more}: exit code {code}: {said}")
        yield more, report


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = validator(folder)
        tools = reader(folder)
        for more, report in scans(tool, folder):
            results = json.loads(report.read_text())["runs"][0]["results"]
            _, said = run(program, "validate", report, "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning",
                          cwd=folder)
            complaints = re.findall(r"^.*: (?:error|warning) [A-Z]+\d+: .*$", said, re.M)
            if not results:
                complaints.append("there are no results to look at")
            if "Analysis completed successfully" not in said:
                complaints.append(said)
            for command in (["summary", report], ["csv", report, "-o", "out.csv"], ["html", report, "-o", "out.html"],
                            ["diff", report, report]):
                code, said = run(tools, *command, cwd=folder)
                if code != 0:
                    complaints.append(f"sarif {command[0]}: exit code {code}: {said}")
            print(f"sarif: {' '.join(more)}: {len(results)} results, {len(complaints)} complaints")
            print("\n".join(complaints), end="\n" if complaints else "")
            bad += len(complaints)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
