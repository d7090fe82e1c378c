"""Start the service alone, for systemd or compose."""

import ctypes
import os
from contextlib import nullcontext
from typing import Annotated

import typer
import uvicorn

from orchestrator import logs
from orchestrator.cli.settings import service_settings
from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.security import binding
from orchestrator.settings import ServiceSettings
from orchestrator.supervisor.access import grant_access
from orchestrator.supervisor.announcement import announced_service
from orchestrator.supervisor.layout import Layout

app = typer.Typer()

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of <malloc.h>
_MAX_ARENAS = 2
_THRESHOLD_BYTES = 128 * 1024
"""Default of glibc, which raises it to up to 64 MiB unless it is set."""
GRACE_SECONDS = 3
"""Seconds that event streams get to close at shutdown; clients never close them first."""


@app.command()
def service(
    announce: Annotated[bool, typer.Option("--announce", help="Announce the service on the local network.")] = False,
) -> None:
    """Serve the API and the dashboard until SIGTERM. Settings come from CIPHERMARK_* variables."""
    _return_memory_to_the_system()
    # Each thread of OpenBLAS takes memory, and no matrix of an answer is large enough for a second one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from orchestrator.app import create_app  # noqa: PLC0415 - imports numpy, which reads the setting above

    settings = service_settings()
    logs.configure(settings.log_level)
    binding.check(settings)
    settings.data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    bring_up_to_date(settings.resolved_database_url)
    _let_the_command_line_in(settings)
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


def _return_memory_to_the_system() -> None:
    """Let the C library keep less of the memory that a request has released.

    By default each of the 40 threads of the server gets an arena of its own, up to 8 per core, and what a large answer
    leaves in one is never used by another. Other C libraries than glibc are left as they are.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_M_ARENA_MAX, _MAX_ARENAS)
        set_option(_M_MMAP_THRESHOLD, _THRESHOLD_BYTES)
        set_option(_M_TRIM_THRESHOLD, _THRESHOLD_BYTES)


def _let_the_command_line_in(settings: ServiceSettings) -> None:
    """Create an admin token for the command line of this machine, which creates all others."""
    host = "127.0.0.1" if settings.host in {"0.0.0.0", "::"} else settings.host  # noqa: S104 - compared, not bound
    scheme = "https" if settings.tls_certificate else "http"
    url = settings.public_url or f"{scheme}://{host}:{settings.port}"
    database = Database(settings.resolved_database_url)
    grant_access(Layout(settings.data_folder).command_line_access, database, url, settings.tls_certificate)
    database.close()
