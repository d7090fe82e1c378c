"""Process of ``ciphermark daemon start``."""

from orchestrator.cli.processes import lean

UNUSED = (*lean.COMMAND_LINE, "opentelemetry")
"""redis-py imports OpenTelemetry."""


def become_daemon() -> None:
    """Replace this process by the daemon's; returns only if the system cannot execute Python again."""
    lean.become(__name__, "daemon", "start")


def main() -> None:
    """Execute jobs until SIGTERM or SIGINT, and exit with the code of ``ciphermark``."""
    lean.run(_execute_jobs, UNUSED)


def _execute_jobs() -> None:
    from orchestrator.daemon.program import start  # noqa: PLC0415 - after the unused packages were excluded
    from orchestrator.settings import DaemonSettings  # noqa: PLC0415

    start(DaemonSettings())


if __name__ == "__main__":
    main()
