from orchestrator.web.charts import toolchains
from tests.unit.web.charts.builders import mark, ratio, rows

GCC = mark("a", "gcc", 64, 100, of_base=ratio(1.0, reference="gcc"))
CLANG = mark("a", "clang", 64, 93, of_base=ratio(0.95, reference="gcc"))


class TestToolchains:
    def test_values_are_the_ratios_of_the_calls_and_not_of_their_medians(self) -> None:
        found = rows(toolchains.spec([GCC, CLANG, mark("b", "clang", 64, 50)]))
        assert [(row["series"], row["toolchain"], row["value"]) for row in found] == [
            ("a", "gcc", 1.0),
            ("a", "clang", 0.95),
        ]
        assert (found[1]["low"], found[1]["high"], found[0]["low"]) == (0.95 * 0.99, 0.95 * 1.01, None)
        assert (found[1]["method"], found[1]["result"], found[1]["reference"]) == ("paired", "different", "gcc")

    def test_unpaired_ratios_are_counted_in_the_title(self) -> None:
        other = mark("a", "icpx", 64, 93, of_base=ratio(0.95, reference="gcc", method="unpaired"))
        assert toolchains.spec([GCC, CLANG, other])["title"] == (
            "paired by block, 95 %; 1 without common blocks, unpaired"
        )
        assert toolchains.spec([GCC, other])["title"] == "no common blocks: unpaired, 95 %"
