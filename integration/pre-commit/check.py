#!/usr/bin/env python3
"""The hook under the real pre-commit, from PyPI, in a scratch repository: a bug stops a commit, its repair does not.

check.py TOOL
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "setup"))
from consumers import from_pypi  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOOD = "#include <assert.h>\nint main(void) { int x = 1; assert(x == 1); return 0; }\n"


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = from_pypi("pre-commit", folder, "pre-commit==4.5.0")
        if not programs:
            return
        project = folder / "project"
        project.mkdir()
        run(["git", "init", "-q"], project)
        entry = {"directory": str(project), "file": "a.c", "arguments": ["cc", "-c", "a.c"]}
        (project / "compile_commands.json").write_text(json.dumps([entry]))
        environment = {**os.environ, "CEGAS_SCAN": str(tool), "PRE_COMMIT_HOME": str(folder / "home"),
                       "XDG_CACHE_HOME": str(folder / "cache")}
        for text, wanted in ((GOOD, 0), (GOOD.replace("x == 1", "x == 2"), 1), (GOOD, 0)):
            (project / "a.c").write_text(text)
            run(["git", "add", "-A"], project)
            command = [programs / "pre-commit", "try-repo", ROOT, "cegas-scan", "--files", "a.c"]
            done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
            if done.returncode != wanted or (wanted == 1 and "error[assertion]" not in done.stdout):
                sys.exit(f"pre-commit: exit code {done.returncode} instead of {wanted}:\n{done.stdout}{done.stderr}")
    print("pre-commit: stops a bug, lets its repair pass")


def run(command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"pre-commit: {command}: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
