"""Command that an instrument executes: its program, arguments and limits, and how its outcome is read."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.measurement.launch.launcher import Launched, Streams
from orchestrator.measurement.runner.readings import RunnerReadings
from orchestrator.shared.values.forms import UNMASKED, Form


@dataclass(frozen=True)
class Command(ABC):
    """Program to execute, its arguments and its limits."""

    program: Path
    provider: str
    algorithm: str
    variant: str
    timeout_seconds: float
    output_limit_bytes: int
    form: Form = field(default=UNMASKED, kw_only=True)
    lead: tuple[str, ...] = field(default=(), kw_only=True)
    """Arguments of an interpreter before those of the runner: its options and the script."""
    more_files: tuple[Path, ...] = field(default=(), kw_only=True)
    """Files of the program besides `program`, such as the modules of an interpreted runner."""

    @abstractmethod
    def arguments(self) -> tuple[str, ...]:
        """Return the program and its arguments."""

    @abstractmethod
    def files(self) -> tuple[Path, ...]:
        """Return the files that the program reads, to be in the page cache before it starts."""

    def streams(self) -> Streams:
        """Return the program's streams: by default no input, and output that is returned."""
        return Streams()

    @abstractmethod
    def read(self, launched: Launched) -> RunnerReadings:
        """Return the reported readings; raises ProtocolMismatch if the report does not match the command."""
