"""Measure any program on this machine: time, CPU time, peak memory. Compares several programs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from orchestrator.adhoc.command_lines import CommandLine, read_command_line, read_command_lines
from orchestrator.adhoc.comparison import require_numpy
from orchestrator.adhoc.conclusions import conclude
from orchestrator.adhoc.document import Results, as_document, as_rows
from orchestrator.adhoc.hyperfine import hyperfine_csv, hyperfine_document
from orchestrator.adhoc.instrument import Where, open_bench
from orchestrator.adhoc.program import CallersEnvironment, ProgramCommand, passable
from orchestrator.adhoc.series import Precision, Program, SeriesPlan, Steps, last_lines, names_of, run_series
from orchestrator.adhoc.settings import BenchSettings, read_plain_settings
from orchestrator.cli.progress import ProgressBar
from orchestrator.errors import CommandFailed, InvalidRequest
from orchestrator.units import GIB, parse_size_bytes

app = typer.Typer()

_BEHIND = "ciphermark.measure.behind"
_MOST_REPETITIONS = 100_000
_LONGEST_SECONDS = 7 * 24 * 3600.0
"""Limit of the launcher."""


class _MeasureCommand(TyperCommand):
    """Keeps the words after ``--`` as one program with its arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args:
            place = args.index("--")
            ctx.meta[_BEHIND] = args[place + 1 :]
            args = args[:place]
        rest: list[str] = super().parse_args(ctx, args)
        return rest


@dataclass(frozen=True)
class _Options:
    """Validated options."""

    lines: list[CommandLine]
    names: list[str]
    rounds: int | None
    precision: Precision
    warm_up_rounds: int
    seed: int
    where: Where
    timeout_seconds: float
    output_limit_bytes: int
    prepare: CommandLine | None
    ignore_failure: bool
    padded: bool
    control: bool


@dataclass(frozen=True)
class _Outputs:
    """Output formats and files."""

    as_json: bool
    as_csv: bool
    curves: bool
    files: dict[Callable[[dict[str, Any]], str], Path] = field(default_factory=dict)
    """hyperfine format → file."""


PROGRAMS = typer.Argument(metavar="['COMMAND ARG…']… [-- PROGRAM ARG…]", help="What to measure.", show_default=False)
REPETITIONS = typer.Option(
    "-n",
    "--repetitions",
    min=1,
    max=_MOST_REPETITIONS,
    help="Executions per program [10, or as many as --precision needs].",
)
PRECISION = typer.Option(
    min=0.0001, max=0.5, help="Without -n: relative half-width of each median's 95 % interval at which to stop [0.01]."
)
BUDGET = typer.Option(min=0.001, max=86_400, help="Without -n: total seconds of executions after which to stop [10].")
WARM_UP = typer.Option(
    "-w", "--warmup", min=0, max=_MOST_REPETITIONS, help="Warm-up executions, stored and not counted."
)
NAME = typer.Option("--name", help="Name of a program; repeat for each, in order.")
SEED = typer.Option(min=0, help="Seed of the execution order; default: random.")
CORE = typer.Option(min=0, help="Core to pin the programs to [CIPHERMARK_MEASURED_CORE, else the last].")
ANY_CORE = typer.Option("--any-core", help="Do not pin: for programs with several threads.")
PREPARE = typer.Option(help="Command line to run before each execution, untimed.")
TIMEOUT = typer.Option(min=0.001, max=_LONGEST_SECONDS, help="Seconds after which an execution is killed.")
OUTPUT_LIMIT = typer.Option(help="Maximum output of an execution, up to 1 GiB; it is discarded.")
IGNORE_FAILURE = typer.Option("-i", "--ignore-failure", help="Accept executions that end with an exit code or signal.")
NO_PADDING = typer.Option("--no-padding", help="Pass the environment unchanged, without random padding.")
CONTROL = typer.Option("--control", help="Measure the first program twice, as a control.")
JSON = typer.Option("--json", help="Print everything as JSON.")
CSV = typer.Option("--csv", help="Print every execution as a row of CSV.")
CURVES = typer.Option("--curves", help="With --json: with the samples of memory, CPU time and threads.")
EXPORT_JSON = typer.Option(help="Also write a file in hyperfine's JSON format.")
EXPORT_CSV = typer.Option(help="Also write a table in hyperfine's CSV format.")


