import json
import re

from orchestrator.units import KIB, MIB
from orchestrator.web.charts import throughput
from orchestrator.web.charts.theme import svg
from tests.unit.web.charts.builders import POINTS, rows


class TestThroughput:
    def test_axis_title_names_the_measure(self) -> None:
        assert "encryption phase" in json.dumps(throughput.spec(POINTS, "encrypt"))
        assert "whole work" in json.dumps(throughput.spec(POINTS, "pass"))

    def test_axes_are_logarithmic_with_the_lengths_as_ticks(self) -> None:
        encoding = throughput.spec(POINTS, "encrypt")["spec"]["layer"][1]["encoding"]
        assert encoding["x"]["scale"]["type"] == encoding["y"]["scale"]["type"] == "log"
        assert encoding["x"]["axis"]["values"] == [128 * KIB, 1 * MIB]

    def test_color_and_shape_of_a_series_are_in_one_legend(self) -> None:
        encoding = throughput.spec(POINTS, "encrypt")["spec"]["layer"][2]["encoding"]
        assert encoding["color"]["title"] == encoding["shape"]["title"]
        assert encoding["color"]["scale"]["domain"] == encoding["shape"]["scale"]["domain"] == ["aes-192-cbc"]

    def test_legend_names_every_series(self) -> None:
        # A channel without a legend once removed the legend of the others.
        picture = svg(throughput.spec(POINTS, "encrypt"))
        assert re.search(r"role-legend-label.*>aes-192-cbc</text>", picture)

    def test_one_panel_per_provider(self) -> None:
        assert throughput.spec(POINTS, "encrypt")["usermeta"]["panels"] == 2

    def test_missing_interval_stays_missing(self) -> None:
        assert [row["low"] for row in rows(throughput.spec(POINTS, "encrypt"))][-1] is None

    def test_picture_contains_providers_and_lengths(self) -> None:
        picture = svg(throughput.spec(POINTS, "encrypt"))
        assert all(text in picture for text in ("botan", "cryptopp", "128 KiB", "1 MiB", "aes-192-cbc"))

    def test_empty_run_gives_an_empty_chart(self) -> None:
        assert svg(throughput.spec([], "encrypt")).startswith("<svg")
