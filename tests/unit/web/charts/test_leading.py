from typing import NamedTuple

import pytest

from orchestrator.web.charts.leading import Leading, Top, leading, spread


class One(NamedTuple):
    name: str
    length: int
    value: float


# b is best at 64 bytes only, a everywhere else; c has no value at 64 bytes.
ITEMS = [
    One("a", 64, 90), One("b", 64, 100), One("a", 1024, 500), One("b", 1024, 250), One("a", 4096, 900),
    One("b", 4096, 300), One("c", 4096, 800), One("zero", 64, 0),
]  # fmt: skip


def of(top: Top, largest: bool = True) -> Leading:
    return leading(
        ITEMS, name=lambda one: one.name, place=lambda one: one.length, value=lambda one: one.value, top=top,
        largest=largest,
    )  # fmt: skip


def test_order_is_that_of_the_mean_factor_to_the_best_of_each_length() -> None:
    assert of(Top(None)).names == ["a", "c", "b", "zero"]
    assert of(Top(None), largest=False).names == ["b", "a", "c", "zero"]


def test_number_of_series_is_limited() -> None:
    assert of(Top(2)) == Leading(["a", "c"], 4)
    assert of(Top(2)).title("fastest") == "The fastest 2 of 4 series"
    assert of(Top(9)).title("fastest") == "All 4 series, fastest first"


@pytest.mark.parametrize(("text", "limit"), [("", 12), ("12", 12), ("24", 24), ("all", None)])
def test_number_in_an_address(text: str, limit: int | None) -> None:
    assert Top.parse(text) == Top(limit)
    assert Top.parse(Top.parse(text).text) == Top(limit)


def test_few_lengths_of_many_contain_both_ends() -> None:
    assert spread(range(3)) == [0, 1, 2]
    assert spread(range(100)) == [0, 20, 40, 59, 79, 99]


def test_no_series_have_no_order() -> None:
    assert leading([], name=str, place=str, value=float, top=Top(), largest=True) == Leading([], 0)
