"""Getting other people's tools for a test: fetched by pip or npm into a folder of the test's own. One that cannot be
had is skipped with a loud line; one that is there must be content."""

import subprocess
import sys


def run(*command, cwd=None, env=None):
    """The exit code of a command, and all it says."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def skip(test, what, said):
    last = (said.strip().splitlines() or ["?"])[-1]
    print(f"{test}: !!! SKIPPED: {what} could not be fetched: {last}", flush=True)


def from_pypi(test, folder, *packages):
    """The folder of the programs that these packages bring, or nothing."""
    place = folder / f"venv-{len(list(folder.glob('venv-*')))}"
    for command in ([sys.executable, "-m", "venv", place],
                    [place / "bin/pip", "install", "-q", "--disable-pip-version-check", *packages]):
        code, said = run(*command)
        if code != 0:
            return skip(test, " ".join(packages), said)
    return place / "bin"


def from_npm(test, folder, package):
    """The folder of the package, or nothing."""
    code, said = run("npm", "install", "--silent", "--no-audit", "--no-fund", package, cwd=folder)
    if code != 0:
        return skip(test, package, said)
    return folder / "node_modules" / package.rsplit("@", 1)[0]
