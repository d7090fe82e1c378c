"""Ticks of the chart of a watch's history."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.watches.schemas import CaseHistory, CasePoint, WatchedCase
from orchestrator.web.charts.history import look_ticks, spec
from tests.support.drawing import svg
from tests.support.models import built


@given(first=st.integers(1, 5000), looks=st.integers(1, 2000))
def test_ticks_are_a_few_looks_at_even_distances(first: int, looks: int) -> None:
    ticks = look_ticks(range(first, first + looks))
    assert 1 <= len(ticks) <= 9
    assert first <= ticks[0] <= ticks[-1] < first + looks
    assert len({right - left for left, right in pairwise(ticks)}) <= 1


def test_case_without_values_has_no_panel_and_is_in_the_title() -> None:
    point = CasePoint(look=1, ratio=1, low=None, high=None, reported=False)
    found = [
        CaseHistory(case=built(WatchedCase, agent_name="pi"), case_words="aes on pi", points=[point]),
        CaseHistory(
            case=built(WatchedCase, agent_name="liar"), case_words="aes on liar", points=[], reason="withdrawn"
        ),
    ]
    chart = spec(found)
    assert (chart["title"], chart["facet"]["sort"]) == (
        ["Not drawn: liar, whose results are withdrawn"],
        ["aes on pi"],
    )
    assert "title" not in spec(found[:1])


def test_what_all_cases_share_is_named_once_and_no_title_is_cut() -> None:
    points = [CasePoint(look=look, ratio=1, low=None, high=None, reported=False) for look in (1, 2)]
    words = [
        f"own aes-128-ctr ref, {size} random and 16 B of associated data, on pi with gcc -O2"
        for size in ("1 KiB", "2 KiB")
    ]
    chart = spec(
        [CaseHistory(case=built(WatchedCase, agent_name="pi"), case_words=one, points=points) for one in words]
    )
    assert chart["title"] == ["own aes-128-ctr ref", "on pi with gcc -O2"]
    assert chart["facet"]["sort"] == [f"{size} random and 16 B of\nassociated data" for size in ("1 KiB", "2 KiB")]
    assert [layer["mark"]["type"] for layer in chart["spec"]["layer"]] == ["area", "line", "point"]
    # Devices may have one name.
    same = spec(
        [CaseHistory(case=built(WatchedCase, agent_name="pi"), case_words=words[0], points=points) for _ in range(2)]
    )
    assert same["facet"]["sort"] == ["1.", "2."]


@pytest.mark.parametrize("looks", [1, 2, 3, 7])
def test_each_look_has_one_label(looks: int) -> None:
    points = [
        CasePoint(look=31 + place, ratio=1 + place / 1000, low=None, high=None, reported=False)
        for place in range(looks)
    ]
    drawn = svg(spec([CaseHistory(case=built(WatchedCase, agent_name="pi5"), case_words="aes-128-ctr", points=points)]))
    labels = [text for text in re.findall(r"<text[^>]*>([^<]*)</text>", drawn) if text.isdecimal() and text != "1"]
    assert labels == [str(point.look) for point in points]
