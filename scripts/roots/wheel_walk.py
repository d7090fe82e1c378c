"""Install each wheel of dist/ with pipx in a clean Debian root without a compiler, and execute its first commands.

    python3 -m scripts.roots.wheel_walk [--suite bookworm|trixie] [--machine amd64|arm64|armhf]

It prints the seconds of each command and the size of the installation. A demo must answer (a 32-bit device measures a
program instead, because it is no server), and the known answers of everything inside must pass, except those whose
failure the wheel names.
"""

import argparse
import json
import platform
import shutil
import sys
import zipfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from scripts.roots import host, root, trial
from scripts.roots.machines import MACHINES, Machine, TrialError
from scripts.roots.steps import Steps

# The platform of a wheel's name by Debian's architecture.
PLATFORMS = {"amd64": "x86_64", "arm64": "aarch64", "armhf": "armv7l"}
_COMPILERS = "g++ gcc cc c++ clang cmake"


def wheel_of(machine: Machine) -> Path:
    """Return the only wheel of a machine in dist/; raises TrialError if there is not one."""
    found = sorted((trial.REPOSITORY / "dist").glob(f"ciphermark-*_{PLATFORMS[machine.architecture]}.whl"))
    if len(found) != 1:
        raise TrialError(f"dist/ has {len(found)} wheels for {machine.architecture}; expected one: make wheels")
    return found[0]


def walk(machine: Machine, suite: str, steps: Steps) -> None:
    """Install the wheel of a machine in an empty root and use it; raises TrialError at the first failure."""
    wheel = wheel_of(machine)
    with steps.step(f"(preparation) an empty {suite} root for {machine.architecture}") as log:
        pristine = root.made(machine, ("ca-certificates", "procps"), trial.folder(), log)
        folder = root.copied(pristine, f"wheel-{machine.architecture}")
        shutil.copy(wheel, folder / "root" / wheel.name)
    # The daemon of another program of this machine may measure: nothing here depends on how long something takes.
    with root.opened(folder, machine, "laptop", more={"CIPHERMARK_SHARE_CORE": "true"}) as opened:
        with steps.step("(preparation) current package lists"):
            opened.refresh_lists(log.with_suffix(".lists.log"))
        serves = machine.architecture != "armhf"
        packages = "pipx redis-server" if serves else "pipx python3-psutil"
        with steps.step(f"apt-get install --no-install-recommends {packages}") as log:
            opened.run(f"DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends {packages}", log)
        found = opened.output(f"for one in {_COMPILERS}; do command -v $one || true; done").split()
        if found:
            raise TrialError(f"The root has a compiler, so that the trial shows nothing: {' '.join(found)}")
        options = "" if serves else "--system-site-packages "
        with steps.step(f"pipx install ./{wheel.name}") as log:
            opened.run(f"pipx install {options}./ciphermark-*.whl", log)
        program = "~/.local/bin/ciphermark"
        with steps.step("ciphermark demo" if serves else "ciphermark measure -- true") as log:
            opened.run(f"{program} {'demo' if serves else 'measure -- true'}", log)
            print(root.tail(log, 12))
        with steps.step("ciphermark runners build && ciphermark runners verify"):
            opened.output(f"{program} runners build")
            proofs = json.loads(opened.output(f"{program} runners verify --json || [ $? -eq 11 ]"))
        _compare(proofs, wheel, machine)
        size = opened.output("du -sh ~/.local | cut -f1").strip()
        print(f"  The wheel has {wheel.stat().st_size} bytes, the installation {size}.")
    root.remove(folder)


def _compare(proofs: list[dict[str, Any]], wheel: Path, machine: Machine) -> None:
    """Print how many known answers passed; raises TrialError if one failed that the wheel does not name."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/offer.json"))
        origin = json.loads(archive.read(name))["manifest"]["origin"]
    named = {line.partition(":")[0] for line in origin["known_answers_failed"]}
    failed = {f"{one['provider']} {one['algorithm']} {one['variant']}" for one in proofs if not one["passed"]}
    passed = Counter(one["provider"] for one in proofs if one["passed"])
    print(f"  Known answers passed: {dict(passed)}; failed, as the wheel names them: {sorted(failed & named)}.")
    if failed - named or not passed:
        raise TrialError(f"Known answers failed on {machine.architecture}: {sorted(failed - named)}")


def main() -> int:
    """Walk with the wheel of each machine of the command line, by default this one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=host.SUITES, default=host.SUITE)
    parser.add_argument("--machine", choices=PLATFORMS, action="append")
    arguments = parser.parse_args()
    host.SUITE = arguments.suite
    trial.become_root("wheel_walk")
    here = next(name for name, one in MACHINES.items() if platform.machine() in one.kernel_names)
    code = 0
    for name in arguments.machine or [here]:
        steps = Steps(f"Wheel on {arguments.suite} {name}", trial.logs(f"wheel-{arguments.suite}-{name}"))
        code |= trial.conclude(partial(walk, MACHINES[name], arguments.suite), steps)
    return code


if __name__ == "__main__":
    sys.exit(main())
