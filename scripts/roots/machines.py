"""The machines whose Debian roots can be entered here."""

import platform
from dataclasses import dataclass
from pathlib import Path


class TrialError(Exception):
    """A trial cannot be made or failed: the message contains what happened and what to do."""


@dataclass(frozen=True)
class Machine:
    """A Debian architecture, and the emulator that executes its programs on other processors."""

    architecture: str  # Debian's name
    kernel_names: tuple[str, ...]  # output of `uname -m` on the real machine
    emulator_name: str | None

    @property
    def is_native(self) -> bool:
        """Return whether this processor executes the machine's programs."""
        return platform.machine() in self.kernel_names

    @property
    def emulator(self) -> Path | None:
        """Return the path of the emulator; None if none is needed. Raises TrialError if it is not installed."""
        if self.is_native:
            return None
        if self.emulator_name is None:
            raise TrialError(f"{self.architecture} roots need an {self.kernel_names[0]} processor.")
        path = Path("/usr/bin") / self.emulator_name
        if not path.exists():
            raise TrialError(f"{path} is missing. Install it: apt-get install qemu-user-static")
        return path


MACHINES = {
    machine.architecture: machine
    for machine in (
        Machine("amd64", ("x86_64",), None),
        Machine("arm64", ("aarch64",), "qemu-aarch64-static"),
        Machine("armhf", ("armv7l", "armv8l"), "qemu-arm-static"),
    )
}


def native() -> Machine:
    """Return this machine; raises TrialError if it has no name here."""
    for machine in MACHINES.values():
        if machine.is_native:
            return machine
    raise TrialError(f"There are no roots for {platform.machine()} processors; known: {', '.join(MACHINES)}.")
