import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.cli.adhoc.parameters import (
    MAX_PROGRAMS,
    Parameter,
    assignments,
    filled,
    parameter_list,
    parameter_scan,
    parameters_of,
)
from orchestrator.shared.errors import InvalidRequest


class TestLists:
    def test_values_are_separated_by_commas_that_are_not_escaped(self) -> None:
        assert parameter_list("x", r"a,b c,d\,e,").values == ("a", "b c", "d,e", "")

    @pytest.mark.parametrize(("name", "values"), [("x", ""), ("x", "a,b,a"), ("1x", "a"), ("", "a"), ("a b", "a")])
    def test_invalid_list_is_refused(self, name: str, values: str) -> None:
        with pytest.raises(InvalidRequest):
            parameter_list(name, values)


class TestScans:
    @pytest.mark.parametrize(
        ("lowest", "highest", "step", "values"),
        [
            ("1", "4", None, ("1", "2", "3", "4")),
            ("0", "10", "5", ("0", "5", "10")),
            ("1", "2", "0.5", ("1.0", "1.5", "2.0")),
            ("0.3", "0.7", "0.2", ("0.3", "0.5", "0.7")),
            ("-2", "0", "2", ("-2", "0")),
            ("1", "2", "0.4", ("1.0", "1.4", "1.8")),
            ("5", "5", None, ("5",)),
            ("1e3", "3e3", "1e3", ("1000", "2000", "3000")),
        ],
    )
    def test_both_ends_are_included(self, lowest: str, highest: str, step: str | None, values: tuple[str, ...]) -> None:
        assert parameter_scan("n", lowest, highest, step).values == values

    @pytest.mark.parametrize(
        ("lowest", "highest", "step"),
        [
            ("2", "1", None), ("0", "1", "0"), ("0", "1", "-1"), ("a", "1", None), ("0", "nan", None),
            ("0", "inf", "1"), ("0.5", "2", None), ("0", str(MAX_PROGRAMS), None),
            ("0", "1", "1e-999999"), ("0", "1e999999999", "1"),
        ],
    )  # fmt: skip
    def test_invalid_scan_is_refused(self, lowest: str, highest: str, step: str | None) -> None:
        with pytest.raises(InvalidRequest):
            parameter_scan("n", lowest, highest, step)


class TestTogether:
    def test_step_is_one_for_all_or_one_for_each(self) -> None:
        scans = [("a", "0", "4"), ("b", "0", "4")]

        assert [len(one.values) for one in parameters_of([], scans, ["2"])] == [3, 3]
        assert [len(one.values) for one in parameters_of([], scans, ["2", "4"])] == [3, 2]
        assert [len(one.values) for one in parameters_of([("c", "x,y")], scans, [])] == [2, 5, 5]

    def test_step_without_scan_and_repeated_name_are_refused(self) -> None:
        with pytest.raises(InvalidRequest, match="1 steps"):
            parameters_of([("a", "1,2")], [], ["1"])
        with pytest.raises(InvalidRequest, match="twice"):
            parameters_of([("a", "1,2")], [("a", "1", "2")], [])


class TestCombinations:
    A, B = Parameter("a", ("1", "2")), Parameter("b", ("x", "y"))

    def test_every_combination_of_the_used_parameters(self) -> None:
        assert assignments([self.A, self.B], ["f {a}", "g {b}"]) == [
            {"a": "1", "b": "x"}, {"a": "1", "b": "y"}, {"a": "2", "b": "x"}, {"a": "2", "b": "y"},
        ]  # fmt: skip
        assert assignments([self.A, self.B], ["f {b}"]) == [{"b": "x"}, {"b": "y"}]
        assert assignments([self.A], ["f a {c}"]) == [{}]

    def test_too_many_combinations_are_refused_before_they_are_made(self) -> None:
        many = [Parameter(name, tuple(map(str, range(1000)))) for name in "abcdefgh"]

        with pytest.raises(InvalidRequest, match="combinations"):
            assignments(many, ["{a}{b}{c}{d}{e}{f}{g}{h}"])

    @given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
    def test_values_are_inserted_literally(self, before: str, value: str, after: str) -> None:
        assert filled(f"{before}{{name_1}}{after}", {"name_1": value}).startswith(
            filled(before, {"name_1": value}) + value
        )

    def test_value_is_not_searched_for_placeholders(self) -> None:
        assert filled("{a} {b} {c}", {"a": "{b}", "b": "1"}) == "{b} 1 {c}"
