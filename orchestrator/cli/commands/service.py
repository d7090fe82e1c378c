"""Start the service alone, for systemd or compose."""

from typing import Annotated

import typer

from orchestrator.cli.processes.service import become_service, serve
from orchestrator.cli.settings import service_settings
from orchestrator.cli.supervisor.announcement import require_announcement
from orchestrator.cli.supervisor.grants import grant_access
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.service.security import binding
from orchestrator.shared import logs
from orchestrator.shared.files.private import private_process
from orchestrator.shared.settings import ServiceSettings

app = typer.Typer()


@app.command()
def service(
    announce: Annotated[bool, typer.Option("--announce", help="Announce the service on the local network.")] = False,
) -> None:
    """Serve the API and the dashboard until SIGTERM. Settings come from CIPHERMARK_* variables."""
    settings = service_settings()
    logs.configure(settings.log_level)
    binding.check(settings)
    if announce:
        require_announcement(settings)
    private_process(settings.data_folder)
    # In this process, because Alembic takes 10 MiB and the service does not need it afterwards.
    bring_up_to_date(settings.resolved_database_url)
    _let_the_command_line_in(settings)
    become_service(announce=announce)
    serve(announce=announce)


def _let_the_command_line_in(settings: ServiceSettings) -> None:
    """Create an admin token for the command line of this machine, which creates all others."""
    database = Database(settings.resolved_database_url)
    grant_access(
        Layout(settings.data_folder).command_line_access, database, settings.resolved_url, settings.tls_certificate
    )
    database.close()
