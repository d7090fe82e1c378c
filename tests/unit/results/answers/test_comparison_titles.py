"""Titles of the sides of a comparison, without a database."""

from datetime import UTC, datetime

from orchestrator.results.comparisons.sides import NamedRun, parse_side, titles

MINUTE = datetime(2026, 11, 23, 21, 3, 44, tzinfo=UTC)


def named(text: str, run_name: str = "packets", minute: int = 3) -> NamedRun:
    return parse_side(text), run_name, MINUTE.replace(minute=minute)


def test_parts_of_one_run_are_named_by_what_they_select() -> None:
    sides = [named("aaa,toolchain=gcc -O3"), named("aaa,toolchain=clang -O3,agent=pi4"), named("aaa")]
    assert titles(sides) == ["gcc -O3", "clang -O3, pi4", "packets"]


def test_runs_with_one_name_are_named_by_their_dates() -> None:
    assert titles([named("aaa"), named("bbb", minute=9)]) == [
        "packets of 2026-11-23 21:03", "packets of 2026-11-23 21:09",
    ]  # fmt: skip


def test_runs_of_one_name_and_minute_are_named_by_their_ids() -> None:
    assert titles([named("aaa"), named("bbb")]) == ["packets (aaa)", "packets (bbb)"]


def test_sides_that_are_the_same_keep_their_texts() -> None:
    assert titles([named("aaa,agent=pi4"), named("aaa,agent=pi4")]) == ["aaa,agent=pi4", "aaa,agent=pi4"]
