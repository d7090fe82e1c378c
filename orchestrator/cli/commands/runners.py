"""Build, list and verify the native runners."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.cipher_page import DescribedBuild, cipher_page, footprint_sizes
from orchestrator.cli.cross_builds.emulation import find_emulator
from orchestrator.cli.cross_builds.machines import PI_MACHINES, TARGETS
from orchestrator.cli.cross_builds.making import DEFAULT_TOOLCHAIN, CrossBuild, MadeCrossBuild, find_cross_compiler
from orchestrator.cli.cross_builds.making import cross_build as make_cross_build
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.output import MISSING, JSONOption, console, notes, print_json, print_table, spinner
from orchestrator.cli.running.progress import ProgressLines
from orchestrator.cli.settings import read_settings
from orchestrator.cli.tables.evidence import constant_time_json, print_constant_time, print_evidence
from orchestrator.compilation.cache import trim_cache
from orchestrator.compilation.constant_time.checks import find_checks
from orchestrator.compilation.evidence.collecting import collect
from orchestrator.compilation.evidence.storage import store_evidence
from orchestrator.compilation.folders import LAUNCHER
from orchestrator.compilation.footprints import find_footprints, load_footprints
from orchestrator.compilation.installed import InstalledBuild, list_builds
from orchestrator.compilation.native.build import build as build_runners
from orchestrator.compilation.native.compilers import find_compilers
from orchestrator.compilation.native.steps import BuildObserver, step_summary
from orchestrator.compilation.native.toolchain import read_toolchain
from orchestrator.compilation.proofs import load_proofs, prove
from orchestrator.compilation.target_sizes import FIRMWARE, sizes_on_target
from orchestrator.daemon.builds.cross_built import install_carried
from orchestrator.shared.errors import BuildFailed, NotFound
from orchestrator.shared.files.complete import complete
from orchestrator.shared.resources import shipped
from orchestrator.shared.settings import CommonSettings
from orchestrator.shared.tables import Column, number
from orchestrator.shared.units import format_bytes_approximately, format_duration_ns
from orchestrator.wire.builds import (
    CompilerName,
    DeviceMachine,
    FootprintResult,
    Linking,
    Optimization,
    Toolchain,
    stack_operations,
)

app = typer.Typer(no_args_is_help=True)

OWN = "own"
"""Provider described by the page."""
Sizes = tuple[dict[str, str], str, list[FootprintResult]]
"""Fields for JSON of where these sizes apply, the same as a title, and the sizes."""


CompilerOption = typer.Option(help="Compiler name.")
VersionOption = typer.Option(help="12 or 12.2; default: the newest installed.")
OptimisationOption = typer.Option(help="Optimization level of the cipher code.")
MachineOption = typer.Option(help="Passed to the compiler; default: the compiler's.")
LinkOption = typer.Option(help="How libraries are linked.")


@app.command()
def build(
    *,
    compiler: Annotated[CompilerName, CompilerOption] = "gcc",
    compiler_version: Annotated[str | None, VersionOption] = None,
    optimization: Annotated[Optimization, OptimisationOption] = "O2",
    march: Annotated[str | None, MachineOption] = None,
    mtune: Annotated[str | None, MachineOption] = None,
    mcpu: Annotated[str | None, MachineOption] = None,
    link: Annotated[Linking, LinkOption] = "dynamic",
    masked: Annotated[bool, typer.Option("--masked", help="With the masked variants of own ciphers.")] = False,
    into: Annotated[Path | None, typer.Option(help="Folder to copy the programs to.")] = None,
    as_json: JSONOption = False,
) -> None:
    """Build the runners with a toolchain, unless they exist. Without a compiler: install those of the wheel."""
    toolchain = _toolchain(
        compiler=compiler, version=compiler_version, optimization=optimization, march=march, mtune=mtune, mcpu=mcpu,
        link=link, masked=masked,
    )  # fmt: skip
    settings = read_settings(CommonSettings)
    with _progress(f"building the runners with {toolchain.words}") as watch:
        carried = toolchain == Toolchain() and not find_compilers()
        made = (install_carried(settings.cache_folder, watch) if carried else None) or build_runners(
            shipped("runners"), toolchain, settings.cache_folder, watch
        )
    # A daemon rebuilds a build that its jobs still name.
    trim_cache(settings.cache_folder, settings.build_cache_bytes, keep={made.build_key})
    if into is not None:
        made.copy_programs(into)
    _show([made], as_json)


@app.command("cross-build")
def cross_build(
    *,
    machine: Annotated[DeviceMachine | None, typer.Option(help="Kind of device; default: both Raspberry Pis.")] = None,
    optimization: Annotated[Optimization, OptimisationOption] = "O2",
    march: Annotated[str | None, MachineOption] = None,
    mtune: Annotated[str | None, MachineOption] = None,
    mcpu: Annotated[str | None, MachineOption] = None,
    sources: Annotated[
        Path | None, typer.Option(help="Package sources of the devices' libraries; default: those of apt.")
    ] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Download the devices' libraries again.")] = False,
    as_json: JSONOption = False,
) -> None:
    """Build the runners for devices without a compiler, try them (Arm under emulation), and offer them to agents."""
    machines = [machine] if machine else list(PI_MACHINES)
    flags = {"march": march, "mtune": mtune, "mcpu": mcpu}
    if len(machines) > 1 and any(flags.values()):
        raise typer.BadParameter("--march, --mtune and --mcpu need one --machine: each kind of device has its own.")
    if sources is not None and not sources.is_file():
        raise typer.BadParameter(f"--sources {sources} is not a file; expected a file like /etc/apt/sources.list.")
    toolchain = _toolchain(
        optimization=optimization, link=DEFAULT_TOOLCHAIN.link, masked=DEFAULT_TOOLCHAIN.masked, **flags
    )
    cache_folder = read_settings(CommonSettings).cache_folder
    # A missing program is reported for all machines before the first build.
    for name in machines:
        find_cross_compiler(TARGETS[name])
        find_emulator(TARGETS[name])
    made = []
    for name in machines:
        request = CrossBuild(
            source=shipped("runners"),
            target=TARGETS[name],
            toolchain=toolchain,
            cache_folder=cache_folder,
            package_sources=sources.resolve() if sources else None,
            refresh=refresh,
        )
        with _progress(f"cross-building the runners for {name}") as watch:
            made.append(make_cross_build(request, watch))
        if not as_json:
            _show_cross_build(made[-1])
    if as_json:
        offers = [(one.offer.model_dump(mode="json"), one) for one in made]
        print_json([{**offer, "archive": str(one.archive), "made_now": one.is_new} for offer, one in offers])


@app.command("list")
def list_runners(as_json: JSONOption = False) -> None:
    """List every runner of every build with its path."""
    _show(list_builds(read_settings(CommonSettings).cache_folder), as_json)


@app.command()
def sizes(
    algorithm: Annotated[str, typer.Argument(help="One algorithm, or a pattern: 'tinyjambu-*'.")] = "*",
    *,
    target: Annotated[
        str | None,
        typer.Option(help="Processor to compile our own ciphers for, such as cortex-m3. It need not be here."),
    ] = None,
    optimization: Annotated[Optimization, OptimisationOption] = FIRMWARE,
    as_json: JSONOption = False,
) -> None:
    """Show the memory of implementations by build, or on a target: code, static RAM, context, stack."""
    found = _sizes_of_builds(algorithm) if target is None else [_sizes_on(target, optimization, algorithm)]
    if not any(rows for _, _, rows in found):
        raise NotFound(f"No implementation of {algorithm!r} was found.", remedy="List all: ciphermark runners sizes.")
    if as_json:
        print_json([{**where, **row.model_dump(mode="json")} for where, _, rows in found for row in rows])
        return
    for _, title, rows in found:
        _print_footprints(rows, title)
        for reason in dict.fromkeys(row.reason for row in rows if row.reason):
            console().print(f"{MISSING}: {reason}", markup=False)
    if target is not None:
        console().print("Without the C library (memcpy, memset) and the compiler's helpers. Nothing was executed.")


def _sizes_of_builds(algorithm: str) -> list[Sizes]:
    found = []
    with _progress("measuring sizes") as watch:
        for made in list_builds(read_settings(CommonSettings).cache_folder):
            rows = find_footprints(made, prove(made, watch.progress), watch)
            if matching := [row for row in rows if fnmatchcase(row.algorithm, algorithm)]:
                found.append(({"build_key": made.build_key}, _title(made), matching))
    return found


def _sizes_on(target: str, optimization: Optimization, algorithm: str) -> Sizes:
    with _progress(f"compiling for {target}") as watch:
        found = sizes_on_target(shipped("runners"), target, optimization, watch)
    rows = [row for row in found.rows if fnmatchcase(row.algorithm, algorithm)]
    place = {"target": target, "compiler": found.compiler_version, "optimization": optimization}
    return place, f"{target}: {found.compiler_version} -{optimization} {' '.join(found.target.flags)}", rows


@app.command("constant-time")
def constant_time(
    algorithm: Annotated[str, typer.Argument(help="One algorithm, or a pattern: 'tinyjambu-*'.")] = "*",
    as_json: JSONOption = False,
) -> None:
    """Search the implementations of each build for effects of secrets; the first time takes seconds to minutes."""
    found = []
    with _progress("searching for effects of secrets") as watch:
        for made in list_builds(read_settings(CommonSettings).cache_folder):
            rows = find_checks(made, watch)
            if matching := [row for row in rows if fnmatchcase(row.algorithm, algorithm)]:
                found.append((made, matching))
    if not found:
        raise NotFound(
            f"No build on this machine has an implementation of {algorithm!r}.",
            remedy="List all: ciphermark runners sizes.",
        )
    if as_json:
        print_json([constant_time_json(made, row) for made, rows in found for row in rows])
        return
    for made, rows in found:
        print_constant_time(made, rows, _title(made))


@app.command()
def document(
    into: Annotated[Path, typer.Option(help="File to write.")] = Path("docs/ciphers.md"),
) -> None:
    """Write docs/ciphers.md from the output of 'list', and the sizes and checks of the default build."""
    toolchain = read_toolchain({"masked": True})
    with _progress("building and examining the runners") as watch:
        made = build_runners(shipped("runners"), toolchain, read_settings(CommonSettings).cache_folder, watch)
        listing = next(runner.listing for runner in made.report.runners if runner.provider == OWN)
        rows = [row for row in find_footprints(made, prove(made, watch.progress), watch) if row.provider == OWN]
        checks = [row for row in find_checks(made, watch) if row.provider == OWN]
    title = f"{made.report.toolchain.words} ({made.report.compiler_version})"
    with complete(into) as new:
        new.write_text(cipher_page(DescribedBuild(listing, rows, checks, title)), encoding="utf-8")
    console().print(f"{into}: {len(listing.implementations)} implementations", markup=False)


@app.command()
def verify(as_json: JSONOption = False) -> None:
    """Check every known answer of every build. The exit code is 11 if one fails."""
    builds = list_builds(read_settings(CommonSettings).cache_folder)
    proofs = [(made, proof) for made in builds for proof in prove(made, lambda _: None).proofs]
    failed = [(made, proof) for made, proof in proofs if not proof.passed]
    if as_json:
        print_json([{"build_key": made.build_key} | proof.model_dump(mode="json") for made, proof in proofs])
    else:
        for made, proof in failed:
            name = f"{proof.provider} {proof.algorithm} {proof.variant}"
            console().print(f"failed: {name} of build {made.build_key[:12]}: {proof.detail}", markup=False)
        console().print(f"{len(proofs) - len(failed)} of {len(proofs)} implementations pass their known answers.")
    if failed:
        raise typer.Exit(ExitCode.DAMAGED)


@app.command()
def evidence(
    folder: Annotated[Path, typer.Argument(help="Build folder of CMake with the runners, for example build/tests.")],
    *,
    traces: Annotated[
        int, typer.Option(min=1_000, max=100_000_000, help="Executions of each form and seed.")
    ] = 100_000,
    algorithm: Annotated[str | None, typer.Option(help="Only this algorithm; the result is not stored.")] = None,
    into: Annotated[Path | None, typer.Option(help="File to write the report to as well.")] = None,
    as_json: JSONOption = False,
) -> None:
    """Examine masked ciphers by probes, t-tests and object code, and store the report. Exit code 11: one failed."""
    with _progress("collecting the evidence of masking") as watch:
        found = collect(folder, traces, watch.report, algorithm)
    if algorithm is None:
        stored = store_evidence(read_settings(CommonSettings).cache_folder, found)
        notes().print(f"stored as {stored}", markup=False)
    if into is not None:
        with complete(into) as new:
            new.write_text(found.model_dump_json(indent=1), encoding="utf-8")
    print_json(found.model_dump(mode="json")) if as_json else print_evidence(found)
    if found.failed:
        raise typer.Exit(ExitCode.DAMAGED)


def _print_footprints(rows: Sequence[FootprintResult], title: str) -> None:
    operations = stack_operations(row.stack_bytes for row in rows)
    columns = (
        Column("provider"), Column("algorithm", keeps_width=True), Column("variant", keeps_width=True), number("code"),
        number("constants", drop=1), number("static", drop=2), number("context", drop=3), *map(number, operations),
    )  # fmt: skip
    cells = []
    for row in rows:
        code, *others = footprint_sizes(row, operations)
        cells.append((row.provider, row.algorithm, row.variant, code, row.constant_bytes, *others))
    print_table(columns, cells, title)
    stacks = f"; {', '.join(operations)}: stack" if operations else ""
    console().print(f"Bytes. code: with its constants; static: .data and .bss{stacks}.")


def _toolchain(**words: object) -> Toolchain:
    try:
        return read_toolchain(words)
    except BuildFailed as error:
        raise typer.BadParameter(error.detail) from None


@contextmanager
def _progress(activity: str) -> Iterator[BuildObserver]:
    """Show the time and the last line of a build, outside of a terminal a line every few seconds.

    SIGTERM ends it as Ctrl-C does, with its compilers.
    """
    former = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if not notes().is_terminal:
            yield BuildObserver(ProgressLines(notes()).show)
            return
        with spinner(activity) as show:
            yield BuildObserver(lambda line: show(step_summary(line)[:70]))
    finally:
        signal.signal(signal.SIGTERM, former)


def _show_cross_build(made: MadeCrossBuild) -> None:
    offer, origin = made.offer, made.offer.manifest.origin
    state = "made now" if made.is_new else "exists already"
    console().print(f"cross-build {offer.build_key[:12]} for {origin.machine}: {state}", markup=False)
    rows = [
        ("toolchain", offer.manifest.toolchain.words),
        ("libraries", origin.package_words),
        ("needs", " ".join(origin.required_features)),
        ("known answers", f"{origin.known_answers_passed} passed ({origin.emulator or 'executed on this machine'})"),
        ("made", f"{origin.words}, in {format_duration_ns(offer.manifest.build_wall_ns)}"),
        ("archive", f"{made.archive} ({format_bytes_approximately(offer.size_bytes)})"),
        *(("failed", line) for line in origin.known_answers_failed),
        *(("not built", f"{name}: {why}") for name, why in offer.manifest.missing_providers.items()),
    ]
    for label, value in rows:
        console().print(f"  {label:13}  {value}", markup=False, soft_wrap=True)


def _as_json(made: InstalledBuild) -> dict[str, object]:
    report = made.report
    return {
        "build_key": made.build_key,
        "toolchain": report.toolchain.model_dump(mode="json"),
        "toolchain_words": report.toolchain.words,
        "compiler_version": report.compiler_version,
        "compile_commands": report.compile_commands,
        "folder": str(made.folder),
        "launcher": str(made.launcher) if made.launcher.is_file() else None,
        "runners": {provider: str(path) for provider, path in made.programs.items()},
        "missing_providers": report.missing_providers,
        "proofs_passed": _proved(made, None),
        "footprints": [row.model_dump(mode="json") for row in load_footprints(made)],
    }


def _show(builds: list[InstalledBuild], as_json: bool) -> None:
    if as_json:
        print_json([_as_json(made) for made in builds])
        return
    for made in builds:
        rows: list[tuple[object, ...]] = [
            (r.provider, len(r.listing.implementations), _proved(made, r.provider), r.sha256[:12],
             made.programs[r.provider])
            for r in made.report.runners
        ]  # fmt: skip
        if made.launcher.is_file():
            rows.append((LAUNCHER, None, None, None, made.launcher))
        rows += [
            (provider, None, None, None, f"not built: {why}") for provider, why in made.report.missing_providers.items()
        ]
        columns = (Column("provider"), number("listed"), number("proved"), Column("sha256", keeps_width=True))
        print_table((*columns, Column("path")), rows, _title(made))
    if not builds:
        console().print("No runners are built on this machine yet: ciphermark runners build")


def _title(made: InstalledBuild) -> str:
    report = made.report
    took = f", built in {format_duration_ns(report.build_wall_ns)}" if report.build_wall_ns else ""
    return f"build {made.build_key[:12]}: {report.toolchain.words} ({report.compiler_version}){took}"


def _proved(made: InstalledBuild, provider: str | None) -> int:
    """Return how many implementations of a provider, or of all, have passed their known answers."""
    return sum(proof.passed for proof in load_proofs(made).proofs if provider in (None, proof.provider))
