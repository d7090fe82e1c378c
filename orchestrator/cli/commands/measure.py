"""Measure any program on this machine: time, CPU time, peak memory. Compares several programs."""

import os
import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Annotated, Literal

import typer

from orchestrator.cli.adhoc.command_lines import CommandLine, given_commands, read_shell
from orchestrator.cli.adhoc.comparison import require_numpy
from orchestrator.cli.adhoc.conclusions import conclude
from orchestrator.cli.adhoc.expansion import HOOKS, Expanded, Given, expand
from orchestrator.cli.adhoc.hooks import Hooks, execute_hook
from orchestrator.cli.adhoc.instrument import Where, open_bench
from orchestrator.cli.adhoc.parameters import parameters_of
from orchestrator.cli.adhoc.program import CallersEnvironment, ProgramCommand, passable
from orchestrator.cli.adhoc.reports.document import Results
from orchestrator.cli.adhoc.reports.markup import Sort
from orchestrator.cli.adhoc.series import MIN_ROUNDS, MeasuredProgram, SeriesPlan, SeriesPrecision, Steps, run_series
from orchestrator.cli.adhoc.settings import BenchSettings, read_plain_settings
from orchestrator.cli.adhoc.streams import INHERIT, NULL, Places, ProgramStreams, descriptors_of, open_streams
from orchestrator.cli.measuring import options as o
from orchestrator.cli.measuring.progress import ProgressBar
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.files.named import require_writable, write_file
from orchestrator.shared.units import GIB, parse_size_bytes

app = typer.Typer()

STANDARD_OUTPUT = Path("-")
TimeUnit = Literal["nanosecond", "microsecond", "millisecond", "second"]


@app.command(cls=o.MeasureCommand, context_settings={"ignore_unknown_options": True})
def measure(
    ctx: typer.Context,
    commands: Annotated[list[str] | None, o.PROGRAMS] = None,
    *,
    repetitions: Annotated[int | None, o.REPETITIONS] = None,
    min_runs: Annotated[int | None, o.MIN_RUNS] = None,
    max_runs: Annotated[int | None, o.MAX_RUNS] = None,
    precision: Annotated[float | None, o.PRECISION] = None,
    budget: Annotated[float | None, o.BUDGET] = None,
    warm_up: Annotated[int, o.WARM_UP] = 0,
    parameter_list: Annotated[list[str] | None, o.LIST] = None,
    parameter_scan: Annotated[list[str] | None, o.SCAN] = None,
    parameter_step: Annotated[list[str] | None, o.STEP] = None,
    setup: Annotated[list[str] | None, o.SETUP] = None,
    prepare: Annotated[list[str] | None, o.PREPARE] = None,
    conclude: Annotated[list[str] | None, o.CONCLUDE] = None,
    cleanup: Annotated[list[str] | None, o.CLEANUP] = None,
    name: Annotated[list[str] | None, o.NAME] = None,
    reference: Annotated[str | None, o.REFERENCE] = None,
    reference_name: Annotated[str | None, o.REFERENCE_NAME] = None,
    shell: Annotated[str | None, o.SHELL] = None,
    prepare_shell: Annotated[str | None, o.PREPARE_SHELL] = None,
    no_shell: Annotated[bool, o.NO_SHELL] = False,
    given_input: Annotated[str, o.INPUT] = NULL,
    output: Annotated[list[str] | None, o.OUTPUT] = None,
    show_output: Annotated[bool, o.SHOW_OUTPUT] = False,
    seed: Annotated[int | None, o.SEED] = None,
    core: Annotated[int | None, o.CORE] = None,
    any_core: Annotated[bool, o.ANY_CORE] = False,
    timeout: Annotated[float, o.TIMEOUT] = 3600.0,
    output_limit: Annotated[str, o.OUTPUT_LIMIT] = "64 MiB",
    ignore_failure: Annotated[bool, o.IGNORE_FAILURE] = False,
    no_padding: Annotated[bool, o.NO_PADDING] = False,
    control: Annotated[bool, o.CONTROL] = False,
    sort: Annotated[Sort, o.SORT] = "auto",
    time_unit: Annotated[TimeUnit | None, o.TIME_UNIT] = None,
    as_json: Annotated[bool, o.JSON] = False,
    as_csv: Annotated[bool, o.CSV] = False,
    curves: Annotated[bool, o.CURVES] = False,
    export_json: Annotated[Path | None, o.EXPORT_JSON] = None,
    export_csv: Annotated[Path | None, o.EXPORT_CSV] = None,
    export_markdown: Annotated[Path | None, o.EXPORT_MARKDOWN] = None,
) -> None:
    """Measure any program on this machine with the instrument of runs: time, CPU time, peak memory; compare several.

    The words after '--' are one program with its arguments. Before it, each word is a command line:
    ciphermark measure 'gzip -kf x' 'zstd -qf x'. There is no shell without --shell.
    """
    options = SimpleNamespace(**locals())
    try:
        _check(options)
        programs = expand(_given(options))
    except InvalidRequest as error:
        raise typer.BadParameter(f"{error.detail} {error.remedy}".strip()) from None
    _write(_measured(options, programs), options)


