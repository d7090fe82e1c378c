"""Expected precision of a plan on each agent, in a preview."""

from collections.abc import Callable
from functools import partial

from orchestrator.cli.output import Column, console, number, print_rows
from orchestrator.runs.schemas import AgentEstimate, ExpectationSummary, PlanPreview
from orchestrator.shared.units import format_duration_ns, format_half_width, format_share


def print_expectations(preview: PlanPreview) -> None:
    """Print the expected precision of a plan, and the effect of more repetitions."""
    known = [agent for agent in preview.agents if agent.expectation.single_execution_spread is not None]
    if known:
        differences = [format_share(one.difference) for one in known[0].expectation.repetitions_for_difference]
        console().print("Expected precision, from the agents' noise floors:", style="bold")
        columns = (
            Column("agent", value="agent_name"),
            number("repetitions", lambda agent: agent.expectation.expected_repetitions),
            number("median", lambda agent: _shown(agent.expectation.expected_relative_interval, format_half_width)),
            number("finds", lambda agent: _shown(agent.expectation.detectable_difference, format_share)),
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
    for agent in preview.agents:
        if agent.expectation.reason:
            console().print(f"{agent.agent_name}: {agent.expectation.reason}", markup=False)
        if agent.expectation.cases_at_budget and preview.plan.precision is not None:
            seconds = preview.plan.precision.seconds_per_case
            console().print(_at_budget(agent.agent_name, agent.expectation, seconds), markup=False)


def _shown(value: float | None, form: Callable[[float], str]) -> str | None:
    return None if value is None else form(value)


def _repetitions(place: int, agent: AgentEstimate) -> int | None:
    return agent.expectation.repetitions_for_difference[place].repetitions


def _at_budget(agent_name: str, expectation: ExpectationSummary, seconds_per_case: float) -> str:
    budget, cases = format_duration_ns(seconds_per_case * 1e9), expectation.cases_at_budget
    noun = "1 case" if cases == 1 else f"{cases} cases"
    return f"{agent_name}: {noun} will stop at the budget of {budget}, before the required precision."
