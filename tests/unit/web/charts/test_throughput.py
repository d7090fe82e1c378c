import json
import re

from orchestrator.shared.units import KIB, MIB
from orchestrator.web.charts import throughput
from orchestrator.web.charts.leading import Top
from orchestrator.web.codes import PROVIDERS
from tests.support.drawing import svg
from tests.unit.web.charts.builders import POINTS, point, rows


class TestThroughput:
    def test_axis_title_names_the_measure(self) -> None:
        assert "time of the phase" in json.dumps(throughput.spec(POINTS, "encrypt"))
        assert "whole work" in json.dumps(throughput.spec(POINTS, "pass"))

    def test_axes_are_logarithmic_with_the_lengths_as_ticks(self) -> None:
        encoding = throughput.spec(POINTS, "encrypt")["spec"]["layer"][1]["encoding"]
        assert encoding["x"]["scale"]["type"] == encoding["y"]["scale"]["type"] == "log"
        assert encoding["x"]["axis"]["values"] == [128 * KIB, 1 * MIB]

    def test_legend_names_every_series(self) -> None:
        # A channel without a legend once removed the legend of the others.
        picture = svg(throughput.spec(POINTS, "encrypt"))
        assert re.search(r"role-legend-label.*>aes-192-cbc</text>", picture)

    def test_one_panel_per_provider(self) -> None:
        assert throughput.spec(POINTS, "encrypt")["usermeta"]["panels"] == 2

    def test_empty_run_gives_an_empty_chart(self) -> None:
        assert svg(throughput.spec([], "encrypt")).startswith("<svg")


class TestManySeries:
    POINTS = [
        point(provider, f"cipher-{number}", length, 100.0 + 5 * place + number)
        for place, provider in enumerate(PROVIDERS[:20]) for number in range(5) for length in (64, 4096)
    ]  # fmt: skip

    def test_fastest_series_are_rows_with_their_names(self) -> None:
        found = throughput.spec(self.POINTS, "encrypt")
        y = found["spec"]["layer"][1]["encoding"]["y"]
        assert y["sort"][:2] == [f"cipher-4 {PROVIDERS[19]}", f"cipher-3 {PROVIDERS[19]}"]
        assert len(y["sort"]) == 12
        assert found["title"].startswith("The fastest 12 of 100 series: Encryption throughput")
        assert {row["series"] for row in rows(found)} == set(y["sort"])

    def test_all_series_can_be_shown(self) -> None:
        found = throughput.spec(self.POINTS, "encrypt", Top(None))
        assert len(found["spec"]["layer"][1]["encoding"]["y"]["sort"]) == 100
        assert found["title"].startswith("All 100 series, fastest first: ")
        picture = svg(found)
        assert all(f"cipher-{number} {provider}" in picture for number in range(5) for provider in PROVIDERS[:20])

    def test_legend_contains_only_the_shown_providers(self) -> None:
        encoding = throughput.spec(self.POINTS, "encrypt")["spec"]["layer"][1]["encoding"]
        assert set(encoding["color"]["scale"]["domain"]) == set(PROVIDERS[17:20])
