"""Expected precision of a plan on each agent, in a preview."""

from typing import Any

from orchestrator.cli.output import Column, console, number, print_table
from orchestrator.shared.units import format_duration_ns, format_half_width, format_share


def print_expectations(preview: dict[str, Any]) -> None:
    """Print the expected precision of a plan, and the effect of more repetitions."""
    agents = preview["agents"]
    known = [agent for agent in agents if agent["expectation"]["single_execution_spread"] is not None]
    if known:
        differences = [format_share(one["difference"]) for one in known[0]["expectation"]["repetitions_for_difference"]]
        console().print("Expected precision, from the agents' noise floors:", style="bold")
        columns = (
            Column("agent"),
            number("repetitions"),
            number("median"),
            number("finds"),
            *(number(f"for {difference}") for difference in differences),
        )
        print_table(columns, [_line(agent) for agent in known])
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


def _line(agent: dict[str, Any]) -> tuple[object, ...]:
    expectation = agent["expectation"]
    interval, finds = expectation["expected_relative_interval"], expectation["detectable_difference"]
    return (
        agent["agent_name"],
        expectation["expected_repetitions"],
        None if interval is None else format_half_width(interval),
        None if finds is None else format_share(finds),
        *(one["repetitions"] for one in expectation["repetitions_for_difference"]),
    )


def _at_budget(agent_name: str, cases: int, plan: dict[str, Any]) -> str:
    budget = format_duration_ns(plan["precision"]["seconds_per_case"] * 1e9)
    noun = "1 case" if cases == 1 else f"{cases} cases"
    return f"{agent_name}: {noun} will stop at the budget of {budget}, before the required precision."
