from typing import Any

import pytest

from orchestrator.results.cases.repository import CaseFilter, Sorting
from orchestrator.results.cases.schemas import CaseChoices
from orchestrator.shared.errors import InvalidRequest
from orchestrator.web.runs.query import ChartQuery, ResultQuery

PROCESS = CaseChoices.model_construct(protocol="process", phases=["encrypt", "decrypt"])
LATENCY = CaseChoices.model_construct(protocol="latency", phases=[])


def query(sort: str = "", **filters: Any) -> ResultQuery:
    return ResultQuery(CaseFilter("r", **filters), sort, 1, ChartQuery(None, None, None, None))


def test_fastest_case_is_first_without_a_sort() -> None:
    assert query().among(PROCESS).sorting == Sorting("encrypt", descending=True)
    assert query().among(LATENCY).sorting == Sorting("call", descending=False)


def test_charts_of_latency_results_show_calls() -> None:
    assert query().among(LATENCY).charts.measure == "call"
    assert query().among(PROCESS).charts.measure is None


def test_column_of_the_other_protocol_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="cannot be sorted by 'call'"):
        query("-call").among(PROCESS)


@pytest.mark.parametrize(
    ("filters", "narrowed"),
    [({}, False), ({"protocol": "latency"}, False), ({"length_bytes": 0}, True), ({"toolchain": "gcc -O2"}, True)],
)
def test_query_is_narrowed_by_any_filter_but_the_protocol(filters: dict[str, Any], narrowed: bool) -> None:
    assert query(**filters).narrowed is narrowed
