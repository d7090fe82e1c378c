"""Start the scheduler alone, for systemd or compose."""

import typer

from orchestrator.cli.processes.scheduler import become_scheduler, schedule
from orchestrator.cli.settings import service_settings
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.shared import logs
from orchestrator.shared.files.private import private_process

app = typer.Typer()


@app.command()
def scheduler() -> None:
    """Lay out runs, send jobs and watch agents until SIGTERM. Settings come from CIPHERMARK_* variables."""
    settings = service_settings()
    logs.configure(settings.log_level)
    private_process(settings.data_folder)
    # In this process, because Alembic takes 10 MiB and the scheduler does not need it afterwards.
    bring_up_to_date(settings.resolved_database_url)
    become_scheduler()
    schedule()
