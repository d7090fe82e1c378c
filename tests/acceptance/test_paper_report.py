"""The report of a paper, from a real run of a small part of its plan to the file in a browser."""

import csv
import json
import re
from pathlib import Path

import pytest

from tests.support.browser import launched
from tests.support.system import System, a_plan

MATRIX = [
    {
        "providers": ["cryptopp", "botan"],
        "algorithms": ["aes-192-cbc", "3des-192-cbc", "chacha20-128", "salsa20-128"],
        "inputs": {"kinds": ["text"], "sizes": ["128 KiB", "1 MiB"]},
    }
]


@pytest.fixture(scope="module")
def run_id(system: System) -> str:
    run_id = system.submit(a_plan(name="evalme-2021", matrix=MATRIX))
    assert system.wait_for_run(run_id)["state"] == "finished"
    return run_id


def test_report_of_a_real_run_is_a_file_with_every_verdict(system: System, run_id: str, tmp_path: Path) -> None:
    html, table = tmp_path / "report.html", tmp_path / "report.csv"
    system.command("papers", "report", "evalme-2021", run_id, "--output", str(html), "--output", str(table))
    (agent,) = system.get("/papers/evalme-2021/verdicts", run=run_id)["agents"]
    checks = [*agent["claims"], *agent["findings"]]
    requests = list[str]()

    with launched() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.on("request", lambda request: requests.append(request.url))
        page.goto(html.as_uri())
        text = " ".join(page.locator("body").inner_text().split())
        for one in checks:
            row = page.locator("tr", has_text=one["text"]).first
            assert row.locator(".verdict").inner_text() == one["verdict"], one["text"]
        measured = [one for one in agent["figures"] if one["measured"] is not None]
        assert len(measured) == 7
        for one in measured:
            assert one["label"] in text
            assert one["interval"] is not None
        # All figures of one unit, and the four charts of the publication.
        assert page.locator("figure svg").count() == 1 + 4
        # A cell of a chart's text is a label of the figure.
        assert page.locator("figure svg text", has_text="Botan salsa20-128").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    assert requests == [html.as_uri()]
    plan = system.get(f"/runs/{run_id}")
    assert f"seed {plan['seed']}" in text
    assert re.search(r"SHA-256 of the plan [0-9a-f]{64}", text)
    assert "96 ok" in text
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # The name of a claim about -O3 begins like a formula, which the format marks as text.
    assert {(row["name"].removeprefix("'"), row["verdict"]) for row in rows if row["kind"] != "figure"} == {
        (one["text"], one["verdict"]) for one in checks
    }


@pytest.mark.long
def test_bundle_is_repeated_and_compared(system: System, run_id: str, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.zip"
    system.command("papers", "export", "evalme-2021", run_id, "--output", str(bundle))
    found = json.loads(system.command("papers", "repeat", str(bundle), "--json"))

    again = system.get(f"/runs/{found['run_id']}")
    before = system.get(f"/runs/{run_id}")
    assert (again["state"], again["seed"]) == ("finished", before["seed"])
    (comparison,) = found["comparisons"]
    (part,) = comparison["parts"]
    # Every case has a counterpart: 2 libraries × 4 algorithms × 2 lengths.
    assert (part["rows_total"], part["only_first"], part["only_other"]) == (16, 0, 0)
    assert {row["method"] for row in part["rows"]} == {"unpaired"}
    assert not [one for one in part["changes"] if one["topic"] in ("plan", "compiler", "hashes")]
