"""The cost of a traffic in the terminal."""

from rich.text import Text

from orchestrator.cli.output import Column, console, figure, number, print_rows
from orchestrator.cli.tables.answer import print_reasons, print_timing
from orchestrator.results.schemas import ExcludedCandidate, Interval
from orchestrator.results.traffic.schemas import AgentTraffic, TrafficAnswer, TrafficRow
from orchestrator.shared.units import format_bytes_approximately, format_duration_ns, format_share, format_size
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.ranks import NOTE, ranked_label

_CALLS = {"encrypt": "the encryption phase", "pass": "the whole pass"}


def print_traffic(found: TrafficAnswer) -> None:
    """Print a table, the nearest changes and a summary for each agent."""
    out = console()
    out.print(_described(found), markup=False)
    for title, names in (("Only", found.algorithms), ("Only candidates with:", found.constraints)):
        if names:
            out.print(f"{title} {', '.join(names)}.", style="dim", markup=False)
    for agent in found.agents:
        _print_agent(agent)
    if not found.agents:
        out.print("Nothing was measured.")


def _described(found: TrafficAnswer) -> str:
    """Return the traffic: ``1000 messages of 24 B to 1500 B (mean 172 B), 0.01 key changes per message; encrypt``."""
    lengths = found.lengths_bytes
    sizes = " to ".join(dict.fromkeys(format_size(length) for length in (lengths[0], lengths[-1])))
    count = f"{found.messages:.15g} message{'s' if found.messages != 1 else ''}"
    text = f"{count} of {sizes} (mean {format_bytes_approximately(found.mean_bytes)})"
    if found.key_changes_per_message:
        text += f", {found.key_changes_per_message:.3g} key changes per message"
    if found.measure != "call":
        return f"{text}; {_CALLS[found.measure]}"
    operation = {"both": "encrypt and decrypt"}.get(found.operation, found.operation)
    setup = "key set in each call" if found.key_setup == "included" else "key set apart"
    return f"{text}; {operation}, {setup}, {format_size(found.associated_data_bytes or 0)} associated data"


def _print_agent(agent: AgentTraffic) -> None:
    out = console()
    out.print(Text(f"{agent.agent_name}: {agent.device}", style="bold"))
    ranked = [row for row in agent.rows if row.rank is not None]
    if ranked:
        print_rows(_COLUMNS, ranked)
    if hidden := agent.rows_total - len(agent.rows):
        out.print(f"… and {hidden} more (--rows).", style="dim")
    if any(row.groups for row in ranked):
        out.print(NOTE, style="dim")
    if agent.comparisons > 1:
        out.print(f"{agent.comparisons} comparisons, corrected together (Holm).", style="dim")
    print_timing((_named(row), row.constant_time_check.label) for row in ranked)
    unknown = "Unknown cost of those shown" if hidden else "Unknown cost"
    print_reasons(unknown, [(_name(row), row.reason) for row in agent.rows if row.rank is None])
    print_reasons("Excluded by the constraints", [(_name(row), "; ".join(row.reasons)) for row in agent.excluded])
    out.print(agent.sentence, markup=False)
    for change in agent.changes:
        out.print(Text(f"  {change.sentence}"))


def _interval(interval: Interval | None) -> str | None:
    if interval is None:
        return None
    return f"{format_duration_ns(interval.low)} {format_duration_ns(interval.high)}"


def _interpolated(row: TrafficRow) -> str | None:
    """Return the error of interpolated costs; None where all messages have measured lengths."""
    if row.interpolation_error is None or 1 - row.measured_share <= 0.0001:
        return None
    return f"up to + {format_share(row.interpolation_error)}"


def _name(row: TrafficRow | ExcludedCandidate) -> str:
    copy = f" #{row.copy_number}" if row.copy_number > 1 else ""
    return f"{_named(row)}, {row.toolchain}{copy}"


def _named(row: TrafficRow | ExcludedCandidate) -> str:
    return f"{row.algorithm} by {row.provider} {variant_label(row)}"


_COLUMNS = [
    number("rank", lambda row: ranked_label(row.rank, row.last_rank, row.groups, row.undecided)),
    Column("candidate", value=_name),
    number("per message", lambda row: format_duration_ns(row.cost_ns)),
    number("95 % interval", lambda row: _interval(row.interval)),
    number("interpolated", _interpolated, drop=1),
    number("times", lambda row: figure(row.behind, ".3g")),
]
