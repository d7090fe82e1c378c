"""``ciphermark daemon tune`` and ``untune``: system settings for measuring, set and restored."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.output import JSONOption, console, print_json, print_table
from orchestrator.cli.settings import read_settings
from orchestrator.daemon.health.preflight import CheckedMachine, context_of
from orchestrator.daemon.tune import tuning
from orchestrator.daemon.tune.tuning import SettingOutcome
from orchestrator.measurement.launch.affinity import choose_measured_core
from orchestrator.measurement.machine.roots import KERNEL
from orchestrator.shared.settings import DaemonSettings
from orchestrator.shared.tables import Column

DryRunOption = typer.Option("--dry-run", help="Print what would change without changing it; needs no root.")
ForceOption = typer.Option("--force", help="Also restore settings that another process changed since.")


def tune(dry_run: Annotated[bool, DryRunOption] = False, as_json: JSONOption = False) -> None:
    """Set governor, turbo, huge pages, counters, interrupts and SMT neighbors for measuring; 'untune' restores them.

    Needs root. Exits with 3 and changes nothing if a permission is missing.
    """
    settings = read_settings(DaemonSettings)
    place = CheckedMachine(choose_measured_core(settings.measured_core), settings.data_folder)
    outcomes = tuning.tune(KERNEL, context_of(place), dry_run=dry_run)
    _show(outcomes, "Nothing on this machine can be tuned.", as_json=as_json)
    if any(outcome.failed for outcome in outcomes):
        raise typer.Exit(ExitCode.SETUP)


def untune(force: Annotated[bool, ForceOption] = False, as_json: JSONOption = False) -> None:
    """Restore the settings that 'tune' found, even after a crash. Values that another process changed since stay.

    Needs root. Exits with 6 if a value was kept.
    """
    untuned = tuning.untune(KERNEL, read_settings(DaemonSettings).data_folder, force=force)
    _show(untuned.outcomes, f"{untuned.remark}.", as_json=as_json)
    if any(outcome.failed for outcome in untuned.outcomes):
        raise typer.Exit(ExitCode.CONFLICT)


def _show(outcomes: Sequence[SettingOutcome], otherwise: str, *, as_json: bool) -> None:
    if as_json:
        print_json([vars(outcome) | {"path": str(outcome.path)} for outcome in outcomes])
        return
    if not outcomes:
        console().print(otherwise, markup=False)
        return
    columns = (Column("file"), Column("was", keeps_width=True), Column("target", keeps_width=True), Column("outcome"))
    print_table(columns, [(one.path, one.found, one.target, _words(one)) for one in outcomes])


def _words(outcome: SettingOutcome) -> Text:
    text = f"{outcome.outcome}: {outcome.detail}" if outcome.detail else outcome.outcome
    return Text(text, style="bold red" if outcome.failed else "")