@app.command(cls=_MeasureCommand, context_settings={"ignore_unknown_options": True})
def measure(
    ctx: typer.Context,
    commands: Annotated[list[str] | None, PROGRAMS] = None,
    *,
    repetitions: Annotated[int | None, REPETITIONS] = None,
    precision: Annotated[float | None, PRECISION] = None,
    budget: Annotated[float | None, BUDGET] = None,
    warm_up: Annotated[int, WARM_UP] = 0,
    name: Annotated[list[str] | None, NAME] = None,
    seed: Annotated[int | None, SEED] = None,
    core: Annotated[int | None, CORE] = None,
    any_core: Annotated[bool, ANY_CORE] = False,
    prepare: Annotated[str | None, PREPARE] = None,
    timeout: Annotated[float, TIMEOUT] = 3600.0,
    output_limit: Annotated[str, OUTPUT_LIMIT] = "64 MiB",
    ignore_failure: Annotated[bool, IGNORE_FAILURE] = False,
    no_padding: Annotated[bool, NO_PADDING] = False,
    control: Annotated[bool, CONTROL] = False,
    as_json: Annotated[bool, JSON] = False,
    as_csv: Annotated[bool, CSV] = False,
    curves: Annotated[bool, CURVES] = False,
    export_json: Annotated[Path | None, EXPORT_JSON] = None,
    export_csv: Annotated[Path | None, EXPORT_CSV] = None,
) -> None:
    """Measure any program on this machine with the instrument of runs: time, CPU time, peak memory; compare several.

    The words after '--' are one program with its arguments. Before it, each word is a command line:
    ciphermark measure 'gzip -kf x' 'zstd -qf x'. There is no shell.
    """
    outputs = _outputs(as_json=as_json, as_csv=as_csv, curves=curves, export_json=export_json, export_csv=export_csv)
    try:
        lines = read_command_lines(commands or [], ctx.meta.get(_BEHIND))
        prepared = read_command_line(prepare) if prepare is not None else None
    except InvalidRequest as error:
        raise typer.BadParameter(f"{error.detail} {error.remedy}".strip()) from None
    names = name or []
    if len(names) > len(lines):
        raise typer.BadParameter(f"{len(names)} names for {len(lines)} programs.")
    if repetitions is not None and (precision is not None or budget is not None):
        raise typer.BadParameter(
            "-n fixes the number of executions and cannot be combined with --precision or --budget."
        )
    if core is not None and any_core:
        raise typer.BadParameter("--core and --any-core cannot be combined.")
    options = _Options(
        lines=[*lines, *lines[:control]],
        names=[*names_of(lines, names), *(f"{name} (control)" for name in names_of(lines, names)[:control])],
        rounds=repetitions,
        precision=Precision(
            relative_interval=precision or 0.01, max_repetitions=_MOST_REPETITIONS, seconds_per_case=budget or 10
        ),
        warm_up_rounds=warm_up,
        seed=int.from_bytes(os.urandom(4), "big") if seed is None else seed,
        where=Where(core, any_core),
        timeout_seconds=timeout,
        output_limit_bytes=_limit_bytes(output_limit),
        prepare=prepared,
        ignore_failure=ignore_failure,
        padded=not no_padding,
        control=control,
    )
    _write(_measured(options), outputs)


