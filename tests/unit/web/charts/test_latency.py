from orchestrator.web.charts import latency
from tests.support.drawing import svg
from tests.unit.web.charts.builders import mark, rows


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
