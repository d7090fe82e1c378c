"""Times are stored as UTC and returned with their zone."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import sqlite

from orchestrator.database.models.base import UTCDateTime

DIALECT = sqlite.dialect()  # type: ignore[no-untyped-call]
OFFSETS = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1), timezones=OFFSETS))  # noqa: DTZ001
def test_time_of_any_zone_is_returned_as_the_same_time_in_utc(at: datetime) -> None:
    kind = UTCDateTime()
    stored = kind.process_bind_param(at, DIALECT)
    returned = kind.process_result_value(stored, DIALECT)

    assert stored is not None
    assert stored.tzinfo is None
    assert returned == at
    assert returned.tzinfo is UTC


def test_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        UTCDateTime().process_bind_param(datetime(2026, 11, 1), DIALECT)  # noqa: DTZ001
