"""The cost of a traffic in the terminal."""

from rich.text import Text

from orchestrator.cli.output import console, print_rows
from orchestrator.cli.tables.answer import print_reasons, print_timing
from orchestrator.results.columns.cells import candidate_name
from orchestrator.results.columns.traffic import traffic_columns
from orchestrator.results.traffic.schemas import AgentTraffic, TrafficAnswer
from orchestrator.shared.units import format_bytes_approximately, format_size
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.ranks import NOTE

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
        print_rows(traffic_columns(ranked, agent, page=False), ranked)
    if hidden := agent.rows_total - len(agent.rows):
        out.print(f"… and {hidden} more (--rows).", style="dim")
    if any(row.groups for row in ranked):
        out.print(NOTE, style="dim")
    if agent.comparisons > 1:
        out.print(f"{agent.comparisons} comparisons, corrected together (Holm).", style="dim")
    print_timing(
        (f"{row.algorithm} by {row.provider} {variant_label(row)}", row.constant_time_check.label) for row in ranked
    )
    unknown = "Unknown cost of those shown" if hidden else "Unknown cost"
    print_reasons(unknown, [(candidate_name(row), row.reason) for row in agent.rows if row.rank is None])
    print_reasons(
        "Excluded by the constraints", [(candidate_name(row), "; ".join(row.reasons)) for row in agent.excluded]
    )
    out.print(agent.sentence, markup=False)
    for change in agent.changes:
        out.print(Text(f"  {change.sentence}"))
