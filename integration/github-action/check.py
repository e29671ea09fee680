#!/usr/bin/env python3
"""What GitHub itself says of the action and the example workflow, as far as that can be asked here: the schema that its
validator (npm) knows, and whether the cache takes the paths that it is given, asked of the package (npm) that reads them.

check.py
"""

import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "setup"))
from consumers import from_npm, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
GLOB = """
const glob = require('@actions/glob');
glob.create(process.argv[2], { implicitDescendants: false }).then(g => g.glob()).then(
    found => process.exit(found.length === 3 ? 0 : 1), error => { console.log(error.message); process.exit(1) });
"""


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if from_npm("github-action", folder, "@action-validator/core@0.6.0") and \
                from_npm("github-action", folder, "@action-validator/cli@0.6.0"):
            workflows = folder / ".github/workflows"
            workflows.mkdir(parents=True)
            shutil.copy(HERE / "example-workflow.yml", workflows)
            for file in (HERE / "action.yml", workflows / "example-workflow.yml"):
                code, said = run(folder / "node_modules/.bin/action-validator", file)
                if code != 0 or said.strip():
                    sys.exit(f"github-action: {file.name} is not valid:\n{said}")
            print("github-action: action and workflow are valid")
        if from_npm("github-action", folder, "@actions/glob@0.5.0"):
            check_paths(folder)
            print("github-action: the cache takes its paths")


def check_paths(folder):
    """The three things that make the tool, as they lie on a runner."""
    root, home = folder / "_actions/owner/name/main", folder / "home"
    (root / ".deps").mkdir(parents=True)
    (home / ".cargo/bin").mkdir(parents=True)
    for program in ("cegas-scan", "cargo-cegas"):
        (home / ".cargo/bin" / program).write_text("")
    text = (HERE / "action.yml").read_text()
    paths = re.search(r"Cache the tool\n.*?path: \|\n(.*?)\n +key:", text, re.S).group(1)
    paths = paths.replace("${{ steps.tool.outputs.root }}", str(root))
    paths = "\n".join(line.strip() for line in paths.splitlines())
    (folder / "glob.js").write_text(GLOB)
    code, said = run("node", "glob.js", paths, cwd=folder, env={"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin"})
    if code != 0:
        sys.exit(f"github-action: the cache would not keep {paths}:\n{said}")


if __name__ == "__main__":
    main()