def _check(options: SimpleNamespace) -> None:
    """Refuse options that contradict each other, before anything is executed."""
    until = (options.precision, options.budget, options.min_runs, options.max_runs)
    printed = options.as_json or options.as_csv
    paths = list(_export_files(options).values())
    contradictions = {
        "-n fixes the number of executions and cannot be combined with --precision, --budget, --min-runs or "
        "--max-runs.": options.repetitions is not None and any(value is not None for value in until),
        f"--min-runs {options.min_runs} is more than --max-runs {options.max_runs}.": options.min_runs
        and options.max_runs
        and options.min_runs > options.max_runs,
        "--core and --any-core cannot be combined.": options.core is not None and options.any_core,
        "--no-shell and --shell cannot be combined.": options.no_shell and _shell_of(options) is not None,
        "--reference-name requires --reference.": options.reference_name is not None and options.reference is None,
        "--show-output and --output cannot be combined; --output inherit shows it, too.": options.show_output
        and options.output,
        "The output of the programs and the results would both go to standard output; --export-json writes the "
        "results to a file, --output FILE that of the programs.": printed
        and (options.show_output or INHERIT in (options.output or ())),
        "Two formats would both go to standard output; --export-json, --export-csv and the others write files.": (
            paths.count(STANDARD_OUTPUT) + options.as_json + options.as_csv
        )
        > 1,
        "--curves requires --json.": options.curves and not options.as_json,
    }
    for message, is_so in contradictions.items():
        if is_so:
            raise InvalidRequest(message)
    _limit_bytes(options.output_limit)
    for path in paths:
        if path != STANDARD_OUTPUT:
            require_writable(path)


def _shell_of(options: SimpleNamespace) -> str | None:
    """Return the shell that executes the programs; ``none`` is hyperfine's word for no shell."""
    return None if options.shell == "none" else options.shell


def _given(options: SimpleNamespace) -> Given:
    lists = [o.words_of("-L", text, o.LIST_METAVAR) for text in options.parameter_list or ()]
    scans = [o.words_of("-P", text, o.SCAN_METAVAR) for text in options.parameter_scan or ()]
    commands = given_commands(options.commands or [], options.ctx.meta.get(o.AFTER))
    reference = given_commands([options.reference], None) if options.reference is not None else []
    shell = _shell_of(options)
    return Given(
        commands=[*reference, *commands],
        has_reference=bool(reference),
        parameters=parameters_of(
            [(name, values) for name, values in lists],
            [(name, lowest, highest) for name, lowest, highest in scans],
            options.parameter_step or [],
        ),
        names=options.name or [],
        reference_name=options.reference_name,
        hooks={hook: getattr(options, hook) or [] for hook in HOOKS},
        outputs=[INHERIT] if options.show_output else options.output or [],
        input=options.given_input,
        shell=None if shell is None else read_shell(shell),
        hook_shell=None if options.prepare_shell is None else read_shell(options.prepare_shell),
    )


def _measured(options: SimpleNamespace, programs: list[Expanded]) -> Results:
    """Measure the programs and return the results."""
    if len(programs) + options.control > 1:
        require_numpy()
    settings = _settings()
    variables, left_out = passable(os.environ)
    remarks = [f"Environment variables not passed on: {', '.join(left_out)}."] if left_out else []
    seed = int.from_bytes(os.urandom(4), "big") if options.seed is None else options.seed
    environment = CallersEnvironment(variables, not options.no_padding)
    layout = Random(f"layout {seed}")  # noqa: S311 - a layout, not a secret
    programs = [*programs, *_extra(options, programs)]
    with open_streams([program.places for program in programs], shown=options.show_output) as streams:
        plan = _plan(options, programs, streams, seed)
        where = Where(options.core, options.any_core)
        quiet = any(one.streams.stdout is not None for one in streams)
        with (
            open_bench(settings, where, environment, layout, descriptors_of(streams)) as bench,
            ProgressBar(not quiet) as bar,
        ):
            steps = Steps(
                lambda option, line: execute_hook(option, line, shown=options.show_output), bench.measure, bar.show
            )
            series = run_series(plan, steps)
    return conclude(plan, series, core=bench.core, remarks=remarks)


