"""Command of a runner that a shell executes: ``/bin/sh -c "PROGRAM ARGUMENTS…"``."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.launch.launcher import Launched
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.readings import RunnerReadings

SHELL = Path("/bin/sh")


@dataclass(frozen=True)
class ShellCommand(Command):
    """Shell that executes the command of a runner; its times include the start of the shell."""

    inner: Command

    @classmethod
    def of(cls, inner: Command) -> "ShellCommand":
        """Return the command in a shell, with the same limits."""
        return cls(
            program=SHELL,
            provider=inner.provider,
            algorithm=inner.algorithm,
            variant=inner.variant,
            timeout_seconds=inner.timeout_seconds,
            output_limit_bytes=inner.output_limit_bytes,
            form=inner.form,
            inner=inner,
        )

    def arguments(self) -> tuple[str, ...]:
        """Return the shell and the command as one quoted argument."""
        return (str(self.program), "-c", shlex.join(self.inner.arguments()))

    def files(self) -> tuple[Path, ...]:
        """Return the shell and the files of the command."""
        return self.program, *self.inner.files()

    def read(self, launched: Launched) -> RunnerReadings:
        """Return the reported readings; raises ProtocolMismatch if the report does not match the command."""
        return self.inner.read(launched)
