from typing import Any

from orchestrator.web.runs.query import ChartQuery
from orchestrator.web.runs.run import chart_choice
from orchestrator.web.runs.views import Choices
from orchestrator.web.views import AgentName

AGENTS = [AgentName(id="a", name="pi4", live=True), AgentName(id="b", name="pi5", live=True)]


def choices(**changes: Any) -> Choices:
    empty: dict[str, Any] = {name: [] for name in Choices.model_fields}
    return Choices(
        **{**empty, "agents": AGENTS, "algorithms": ["aes-128-ctr"], "kinds": ["text"], "series": 1, **changes}
    )


def test_charts_show_encryption_on_the_first_agent_by_default() -> None:
    found = chart_choice(ChartQuery(None, None, None, None), choices())
    assert (found.measure, found.agent_id, found.agent) == ("encrypt", "a", "pi4")


def test_known_choice_is_kept() -> None:
    found = chart_choice(ChartQuery("pass", "text", "aes-128-ctr", "b"), choices())
    assert (found.measure, found.kind, found.algorithm, found.agent) == ("pass", "text", "aes-128-ctr", "pi5")


def test_kind_and_algorithm_that_the_run_lacks_count_as_all() -> None:
    found = chart_choice(ChartQuery(None, "video", "present-80-ecb", None), choices(agents=[]))
    assert (found.kind, found.algorithm, found.agent_id) == (None, None, None)
