"""A bundle and another run of its plan in the terminal: verdicts next to each other, then the cases that differ."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from rich.text import Text

from orchestrator.cli.client import shaped
from orchestrator.cli.output import Column, console, print_table
from orchestrator.cli.tables.comparison import print_comparison
from orchestrator.cli.tables.verdicts import verdict_text
from orchestrator.results.comparisons.schemas import RunComparison


def print_repetition(verdicts: Mapping[str, Any], repetition: Mapping[str, Any]) -> None:
    """Print the verdicts of a bundle next to those of the other run, and the comparison of their cases."""
    out = console()
    title = f"Run {repetition['run_id']} next to run {verdicts['run_id']} of the bundle"
    out.print(Text(title, style="bold"))
    other = repetition["verdicts"]
    if other["run_state"] != "finished":
        out.print(
            f"Run {repetition['run_id']} is {other['run_state']}: what it has so far is compared.", style="yellow"
        )
    for agent in (*verdicts["agents"], *other["agents"]):
        if agent["wrong"] or agent["disputed"]:
            text = f"{agent['agent_name']}: {agent['wrong']} wrong and {agent['disputed']} disputed executions; "
            out.print(f"{text}their implementations are not compared.", style="yellow", markup=False)
    for own, others in zip_longest(verdicts["agents"], other["agents"]):
        _print_claims(own, others)
    for comparison in repetition["comparisons"]:
        print_comparison(shaped(RunComparison, comparison))


def _print_claims(own: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> None:
    sides = (own, other)
    claims = [{one["claim"]: one for one in side["claims"]} if side else {} for side in sides]
    rows = [
        (one["text"], *(_verdict(found.get(claim)) for found in claims))
        for claim, one in (claims[0] or claims[1]).items()
    ]
    titles = [f"{where}: {side['agent_name']}" if side else where for where, side in zip(_PLACES, sides, strict=True)]
    print_table((Column("claim"), *(Column(title) for title in titles)), rows)


_PLACES = ("bundle", "other run")


def _verdict(claim: Mapping[str, Any] | None) -> Text | None:
    return verdict_text(claim["verdict"]) if claim else None
