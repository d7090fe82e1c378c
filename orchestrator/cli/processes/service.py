"""Process of ``ciphermark service``: the API and the dashboard."""

import ctypes
import os
import sys
from contextlib import nullcontext

from orchestrator.cli.processes import lean

ANNOUNCE = "--announce"
GRACE_SECONDS = 3
"""Seconds that event streams get to close at shutdown; clients never close them first."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of <malloc.h>
_MAX_ARENAS = 2
_THRESHOLD_BYTES = 128 * 1024
"""Default of glibc, which raises it to up to 64 MiB unless it is set."""


def become_service(*, announce: bool) -> None:
    """Replace this process by the service's; returns only if the system cannot execute Python again."""
    lean.become(__name__, "service", *([ANNOUNCE] if announce else []))


def serve(*, announce: bool) -> None:
    """Serve the API and the dashboard until SIGTERM. The database must be up to date."""
    return_memory_to_the_system()
    # Each thread of OpenBLAS takes memory, and no matrix of an answer is large enough for a second one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports numpy, which reads the setting above, and what lean.run excludes.
    import uvicorn  # noqa: PLC0415

    from orchestrator import logs  # noqa: PLC0415
    from orchestrator.app import create_app  # noqa: PLC0415
    from orchestrator.cli.settings import service_settings  # noqa: PLC0415
    from orchestrator.supervisor.announcement import announced_service  # noqa: PLC0415

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
            timeout_graceful_shutdown=GRACE_SECONDS,
        )


def return_memory_to_the_system() -> None:
    """Let the C library keep less of the memory that a request has released.

    By default each of the 40 threads of the server gets an arena of its own, up to 8 per core, and what a large answer
    leaves in one is never used by another. Other C libraries than glibc are left as they are.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_M_ARENA_MAX, _MAX_ARENAS)
        set_option(_M_MMAP_THRESHOLD, _THRESHOLD_BYTES)
        set_option(_M_TRIM_THRESHOLD, _THRESHOLD_BYTES)


if __name__ == "__main__":
    lean.run(lambda: serve(announce=ANNOUNCE in sys.argv[1:]))
