from typing import Any

import pytest

from orchestrator.results.answers.by_length.schemas import ThroughputChart, ThroughputPoint
from orchestrator.results.schemas import Interval
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import MIB
from orchestrator.web.charts.points import of_run, parse_measure, parse_throughput
from tests.support.models import built
from tests.unit.web.charts.builders import ratio


def test_unknown_measure_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="Use encrypt, pass, call"):
        parse_measure("decrypt")


def test_call_is_refused_as_a_throughput() -> None:
    with pytest.raises(InvalidRequest, match="Use pass, or an operation"):
        parse_throughput("call")


def throughput_point(**changes: Any) -> Any:
    values: dict[str, Any] = {
        "agent_id": "a", "provider": "own", "algorithm": "aes-128-ctr", "length_bytes": 4096,
        "kinds": ["text", "video"], "throughput_bytes_per_second": 3.0 * MIB,
        "interval": Interval(low=2.0 * MIB, high=4.0 * MIB), "blocks": 6, "of_fastest": ratio(1.0),
    }  # fmt: skip
    return built(ThroughputPoint, values, **changes)


def chart(*points: ThroughputPoint) -> ThroughputChart:
    return ThroughputChart(run_id="r", measure="encrypt", points=list(points))


class TestOfRun:
    def test_values_are_in_mib_per_second(self) -> None:
        (found,) = of_run(chart(throughput_point()), None)
        assert (found.value, found.low, found.high, found.executions) == (3.0, 2.0, 4.0, 12)

    def test_noop_and_other_agents_are_left_out(self) -> None:
        assert of_run(chart(throughput_point(algorithm="noop"), throughput_point(agent_id="b")), "a") == []
