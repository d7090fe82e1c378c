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


class TestRoundTrip:
    @given(any_timings)
    def test_all_come_back(self, some: TimingSeries) -> None:
        assert timings.decode(timings.encode(some)) == some


class TestDamage:
    @given(st.binary(max_size=300))
    def test_any_text_inside_is_refused_or_timings(self, text: bytes) -> None:
        with contextlib.suppress(TimingsDamaged):
            assert isinstance(timings.decode(b"\x01" + zlib.compress(text)), TimingSeries)

    def test_a_bomb_is_not_unfolded(self) -> None:
        with pytest.raises(TimingsDamaged, match="do not end"):
            timings.decode(b"\x01" + zlib.compress(b"\0" * 2_000_000, 9))

    def test_more_timings_than_there_can_be_are_refused(self) -> None:
        with pytest.raises(TimingsDamaged, match="1001 timings, allowed are 1000"):
            timings.decode(b"\x01" + zlib.compress((1001).to_bytes(4, "little")))
