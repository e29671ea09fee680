#!/usr/bin/env python3
"""Our tool-info module under the real BenchExec, from PyPI: it finds the tool, calls it on tasks, and understands what it
says about them.

check.py TOOL
"""

import os
import pathlib
import re
import sys
import tempfile
from xml.etree import ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "setup"))
from consumers import from_pypi, run  # noqa: E402

PROPERTIES = {"unreach-call": "! call(reach_error())", "valid-memcleanup": "valid-memcleanup", "no-overflow": "! overflow"}
HEAD = "extern int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\nvoid *malloc(unsigned long);\n"
TASKS = {
    "good": ("unreach-call", "int main(void) { int x = 1; if (x != 1) reach_error(); return 0; }", "true"),
    "bad": ("unreach-call", "int main(void) { if (__VERIFIER_nondet_int() == 7) reach_error(); return 0; }",
            "false(unreach-call)"),
    "open": ("unreach-call", "int f(int); int main(void) { if (f(1)) reach_error(); return 0; }", "unknown"),
    "broken": ("unreach-call", "int main( {", "ERROR"),
    "lost": ("valid-memcleanup", "int main(void) { char *p = malloc(3); p = 0; return 0; }", "false(valid-memcleanup)"),
    "over": ("no-overflow", "int main(void) { return __VERIFIER_nondet_int() + 1; }", "false(no-overflow)"),
}

TASK = """format_version: '2.0'
input_files: '{name}.c'
properties:
  - property_file: {property}.prp
options: {{ language: C, data_model: LP64 }}
"""


def prepare(folder, tool):
    (folder / "tool").mkdir()
    (folder / "tool/cegas-scan").symlink_to(tool)
    definitions = ""
    for title, what in PROPERTIES.items():
        (folder / f"{title}.prp").write_text(f"CHECK( init(main()), LTL(G {what}) )\n")
        mine = [name for name, task in TASKS.items() if task[0] == title]
        tasks = "".join(f"<include>{name}.yml</include>" for name in mine)
        definitions += (f'<rundefinition name="{title}"><tasks name="all">{tasks}</tasks>'
                        f"<propertyfile>{title}.prp</propertyfile></rundefinition>\n")
    for name, (title, text, _) in TASKS.items():
        (folder / f"{name}.c").write_text(f"{HEAD}{text}\n")
        (folder / f"{name}.yml").write_text(TASK.format(name=name, property=title))
    (folder / "all.xml").write_text(
        f'<?xml version="1.0"?>\n<benchmark tool="cegas.scan">\n<option name="-j1"/>\n{definitions}</benchmark>\n')


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = from_pypi("benchexec", folder, "benchexec==3.35")
        if not programs:
            return
        prepare(folder, tool)
        environment = {**os.environ, "PYTHONPATH": str(HERE)}
        code, said = run(programs / "python", "-m", "benchexec.test_tool_info", "cegas.scan", "--no-container",
                         "--tool-directory", "tool", cwd=folder, env=environment)
        if code != 0 or re.search(r"^(ERROR|WARNING)|Traceback", said, re.M):
            sys.exit(f"benchexec: test_tool_info: exit code {code}:\n{said}")
        # Without containers, which not every machine allows; the module is called the same way in them.
        code, said = run(programs / "benchexec", "all.xml", "--no-container", "--tool-directory", "tool",
                         "--no-compress-results", cwd=folder, env=environment)
        found = {}
        for file in (folder / "results").glob("*.xml"):
            for one in ElementTree.parse(file).getroot().iter("run"):
                status = {column.get("title"): column.get("value") for column in one.iter("column")}["status"]
                found[pathlib.Path(one.get("name")).stem] = status.split(" (")[0]
        wanted = {name: answer for name, (*_, answer) in TASKS.items()}
        if code != 0 or found != wanted:
            sys.exit(f"benchexec: exit code {code}: {found} instead of {wanted}\n{said}")
    print(f"benchexec: {len(TASKS)} tasks called and understood as they should be")


if __name__ == "__main__":
    main()
