import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import InvalidRequest
from orchestrator.results.schemas import CurveAnswer
from orchestrator.units import KIB, MIB
from orchestrator.web.charts import memory, relative, throughput
from orchestrator.web.charts.points import Point, measure_of, throughput_of
from orchestrator.web.charts.theme import log_ticks, svg
from orchestrator.web.executions import Span


def point(provider: str, algorithm: str, length_bytes: int, median: float, sure: bool = True) -> Point:
    low, high = (median * 0.98, median * 1.03) if sure else (None, None)
    return Point(provider, algorithm, length_bytes, median, low, high, executions=8 if sure else 3)


POINTS = [
    point("botan", "aes-192-cbc", 128 * KIB, 640.0),
    point("botan", "aes-192-cbc", 1 * MIB, 690.0),
    point("cryptopp", "aes-192-cbc", 128 * KIB, 1280.0),
    point("cryptopp", "aes-192-cbc", 1 * MIB, 1300.0, sure=False),
]


def rows(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the inline data of a faceted chart."""
    return list(spec["datasets"][spec["data"]["name"]])


class TestThroughput:
    def test_the_axis_says_which_throughput(self) -> None:
        assert "encryption phase" in json.dumps(throughput.spec(POINTS, "encrypt"))
        assert "whole work" in json.dumps(throughput.spec(POINTS, "pass"))

    def test_both_axes_are_logarithmic_and_lengths_are_the_ticks(self) -> None:
        encoding = throughput.spec(POINTS, "encrypt")["spec"]["layer"][1]["encoding"]
        assert encoding["x"]["scale"]["type"] == encoding["y"]["scale"]["type"] == "log"
        assert encoding["x"]["axis"]["values"] == [128 * KIB, 1 * MIB]

    def test_one_panel_a_provider(self) -> None:
        assert throughput.spec(POINTS, "encrypt")["usermeta"]["panels"] == 2

    def test_a_missing_interval_stays_missing(self) -> None:
        assert [row["low"] for row in rows(throughput.spec(POINTS, "encrypt"))][-1] is None

    def test_it_is_drawn_with_its_providers_and_lengths(self) -> None:
        picture = svg(throughput.spec(POINTS, "encrypt"))
        assert all(text in picture for text in ("botan", "cryptopp", "128 KiB", "1 MiB", "aes-192-cbc"))

    def test_an_empty_run_is_an_empty_chart(self) -> None:
        assert svg(throughput.spec([], "encrypt")).startswith("<svg")


class TestRelative:
    def test_the_fastest_of_each_length_is_the_measure(self) -> None:
        found = {(row["provider"], row["length"]): row["ratio"] for row in rows(relative.spec(POINTS))}
        assert found["cryptopp", "128 KiB"] == found["cryptopp", "1 MiB"] == 1
        assert found["botan", "128 KiB"] == 0.5

    def test_lengths_stand_in_their_order_and_not_in_that_of_the_alphabet(self) -> None:
        assert relative.spec(POINTS)["facet"]["sort"] == ["128 KiB", "1 MiB"]


class TestMemory:
    CURVE = CurveAnswer(
        execution_id=1, source="proc", at_ns=[1_000_000, 4_000_000], rss_bytes=[MIB, 4 * MIB], cpu_ns=[], threads=[]
    )

    def test_peak_and_phases_are_drawn(self) -> None:
        spans = [Span("start", 0, 2_000_000), Span("encrypt", 2_000_000, 3_000_000)]
        picture = svg(memory.spec(self.CURVE, spans, 5 * MIB))
        assert all(text in picture for text in ("peak 5.00 MiB", "encrypt", "report"))

    def test_without_a_peak_there_is_no_line_for_it(self) -> None:
        assert "peak" not in svg(memory.spec(self.CURVE, [], None))


class TestLogTicks:
    @given(st.lists(st.floats(min_value=1e-3, max_value=1e6), min_size=1))
    def test_they_enclose_every_value_and_are_few(self, values: list[float]) -> None:
        ticks = log_ticks(values)
        assert ticks[0] <= min(values) * (1 + 1e-9)
        assert ticks[-1] >= max(values) * (1 - 1e-9)
        assert len(ticks) <= 14


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="Use encrypt, pass, call"):
        measure_of("decrypt")


def test_calls_have_no_throughput() -> None:
    with pytest.raises(InvalidRequest, match="encrypt or pass"):
        throughput_of("call")
