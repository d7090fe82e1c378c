import re

from orchestrator.web.charts import throughput
from tests.support.drawing import svg
from tests.unit.web.charts.builders import POINTS


class TestThroughput:
    def test_legend_names_every_series(self) -> None:
        # A channel without a legend once removed the legend of the others.
        picture = svg(throughput.spec(POINTS, "encrypt"))
        assert re.search(r"role-legend-label.*>aes-192-cbc botan</text>", picture)
