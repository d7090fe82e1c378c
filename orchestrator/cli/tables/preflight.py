"""``ciphermark doctor --measuring``: preflight checks of this machine, with remedies."""

from rich.text import Text

from orchestrator.cli.output import Column, console, print_json, print_table
from orchestrator.cli.settings import read_settings
from orchestrator.daemon.health.preflight import CheckedMachine, preflight_report
from orchestrator.measurement.launch.affinity import choose_measured_core
from orchestrator.shared.settings import DaemonSettings
from orchestrator.wire.health import PreflightReportMessage, PreflightResult

_STYLES = {"good": "green", "poor": "bold red", "unknown": "yellow"}


def show_conditions(*, as_json: bool) -> bool:
    """Run every preflight check and print the results, poor ones first; return whether none is poor."""
    settings = read_settings(DaemonSettings)
    place = CheckedMachine(choose_measured_core(settings.measured_core), settings.data_folder)
    report = preflight_report(place)
    if as_json:
        print_json({"measured_core": place.measured_core, **report.model_dump(mode="json", exclude={"run_id"})})
    else:
        _print(report, place.measured_core)
    return not _poor(report)


def _poor(report: PreflightReportMessage) -> list[PreflightResult]:
    return [result for result in report.results if result.state == "poor"]


def _print(report: PreflightReportMessage, measured_core: int) -> None:
    rows = [
        (Text(result.state, style=_STYLES[result.state]), result.name, result.found, _expected(result))
        for result in report.results
    ]
    print_table(
        (Column("", keeps_width=True), Column("what", keeps_width=True), Column("found"), Column("expected")), rows
    )
    poor = _poor(report)
    if not poor:
        console().print(f"\nNo preflight check is poor for measuring on core {measured_core}.")
        return
    console().print("\nRemedies:\n")
    for result in poor:
        console().print(f"  {result.name}: {result.remedy}", soft_wrap=True, markup=False)
    if any(result.tunable for result in poor):
        console().print(
            "\n'ciphermark daemon tune' applies the tunable ones as root; 'ciphermark daemon untune' restores them."
        )


def _expected(result: PreflightResult) -> Text:
    return Text("" if result.state == "good" else result.expected)
