"""Process of ``ciphermark daemon start``, without the command line's packages.

``daemon start`` replaces itself by this module. The packages that it leaves out (Typer and Rich with Pygments, which
structlog and httpx import where they are installed, and OpenTelemetry, which redis-py imports) have no use in a daemon
and take 8 MiB of the memory of a small device.
"""

import os
import sys
from typing import NoReturn

from orchestrator.cli.exit_codes import ExitCode, exit_code
from orchestrator.errors import CiphermarkError

UNUSED = ("rich", "pygments", "typer", "opentelemetry")
"""Packages that others import if they are installed; None in ``sys.modules`` makes them look absent."""


def become_daemon() -> None:
    """Replace this process by the daemon's; returns only if the system cannot execute Python again.

    That is an emulated device without binfmt_misc, where the caller continues in this process.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        # The last words are those of the command, by which the process is recognized in lists.
        os.execv(sys.executable, [sys.executable, "-m", __spec__.name, "daemon", "start"])  # noqa: S606 - no shell
    except OSError:
        return


def main() -> NoReturn:
    """Execute jobs until SIGTERM or SIGINT, and exit with the code of ``ciphermark``."""
    for name in UNUSED:
        sys.modules[name] = None  # type: ignore[assignment]
    from orchestrator.daemon.program import start  # noqa: PLC0415 - after the packages were excluded
    from orchestrator.settings import DaemonSettings  # noqa: PLC0415

    try:
        start(DaemonSettings())
    except CiphermarkError as error:
        sys.stderr.write(f"error: {error.detail}\n" + (f"{error.remedy}\n" if error.remedy else ""))
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    sys.exit(ExitCode.OK)


if __name__ == "__main__":
    main()
