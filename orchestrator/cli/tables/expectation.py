"""Expected precision of a plan on each agent, in a preview."""

from collections.abc import Callable
from functools import partial
from typing import Any

from orchestrator.cli.output import Column, console, number, print_rows
from orchestrator.shared.units import format_duration_ns, format_half_width, format_share


def print_expectations(preview: dict[str, Any]) -> None:
    """Print the expected precision of a plan, and the effect of more repetitions."""
    agents = preview["agents"]
    known = [agent for agent in agents if agent["expectation"]["single_execution_spread"] is not None]
    if known:
        differences = [format_share(one["difference"]) for one in known[0]["expectation"]["repetitions_for_difference"]]
        console().print("Expected precision, from the agents' noise floors:", style="bold")
        columns = (
            Column("agent", value="agent_name"),
            number("repetitions", lambda agent: agent["expectation"]["expected_repetitions"]),
            number("median", lambda agent: _shown(agent, "expected_relative_interval", format_half_width)),
            number("finds", lambda agent: _shown(agent, "detectable_difference", format_share)),
            *(
                number(f"for {difference}", partial(_repetitions, place))
                for place, difference in enumerate(differences)
            ),
        )
        print_rows(columns, known)
        text = (
            "median: half of its 95 % interval; finds, for: differences found in 9 of 10 comparisons, and repetitions."
        )
        console().print(text, style="dim")
    for agent in agents:
        expectation = agent["expectation"]
        if expectation["reason"]:
            console().print(f"{agent['agent_name']}: {expectation['reason']}", markup=False)
        if expectation["cases_at_budget"]:
            console().print(
                _at_budget(agent["agent_name"], expectation["cases_at_budget"], preview["plan"]), markup=False
            )


def _shown(agent: dict[str, Any], field: str, form: Callable[[float], str]) -> str | None:
    value = agent["expectation"][field]
    return None if value is None else form(value)


def _repetitions(place: int, agent: dict[str, Any]) -> object:
    return agent["expectation"]["repetitions_for_difference"][place]["repetitions"]


def _at_budget(agent_name: str, cases: int, plan: dict[str, Any]) -> str:
    budget = format_duration_ns(plan["precision"]["seconds_per_case"] * 1e9)
    noun = "1 case" if cases == 1 else f"{cases} cases"
    return f"{agent_name}: {noun} will stop at the budget of {budget}, before the required precision."
