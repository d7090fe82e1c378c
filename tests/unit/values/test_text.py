"""Control characters become visible; all other characters stay."""

import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.shared.values.text import finite_document, unmistakable, visible, visible_document, visible_line

DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\x00b\x07\x7f", "a␀b␇␡"),
        ("one\r\ntwo\tthree\rfour", "one\ntwo\tthree␍four"),
        ("abc\u202edef\u2066", "abc\ufffddef\ufffd"),
        ("\x9b2J", "\ufffd2J"),
        ("line\u2028separator", "line\ufffdseparator"),
        ("grün 😀 –", "grün 😀 –"),
    ],
)
def test_control_characters_become_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Raspberry \u0420i 5", "Raspberry \\u0420i 5"),  # a Cyrillic letter (finding S123)
        ("Rasp\u200bberry Pi 5", "Rasp\ufffdberry Pi 5"),
        ("Intel® Xeon™ 3 µm", "Intel® Xeon™ 3 \\u00b5m"),
        ("\u5c0f\u7c73 5", "\u5c0f\u7c73 5"),
    ],
)
def test_name_of_a_device_is_not_mistaken_for_another(name: str, shown: str) -> None:
    assert unmistakable(name) == shown


def test_surrogates_become_visible_because_no_encoding_has_them() -> None:
    assert visible("a\ud800").encode() == "a\ufffd".encode()


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Lu", "So"])))
def test_nothing_is_left_that_controls_a_reader(text: str) -> None:
    line = visible_line(text)

    assert len(line) == len(text)
    assert not {unicodedata.category(character) for character in line} & {"Cc", "Cs", "Zl", "Zp"}
    assert not {unicodedata.bidirectional(character) for character in line} & DIRECTIONS
    assert visible_line(line) == line
    assert visible(visible(text)) == visible(text)
    assert visible_line(visible(text)) == visible_line(text.replace("\r\n", "\n"))


def test_documents_are_made_visible_with_their_keys() -> None:
    document = {"a\x00": ["\x1b", {"b": "\x07\n"}, 5, None, True, 1.5]}

    assert visible_document(document) == {"a␀": ["␛", {"b": "␇\n"}, 5, None, True, 1.5]}


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_number_that_json_cannot_contain_is_refused_anywhere_in_a_document(value: float) -> None:
    """Regression: a runner's listing with infinity in its build was accepted, and stored as null."""
    assert finite_document({"a": [1.5, {"b": "inf"}]}) == {"a": [1.5, {"b": "inf"}]}
    with pytest.raises(ValueError, match="expected a finite number"):
        finite_document({"a": [1.5, {"b": value}]})
