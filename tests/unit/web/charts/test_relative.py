from orchestrator.web.charts import relative
from tests.unit.web.charts.builders import POINTS, rows


class TestRelative:
    def test_ratio_is_relative_to_the_fastest_of_each_length(self) -> None:
        found = {(row["provider"], row["panel"]): row["value"] for row in rows(relative.spec(POINTS))}
        assert found["cryptopp", "128 KiB"] == found["cryptopp", "1 MiB"] == 1
        assert found["botan", "128 KiB"] == 0.5

    def test_lengths_are_sorted_by_size(self) -> None:
        assert relative.spec(POINTS)["facet"]["sort"] == ["128 KiB", "1 MiB"]
