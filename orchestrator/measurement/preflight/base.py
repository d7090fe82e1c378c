"""Parts that preflight checks share: their context, their results, and the settings of ``daemon tune``."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.measurement.machine.kernel_clock import KernelClock
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.wire.health import PreflightResult

_MAX_TEXT_LENGTH = 400
"""Characters of a text of a PreflightResult."""
_SELECTED = re.compile(r"\[([A-Za-z0-9_+-]+)\]")


@dataclass(frozen=True)
class PreflightContext:
    """Facts that checks need in addition to the kernel's files."""

    measured_core: int
    data_folder: Path
    virtual_machine: str | None = None
    """Vendor of the hypervisor; None on bare metal."""
    clock: KernelClock | None = None
    """State of the kernel's clock; None where adjtimex(2) fails."""
    earlier_clock: KernelClock | None = None
    """State of the clock at this daemon's previous check; None at the first one."""
    own_process: int = field(default_factory=os.getpid)
    own_daemon: int | None = None  # process id of the daemon of the data folder
    watch_seconds: float = 0.025
    """Time for which other processes are watched: two ticks of 10 ms and a margin."""


@dataclass(frozen=True)
class Requirement:
    """Requirement of one check, from which its result is made."""

    name: str
    expected: str
    tunable: bool = False

    def good(self, found: str) -> PreflightResult:
        """Return the result of a machine that meets the requirement."""
        return self._result("good", found, "")

    def poor(self, found: str, remedy: str) -> PreflightResult:
        """Return the result of a machine that misses the requirement; remedy: the command or action that helps."""
        return self._result("poor", found, remedy)

    def unknown(self, reason: str, remedy: str = "") -> PreflightResult:
        """Return the result of a machine that does not show whether it meets the requirement."""
        return self._result("unknown", reason, remedy)

    def no_file(self, *paths: Path) -> PreflightResult:
        """Return the unknown result for files of which none exists or can be read."""
        return self.unknown(f"the kernel offers no {' or '.join(str(path) for path in paths)}")

    def _result(self, state: str, found: str, remedy: str) -> PreflightResult:
        return PreflightResult.model_validate(
            {
                "name": self.name,
                "state": state,
                "found": found[:_MAX_TEXT_LENGTH],
                "expected": self.expected[:_MAX_TEXT_LENGTH],
                "remedy": remedy[:_MAX_TEXT_LENGTH],
                "tunable": self.tunable,
            }
        )


@dataclass(frozen=True)
class KernelSetting:
    """A value that ``ciphermark daemon tune`` writes into a file of the kernel."""

    check: str
    """Name of the check that requires the value."""
    file: str
    """``sys/…`` or ``proc/…``, under the roots."""
    value: str
    optional: bool = False
    """True where the kernel may reject the write, as for some interrupt lines: reported, but not an error."""


def path_of(file: str, roots: Roots) -> Path:
    """Return the path of a setting's file.

    Raises ValueError for a name that is below neither ``sys`` nor ``proc``.
    """
    tree, _, rest = file.partition("/")
    folders = {"sys": roots.sys, "proc": roots.proc}
    if tree not in folders or not rest or ".." in rest.split("/"):
        raise ValueError(f"a setting must be a file below sys/ or proc/, got {file[:100]!r}")
    return folders[tree] / rest


def present_value(path: Path) -> str | None:
    """Return the value in a kernel file, or None if it cannot be read.

    Of a list such as ``always [madvise] never``, the selected word is returned.
    """
    text = read_text(path)
    selected = _SELECTED.search(text) if text else None
    return selected[1] if selected else text


def read_number(path: Path) -> int | None:
    """Return the integer in a kernel file, or None if there is none."""
    text = read_text(path)
    return int(text) if text is not None and text.removeprefix("-").isdigit() else None
