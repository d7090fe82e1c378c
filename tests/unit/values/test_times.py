"""Times are RFC 3339 texts within limits that every database can store."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.shared.values.times import EARLIEST, LATEST, parse_time, utc


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-11-22T08:30:00Z", datetime(2026, 11, 22, 8, 30, tzinfo=UTC)),
        ("2026-11-22t08:30:00.123456789z", datetime(2026, 11, 22, 8, 30, 0, 123456, tzinfo=UTC)),
        ("2026-11-22 10:30:00+02:00", datetime(2026, 11, 22, 8, 30, tzinfo=UTC)),
    ],
)
def test_rfc_3339_is_parsed(text: str, time: datetime) -> None:
    assert utc(parse_time(text)) == time


@pytest.mark.parametrize(
    "value",
    ["0.5", "1e9", "2026-11-22", "20261122T083000Z", "2026-13-01T00:00:00Z", "2026-11-22T24:00:01Z", "", 5, None, True,
     "٢٠٢٦-11-22T08:30:00Z"],
)  # fmt: skip
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"expected a time like|must be in"):
        parse_time(value)


@pytest.mark.parametrize(
    "time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z"]
)
def test_times_out_of_range_are_refused(time: str) -> None:
    with pytest.raises(ValueError, match="expected a time from 1970 to 2200"):
        utc(parse_time(time))


def test_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        utc(parse_time("2026-11-22T08:30:00"))


@given(st.datetimes(EARLIEST.replace(tzinfo=None), LATEST.replace(tzinfo=None) - timedelta(days=1)))
def test_texts_of_times_come_back(time: datetime) -> None:
    assert utc(parse_time(time.replace(tzinfo=UTC).isoformat())) == time.replace(tzinfo=UTC)
