"""What checks of preflight have in common: where they look, what they say, and what ``daemon tune`` may set."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.measurement.machine.kernel_clock import KernelClock
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.wire.health import PreflightResult

_LONGEST = 400
"""Characters of a sentence in a HygieneFinding."""
_CHOSEN = re.compile(r"\[([A-Za-z0-9_+-]+)\]")


@dataclass(frozen=True)
class PreflightContext:
    """What a check has to know beside the kernel's files."""

    measured_core: int
    data_folder: Path
    virtual_machine: str | None = None
    """The hypervisor's vendor; None on bare metal."""
    clock: KernelClock | None = None
    """The kernel's clock as it is now; None where it cannot be asked."""
    earlier_clock: KernelClock | None = None
    """The same at the last check of this daemon; None at the first."""
    own_process: int = field(default_factory=os.getpid)
    look_seconds: float = 0.025
    """How long other processes are watched: two ticks of 10 ms and some."""


@dataclass(frozen=True)
class Condition:
    """One condition, and the three things that can be said of it."""

    name: str
    expected: str
    tunable: bool = False

    def good(self, found: str) -> PreflightResult:
        """It is as wanted."""
        return self._result("good", found, "")

    def poor(self, found: str, remedy: str) -> PreflightResult:
        """It is not; the remedy says what to type or do."""
        return self._result("poor", found, remedy)

    def unknown(self, reason: str, remedy: str = "") -> PreflightResult:
        """Nobody can tell here, for this reason."""
        return self._result("unknown", reason, remedy)

    def no_file(self, *paths: Path) -> PreflightResult:
        """None of the files that would tell it is there, or none can be read."""
        return self.unknown(f"the kernel offers no {' or '.join(str(path) for path in paths)}")

    def _result(self, state: str, found: str, remedy: str) -> PreflightResult:
        return PreflightResult.model_validate(
            {
                "name": self.name,
                "state": state,
                "found": found[:_LONGEST],
                "expected": self.expected[:_LONGEST],
                "remedy": remedy[:_LONGEST],
                "tunable": self.tunable,
            }
        )


@dataclass(frozen=True)
class Setting:
    """A file of the kernel that ``ciphermark daemon tune`` writes, and what into it."""

    check: str
    """The name of the check that wants it."""
    file: str
    """``sys/…`` or ``proc/…``, under the roots."""
    wanted: str
    optional: bool = False
    """One of many, of which the kernel keeps some for itself: its refusal is told and fails nothing."""


def path_of(file: str, roots: Roots) -> Path:
    """Return where a setting's file is; raises ValueError for a name that is neither of ``sys`` nor of ``proc``."""
    tree, _, rest = file.partition("/")
    folders = {"sys": roots.sys, "proc": roots.proc}
    if tree not in folders or not rest or ".." in rest.split("/"):
        raise ValueError(f"a setting is a file of sys/ or proc/, seen {file[:100]!r}")
    return folders[tree] / rest


def present_value(path: Path) -> str | None:
    """Return the value in a kernel file, or None where it cannot be read; of ``always [madvise] never`` the chosen."""
    text = read_text(path)
    chosen = _CHOSEN.search(text) if text else None
    return chosen[1] if chosen else text


def read_number(path: Path) -> int | None:
    """Return the whole number in a kernel file, or None where there is none."""
    text = read_text(path)
    return int(text) if text is not None and text.removeprefix("-").isdigit() else None
