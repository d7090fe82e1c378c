"""``ciphermark runners``: the native programs on this machine."""

import shutil
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.output import Column, JSONOption, console, notes, number, print_json, print_table
from orchestrator.cli.settings import read_settings
from orchestrator.daemon.build_steps import Watch
from orchestrator.daemon.installed_builds import LAUNCHER, InstalledBuild, list_builds
from orchestrator.daemon.proofs import prove
from orchestrator.daemon.runner_builds import build as build_runners
from orchestrator.resources import shipped
from orchestrator.settings import CommonSettings
from orchestrator.units import format_duration_ns
from orchestrator.wire.builds import Toolchain

app = typer.Typer(no_args_is_help=True)


@app.command()
def build(
    into: Annotated[Path | None, typer.Option(help="Folder to copy the programs to.")] = None,
    as_json: JSONOption = False,
) -> None:
    """Build the runners with the default toolchain, unless that was done."""
    cache = read_settings(CommonSettings).cache_folder
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=notes(),
        transient=True,
    )
    task = bar.add_task("building the runners")
    with bar:
        made = build_runners(
            shipped("runners"), Toolchain(), cache, Watch(lambda line: bar.update(task, description=line[:70]))
        )
    if into is not None:
        _copy(made, into)
    _show([made], as_json)


@app.command("list")
def list_runners(as_json: JSONOption = False) -> None:
    """List every runner of every build with its path."""
    _show(list_builds(read_settings(CommonSettings).cache_folder), as_json)


@app.command()
def verify(as_json: JSONOption = False) -> None:
    """Check every known answer of every implementation of every build; a failure ends this with 11."""
    builds = list_builds(read_settings(CommonSettings).cache_folder)
    proofs = [(made, proof) for made in builds for proof in prove(made, lambda _: None).proofs]
    failed = [(made, proof) for made, proof in proofs if not proof.passed]
    if as_json:
        print_json([{"build_key": made.build_key} | proof.model_dump(mode="json") for made, proof in proofs])
    else:
        for made, proof in failed:
            name = f"{proof.provider} {proof.algorithm} {proof.variant}"
            console().print(f"failed: {name} of build {made.build_key[:12]}: {proof.detail}", markup=False)
        console().print(f"{len(proofs) - len(failed)} of {len(proofs)} implementations give their known answers.")
    if failed:
        raise typer.Exit(ExitCode.DAMAGED)


def _copy(made: InstalledBuild, into: Path) -> None:
    into.mkdir(parents=True, exist_ok=True)
    for program in (*made.programs.values(), made.launcher):
        # Renamed into place: a program that is just being executed cannot be overwritten.
        new = into / f".{program.name}.new"
        shutil.copy2(program, new)
        new.replace(into / program.name)


def _as_json(made: InstalledBuild) -> dict[str, Any]:
    report = made.report
    return {
        "build_key": made.build_key,
        "toolchain": report.toolchain.model_dump(mode="json"),
        "compiler_version": report.compiler_version,
        "launcher": str(made.launcher),
        "runners": {provider: str(path) for provider, path in made.programs.items()},
        "left_out": report.left_out,
    }


def _show(builds: list[InstalledBuild], as_json: bool) -> None:
    if as_json:
        print_json([_as_json(made) for made in builds])
        return
    for made in builds:
        report = made.report
        took = f", built in {format_duration_ns(report.build_wall_ns)}" if report.build_wall_ns else ""
        toolchain = report.toolchain
        title = f"build {made.build_key[:12]}: {toolchain.compiler} -{toolchain.optimisation} {toolchain.link}{took}"
        rows: list[tuple[object, ...]] = [
            (r.provider, len(r.listing.implementations), r.sha256[:12], made.programs[r.provider])
            for r in report.runners
        ]
        rows.append((LAUNCHER, None, None, made.launcher))
        rows += [(provider, None, None, f"left out: {reason}") for provider, reason in report.left_out.items()]
        print_table(
            (Column("provider"), number("algorithms"), Column("sha256", keeps_width=True), Column("path")), rows, title
        )
    if not builds:
        console().print("No runners are built here yet: ciphermark runners build")
