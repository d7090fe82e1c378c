from datetime import UTC, datetime, timedelta

import pytest
import typer

from orchestrator.cli.moments import parse_duration, parse_moment


@pytest.mark.parametrize(
    ("text", "seconds"), [(None, None), ("0", 0), ("45s", 45), ("30m", 1800), ("12h", 43_200), ("90d", 7_776_000)]
)
def test_duration_has_a_number_and_a_unit(text: str | None, seconds: int | None) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "-1d", "1.5h", "d", "90 days", "99999999d"])
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a duration"):
        parse_duration(text)


def test_moment_is_a_time_or_a_duration_before_now() -> None:
    assert parse_moment(None) is None
    assert parse_moment("2026-11-22T10:30:00+02:00") == "2026-11-22T08:30:00+00:00"
    at = datetime.fromisoformat(parse_moment("12h") or "")
    assert timedelta(hours=12) <= datetime.now(UTC) - at < timedelta(hours=13)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-22T08:30:00", "2026-13-22T08:30:00Z", "9999999d", "30000d"])
def test_moment_in_another_form_or_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="expected a duration before now"):
        parse_moment(text)
