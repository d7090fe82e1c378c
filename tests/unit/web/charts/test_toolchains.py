import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.web.charts import toolchains
from orchestrator.web.charts.theme import svg
from tests.unit.web.charts.builders import mark


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
