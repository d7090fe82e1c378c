"""The pages of watches, and `ciphermark watch show`, show the figures that the API returns."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from orchestrator.database.models import WatchCase, WatchDelivery, WatchLook, now
from orchestrator.watches.histories import SHOWN_CASES
from orchestrator.web.charts.response import rows_of
from tests.support.commands import command_of, printed, succeeded
from tests.support.live_service import Served, words_of
from tests.support.watch_results import CHANGED_LOOK, LOOKS, fill_watches


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill_watches(served.database)
    return served


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[httpx.Client]:
    with served.client() as opened:
        yield opened


def get(client: httpx.Client, path: str, **query: Any) -> Any:
    return client.get(path, params=query).raise_for_status().json()


def without_copies(value: Any) -> Any:
    """Return a document without the numbers of copies, which the API calls ``copy``."""
    if isinstance(value, dict):
        return {name: without_copies(one) for name, one in value.items() if name not in ("copy", "copy_number")}
    return [without_copies(one) for one in value] if isinstance(value, list) else value


def test_list_and_watches_are_those_of_the_api(client: httpx.Client) -> None:
    assert get(client, "/watches", format="json")["watches"] == get(client, "/api/v1/watches")
    for name in ("nightly", "builds"):
        shown = get(client, f"/watches/{name}", format="json")["watch"]
        assert without_copies(shown) == without_copies(get(client, f"/api/v1/watches/{name}"))


def test_a_change_that_lasts_is_known_however_old_it_is(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    worse = [one for one in get(client, "/api/v1/watches/nightly")["latest_changes"] if one["lasts"]]
    monkeypatch.setattr("orchestrator.watches.service.SHOWN_CHANGES", 0)
    assert get(client, "/api/v1/watches/nightly")["latest_changes"] == worse != []


def test_chart_has_the_histories_of_the_api(client: httpx.Client) -> None:
    histories = get(client, "/api/v1/watches/nightly")["histories"]
    points = [(one["case_words"], point) for one in histories for point in one["points"]]
    rows = list(rows_of(get(client, "/watches/nightly/charts/history.json")))
    assert len(rows) == len(points) == SHOWN_CASES * LOOKS
    for row, (words, point) in zip(rows, points, strict=True):
        assert row["case"] == words
        assert [row[name] for name in ("look", "ratio", "low", "high")] == [
            point[name] for name in ("look", "ratio", "low", "high")
        ]
        assert (row["result"] == "change reported") == point["reported"]
    assert [point["look"] for _, point in points if point["reported"]] == [CHANGED_LOOK]


def test_look_with_too_few_former_runs_is_not_called_decided(client: httpx.Client) -> None:
    looks = get(client, "/api/v1/watches/nightly")["latest_looks"]
    assert {look["state"] for look in looks if look["reason"].startswith("Undecided")} == {"undecided"}
    assert {look["state"] for look in looks if not look["reason"]} == {"decided"}


def test_pages_show_changes_intervals_notices_and_failed_reports(client: httpx.Client) -> None:
    page = words_of(client.get("/watches/nightly", headers={"Accept": "text/html"}))
    for words in (
        "1 case is worse now", "-3.9 %", "-5.8 % to -2.0 %", "answered 503", "botan aes-192-cbc default, 1 KiB text",
    ):  # fmt: skip
        assert words in page
    assert "was skipped: its baseline was deleted" in client.get("/watches", headers={"Accept": "text/html"}).text


def test_no_regression_comes_with_what_the_look_lacks_and_what_is_withdrawn(
    served: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacks = "1 case has no value: botan aes-192-cbc."
    last = {"watch_id": "watch0000001", "number": LOOKS}
    with served.database.write() as session:
        cases = session.scalar(select(WatchLook.cases).filter_by(**last))
        session.execute(update(WatchLook).filter_by(**last).values(reason=lacks, cases=1))
    monkeypatch.setattr("orchestrator.watches.service.distrusted_agents", lambda _: {"agent0000001"})
    page = words_of(client.get("/watches/nightly", headers={"Accept": "text/html"}))
    with served.database.write() as session:
        session.execute(update(WatchLook).filter_by(**last).values(reason="", cases=cases))
    answer = page[page.index('aria-label="Answer"') :].partition("</section>")[0]
    for words in ("No regression now", "compared 1 case ", "1 reported change is withdrawn", lacks):
        assert words in answer


def test_command_shows_changes_with_their_intervals_and_method(served: Served, tmp_path: Path) -> None:
    command = command_of(served, "viewer", tmp_path / "token")
    shown = printed(command("watch", "show", "nightly"))
    for words in ("Changes:", "worse", "botan", "Bonferroni", "encrypt, new / former"):
        assert words in shown
    assert json.loads(printed(command("watch", "show", "nightly", "--json")))["latest_changes"]


def test_command_shows_reports_that_were_sent_and_changes_that_do_not_last(served: Served, tmp_path: Path) -> None:
    """Regression: a case that had recovered was listed as worse, and a delivered report was not listed."""
    with served.database.write() as session:
        session.execute(update(WatchCase).values(lasting=False))
        session.execute(update(WatchDelivery).values(state="delivered", delivered_at=now()))
    shown = printed(command_of(served, "viewer", tmp_path / "token")("watch", "show", "nightly"))
    assert "worse until later" in shown
    assert f"Report of look {CHANGED_LOOK} to https://ci.example.org/hook: delivered {now():%Y}" in shown


def test_command_fits_a_terminal_of_80_columns(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.commands.COLUMNS", "80")
    shown = succeeded(command_of(served, "viewer", tmp_path / "token")("watch", "show", "nightly"))
    assert max(map(len, shown.splitlines())) <= 80


def test_unknown_watch_is_a_problem(client: httpx.Client) -> None:
    answer = client.get("/api/v1/watches/nothing")
    assert (answer.status_code, answer.json()["remedy"]) == (404, "List them: ciphermark watch list.")
