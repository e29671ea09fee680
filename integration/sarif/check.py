#!/usr/bin/env python3
"""Real consumers of our SARIF: Microsoft's validator with its rules for GitHub must have nothing to say, and PyPI's
sarif-tools and CodeChecker must read it; SARIF's own schema, which the crate serde-sarif brings, must be kept, as
must that of our own JSON report, which is written along.

check.py TOOL    scans small programs of its own with TOOL, in every way that changes the report's form

The validator ends with exit code 0 even if there are errors, so its words are read.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "setup"))
from consumers import from_npm, from_pypi, run  # noqa: E402

VALIDATOR = "@microsoft/sarif-multitool-linux@5.7.0"

READER = "sarif-tools==3.0.5"

CHECKER = "codechecker==6.29.1"

SCHEMA_READER = "check-jsonschema==0.39.0"

ROOT = pathlib.Path(__file__).resolve().parents[2]

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
        code, said = run(tool, f"--sarif={report}", f"--json={report}.json", *arguments, cwd=project)
        if code not in (0, 1, 3):
            sys.exit(f"sarif: {more}: exit code {code}: {said}")
        yield more, report


def validated(program, report, folder):
    """What the validator has to say."""
    _, said = run(program, "validate", report, "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning", cwd=folder)
    complaints = re.findall(r"^.*: (?:error|warning) [A-Z]+\d+: .*$", said, re.M)
    return complaints if "Analysis completed successfully" in said else [*complaints, said]


def read(tools, report, folder):
    """What sarif-tools has to say."""
    for command in (["summary", report], ["csv", report, "-o", "out.csv"], ["html", report, "-o", "out.html"],
                    ["diff", report, report]):
        code, said = run(tools / "sarif", *command, cwd=folder)
        if code != 0:
            yield f"sarif {command[0]}: exit code {code}: {said}"


def parsed(tools, report, folder):
    """What CodeChecker has to say: it must see the same findings, each with its way. It knows no kinds but failures."""
    results = [r for r in json.loads(report.read_text())["runs"][0]["results"] if r["kind"] == "fail"]
    alone = folder / f"{report.stem}-alone"
    alone.mkdir()
    (alone / report.name).write_bytes(report.read_bytes())
    # Its exit code is 2 if there are findings.
    code, said = run(tools / "CodeChecker", "parse", alone, "-e", "json", "-o", alone / "out.json", cwd=folder)
    if code not in (0, 2) or "[ERROR" in said or "[WARNING" in said:
        yield f"CodeChecker parse: exit code {code}: {said}"
        return
    seen = json.loads((alone / "out.json").read_text())["reports"]
    wanted = sorted((r["ruleId"], r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in results)
    found = sorted((r["checker_name"], r["line"]) for r in seen if r["checker_name"])
    if not set(wanted) <= set(found):
        yield f"CodeChecker sees {found} instead of {wanted}"
    if not any(len(r["bug_path_events"]) > 2 for r in seen):
        yield "CodeChecker sees no way to a finding"


def schema():
    """The schema that the crate we write SARIF with was made from."""
    command = ["cargo", "metadata", "--quiet", "--format-version=1"]
    said = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    packages = json.loads(said)["packages"]
    homes = [pathlib.Path(p["manifest_path"]).parent for p in packages if p["name"] == "serde-sarif"]
    return homes[0] / "src/schema.json"


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = from_npm("sarif", folder, VALIDATOR)
        tools = from_pypi("sarif", folder, READER)
        checker = from_pypi("sarif", folder, CHECKER)
        reader = from_pypi("sarif", folder, SCHEMA_READER)
        for more, report in scans(tool, folder):
            results = json.loads(report.read_text())["runs"][0]["results"]
            complaints = [] if results else ["there are no results to look at"]
            if program:
                complaints += validated(program / "Sarif.Multitool", report, folder)
            if reader:
                code, said = run(reader / "check-jsonschema", "--regex-variant", "nonunicode", "--schemafile", schema(),
                                 report, cwd=folder)
                complaints += [said] if code != 0 else []
                own = ROOT / "docs/report.schema.json"
                code, said = run(reader / "check-jsonschema", "--schemafile", own, f"{report}.json", cwd=folder)
                complaints += [said] if code != 0 else []
            if tools:
                complaints += read(tools, report, folder)
            print(f"sarif: {' '.join(more)}: {len(results)} results, {len(complaints)} complaints")
            print("\n".join(complaints), end="\n" if complaints else "")
            bad += len(complaints)
        if checker:
            # It takes `%20` in a path for the name of a file, so this one has none.
            project = folder / "plain"
            project.mkdir()
            (project / "a.c").write_text(PROGRAM)
            report = folder / "plain.sarif"
            run(tool, "--rules=assertion,null-deref", f"--sarif={report}", "a.c", cwd=project)
            complaints = list(parsed(checker, report, folder))
            print(f"sarif: CodeChecker parse: {len(complaints)} complaints")
            print("\n".join(complaints), end="\n" if complaints else "")
            bad += len(complaints)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
