"""Start-up and cost per byte in the terminal: a table, and a sentence per candidate with intervals."""

from rich.text import Text

from orchestrator.cli.output import Column, console, figure, number, print_rows
from orchestrator.results.answers.scaling.schemas import ScalingAnswer, ScalingRow
from orchestrator.shared.units import format_signed_duration_ns, format_size, format_throughput
from orchestrator.shared.values.forms import variant_label
from orchestrator.wire.messages import operation_label

_TIMES = {
    "encrypt": "of the encryption phase",
    "pass": "of the whole pass, process included",
    "call": "of one warm call",
}


def print_scaling(scaling: ScalingAnswer) -> None:
    """Print a table and sentences for each agent, or the reasons for having no line."""
    out = console()
    rows = scaling.rows
    for agent in dict.fromkeys(row.agent_name for row in rows):
        of_agent = [row for row in rows if row.agent_name == agent]
        out.print(Text(f"{agent}: time {_TIMES[scaling.measure]} = start-up + cost per byte × length", style="bold"))
        lines = [row for row in of_agent if row.points]
        if lines:
            print_rows(_COLUMNS, lines)
        for row in lines:
            out.print(Text(f"{_name(row)}: {row.sentence}"))
        for row in of_agent:
            if row.reason:
                out.print(Text(f"{_name(row)}: {row.reason}", style="dim"))
    if not rows:
        out.print("Nothing was measured.")


_FITS = {True: "fits", False: "does not fit", None: "one block"}


def _steps(row: ScalingRow) -> str:
    return f"{row.step_lowest_ns:.3g} … {row.step_highest_ns:.3g}"


def _throughput(speed: float | None) -> str | None:
    return None if speed is None else format_throughput(speed)


def _name(row: ScalingRow) -> str:
    copy = f" #{row.copy_number}" if row.copy_number > 1 else ""
    call = f" {operation_label(row.operation, row.key_setup)}" if row.operation else ""
    call += f" + {format_size(row.associated_data_bytes)} associated data" if row.associated_data_bytes else ""
    return f"{row.algorithm} by {row.provider} {variant_label(row)}, {row.toolchain}{copy}{call}"


_COLUMNS = [
    Column("candidate", value=_name),
    number("start-up", lambda row: format_signed_duration_ns(row.start_up_ns)),
    number("ns/byte", lambda row: figure(row.per_byte_ns, ".3g") or _steps(row)),
    number("without it", lambda row: _throughput(row.per_byte_bytes_per_second)),
    Column("line", keeps_width=True, value=lambda row: _FITS[row.fits]),
]