def _measured(options: _Options) -> Results:
    """Measure the programs and print the results."""
    if len(options.lines) > 1:
        require_numpy()
    settings = _settings()
    variables, left_out = passable(os.environ)
    remarks = [f"Environment variables not passed on: {', '.join(left_out)}."] if left_out else []
    plan = SeriesPlan(
        programs=tuple(_program(line, name, options) for line, name in zip(options.lines, options.names, strict=True)),
        seed=options.seed,
        warm_up_rounds=options.warm_up_rounds,
        rounds=options.rounds,
        precision=options.precision,
        ignore_failure=options.ignore_failure,
    )
    environment = CallersEnvironment(variables, options.padded)
    layout = Random(f"layout {options.seed}")  # noqa: S311 - a layout, not a secret
    with open_bench(settings, options.where, environment, layout) as bench, ProgressBar() as bar:
        steps = Steps(lambda: _prepare(options.prepare), bench.measure, bar.show)
        series = run_series(plan, steps)
    control = len(options.lines) - 1 if options.control else None
    return conclude(plan, series, core=bench.core, control=control, remarks=remarks)


def _settings() -> BenchSettings:
    plain = read_plain_settings(os.environ)
    if plain is not None:
        return plain
    from orchestrator.cli.settings import read_settings  # noqa: PLC0415 - pydantic, which plain settings do not need
    from orchestrator.settings import DaemonSettings  # noqa: PLC0415 - as above

    read = read_settings(DaemonSettings)
    return BenchSettings(read.cache_folder, read.measured_core, read.sampling_interval_ms, read.exit_stop)


def _program(line: CommandLine, name: str, options: _Options) -> Program:
    limits = (options.timeout_seconds, options.output_limit_bytes)
    return Program(name, line, ProgramCommand(line.program, "local", name, "none", *limits, words=line.words))


def _prepare(line: CommandLine | None) -> None:
    """Run the command before an execution; raises CommandFailed if it fails."""
    if line is None:
        return
    done = subprocess.run(
        line.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    if done.returncode != 0:
        said = last_lines(done.stderr.decode(errors="replace"))
        raise CommandFailed(
            f"--prepare {line.text!r} ended with {done.returncode}.{f' Its output:{os.linesep}{said}' if said else ''}",
            exit_code=done.returncode,
        )


def _limit_bytes(text: str) -> int:
    try:
        limit_bytes = parse_size_bytes(text)
    except ValueError as error:
        raise typer.BadParameter(f"--output-limit: {error}.") from None
    if not 1 <= limit_bytes <= GIB:
        raise typer.BadParameter(f"--output-limit must be 1 B to 1 GiB, seen {text}.")
    return limit_bytes


def _outputs(
    *, as_json: bool, as_csv: bool, curves: bool, export_json: Path | None, export_csv: Path | None
) -> _Outputs:
    """Check the outputs before anything is measured."""
    if as_json and as_csv:
        raise typer.BadParameter("--json and --csv both go to standard output; --export-json writes a file.")
    if curves and not as_json:
        raise typer.BadParameter("--curves requires --json.")
    for path in (export_json, export_csv):
        folder = path.parent if path is not None else Path()
        if path is not None and (path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK)):
            raise typer.BadParameter(f"{path} cannot be written.")
    files = {_hyperfine_json: export_json, hyperfine_csv: export_csv}
    return _Outputs(as_json, as_csv, curves, {write: path for write, path in files.items() if path is not None})


def _hyperfine_json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _write(results: Results, outputs: _Outputs) -> None:
    from orchestrator.cli.output import print_json  # noqa: PLC0415 - Rich, which nothing needs before the result
    from orchestrator.cli.tables.programs import print_results  # noqa: PLC0415 - as above
    from orchestrator.exporters.csv import stream  # noqa: PLC0415 - as above

    executions = [results.series.of(program) for program in range(len(results.summaries))]
    document = hyperfine_document(results.plan.programs, executions, results.summaries)
    for as_text, path in outputs.files.items():
        try:
            path.write_text(as_text(document), encoding="utf-8")
        except OSError as error:
            raise InvalidRequest(f"{path} could not be written: {error.strerror}.") from error
    if outputs.as_json:
        print_json(as_document(results, curves=outputs.curves))
    elif outputs.as_csv:
        columns, rows = as_rows(as_document(results, curves=False))
        for piece in stream(columns, rows):
            sys.stdout.buffer.write(piece)
    else:
        print_results(results)
