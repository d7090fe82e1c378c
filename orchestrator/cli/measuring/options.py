"""Options of ``ciphermark measure``: their help texts, and options that take several words."""

from typing import Any

import typer
from typer.core import TyperCommand

AFTER = "ciphermark.measure.after"
"""Key of the context's words after ``--``."""
MAX_REPETITIONS = 100_000
MAX_SECONDS = 7 * 24 * 3600.0
"""Limit of the launcher."""

_SEVERAL_WORDS = {"-L": 2, "--parameter-list": 2, "-P": 3, "--parameter-scan": 3}
_SEPARATOR = "\x1f"
"""Between the words of such an option: Typer has no repeatable option of several words."""


class MeasureCommand(TyperCommand):
    """Keeps the words after ``--`` as one program with its arguments, and options of several words together."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments before ``--``, and keep the others in the context."""
        if "--" in args:
            place = args.index("--")
            ctx.meta[AFTER] = args[place + 1 :]
            args = args[:place]
        rest: list[str] = super().parse_args(ctx, _joined(args))
        return rest


def _joined(args: list[str]) -> list[str]:
    """Return the arguments with the words of each option of several words in one."""
    found, place = [], 0
    while place < len(args):
        count = _SEVERAL_WORDS.get(args[place], 0)
        found.append(args[place])
        words = args[place + 1 : place + 1 + count]
        if words:
            found.append(_SEPARATOR.join(words))
        place += 1 + len(words)
    return found


def words_of(option: str, text: str, metavar: str) -> tuple[str, ...]:
    """Return the words of an option of several words; raises BadParameter for another number of them."""
    words = tuple(text.split(_SEPARATOR))
    if len(words) != len(metavar.split()):
        raise typer.BadParameter(f"{option} needs {metavar}, seen {' '.join(words)!r}.")
    return words


LIST_METAVAR, SCAN_METAVAR = "VAR VALUES", "VAR MIN MAX"
_HOOK = "One for all, or repeat for each program."

PROGRAMS = typer.Argument(metavar="['COMMAND ARG…']… [-- PROGRAM ARG…]", help="What to measure.", show_default=False)
REPETITIONS = typer.Option(
    "-n",
    "-r",
    "--repetitions",
    "--runs",
    min=1,
    max=MAX_REPETITIONS,
    help="Executions per program [10, or as many as --precision needs].",
)
MIN_RUNS = typer.Option("-m", "--min-runs", min=1, max=MAX_REPETITIONS, help="Without -n: minimum executions [10].")
MAX_RUNS = typer.Option("-M", "--max-runs", min=1, max=MAX_REPETITIONS, help="Without -n: maximum executions.")
PRECISION = typer.Option(
    min=0.0001, max=0.5, help="Without -n: relative half-width of each median's 95 % interval at which to stop [0.01]."
)
BUDGET = typer.Option(min=0.001, max=86_400, help="Without -n: total seconds of executions after which to stop [10].")
WARM_UP = typer.Option("-w", "--warmup", min=0, max=MAX_REPETITIONS, help="Warm-up executions, stored and not counted.")
LIST = typer.Option(
    "-L", "--parameter-list", metavar=LIST_METAVAR, help="Replace {VAR} by each of the values, separated by commas."
)
SCAN = typer.Option(
    "-P", "--parameter-scan", metavar=SCAN_METAVAR, help="Replace {VAR} by each number from MIN to MAX."
)
STEP = typer.Option("-D", "--parameter-step-size", help="Step of the numbers of -P [1].")
SETUP = typer.Option("-s", "--setup", help=f"Command line before the first execution of any program. {_HOOK}")
PREPARE = typer.Option("-p", "--prepare", help=f"Command line before each execution, untimed. {_HOOK}")
CONCLUDE = typer.Option("-C", "--conclude", help=f"Command line after each execution, untimed. {_HOOK}")
CLEANUP = typer.Option("-c", "--cleanup", help=f"Command line after the last execution of any program. {_HOOK}")
NAME = typer.Option("--name", "--command-name", help="Name of a program; repeat for each, in order.")
REFERENCE = typer.Option(help="Command line of a program with which the others are compared.")
REFERENCE_NAME = typer.Option(help="Name of the reference.")
SHELL = typer.Option(
    "-S", "--shell", help="Shell that executes the programs and the commands around them; its start is shown."
)
PREPARE_SHELL = typer.Option(help="Shell that executes only --setup, --prepare, --conclude and --cleanup.")
NO_SHELL = typer.Option("-N", "--no-shell", help="Start programs without a shell, as by default.")
INPUT = typer.Option("--input", metavar="null|FILE", help="Standard input of the programs.")
OUTPUT = typer.Option(metavar="pipe|null|inherit|FILE", help="Standard output of the programs [pipe]. " + _HOOK)
SHOW_OUTPUT = typer.Option("--show-output", help="Show the output of the programs and of the commands around them.")
SEED = typer.Option(min=0, help="Seed of the execution order; default: random.")
CORE = typer.Option(min=0, help="Core to pin the programs to [CIPHERMARK_MEASURED_CORE, else the last].")
ANY_CORE = typer.Option("--any-core", help="Do not pin: for programs with several threads.")
TIMEOUT = typer.Option(min=0.001, max=MAX_SECONDS, help="Seconds after which an execution is killed.")
OUTPUT_LIMIT = typer.Option(help="Maximum output of an execution through a pipe, up to 1 GiB; it is discarded.")
IGNORE_FAILURE = typer.Option("-i", "--ignore-failure", help="Accept executions that end with an exit code or signal.")
NO_PADDING = typer.Option("--no-padding", help="Pass the environment unchanged, without random padding.")
CONTROL = typer.Option("--control", help="Measure the first program twice, as a control.")
SORT = typer.Option(help="Order of the table and of the files: auto is by rank in the table, as given in files.")
TIME_UNIT = typer.Option("-u", "--time-unit", help="Unit of the times [the one that suits].")
JSON = typer.Option("--json", help="Print everything as JSON.")
CSV = typer.Option("--csv", help="Print every execution as a row of CSV.")
CURVES = typer.Option("--curves", help="With --json: with the samples of memory, CPU time and threads.")
EXPORT_JSON = typer.Option(help="Also write a file in hyperfine's JSON format.")
EXPORT_CSV = typer.Option(help="Also write a table in hyperfine's CSV format.")
EXPORT_MARKDOWN = typer.Option(help="Also write a table in Markdown.")
