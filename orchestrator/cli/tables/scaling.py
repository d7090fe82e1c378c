"""Start-up and cost per byte in the terminal: a table, and a sentence per candidate with intervals."""

from rich.text import Text

from orchestrator.cli.output import console, print_rows
from orchestrator.results.answers.scaling.schemas import ScalingAnswer
from orchestrator.results.columns.scaling import line_name, scaling_columns

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
            print_rows(scaling_columns(lines, page=False), lines)
        for row in lines:
            out.print(Text(f"{line_name(row)}: {row.sentence}"))
        for row in of_agent:
            if row.reason:
                out.print(Text(f"{line_name(row)}: {row.reason}", style="dim"))
    if not rows:
        out.print("Nothing was measured.")
