"""The recipes: which project, how it is configured and built, and where its trees are.

A recipe is a file of `key='value'` lines that both sh and Python read: `package` (Debian source
package), `needs` (packages to build it), `unpack` (run once in the fresh source tree), `dir` (subfolder
that is the project), `configure` (may be empty), `build` (one command, never a shell line: it is what
a user would give to `cegas-scan --`), `database` (the compile_commands.json that the build system itself
writes, if it does) and `expect` (how much the build of these sources makes: a guard of the truth itself).

Large projects are built without optimisation: a C compiler's minutes there would tell us nothing.

Invariant: a tree below the cache is either absent or complete: it is filled under another name first.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("CEGAS_PROJECTS") or HERE.parent.parent / "target" / "projects").absolute()
KEYS = {"package", "needs", "unpack", "dir", "configure", "build", "database", "expect"}


class Failure(Exception):
    """What the user must know: what failed, and where to look."""


class Recipe:
    def __init__(self, name):
        self.name = name
        path = HERE / "recipes" / name
        if not path.is_file():
            raise Failure(f"no recipe '{name}'; there are: {' '.join(names())}")
        values = dict(word.split("=", 1) for word in shlex.split(path.read_text(), comments=True))
        unknown = set(values) - KEYS
        if unknown:
            raise Failure(f"{path}: unknown keys {sorted(unknown)}")
        self.package = values["package"]
        self.dir = values.get("dir", ".")
        self.configure = values.get("configure", "")
        self.build = shlex.split(values["build"])
        self.database = values.get("database")
        self.expect = values["expect"]
        self.home = CACHE / name

    def version(self):
        return (self.home / "version").read_text().strip()

    def tree(self, kind):
        """The project folder of the tree `kind` ("db": built once; "rec": configured only)."""
        return self.home / kind / self.dir

    def build_command(self, jobs):
        """The build with `-jN` where the tool takes one."""
        return self.build + ([f"-j{jobs}"] if self.build[0] == "make" else [])

    def configured(self, kind):
        """Make the tree `kind`: the sources, configured in their final place (paths are baked in)."""
        if (self.home / f"{kind}.configured").exists():
            return self.tree(kind)
        if not (self.home / "src").is_dir():
            raise Failure(f"{self.name}: no sources in {self.home}/src; run integration/projects/fetch.sh {self.name}")
        shutil.rmtree(self.home / kind, ignore_errors=True)
        copy(self.home / "src", self.home / kind)
        if self.configure:
            log = self.home / f"{kind}.configure.log"
            run(["sh", "-eu", "-c", self.configure], self.tree(kind), log, f"{self.name}: configure")
        (self.home / f"{kind}.configured").touch()
        return self.tree(kind)

    def fresh(self, kind):
        """The tree `kind` as it was right after configuring, with its time stamps."""
        kept = self.home / f"{kind}.kept"
        self.configured(kind)
        if not kept.exists():
            partial = self.home / f"{kind}.copying"
            shutil.rmtree(partial, ignore_errors=True)
            copy(self.home / kind, partial)
            partial.rename(kept)
        else:
            shutil.rmtree(self.home / kind)
            copy(kept, self.home / kind)
        return self.tree(kind)


def copy(source, target):
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)


def run(command, directory, log, what):
    with open(log, "wb") as out:
        status = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=out, stderr=out).returncode
    if status != 0:
        tail = pathlib.Path(log).read_bytes()[-2000:].decode(errors="replace")
        raise Failure(f"{what} failed with {status}; see {log}\n{tail}")


def names():
    return sorted(path.name for path in (HERE / "recipes").iterdir())


def chosen(arguments):
    """The recipes named on the command line, or all."""
    return [Recipe(name) for name in (arguments or names())]


def main_guard(main):
    """Run a script's main; a Failure is one clear message and exit code 2."""
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"{pathlib.Path(sys.argv[0]).name}: {failure}", file=sys.stderr)
        sys.exit(2)
