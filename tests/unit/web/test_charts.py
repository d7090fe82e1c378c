import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import InvalidRequest
from orchestrator.results.answers.scaling_schemas import ScalingAnswer, ScalingPoint, ScalingRow
from orchestrator.results.schemas import CurveDetail, Interval, LatencyChart, LatencyPoint, TimingsDetail
from orchestrator.units import KIB, MIB
from orchestrator.web.charts import calls, latency, memory, relative, scaling, throughput, timings, toolchains
from orchestrator.web.charts.memory import Span
from orchestrator.web.charts.panels import Mark
from orchestrator.web.charts.points import Point, parse_measure, parse_throughput
from orchestrator.web.charts.theme import log_ticks, svg


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
    def test_axis_title_names_the_measure(self) -> None:
        assert "encryption phase" in json.dumps(throughput.spec(POINTS, "encrypt"))
        assert "whole work" in json.dumps(throughput.spec(POINTS, "pass"))

    def test_axes_are_logarithmic_with_the_lengths_as_ticks(self) -> None:
        encoding = throughput.spec(POINTS, "encrypt")["spec"]["layer"][1]["encoding"]
        assert encoding["x"]["scale"]["type"] == encoding["y"]["scale"]["type"] == "log"
        assert encoding["x"]["axis"]["values"] == [128 * KIB, 1 * MIB]

    def test_one_panel_per_provider(self) -> None:
        assert throughput.spec(POINTS, "encrypt")["usermeta"]["panels"] == 2

    def test_missing_interval_stays_missing(self) -> None:
        assert [row["low"] for row in rows(throughput.spec(POINTS, "encrypt"))][-1] is None

    def test_picture_contains_providers_and_lengths(self) -> None:
        picture = svg(throughput.spec(POINTS, "encrypt"))
        assert all(text in picture for text in ("botan", "cryptopp", "128 KiB", "1 MiB", "aes-192-cbc"))

    def test_empty_run_gives_an_empty_chart(self) -> None:
        assert svg(throughput.spec([], "encrypt")).startswith("<svg")


class TestRelative:
    def test_ratio_is_relative_to_the_fastest_of_each_length(self) -> None:
        found = {(row["provider"], row["length"]): row["ratio"] for row in rows(relative.spec(POINTS))}
        assert found["cryptopp", "128 KiB"] == found["cryptopp", "1 MiB"] == 1
        assert found["botan", "128 KiB"] == 0.5

    def test_lengths_are_sorted_by_size(self) -> None:
        assert relative.spec(POINTS)["facet"]["sort"] == ["128 KiB", "1 MiB"]


def mark(series: str, toolchain: str, length_bytes: int, value: float, operation: str = "encrypt") -> Mark:
    return Mark(series, toolchain, operation, length_bytes, value, value * 0.99, value * 1.01, executions=8)


def latency_point(variant: str, toolchain: str, length_bytes: int = 64, **changed: Any) -> LatencyPoint:
    values = {
        "agent_id": "a", "provider": "own", "algorithm": "tinyjambu-128", "variant": variant, "build_key": "0" * 64,
        "toolchain": toolchain, "operation": "encrypt", "key_setup": "apart", "length_bytes": length_bytes,
        "associated_data_bytes": 0, "call_wall_ns": 900.0, "interval": Interval(low=890, high=910),
        "cold_call_wall_ns": 4000.0, "blocks": 8,
    }  # fmt: skip
    return LatencyPoint.model_validate(values | changed)


def drawn(*points: LatencyPoint) -> list[Mark]:
    return calls.of_run(LatencyChart(run_id="r", points=list(points)), "a", None)


class TestCalls:
    def test_series_names_contain_the_differing_properties(self) -> None:
        assert {one.series for one in drawn(latency_point("scalar", "gcc -O3"))} == {"tinyjambu-128"}
        several = drawn(latency_point("scalar", "gcc -O3"), latency_point("sse2", "gcc -O3", associated_data_bytes=32))
        assert [one.series for one in several] == ["tinyjambu-128 scalar + 0 B AD", "tinyjambu-128 sse2 + 32 B AD"]

    def test_other_agents_are_left_out(self) -> None:
        assert drawn(latency_point("scalar", "gcc -O3", agent_id="b")) == []

    def test_key_setup_in_each_call_is_another_kind_of_call(self) -> None:
        found = drawn(latency_point("scalar", "gcc -O3"), latency_point("scalar", "gcc -O3", key_setup="included"))
        assert [one.operation for one in found] == ["encrypt", "encrypt, key set in each call"]


def line(**changes: Any) -> ScalingRow:
    """Three points of a candidate; one of them has no length, one is where the line is below 0."""
    points = [
        ScalingPoint(length_bytes=0, time_ns=1.9e6, line_ns=2e6, miss=-0.05),
        ScalingPoint(length_bytes=64, time_ns=2e6, line_ns=-1.0, miss=None),
        ScalingPoint(length_bytes=4096, time_ns=9e6, line_ns=8e6, miss=0.125),
    ]
    values: dict[str, Any] = {
        "agent_id": "a", "agent_name": "pi", "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref",
        "build_key": "b", "toolchain": "gcc", "operation": "", "key_setup": "", "associated_data_bytes": 0, "kinds": [],
        "blocks": 8, "start_up_ns": 2e6, "start_up_interval": None, "per_byte_ns": 1.5, "per_byte_interval": None,
        "per_byte_bytes_per_second": 6e8, "step_lowest_ns": 1.0, "step_highest_ns": 2.0, "lack_of_fit_p": 0.5,
        "fits": True, "largest_miss": 0.1, "worst_length_bytes": 0, "points": points, "steps": [], "sentence": "",
        "reason": "",
    }  # fmt: skip
    return ScalingRow(**{**values, **changes})


