"""Shared by the programs of this folder: the repository that they clone, folders, root rights, and the result."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from scripts.roots.machines import TrialError
from scripts.roots.steps import Steps

REPOSITORY = Path(__file__).resolve().parents[2]
PLACEHOLDER = '"$REPOSITORY"'
INSIDE = "/srv/ciphermark.git"
FOLDER_VARIABLE = "CIPHERMARK_ROOTS_FOLDER"


def place(root: Path) -> None:
    """Make a bare clone at `INSIDE` of a root that everybody may read, with no link to this checkout."""
    target = root / INSIDE.lstrip("/")
    shutil.rmtree(target, ignore_errors=True)
    command = ["git", "-c", "safe.directory=*", "clone", "--quiet", "--bare", "--no-hardlinks", str(REPOSITORY)]
    done = subprocess.run([*command, str(target)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise TrialError(f"The repository could not be cloned: {done.stderr}")


def uncommitted() -> bool:
    """Return whether the work tree differs from its last commit, which is what trials use."""
    command = ["git", "-c", "safe.directory=*", "-C", str(REPOSITORY), "status", "--porcelain"]
    return bool(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def folder() -> Path:
    """Return the folder of all roots, which a later call reuses."""
    return Path(os.environ.get(FOLDER_VARIABLE, REPOSITORY / "build/roots")).absolute()


def logs(name: str) -> Path:
    """Return the folder of a trial's logs."""
    return folder() / "logs" / name


def joining(printed: str) -> str:
    """Return the line for a device, with the join code on its standard input, as `agents invite` printed both."""
    lines = printed.splitlines()
    command = next((line for line in lines if "sha256sum -c" in line), None)
    code = next((line for line in lines if line.startswith("cm_join_")), None)
    if command is None or code is None:
        raise TrialError(f"'agents invite' printed no line or no code for a device:\n{printed}")
    return f"echo {code} | {{ {command}; }}"


def become_root(module: str) -> None:
    """Start this program again through sudo, unless it has root rights."""
    if os.geteuid() != 0:
        command = ["sudo", "--preserve-env", sys.executable, "-m", f"scripts.roots.{module}", *sys.argv[1:]]
        os.execvp("sudo", command)


def conclude(trial: Callable[[Steps], None], steps: Steps) -> int:
    """Execute a trial, print its table, and return the exit code: 0, or 1 with the reason.

    Ctrl-C and SIGTERM end it like a failure, so that nothing remains.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    if uncommitted():
        print("Changes that are not committed are not part of this trial.", file=sys.stderr)
    failure = ""
    try:
        trial(steps)
    except (TrialError, LookupError, OSError) as error:
        failure = str(error)
    except KeyboardInterrupt:
        failure = "Interrupted."
    print(f"\n{steps.table()}")
    if failure:
        print(f"\nFAILED: {failure}", file=sys.stderr)
    return 1 if failure else 0


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt
