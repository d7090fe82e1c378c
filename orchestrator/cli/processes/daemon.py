"""Process of ``ciphermark daemon start``."""

import sys
from importlib import import_module

from orchestrator.cli.processes import lean

UNUSED = (*lean.COMMAND_LINE, "opentelemetry", "greenlet", "yaml")
"""redis-py imports OpenTelemetry, structlog greenlet, and Kombu YAML."""
_PROGRAM = ("orchestrator.daemon.program", "celery.apps.worker", "celery.concurrency.solo", "kombu.transport.redis")
"""Modules that import all others; Celery finds its own by their names."""
_WITHOUT_DOCSTRINGS = 2  # of sys.flags.optimize
_PROVIDERS_OPTION = "--providers"
ARENAS = 1
"""Its threads allocate rarely, and never during an execution."""


def become_daemon(providers: str = "") -> None:
    """Replace this process by the daemon's; returns only if the system cannot execute Python again.

    providers: whose runners are compiled, separated by commas; empty: all.
    """
    more = (_PROVIDERS_OPTION, providers) if providers else ()
    # Its docstrings take 3 MiB. No assertion of the daemon has a meaning besides that for the type checker.
    lean.become(__spec__.name, "daemon", "start", *more, without_docstrings=True)


def main() -> None:
    """Execute jobs until SIGTERM or SIGINT, and exit with the code of ``ciphermark``."""
    lean.run(_execute_jobs, arenas=ARENAS, unused=UNUSED)


def load() -> None:
    """Import what the daemon imports, so that its bytecode is kept where the daemon itself may not write."""
    lean.leave_out(UNUSED)
    for name in _PROGRAM:
        import_module(name)


def _execute_jobs() -> None:
    from orchestrator.daemon.program import start  # noqa: PLC0415 - after the unused packages were excluded
    from orchestrator.shared.settings import DaemonSettings  # noqa: PLC0415

    start(DaemonSettings(), providers_of(_given_providers()))


def _given_providers() -> str:
    return sys.argv[-1] if _PROVIDERS_OPTION in sys.argv else ""


def providers_of(text: str) -> frozenset[str] | None:
    """Return the providers of a text that separates them by commas; None, which means all, if it is empty."""
    return frozenset(text.split(",")) if text else None


if __name__ == "__main__":
    # `up` begins here; the command has become this process with the right options already.
    if sys.flags.optimize < _WITHOUT_DOCSTRINGS and lean.keeps_bytecode():
        become_daemon(_given_providers())
    main()
