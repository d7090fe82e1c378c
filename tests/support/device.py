"""A device of its own: a home folder in which the join script is executed by the machine's ``sh``."""

import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

SECONDS = 240.0
"""Timeout of one command; an installation downloads some packages."""


@dataclass
class Device:
    """A home folder; everything that the script makes is below it."""

    home: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def execute(self, command: str, typed: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Execute a command line in the home folder, with a text on standard input."""
        self.home.mkdir(exist_ok=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("CIPHERMARK_")}
        # The core may be measured by another test, or by the daemon of the one who executes them.
        inherited["CIPHERMARK_SHARE_CORE"] = "true"
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.home,
            env=inherited | {"HOME": str(self.home)} | self.environment | variables,
            input=typed,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def join(self, script: Path, code: str, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Execute the script with a code on standard input; the daemon is not started."""
        words = ["sh", str(script), "--no-start", *options]
        return self.execute(shlex.join(words), typed=f"{code}\n", **variables)

    def ciphermark(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Execute the installed command."""
        return self.execute(shlex.join([str(self.prefix / "bin" / "ciphermark"), *arguments]))

    @property
    def prefix(self) -> Path:
        """Installation folder."""
        return self.home / "ciphermark-agent"

    @property
    def files(self) -> set[str]:
        """Names in the home folder, but for that of rustup: pip calls it to describe the machine to the index."""
        return {path.name for path in self.home.iterdir()} - {".rustup"}
