from typing import Any

import pytest

from orchestrator.results.cases.repository import CaseFilter, Sorting
from orchestrator.shared.errors import InvalidRequest
from orchestrator.web.runs.query import ChartQuery, ResultQuery


def query(sort: str = "", **filters: Any) -> ResultQuery:
    return ResultQuery(CaseFilter("r", **filters), sort, 1, ChartQuery(None, None, None, None))


def test_fastest_case_is_first_without_a_sort() -> None:
    assert query().for_protocol("process").sorting == Sorting("encrypt", descending=True)
    assert query().for_protocol("latency").sorting == Sorting("call", descending=False)


def test_charts_of_latency_results_show_calls() -> None:
    assert query().for_protocol("latency").charts.measure == "call"
    assert query().for_protocol("process").charts.measure is None


def test_column_of_the_other_protocol_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="cannot be sorted by 'call'"):
        query("-call").for_protocol("process")


@pytest.mark.parametrize(
    ("filters", "narrowed"),
    [({}, False), ({"protocol": "latency"}, False), ({"length_bytes": 0}, True), ({"toolchain": "gcc -O2"}, True)],
)
def test_query_is_narrowed_by_any_filter_but_the_protocol(filters: dict[str, Any], narrowed: bool) -> None:
    assert query(**filters).narrowed is narrowed
