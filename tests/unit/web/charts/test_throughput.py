import re

from orchestrator.web.charts import throughput
from orchestrator.web.charts.leading import Top
from orchestrator.web.codes import PROVIDERS
from tests.support.drawing import svg
from tests.unit.web.charts.builders import POINTS, point, rows


class TestThroughput:
    def test_legend_names_every_series(self) -> None:
        # A channel without a legend once removed the legend of the others.
        picture = svg(throughput.spec(POINTS, "encrypt"))
        assert re.search(r"role-legend-label.*>aes-192-cbc</text>", picture)


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
