"""Report what is missing on this machine, and how to install it.

With ``--measuring``: preflight checks.
"""

import os
import shutil
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.text import Text

from orchestrator.cli.client import APIClient, shaped
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.output import JSONOption, console, print_json, print_table
from orchestrator.cli.settings import read_settings
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.compilation.native.libraries import Library, runner_libraries
from orchestrator.daemon.departure import find_daemon
from orchestrator.daemon.health.preflight import CheckedMachine, preflight_report
from orchestrator.measurement.launch.affinity import choose_measured_core
from orchestrator.service.schemas import Readiness
from orchestrator.shared.errors import CiphermarkError
from orchestrator.shared.extras import install_command
from orchestrator.shared.resources import CROSS_BUILDS, carried, shipped
from orchestrator.shared.settings import CommonSettings, DaemonSettings
from orchestrator.shared.tables import Column
from orchestrator.shared.units import GIB, format_bytes_approximately
from orchestrator.wire.health import PreflightReportMessage, PreflightResult
from orchestrator.wire.plans import Plan

app = typer.Typer()

Area = Literal["device", "server", "corpus", "plan"]
_LEAST_FREE_BYTES = 2 * GIB
"""Required disk space: runner builds, the corpus of the built-in plans, and a database of 100 000 executions."""


@dataclass(frozen=True)
class MachineCheck:
    """Result of one check of this machine."""

    name: str
    area: Area
    present: bool
    detail: str
    package: str | None = None  # of Debian and its derivatives
    remedy: str = ""
    needed: bool = True  # otherwise its absence is only reported


@dataclass(frozen=True)
class _Need:
    """A requirement that a package provides: a program, or files that match a pattern."""

    name: str
    area: Area
    package: str
    program: str = ""
    pattern: str = ""  # under the root folder

    def look(self, root: Path) -> MachineCheck:
        """Check whether it is installed."""
        if self.program:
            found = shutil.which(self.program)
        else:
            found = next((str(path) for path in root.glob(self.pattern)), None)
        detail = found or f"no {self.program or self.pattern}"
        return MachineCheck(self.name, self.area, found is not None, detail, None if found else self.package)


_NEEDS = (
    _Need("C++ compiler", "device", "g++", program="g++"),
    _Need("CMake", "device", "cmake", program="cmake"),
    _Need("Ninja", "device", "ninja-build", program="ninja"),
    _Need("Redis", "server", "redis-server", program="redis-server"),
    _Need("ffmpeg", "corpus", "ffmpeg", program="ffmpeg"),
    _Need("recorded speech", "corpus", "asterisk-core-sounds-es-wav", pattern="usr/share/asterisk/sounds/es*"),
    _Need("prose: Bible", "corpus", "bible-kjv", program="bible"),
    _Need("prose: fortunes", "corpus", "fortunes-es", pattern="usr/share/games/fortunes/es/*.u8"),
)
_PYTHON_PACKAGES: tuple[tuple[Area, tuple[str, ...]], ...] = (
    ("device", ("celery", "redis", "psutil", "httpx", "pydantic", "structlog")),
    ("server", ("fastapi", "sqlalchemy", "alembic", "uvicorn", "cryptography", "numpy", "yaml")),
)


MeasuringOption = typer.Option("--measuring", help="Run preflight checks instead: governor, load, …")
PlanOption = typer.Option(help="Plan that this machine shall execute [those of this installation].")


@app.command()
def doctor(
    measuring: Annotated[bool, MeasuringOption] = False,
    plan: Annotated[Path | None, PlanOption] = None,
    as_json: JSONOption = False,
) -> None:
    """Check what Ciphermark and plans need on this machine. Exits with 3 if something is missing (or poor)."""
    if measuring:
        if not show_conditions(as_json=as_json):
            raise typer.Exit(ExitCode.SETUP)
        return
    findings = examine(Path("/"))
    absent = {finding.name for finding in findings if not finding.present}
    findings += _plans(plan, absent)
    if as_json:
        print_json([vars(finding) for finding in findings])
    else:
        _print(findings)
    if any(not finding.present and finding.needed for finding in findings):
        raise typer.Exit(ExitCode.SETUP)


def examine(root: Path) -> list[MachineCheck]:
    """Return every check of this machine; root is the folder that contains ``usr``."""
    settings = read_settings(CommonSettings)
    looks: list[Callable[[], MachineCheck]] = [_python, lambda: _space(settings.data_folder), _cores, _service]
    parts = [need.look(root) for need in _NEEDS]
    parts += [_library(library, root) for library in runner_libraries(shipped("runners"))]
    if carried(CROSS_BUILDS).is_dir():
        parts = [part if part.area == "server" else _carried(part) for part in parts]
    return [*parts, *_python_packages(), *(look() for look in looks)]


def _carried(check: MachineCheck) -> MachineCheck:
    """Return the check of a part in whose place the installed wheel carries runners and input data."""
    remedy = f"Optional, for other toolchains and data: {check.package}." if not check.present else ""
    return replace(check, package=None, remedy=check.remedy or remedy, needed=False)


