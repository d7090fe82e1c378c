"""Builders of points, marks and rows for the tests of charts."""

from typing import Any

from orchestrator.results.answers.by_length.schemas import LatencyPoint, RelativeRatio
from orchestrator.results.answers.scaling.schemas import ScalingPoint, ScalingRow
from orchestrator.results.schemas import Interval
from orchestrator.shared.units import KIB, MIB
from orchestrator.web.charts.panels import ChartMark
from tests.support.models import built


def ratio(value: float | None, **changed: Any) -> RelativeRatio:
    """A paired ratio that differs from 1; a value of 1 is the reference."""
    fields: dict[str, Any] = {
        "reference": "the reference", "ratio": value, "interval": None, "method": "paired", "blocks": 8,
        "verdict": "different", "reason": "",
    }  # fmt: skip
    if value == 1:
        fields |= {"method": "reference", "verdict": "reference"}
    elif value is not None:
        fields["interval"] = Interval(low=value * 0.99, high=value * 1.01)
    else:
        fields |= {"reference": "", "method": None, "verdict": None, "blocks": 0, "reason": "not compared"}
    return RelativeRatio(**fields | changed)


def point(
    provider: str, algorithm: str, length_bytes: int, median: float, sure: bool = True, *, of_fastest: float | None = 1
) -> ChartMark:
    low, high = (median * 0.98, median * 1.03) if sure else (None, None)
    executions = 8 if sure else 3
    return ChartMark(
        algorithm, provider, "throughput", length_bytes, median, low, high, executions, ratio=ratio(of_fastest)
    )


POINTS = [
    point("botan", "aes-192-cbc", 128 * KIB, 640.0, of_fastest=0.52),
    point("botan", "aes-192-cbc", 1 * MIB, 690.0, of_fastest=0.51),
    point("cryptopp", "aes-192-cbc", 128 * KIB, 1280.0),
    point("cryptopp", "aes-192-cbc", 1 * MIB, 1300.0, sure=False),
]


def rows(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the inline data of a faceted chart."""
    return list(spec["data"]["values"])


def mark(
    series: str,
    toolchain: str,
    length_bytes: int,
    value: float,
    operation: str = "encrypt",
    *,
    of_base: RelativeRatio | None = None,
) -> ChartMark:
    return ChartMark(
        series, toolchain, operation, length_bytes, value, value * 0.99, value * 1.01, executions=8,
        ratio=of_base or ratio(None),
    )  # fmt: skip


def latency_point(variant: str, toolchain: str, **changed: Any) -> Any:
    values = {
        "agent_id": "a", "provider": "own", "algorithm": "tinyjambu-128", "variant": variant, "toolchain": toolchain,
        "operation": "encrypt", "key_setup": "apart", "length_bytes": 64, "has_message": True,
    }  # fmt: skip
    return built(LatencyPoint, values, **changed)


def line(**changes: Any) -> Any:
    """Three points of a candidate; one of them has no length, one is where the line is below 0."""
    points = [
        ScalingPoint(length_bytes=0, time_ns=1.9e6, line_ns=2e6, miss=-0.05),
        ScalingPoint(length_bytes=64, time_ns=2e6, line_ns=-1.0, miss=None),
        ScalingPoint(length_bytes=4096, time_ns=9e6, line_ns=8e6, miss=0.125),
    ]
    values: dict[str, Any] = {
        "agent_id": "a", "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref", "toolchain": "gcc",
        "start_up_ns": 2e6, "per_byte_ns": 1.5, "step_lowest_ns": 1.0, "step_highest_ns": 2.0, "points": points,
    }  # fmt: skip
    return built(ScalingRow, values, **changes)
