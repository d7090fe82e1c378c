"""``ciphermark service``: the API and the pages alone, for systemd and compose."""

import typer
import uvicorn

from orchestrator import logs
from orchestrator.app import create_app
from orchestrator.cli.settings import service_settings
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.security import binding

app = typer.Typer()

GRACE_SECONDS = 3
"""Listeners to events never hang up by themselves; at the end they get this long."""


@app.command()
def service() -> None:
    """Serve the API and the dashboard until SIGTERM; settings come from CIPHERMARK_* variables."""
    settings = service_settings()
    logs.configure(settings.log_level)
    binding.check(settings)
    settings.data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    bring_up_to_date(settings.resolved_database_url)
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
