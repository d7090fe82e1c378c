from typing import Any

from orchestrator.results.cases.schemas import CaseChoices
from orchestrator.runs.schemas import RunAgent
from orchestrator.web.runs.query import ChartQuery
from orchestrator.web.runs.run import chart_choice

AGENTS = [RunAgent.model_construct(id="a", name="pi4"), RunAgent.model_construct(id="b", name="pi5")]
NAMES: dict[str, Any] = {"phases": ["encrypt"], "algorithms": ["aes-128-ctr"], "kinds": ["text"]}
CHOICES = CaseChoices.model_construct(**NAMES)


def test_charts_show_encryption_on_the_first_agent_by_default() -> None:
    found = chart_choice(ChartQuery(None, None, None, None), CHOICES, AGENTS)
    assert (found.measure, found.agent_id) == ("encrypt", "a")


def test_kind_and_algorithm_that_the_run_lacks_count_as_all() -> None:
    found = chart_choice(ChartQuery(None, "video", "present-80-ecb", None), CHOICES, [])
    assert (found.kind, found.algorithm, found.agent_id) == (None, None, None)
