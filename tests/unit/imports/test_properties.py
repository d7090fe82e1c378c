"""Whatever a file contains, it is read completely or refused with a sentence; hypothesis looks for a third outcome."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.results.imports.document import MAX_VALUE, ImportedFile, figures_of, independent
from orchestrator.results.imports.formats import read_file
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.values.text import visible_line
from tests.unit.imports.test_formats import FILES, text_of

SECONDS = st.floats(0, 1e6, allow_subnormal=False)
NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def read_or_refuse(text: str) -> ImportedFile | None:
    """Return the content of a file that fulfills every promise, or None for one that is refused with a remedy."""
    refusal = None
    try:
        found = read_file(text)[1]
    except InvalidRequest as error:
        refusal = error
    if refusal is not None:
        assert refusal.detail.endswith("Nothing was imported.")
        assert refusal.remedy
        return None
    assert found.series
    for one in found.series:
        figures = [value for value in vars(one.figures).values() if isinstance(value, float)]
        assert all(math.isfinite(value) and 0 <= value <= 2 * MAX_VALUE for value in (*figures, *(one.readings or ())))
        assert visible_line(one.name) == one.name
        assert one.processes is None or sum(one.processes) == len(one.readings or ())
    return found


@given(st.lists(st.tuples(NAMES, st.lists(SECONDS, min_size=1, max_size=20)), min_size=1, max_size=5))
def test_hyperfine_keeps_every_reading(results: list[tuple[str, list[float]]]) -> None:
    document = {
        "results": [
            {"command": name, "mean": math.fsum(times) / len(times), "stddev": None, "times": times}
            for name, times in results
        ]
    }
    found = read_or_refuse(json.dumps(document))
    assert found is not None
    assert [(one.name, list(one.readings or ())) for one in found.series] == [
        (name, pytest.approx([1e9 * value for value in times])) for name, times in results
    ]


@given(st.lists(st.lists(SECONDS, min_size=1, max_size=4), min_size=1, max_size=8))
def test_pyperf_keeps_every_reading_and_its_process(runs: list[list[float]]) -> None:
    benchmark = {"metadata": {"name": "x"}, "runs": [{"values": values} for values in runs]}
    found = read_or_refuse(json.dumps({"version": "1.0", "benchmarks": [benchmark]}))
    assert found is not None
    (series,) = found.series
    assert series.readings == pytest.approx([1e9 * value for values in runs for value in values])
    assert series.processes == tuple(len(values) for values in runs)
    assert len(independent(series.readings or (), series.processes)) == len(runs)


@given(st.lists(SECONDS, min_size=1, max_size=30))
def test_interval_encloses_the_median(readings: list[float]) -> None:
    found = figures_of(readings)
    assert found.minimum is not None
    assert found.maximum is not None
    assert found.minimum <= found.value <= found.maximum
    assert found.interval is None if len(readings) < 6 else found.interval and found.interval.contains(found.value)


@given(st.text(max_size=200))
def test_any_text_is_refused_or_read(text: str) -> None:
    read_or_refuse(text)


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
def test_file_cut_off_anywhere_is_refused(name: str, data: st.DataObject) -> None:
    whole = text_of(name).rstrip()
    end = data.draw(st.integers(0, len(whole) - 1))
    assert read_or_refuse(whole[:end]) is None


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
def test_any_value_anywhere_is_refused_or_read(name: str, data: st.DataObject) -> None:
    document = json.loads(text_of(name))
    place: Any = document
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(list(keys)))
        deeper = isinstance(place[key], dict | list) and bool(place[key])
        if not deeper or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(VALUES)
    read_or_refuse(json.dumps(document))
