import pytest
import typer

from orchestrator.cli.moments import parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"), [(None, None), ("0", 0), ("45s", 45), ("30m", 1800), ("12h", 43_200), ("90d", 7_776_000)]
)
def test_duration_has_a_number_and_a_unit(text: str | None, seconds: int | None) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "-1d", "1.5h", "d", "90 days", "99999999d"])
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a duration"):
        parse_duration(text)
