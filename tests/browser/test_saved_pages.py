"""Saved pages: nothing is loaded, charts react, and a file whose text or data was changed shows it."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import complaints_of
from tests.support.commands import command_of, succeeded
from tests.support.live_service import Served

RUN = "/runs/good00000001"
PAGES = (
    "/", RUN, "/runs/calls0000001", "/compare?run=good00000001&run=lengths00001&measure=encrypt",
    "/papers/chacha20-rfc",
)  # fmt: skip


def saved(served: Served, address: str) -> str:
    with served.client("viewer") as viewer:
        answer = viewer.get("/api/v1/page-file", params={"address": address})
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-disposition"].startswith('attachment; filename="ciphermark')
        return answer.text


def opened(chromium: Browser, file: Path, text: str) -> tuple[Page, list[str]]:
    """Open a file in a browser without a network; return its page and what it complained about or requested."""
    file.write_text(text, encoding="utf-8")
    page = chromium.new_context(offline=True, viewport={"width": 1400, "height": 900}).new_page()
    complaints = complaints_of(page, file.parent.as_uri())
    page.goto(file.as_uri())
    return page, complaints


@pytest.mark.parametrize("address", PAGES)
def test_a_saved_page_needs_no_network(filled: Served, chromium: Browser, tmp_path: Path, address: str) -> None:
    text = saved(filled, address)
    page, complaints = opened(chromium, tmp_path / "page.html", text)
    expect(page.locator("#verdict")).to_have_text("Its text and data are as they were saved.")
    for figure in page.locator("figure").all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_attribute("data-drawn", "true")
    assert not complaints
    # A chart makes a form to highlight a series.
    assert page.locator("a[href^='/'], form:not(.bindings form), button:not(.pick), [data-fragment]").count() == 0
    page.context.close()


def test_answer_charts_and_data_of_a_run_are_inside(filled: Served, chromium: Browser, tmp_path: Path) -> None:
    page, complaints = opened(chromium, tmp_path / "run.html", saved(filled, RUN))
    expect(page.locator("body")).not_to_contain_text("Compare with another run")
    expect(page.locator("section.answer")).to_contain_text("highest encryption throughput")
    chart = page.locator("#charts")
    expect(chart.locator("figure")).to_have_attribute("data-drawn", "true")
    chart.get_by_label("Highlight").select_option(index=1)  # it reacts
    with page.expect_download() as download:
        chart.get_by_role("link", name="Data as CSV").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    with filled.client("viewer") as viewer:
        served = viewer.get(f"{filled.url}{RUN}/charts/throughput.csv", params={"measure": "encrypt"}).text
    assert set(lines) == set(served.splitlines())
    assert len(lines) > 2
    assert not complaints
    page.context.close()


@pytest.mark.parametrize("part", ["text", "data"])
def test_a_changed_file_does_not_verify(filled: Served, chromium: Browser, tmp_path: Path, part: str) -> None:
    text = saved(filled, RUN)
    if part == "text":
        changed = text.replace("highest encryption throughput", "lowest encryption throughput")
    else:
        place = text.index('id="chart-0-spec"')
        found = json.JSONDecoder().raw_decode(text[text.index(">", place) + 1 :])[0]
        value = next(iter(found["datasets"].values()))[0] if "datasets" in found else found["data"]["values"][0]
        name = next(name for name, one in value.items() if isinstance(one, float))
        before = json.dumps({name: value[name]})[1:-1].replace(" ", "")
        changed = text.replace(before, before[:-1] + ("1" if before[-1] != "1" else "2"), 1)
    assert changed != text
    page, _ = opened(chromium, tmp_path / "changed.html", changed)
    expect(page.locator("#verdict")).to_contain_text("were changed after it was saved")
    page.context.close()


def test_other_addresses_are_refused(filled: Served) -> None:
    wrong = {"/audit": 422, "//elsewhere.example/runs/good1": 422, "/runs/none1": 404, "/compare?run=none1&run=x": 404}
    with filled.client("viewer") as viewer:
        for address, code in wrong.items():
            refused = viewer.get("/api/v1/page-file", params={"address": address})
            assert (refused.status_code, refused.json().get("field") == "address") == (code, code == 422)


def test_a_site_has_an_index_that_opens_each_run(filled: Served, chromium: Browser, tmp_path: Path) -> None:
    with filled.client("admin") as admin:
        for run_id in ("good00000001", "lengths00001"):
            changed = admin.patch(f"/api/v1/runs/{run_id}", json={"tags": ["published"]})
            assert changed.status_code == 200, changed.text
    command = command_of(filled, "viewer", tmp_path / "token")
    succeeded(command("runs", "site", "--tag", "published", "--into", str(tmp_path)))
    page, complaints = opened(chromium, tmp_path / "index.html", (tmp_path / "index.html").read_text(encoding="utf-8"))
    expect(page.locator("#verdict")).to_have_text("Its text and data are as they were saved.")
    assert page.locator("main a").count() == 2
    expect(page.locator("main")).not_to_contain_text(" ago")
    page.get_by_role("link", name="good").click()
    expect(page.locator("section.answer")).to_contain_text("highest encryption throughput")
    expect(page.locator("main")).to_contain_text(re.compile(r"submitted\s+20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC"))
    assert not complaints
    page.context.close()
    unknown = command("runs", "site", "--tag", "nothing", "--into", str(tmp_path))
    assert (unknown.exit_code, "0 finished runs have the tag" in unknown.output) == (2, True)
    no_folder = command("runs", "site", "--tag", "published", "--into", str(tmp_path / "index.html"))
    assert str(no_folder.exception).endswith("index.html cannot be written: File exists.")
