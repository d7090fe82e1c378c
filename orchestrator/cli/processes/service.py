"""Process of ``ciphermark service``: the API and the dashboard."""

import os
import sys
from contextlib import nullcontext

from orchestrator.cli.processes import lean

ANNOUNCE = "--announce"
GRACE_SECONDS = 3
"""Seconds that event streams get to close at shutdown; clients never close them first."""
ARENAS = 2
"""40 threads with an arena each kept what large answers had left in them."""


def become_service(*, announce: bool) -> None:
    """Replace this process by the service's; returns only if the system cannot execute Python again."""
    lean.become(__name__, "service", *([ANNOUNCE] if announce else []))


def serve(*, announce: bool) -> None:
    """Serve the API and the dashboard until SIGTERM. The database must be up to date."""
    # Each thread of OpenBLAS takes memory, and no matrix of an answer is large enough for a second one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports numpy, which reads the setting above, and what lean.run excludes.
    import uvicorn  # noqa: PLC0415

    from orchestrator.app import create_app  # noqa: PLC0415
    from orchestrator.cli.settings import service_settings  # noqa: PLC0415
    from orchestrator.cli.supervisor.announcement import announced_service  # noqa: PLC0415
    from orchestrator.service.server.protocol import (  # noqa: PLC0415
        BACKLOG,
        bounded_protocol,
        connection_limits,
    )
    from orchestrator.shared import logs  # noqa: PLC0415

    settings = service_settings()
    logs.configure(settings.log_level)
    with announced_service(settings) if announce else nullcontext():
        uvicorn.run(
            create_app(settings),
            host=settings.host,
            port=settings.port,
            ssl_certfile=settings.tls_certificate,
            ssl_keyfile=settings.tls_key,
            log_config=None,
            access_log=settings.log_level == "debug",
            server_header=False,
            http=bounded_protocol(connection_limits()),
            backlog=BACKLOG,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )


if __name__ == "__main__":
    lean.run(lambda: serve(announce=ANNOUNCE in sys.argv[1:]), arenas=ARENAS, unused=lean.COMMAND_LINE)