def _extra(options: SimpleNamespace, programs: list[Expanded]) -> list[Expanded]:
    """Return the programs that do not compete: the copy of the first one, and the start of the shell."""
    found = []
    if options.control:
        first = programs[0]
        found.append(Expanded(f"{first.name} (control)", first.line, first.hooks, first.values, first.places))
    shell = _shell_of(options)
    if shell is not None:
        line = read_shell(shell).line("")
        found.append(Expanded(f"start of {shell}", line, Hooks(), {}, Places()))
    return found


def _plan(options: SimpleNamespace, programs: list[Expanded], streams: list[ProgramStreams], seed: int) -> SeriesPlan:
    with_shell = _shell_of(options) is not None
    min_rounds = options.min_runs or MIN_ROUNDS
    return SeriesPlan(
        programs=tuple(_program(one, its, options) for one, its in zip(programs, streams, strict=True)),
        seed=seed,
        warm_up_rounds=options.warm_up,
        rounds=options.repetitions,
        precision=SeriesPrecision(
            relative_interval=options.precision or 0.01,
            max_repetitions=options.max_runs or max(o.MAX_REPETITIONS, min_rounds),
            seconds_per_case=options.budget or 10,
        ),
        min_rounds=min_rounds,
        reference=None if options.reference is None else 0,
        control=len(programs) - 1 - with_shell if options.control else None,
        shell=len(programs) - 1 if with_shell else None,
        ignore_failure=options.ignore_failure,
    )


def _settings() -> BenchSettings:
    plain = read_plain_settings(os.environ)
    if plain is not None:
        return plain
    from orchestrator.cli.settings import read_settings  # noqa: PLC0415 - pydantic, which plain settings do not need
    from orchestrator.shared.settings import DaemonSettings  # noqa: PLC0415 - as above

    read = read_settings(DaemonSettings)
    return BenchSettings(read.cache_folder, read.measured_core, read.sampling_interval_ms, read.exit_stop)


def _program(one: Expanded, streams: ProgramStreams, options: SimpleNamespace) -> MeasuredProgram:
    limits = (options.timeout, _limit_bytes(options.output_limit))
    line: CommandLine = one.line
    command = ProgramCommand(line.program, "local", one.name, "none", *limits, words=line.words, connected=streams)
    return MeasuredProgram(one.name, line, command, one.hooks, one.values)


def _limit_bytes(text: str) -> int:
    try:
        limit_bytes = parse_size_bytes(text)
    except ValueError as error:
        raise InvalidRequest(f"--output-limit: {error}.") from None
    if not 1 <= limit_bytes <= GIB:
        raise InvalidRequest(f"--output-limit must be 1 B to 1 GiB, seen {text}.")
    return limit_bytes


def _export_files(options: SimpleNamespace) -> dict[str, Path]:
    """Return the files to write by their format."""
    files = {
        "json": options.export_json,
        "csv": options.export_csv,
        "md": options.export_markdown,
    }
    return {name: path for name, path in files.items() if path is not None}


def _write(results: Results, options: SimpleNamespace) -> None:
    # Rich and the formats are not needed before there are results.
    from orchestrator.cli.adhoc.reports.document import as_document, as_rows  # noqa: PLC0415
    from orchestrator.cli.adhoc.reports.files import file_bytes  # noqa: PLC0415
    from orchestrator.cli.output import print_json  # noqa: PLC0415
    from orchestrator.cli.tables.programs import print_results  # noqa: PLC0415
    from orchestrator.shared.exporters import exporter  # noqa: PLC0415

    files = {path: file_bytes(results, name, options.sort, options.time_unit)
             for name, path in _export_files(options).items()}  # fmt: skip
    for path, contents in files.items():
        if path != STANDARD_OUTPUT:
            write_file(path, contents)
    if STANDARD_OUTPUT in files:
        sys.stdout.buffer.write(files[STANDARD_OUTPUT])
    elif options.as_json:
        print_json(as_document(results, curves=options.curves))
    elif options.as_csv:
        columns, rows = as_rows(as_document(results, curves=False))
        for piece in exporter("csv").stream(columns, rows):
            sys.stdout.buffer.write(piece)
    else:
        print_results(results, options.sort, options.time_unit)
