"""Timings come back as they were; damaged bytes are refused, whatever the damage."""

import contextlib
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.database import timings
from orchestrator.shared.errors import TimingsDamaged
from orchestrator.wire.records import TimingSeries

INTEGERS = st.integers(min_value=0, max_value=2**63 - 1) | st.integers(0, 300)
REALS = st.floats(min_value=0, allow_nan=False, allow_infinity=False)


ROWS = st.lists(
    st.tuples(
        st.integers(min_value=1, max_value=2**63 - 1), INTEGERS, INTEGERS,
        INTEGERS | st.none(), INTEGERS | st.none(), REALS | st.none(), REALS | st.none(),
    ),
    min_size=1,
    max_size=10,
)  # fmt: skip


def of_rows(rows: list[tuple[object, ...]]) -> TimingSeries:
    """Return timings of some rows in the order of the columns."""
    columns = (list(column) for column in zip(*rows, strict=True))
    return TimingSeries.model_validate(dict(zip(TimingSeries.model_fields, columns, strict=True)))


any_timings = ROWS.map(of_rows)


def steady(count: int) -> TimingSeries:
    return TimingSeries(
        iterations=[70_000] * count,
        wall_ns=[10_000_000 + index % 9 * 1000 for index in range(count)],
        cpu_ns=[9_990_000 + index % 9 * 1000 for index in range(count)],
        cycles=[None] * count,
        instructions=[None] * count,
        core_clock_hz=[2.9e9 if index % 4 else None for index in range(count)],
        derived_cycles=[2.897e7 if index % 4 else None for index in range(count)],
    )


class TestRoundTrip:
    @given(any_timings)
    def test_all_come_back(self, some: TimingSeries) -> None:
        assert timings.decode(timings.encode(some)) == some

    def test_a_hundred_take_less_than_their_numbers(self) -> None:
        assert len(timings.encode(steady(100))) < 100 * 5 * 8 / 5

    def test_a_value_beyond_63_bits_is_refused(self) -> None:
        with pytest.raises(ValueError, match="less than 2"):
            timings.encode(steady(1).model_copy(update={"wall_ns": [2**63]}))


class TestDamage:
    @given(st.binary(max_size=200))
    def test_any_bytes_are_refused_or_timings(self, blob: bytes) -> None:
        with contextlib.suppress(TimingsDamaged):
            assert isinstance(timings.decode(blob), TimingSeries)

    @given(st.binary(max_size=300))
    def test_any_text_inside_is_refused_or_timings(self, text: bytes) -> None:
        with contextlib.suppress(TimingsDamaged):
            assert isinstance(timings.decode(b"\x01" + zlib.compress(text)), TimingSeries)

    @given(some=any_timings, cut=st.integers(min_value=1, max_value=40))
    def test_a_cut_blob_is_refused(self, some: TimingSeries, cut: int) -> None:
        with pytest.raises(TimingsDamaged):
            timings.decode(timings.encode(some)[:-cut])

    def test_another_form_is_named(self) -> None:
        with pytest.raises(TimingsDamaged, match="seen: 9"):
            timings.decode(b"\x09abc")

    def test_a_bomb_is_not_unfolded(self) -> None:
        with pytest.raises(TimingsDamaged, match="do not end"):
            timings.decode(b"\x01" + zlib.compress(b"\0" * 200_000_000, 9))

    def test_more_timings_than_there_can_be_are_refused(self) -> None:
        with pytest.raises(TimingsDamaged, match="1001 timings, allowed are 1000"):
            timings.decode(b"\x01" + zlib.compress((1001).to_bytes(4, "little")))