class TestLatency:
    OVER_LENGTHS = [mark("a", "gcc", 64, 70), mark("a", "gcc", 4096, 1000), mark("a", "gcc", 0, 5, "key setup")]

    def test_axes_over_lengths_are_logarithmic(self) -> None:
        encoding = latency.spec(self.OVER_LENGTHS)["spec"]["layer"][1]["encoding"]
        assert encoding["x"]["scale"]["type"] == encoding["y"]["scale"]["type"] == "log"

    def test_length_0_is_left_out_over_lengths(self) -> None:
        assert {row["operation"] for row in rows(latency.spec(self.OVER_LENGTHS))} == {"encrypt"}

    def test_one_length_gives_rows_and_keeps_the_key_setup(self) -> None:
        spec = latency.spec([mark("a", "gcc", 16, 70), mark("a", "gcc", 0, 5, "key setup")])
        assert spec["usermeta"]["panels"] == 2
        assert spec["spec"]["layer"][1]["encoding"]["y"]["field"] == "series"

    def test_axis_labels_have_units_of_time(self) -> None:
        picture = svg(latency.spec(self.OVER_LENGTHS))
        assert "1 µs" in picture
        assert "50 ns" in picture


class TestScaling:
    ANSWER = ScalingAnswer(
        run_id="r", measure="pass", rows=[line(provider="own"), line(provider="botan", copy_number=2)]
    )

    def test_times_and_deviations_share_their_lengths(self) -> None:
        above, below = scaling.spec(self.ANSWER, None)["vconcat"]
        x = above["layer"][0]["encoding"]["x"]
        assert x["scale"] == below["layer"][1]["encoding"]["x"]["scale"]
        assert (x["scale"]["type"], above["layer"][0]["encoding"]["y"]["scale"]["type"]) == ("log", "log")

    def test_candidate_names_contain_the_differing_properties_and_length_0_is_left_out(self) -> None:
        drawn_rows = rows(scaling.spec(self.ANSWER, "a"))
        assert {row["series"] for row in drawn_rows} == {"aes-128-ctr own #1", "aes-128-ctr botan #2"}
        assert {row["length_bytes"] for row in drawn_rows} == {64, 4096}

    def test_chart_of_an_agent_without_candidates_is_empty(self) -> None:
        assert svg(scaling.spec(self.ANSWER, "b")).startswith("<svg")
        assert "2 ms" in svg(scaling.spec(self.ANSWER, None))


class TestToolchains:
    def test_base_is_the_first_gcc(self) -> None:
        assert toolchains.base_of(["clang -O3", "gcc -O3", "gcc -O2"]) == "gcc -O2"
        assert toolchains.base_of(["icpx -O3", "clang -O3"]) == "clang -O3"

    def test_single_toolchain_has_no_base(self) -> None:
        assert toolchains.base_of(["gcc -O3", "gcc -O3"]) is None
        assert svg(toolchains.spec([mark("a", "gcc -O3", 64, 70)])).startswith("<svg")

    def test_ratio_divides_the_same_call_of_the_same_implementation(self) -> None:
        measured = [mark("a", "gcc", 64, 100), mark("a", "clang", 64, 93), mark("b", "clang", 64, 50)]
        ratios = {(one.series, one.toolchain): one.value for one in toolchains.relative(measured, "gcc")}
        assert ratios == {("a", "gcc"): 1.0, ("a", "clang"): pytest.approx(0.93)}

    @given(st.floats(0.1, 1e9), st.floats(0.1, 1e9))
    def test_base_has_ratio_1(self, with_gcc: float, with_clang: float) -> None:
        found = toolchains.relative([mark("a", "gcc", 64, with_gcc), mark("a", "clang", 64, with_clang)], "gcc")
        assert [one.value for one in found] == [1.0, with_clang / with_gcc]


class TestTimings:
    def test_timings_are_divided_by_their_iterations(self) -> None:
        answer = TimingsDetail(
            execution_id=1, iterations=[10, 20], wall_ns=[1000, 2200], cpu_ns=[990, 2100], cycles=[None, None],
            instructions=[None, None], core_clock_hz=[None, None], derived_cycles=[None, None],
        )  # fmt: skip
        found = [row for data in timings.spec(answer)["datasets"].values() for row in data if "clock" in row]
        assert [row["call_ns"] for row in found if row["clock"] == "wall"] == [100, 110]


class TestMemory:
    CURVE = CurveDetail(
        execution_id=1, source="proc", at_ns=[1_000_000, 4_000_000], rss_bytes=[MIB, 4 * MIB], cpu_ns=[], threads=[]
    )

    def test_peak_and_phases_are_drawn(self) -> None:
        spans = [Span("start", 0, 2_000_000), Span("encrypt", 2_000_000, 3_000_000)]
        picture = svg(memory.spec(self.CURVE, spans, 5 * MIB))
        assert all(text in picture for text in ("peak 5.00 MiB", "encrypt", "report"))

    def test_absent_peak_has_no_line(self) -> None:
        assert "peak" not in svg(memory.spec(self.CURVE, [], None))


class TestLogTicks:
    @given(st.lists(st.floats(min_value=1e-3, max_value=1e6), min_size=1))
    def test_ticks_enclose_all_values_and_are_few(self, values: list[float]) -> None:
        ticks = log_ticks(values)
        assert ticks[0] <= min(values) * (1 + 1e-9)
        assert ticks[-1] >= max(values) * (1 - 1e-9)
        assert len(ticks) <= 14


def test_unknown_measure_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="Use encrypt, pass, call"):
        parse_measure("decrypt")


def test_call_is_refused_as_a_throughput() -> None:
    with pytest.raises(InvalidRequest, match="encrypt or pass"):
        parse_throughput("call")
