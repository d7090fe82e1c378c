from orchestrator.results.answers.by_length.schemas import LatencyChart, LatencyPoint
from orchestrator.web.charts import calls
from orchestrator.web.charts.panels import ChartMark
from tests.unit.web.charts.builders import latency_point


def drawn(*points: LatencyPoint) -> list[ChartMark]:
    return calls.of_run(LatencyChart(run_id="r", points=list(points)), "a", None)


class TestCalls:
    def test_series_names_contain_the_differing_properties(self) -> None:
        assert {one.series for one in drawn(latency_point("scalar", "gcc -O3"))} == {"tinyjambu-128"}
        several = drawn(latency_point("scalar", "gcc -O3"), latency_point("sse2", "gcc -O3", associated_data_bytes=32))
        assert [one.series for one in several] == ["tinyjambu-128 scalar + 0 B AD", "tinyjambu-128 sse2 + 32 B AD"]

    def test_key_setup_in_each_call_is_another_kind_of_call(self) -> None:
        found = drawn(latency_point("scalar", "gcc -O3"), latency_point("scalar", "gcc -O3", key_setup="included"))
        assert [one.operation for one in found] == ["encrypt", "encrypt, key set in each call"]
