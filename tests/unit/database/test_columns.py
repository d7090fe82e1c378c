"""Columns of integers survive encoding in the shorter of two encodings, and damaged bytes are refused."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.database.columns import Reader, encode_integers

COLUMNS = st.lists(st.integers(0, 2**63 - 1), max_size=50)


class TestEncodeIntegers:
    @given(COLUMNS)
    def test_column_survives_encoding(self, values: list[int]) -> None:
        reader = Reader(encode_integers(values))

        assert reader.integers(len(values)) == values
        reader.end()

    @pytest.mark.parametrize("value", [-1, 2**63])
    def test_value_outside_the_range_is_refused(self, value: int) -> None:
        with pytest.raises(ValueError, match="0 or more and less than"):
            encode_integers([0, value])


class TestReader:
    @given(COLUMNS.filter(bool), st.data())
    def test_truncated_column_is_refused(self, values: list[int], data: st.DataObject) -> None:
        encoded = encode_integers(values)
        cut = data.draw(st.integers(0, len(encoded) - 1))
        with pytest.raises(ValueError, match="missing"):
            Reader(encoded[:cut]).integers(len(values))

    @pytest.mark.parametrize("header", [bytes([3, 1]), bytes([0, 3]), bytes([1, 0])])
    def test_unknown_encoding_and_width_are_refused(self, header: bytes) -> None:
        with pytest.raises(ValueError, match="unknown encoding"):
            Reader(header + bytes(8)).integers(1)

    def test_remaining_bytes_are_refused(self) -> None:
        reader = Reader(encode_integers([1]) + b"x")
        reader.integers(1)
        with pytest.raises(ValueError, match="1 bytes too many"):
            reader.end()


class TestDecompress:
    @pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data + b"x"])
    def test_truncated_and_extended_streams_are_refused(self, damage) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(ValueError, match="do not end"):
            Reader.of_blob(b"\x01" + damage(zlib.compress(b"samples")), 1, 1000)