def _plans(named: Path | None, absent: Collection[str]) -> list[MachineCheck]:
    """Return a plan of the user; by default those of this installation that lack something, and how many do not."""
    if find_spec("yaml") is None:
        detail = "not examined: the package pyyaml, which reads plans, is not installed."
        remedy = "'ciphermark submit PLAN --preview' names what an agent lacks."
        return [MachineCheck("plans", "plan", False, detail, remedy=remedy, needed=False)]
    # A device has no package that reads plans.
    from orchestrator.cli.device.plans import installed_plans, plan_from, plan_lacks  # noqa: PLC0415

    def check(name: str, plan: Plan) -> MachineCheck:
        lacks, packages = plan_lacks(plan, absent)
        detail = f"lacks {', '.join(lacks)}." if lacks else "has all programs and libraries that it needs"
        remedy = f"Install: apt-get install {' '.join(packages)}" if packages else ""
        return MachineCheck(f"plan {name}", "plan", not lacks, detail, remedy=remedy, needed=named is not None)

    if named is not None:
        return [check(named.stem, plan_from(named))]
    checks = [check(name, plan) for name, plan in installed_plans()]
    lacking = [one for one in checks if not one.present]
    complete = f"{len(checks) - len(lacking)} of {len(checks)} have all programs and libraries that they need"
    return [*lacking, MachineCheck("plans", "plan", True, complete)]


def install_line(findings: list[MachineCheck]) -> str | None:
    """Return the command that installs every missing package, or None."""
    packages = [finding.package for finding in findings if not finding.present and finding.package]
    if not packages:
        return None
    sudo = "" if os.geteuid() == 0 else "sudo "
    return f"{sudo}apt-get install -y --no-install-recommends {' '.join(packages)}"


def _library(library: Library, root: Path) -> MachineCheck:
    """Check whether the library's header is installed; runners are built without the libraries that are missing."""
    # The folders in which CMake searches. Other packages have headers of the same name: node/openssl/evp.h.
    folders = ("", "*-linux-*/", *(f"{name}/" for name in library.link_names))
    paths = (path for folder in folders for path in root.glob(f"usr/include/{folder}{library.header}"))
    found = next((str(path) for path in paths), None)
    needed = library.set_up == "demo"
    return MachineCheck(
        f"library {library.provider}",
        "device",
        found is not None,
        found or f"no {library.header}",
        None if found or not needed else library.packages[-1],
        remedy=f"Optional: {' or '.join(library.packages)}." if not needed else "",
        needed=needed,
    )


def _python() -> MachineCheck:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return MachineCheck(
        "Python", "device", sys.version_info >= (3, 11), version, remedy="Python 3.11 or newer is needed."
    )


def _python_packages() -> list[MachineCheck]:
    findings = []
    for area, names in _PYTHON_PACKAGES:
        missing = [name for name in names if find_spec(name) is None]
        extra = "agent" if area == "device" else "service"
        findings.append(
            MachineCheck(
                f"Python packages [{extra}]",
                area,
                not missing,
                f"missing: {', '.join(missing)}" if missing else f"all {len(names)} that matter",
                remedy=install_command(extra),
                needed=area == "device",
            )
        )
    return findings


def _space(folder: Path) -> MachineCheck:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free
    writable = os.access(existing, os.W_OK)
    detail = f"{format_bytes_approximately(free)} free in {existing}{'' if writable else ', which cannot be written'}"
    enough = f"{format_bytes_approximately(_LEAST_FREE_BYTES)} are needed"
    remedy = f"{enough}, or another folder: CIPHERMARK_DATA_FOLDER."
    return MachineCheck("data folder", "device", writable and free >= _LEAST_FREE_BYTES, detail, remedy=remedy)


def _cores() -> MachineCheck:
    cores = len(os.sched_getaffinity(0))
    remedy = "With one core the monitor disturbs the measured program, so curves are coarse."
    return MachineCheck("cores", "device", cores > 1, str(cores), remedy=remedy, needed=False)


def _service() -> MachineCheck:
    try:
        access = ServiceAccess.find()
        with APIClient(access, timeout_seconds=10.0) as client:
            parts = shaped(Readiness, client.get("/readiness")).parts
    except CiphermarkError as error:
        return MachineCheck("service", "server", False, error.detail, remedy=error.remedy, needed=False)
    return MachineCheck("service", "server", True, f"{access.url}: {', '.join(part.name for part in parts)} ready")


def _print(findings: list[MachineCheck]) -> None:
    rows = [
        (_mark(f), f.name, f.area, f.detail if f.present or not f.remedy else f"{f.detail} {f.remedy}")
        for f in findings
    ]
    print_table((Column("", keeps_width=True), Column("what", keeps_width=True), Column("for"), Column("seen")), rows)
    line = install_line(findings)
    if line:
        console().print("\nInstall the missing packages with:\n")
        console().print(f"  {line}", soft_wrap=True, markup=False)
    elif all(finding.present or not finding.needed for finding in findings):
        console().print("Nothing is missing.")


def _mark(finding: MachineCheck) -> Text:
    if finding.present:
        return Text("ok", style="green")
    return Text("missing", style="bold red") if finding.needed else Text("note", style="yellow")


_STYLES = {"good": "green", "poor": "bold red", "unknown": "yellow"}


def show_conditions(*, as_json: bool) -> bool:
    """Run every preflight check and print the results, poor ones first; return whether none is poor."""
    settings = read_settings(DaemonSettings)
    folder = settings.data_folder
    own = find_daemon(folder) or find_daemon(Layout(folder).agent_folder)
    place = CheckedMachine(choose_measured_core(settings.measured_core), folder, own_daemon=own)
    report = preflight_report(place)
    if as_json:
        print_json({"measured_core": place.measured_core, **report.model_dump(mode="json", exclude={"run_id"})})
    else:
        _print_conditions(report, place.measured_core)
    return not _poor(report)


def _poor(report: PreflightReportMessage) -> list[PreflightResult]:
    return [result for result in report.results if result.state == "poor"]


def _print_conditions(report: PreflightReportMessage, measured_core: int) -> None:
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
