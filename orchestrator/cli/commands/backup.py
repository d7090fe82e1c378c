"""Back up the service's data while everything runs."""

from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.output import JSONOption, console, print_json
from orchestrator.cli.settings import service_settings
from orchestrator.service.backup.making import list_backups, make, prune
from orchestrator.shared.values.text import counted

app = typer.Typer()


@app.command()
def backup(
    to: Annotated[Path | None, typer.Option(help="Folder that contains the backups.")] = None,
    only_list: Annotated[bool, typer.Option("--list", help="List the backups, newest first.")] = False,
    as_json: JSONOption = False,
) -> None:
    """Copy the database, the corpus manifest and the settings without secrets, and verify the copy."""
    settings = service_settings()
    folder = to.absolute() if to else settings.resolved_backup_folder
    if only_list:
        found = list_backups(folder)
    else:
        found = [make(settings, folder)]
        prune(folder)
    if as_json:
        print_json([one.model_dump(mode="json") for one in found])
        return
    for one in found:
        made = one.description
        console().print(
            f"{one.folder}  {counted(made.executions, 'execution')}, verified", markup=False, soft_wrap=True
        )
