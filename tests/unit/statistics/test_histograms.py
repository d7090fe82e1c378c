import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.statistics.mixtures.histograms import MAX_LENGTHS, format_histogram, parse_histogram

WIRESHARK = '"No.","Time","Source","Destination","Protocol","Length","Info"\n' + "\n".join(
    f'"{number}","0.{number}","10.0.0.1:443","10.0.0.2","TLSv1.2","{length}","Data, with a comma: 7"'
    for number, length in enumerate((66, 1514, 1514))
)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("24:900, 1500:100", {24: 900, 1500: 100}),
        (" 1 KiB : 2 ;\n16:0.5\n\n16:1", {16: 1.5, 1024: 2}),
        ("64:30%, 128:70 %", {64: 30, 128: 70}),
        ("length_bytes,count\n24,900\n1500,100\n24,1\n", {24: 901, 1500: 100}),
        ("\ufeffPackets;Size\n5;1 KiB\n0;16\n", {1024: 5}),
        ("frame.len\n66\n1514\n1514\n", {66: 1, 1514: 2}),
        ("24,900\n1500,100", {24: 900, 1500: 100}),
        ("24 B\t900", {24: 900}),
        ("66\n66\n60", {60: 1, 66: 2}),
        (WIRESHARK, {66: 1, 1514: 2}),
    ],
)
def test_typed_text_and_csv_give_counts_by_length(text: str, counts: dict[int, float]) -> None:
    assert parse_histogram(text) == counts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("24:-5", "pair 1 has the count -5, expected 0 to 1e15"),
        ("24:many", "pair 1 has the count 'many', expected a number"),
        ("24:nan", "pair 1 has the count nan"),
        ("24:9, 1500", "pair 2 is '1500'; expected a length and a count"),
        ("length,count\n24,9\n-3,1", "line 3: a size must be"),
        ("length,count\n24", "line 2 has 1 columns, expected at least 2"),
        ("40-79,3", "line 1 has the range of lengths '40-79'"),
        ("name,number\nx,1", "no column of 'name, number' is a length"),
        ("24:0", "no messages"),
        ("", "no messages"),
        ("3 GiB:1", "pair 1 has a length of 3 GiB, at most 1 GiB"),
        ("\n".join(str(size) for size in range(MAX_LENGTHS + 1)), f"{MAX_LENGTHS + 1} different lengths"),
    ],
)
def test_wrong_text_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_histogram(text)


@given(st.dictionaries(st.integers(0, 2**30), st.integers(1, 10**11), min_size=1, max_size=30))
def test_formatted_histogram_is_read_again(counts: dict[int, int]) -> None:
    assert parse_histogram(format_histogram({one: float(count) for one, count in counts.items()})) == counts


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_histogram(text)
    except ValueError:
        return
    assert all(length >= 0 and count > 0 for length, count in found.items())
