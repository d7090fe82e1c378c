"""Restore a backup; agents deliver again what it lacks."""

from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.output import console
from orchestrator.cli.settings import service_settings
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.cli.supervisor.lock import UpLock
from orchestrator.service.backup.restoring import restore as restore_backup
from orchestrator.shared.values.text import counted

app = typer.Typer()


@app.command()
def restore(
    folder: Annotated[Path, typer.Argument(metavar="BACKUP", help="Folder of the backup.")],
) -> None:
    """Replace the database by that of a backup, after checking it. Refused while the service runs."""
    settings = service_settings()
    settings.data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with UpLock(Layout(settings.data_folder).lock):
        restored = restore_backup(settings, folder.absolute())
    about = restored.backup.description
    lines = [f"Restored {counted(about.executions, 'execution')} of {about.made_at:%Y-%m-%d %H:%M} UTC."]
    if restored.replaced is not None:
        lines.append(f"The replaced database is {restored.replaced}.")
    lines.append("Start the service: agents deliver again what the backup lacks.")
    if not restored.revocations_kept:
        lines.append(
            "The replaced database could not be read: tokens and agents that were revoked since the backup are valid "
            "again. Revoke them: ciphermark token list, ciphermark agents list."
        )
    for line in lines:
        console().print(line, markup=False, soft_wrap=True)
