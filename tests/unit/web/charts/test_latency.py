from orchestrator.web.charts import latency
from tests.support.drawing import svg
from tests.unit.web.charts.builders import mark


class TestLatency:
    OVER_LENGTHS = [mark("a", "gcc", 64, 70), mark("a", "gcc", 4096, 1000), mark("a", "gcc", 0, 5, "key setup")]

    def test_axes_over_lengths_are_logarithmic(self) -> None:
        encoding = latency.spec(self.OVER_LENGTHS)["spec"]["layer"][1]["encoding"]
        assert encoding["x"]["scale"]["type"] == encoding["y"]["scale"]["type"] == "log"

    def test_axis_labels_have_units_of_time(self) -> None:
        picture = svg(latency.spec(self.OVER_LENGTHS))
        assert "1 µs" in picture
        assert "50 ns" in picture
