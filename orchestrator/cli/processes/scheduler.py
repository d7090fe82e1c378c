"""Process of ``ciphermark scheduler``."""

import sys

from orchestrator.cli.processes import lean

UNUSED = ("rich", "typer", "opentelemetry")
"""redis-py imports OpenTelemetry. Lizard needs Pygments."""
ARENAS = 1
"""One thread does its work; the others wait."""


def become_scheduler() -> None:
    """Replace this process by the scheduler's; returns only if the system cannot execute Python again."""
    lean.become(__name__, "scheduler")


def schedule() -> None:
    """Lay out runs, send jobs and watch agents until SIGTERM. The database must be up to date."""
    # Imports what lean.run excludes.
    from orchestrator.cli.settings import service_settings  # noqa: PLC0415
    from orchestrator.scheduler.program import run  # noqa: PLC0415
    from orchestrator.shared import logs  # noqa: PLC0415

    settings = service_settings()
    logs.configure(settings.log_level)
    sys.exit(run(settings))


if __name__ == "__main__":
    lean.run(schedule, arenas=ARENAS, unused=UNUSED)
