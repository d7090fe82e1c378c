"""``ciphermark doctor --measuring``: the conditions under which this machine would measure, and how to mend them."""

from rich.text import Text

from orchestrator.cli.output import Column, console, print_json, print_table
from orchestrator.cli.settings import read_settings
from orchestrator.daemon.health.preflight import Place, hygiene_report
from orchestrator.measurement.launch.affinity import choose_measured_core
from orchestrator.settings import DaemonSettings
from orchestrator.wire.health import HygieneFinding, HygieneReport

_STYLES = {"good": "green", "poor": "bold red", "unknown": "yellow"}


def show_conditions(*, as_json: bool) -> bool:
    """Look at every condition, print the findings, poor ones first; return whether none is poor."""
    settings = read_settings(DaemonSettings)
    place = Place(choose_measured_core(settings.measured_core), settings.data_folder)
    report = hygiene_report(place)
    if as_json:
        print_json({"measured_core": place.measured_core, **report.model_dump(mode="json", exclude={"run_id"})})
    else:
        _print(report, place.measured_core)
    return not _poor(report)


def _poor(report: HygieneReport) -> list[HygieneFinding]:
    return [finding for finding in report.findings if finding.state == "poor"]


def _print(report: HygieneReport, measured_core: int) -> None:
    rows = [
        (Text(finding.state, style=_STYLES[finding.state]), finding.name, finding.found, _wanted(finding))
        for finding in report.findings
    ]
    print_table(
        (Column("", keeps_width=True), Column("what", keeps_width=True), Column("found"), Column("wanted")), rows
    )
    poor = _poor(report)
    if not poor:
        console().print(f"\nNothing known is against measuring on core {measured_core}.")
        return
    console().print("\nWhat would help:\n")
    for finding in poor:
        console().print(f"  {finding.name}: {finding.remedy}", soft_wrap=True, markup=False)
    if any(finding.tunable for finding in poor):
        console().print("\n'ciphermark daemon tune' does what root may do of it; 'untune' takes it back.")


def _wanted(finding: HygieneFinding) -> Text:
    return Text("" if finding.state == "good" else finding.wanted)
