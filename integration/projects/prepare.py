#!/usr/bin/env python3
"""Configures and builds the fetched projects once, to know what is true about them.

    prepare.py [NAME…]

Each build runs under Bear, which writes compile_commands.json into the tree as a user of Bear would have it,
and that under strace, from which $CEGAS_PROJECTS/NAME/truth.json comes. The built tree stays in NAME/db, because
generated sources and headers must be there when the database is scanned.
"""

import json
import os
import shutil
import sys

import recipe
import truth


def prepare(project, jobs):
    out = project.home / "truth.json"
    if out.exists():
        return
    for tool, package in (("bear", "bear"), ("strace", "strace"), (project.build[0], project.build[0])):
        if shutil.which(tool) is None:
            raise recipe.Failure(f"{project.name}: {tool} is not here; integration/projects/fetch.sh --deps installs {package}")
    tree = project.fresh("db")
    strace, database = project.home / "strace.log", tree / "compile_commands.json"
    command = truth.STRACE + ["-o", str(strace), "bear", "--output", str(database), "--"] + project.build_command(jobs)
    recipe.run(command, tree, project.home / "db.build.log", f"{project.name}: build")
    facts = truth.truth(tree, strace, {"project": project.name, "version": project.version()})
    found = f"{len(facts['units'])} units, {len(facts['targets'])} targets"
    if found != project.expect:
        raise recipe.Failure(f"{project.name}: the build made {found}, but recipes/{project.name} expects {project.expect}; "
                             f"look at {project.home}/db.build.log")
    partial = out.with_suffix(".partial")
    partial.write_text(json.dumps(facts, indent=1) + "\n")
    partial.rename(out)
    strace.unlink()
    shutil.rmtree(project.home / "db.kept", ignore_errors=True)
    print(f"{project.name}: {found}", flush=True)


def main():
    for project in recipe.chosen(sys.argv[1:]):
        prepare(project, int(os.environ.get("CEGAS_JOBS", "2")))


if __name__ == "__main__":
    recipe.main_guard(main)
