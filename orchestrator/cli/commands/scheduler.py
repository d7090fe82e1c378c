"""Start the scheduler alone, for systemd or compose."""

import typer

from orchestrator import logs
from orchestrator.cli.settings import service_settings
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.files.private import private_process
from orchestrator.scheduler.program import run

app = typer.Typer()


@app.command()
def scheduler() -> None:
    """Lay out runs, send jobs and watch agents until SIGTERM. Settings come from CIPHERMARK_* variables."""
    settings = service_settings()
    logs.configure(settings.log_level)
    private_process(settings.data_folder)
    bring_up_to_date(settings.resolved_database_url)
    raise typer.Exit(run(settings))
