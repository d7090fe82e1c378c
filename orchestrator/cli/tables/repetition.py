"""A bundle and another run of its plan in the terminal: verdicts next to each other, then the cases that differ."""

from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.text import Text

from orchestrator.cli.output import Column, console, print_table
from orchestrator.cli.tables.comparison import print_comparison
from orchestrator.cli.tables.verdicts import verdict_text
from orchestrator.papers.schemas import AgentVerdicts, ClaimVerdict, PaperVerdicts

if TYPE_CHECKING:
    from orchestrator.papers.bundle.repeating import Repetition


def print_repetition(verdicts: PaperVerdicts, repetition: "Repetition") -> None:
    """Print the verdicts of a bundle next to those of the other run, and the comparison of their cases."""
    out, other = console(), repetition.verdicts
    out.print(Text(f"Run {other.run_id} next to run {verdicts.run_id} of the bundle", style="bold"))
    if other.run_state != "finished":
        out.print(f"Run {other.run_id} is {other.run_state}: what it has so far is compared.", style="yellow")
    for agent in (*verdicts.agents, *other.agents):
        if agent.wrong or agent.disputed:
            text = f"{agent.agent_name}: {agent.wrong} wrong and {agent.disputed} disputed executions; "
            out.print(f"{text}their implementations are not compared.", style="yellow", markup=False)
    for own, others in zip_longest(verdicts.agents, other.agents):
        _print_claims(own, others)
    for comparison in repetition.comparisons:
        print_comparison(comparison)


def _print_claims(own: AgentVerdicts | None, other: AgentVerdicts | None) -> None:
    sides = (own, other)
    claims = [{one.claim: one for one in side.claims} if side else {} for side in sides]
    rows = [
        (one.text, *(_verdict(found.get(claim)) for found in claims)) for claim, one in (claims[0] or claims[1]).items()
    ]
    titles = [f"{where}: {side.agent_name}" if side else where for where, side in zip(_PLACES, sides, strict=True)]
    print_table((Column("claim"), *(Column(title) for title in titles)), rows)


_PLACES = ("bundle", "other run")


def _verdict(claim: ClaimVerdict | None) -> Text | None:
    return verdict_text(claim.verdict) if claim else None
