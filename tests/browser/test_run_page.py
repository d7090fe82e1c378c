"""The page of a run in a browser: question, ranking as a chart, sections as tabs; and its row in the list of runs."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect
from sqlalchemy import select, update

from orchestrator.database.models import Agent, Case, Footprint, Run
from tests.support import latency_results, measured_runs
from tests.support.browser import complaints_of
from tests.support.database import Shape, fill
from tests.support.live_service import Served

SCREEN = ViewportSize(width=1440, height=900)
PHONE = ViewportSize(width=390, height=844)


@pytest.fixture(scope="module")
def run_id(served: Served) -> str:
    latency_results.fill_calls(served.database, latency_results.Shape(agent="pi4"))
    return measured_runs.store(served.database, "packets")


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport=SCREEN)
    yield page
    page.close()


@pytest.fixture
def page(opened: Page, served: Served, run_id: str) -> Iterator[Page]:
    page = opened
    complaints = complaints_of(page, served.url)
    page.goto(f"{served.url}/runs/{run_id}")
    for figure in page.locator(".decision figure").all():
        expect(figure).to_have_attribute("data-drawn", "true")
    expect(page.locator("table.ranking")).to_be_visible()
    page.wait_for_load_state("networkidle")  # what is loaded later would move what is clicked
    yield page
    assert complaints == []


def marked(page: Page) -> list[str | None]:
    return page.evaluate(  # type: ignore[no-any-return]
        "[...document.querySelectorAll('.decision figure')].map((one) => one.view.view.signal('marked'))"
    )


def open_without_script(page: Page, address: str) -> list[Route]:
    """Open a page whose script is held back; return the requests of it."""
    held = list[Route]()
    page.route("**/static/page.js*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright reads its attributes
    with page.expect_request("**/static/page.js*"):
        page.goto(address, wait_until="commit")
    return held


def test_answer_ranking_and_both_charts_are_in_the_first_screen(page: Page) -> None:
    for shown in (page.locator(".sentence"), page.locator("table.ranking"), *page.locator(".decision figure").all()):
        box = shown.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= SCREEN["height"]


def test_selected_candidate_is_marked_in_both_charts_and_a_second_press_ends_it(page: Page) -> None:
    row = page.locator("tr", has_text="ascon-aead128").first
    row.get_by_role("button").press("Enter")
    expect(row.get_by_role("button")).to_have_attribute("aria-pressed", "true")
    series = row.get_attribute("data-series")
    assert series is not None
    assert marked(page) == [series, series]
    row.get_by_role("button").press("Enter")
    assert marked(page) == [None, None]


def test_candidate_that_is_clicked_in_a_chart_is_selected_in_the_ranking(page: Page) -> None:
    click_lowest_point(page)


def click_lowest_point(page: Page) -> None:
    place = page.evaluate(
        """() => {
          const figure = document.querySelector('.decision figure');
          const points = [];
          (function visit(mark) {
            if (mark.marktype === 'symbol') points.push(...mark.items);
            for (const item of mark.items) for (const inner of item.items ?? []) visit(inner);
          })(figure.view.view.scenegraph().root);
          const [left, top] = figure.view.view.origin();
          const canvas = figure.querySelector('canvas').getBoundingClientRect();
          const first = points.reduce((a, b) => (b.y > a.y ? b : a));
          return {x: canvas.x + left + first.x, y: canvas.y + top + first.y, series: first.datum.series};
        }"""
    )
    page.mouse.click(place["x"], place["y"])
    expect(page.locator("tr.selected")).to_have_attribute("data-series", place["series"])


def test_chart_that_is_drawn_before_the_script_is_loaded_can_be_clicked(
    opened: Page, served: Served, run_id: str
) -> None:
    page, held = opened, open_without_script(opened, f"{served.url}/runs/{run_id}")
    expect(page.locator(".decision figure").first).to_have_attribute("data-drawn", "true")
    expect(page.locator("table.ranking")).to_be_visible()
    for route in held:
        route.continue_()
    page.wait_for_load_state("networkidle")
    click_lowest_point(page)


def test_question_applies_immediately_and_stays_in_the_address(page: Page) -> None:
    page.get_by_role("combobox", name="Length", exact=True).select_option("1 KiB")
    expect(page.locator(".sentence")).to_contain_text("over 1 input of 1 KiB")
    page.get_by_label("AEAD only").check()
    expect(page.locator(".head")).to_contain_text("Only candidates with: AEAD.")
    assert "only_length=1024" in page.url
    assert "aead=yes" in page.url
    page.get_by_role("link", name="Start again").click()
    expect(page.locator(".sentence")).to_contain_text("over 1 input of 24 B")


def test_choice_before_the_script_is_loaded_is_applied(opened: Page, served: Served, run_id: str) -> None:
    """A choice in the first moments was lost: the list showed it, and the answer was about the default."""
    page, held = opened, open_without_script(opened, f"{served.url}/runs/{run_id}")
    page.locator("[data-question]").get_by_role("combobox", name="Length").select_option("1 KiB")
    for route in held:
        route.continue_()
    expect(page.locator(".sentence")).to_contain_text("over 1 input of 1 KiB")


def test_sections_are_tabs_with_addresses(page: Page) -> None:
    page.get_by_role("link", name="All cases").click()
    expect(page.locator("#results")).to_be_visible()
    expect(page.locator("#charts")).not_to_be_visible()
    assert page.url.endswith("#cases")
    page.go_back()
    expect(page.locator("#charts")).to_be_visible()
    # An element inside a section is an address of the section, too.
    page.goto(page.url.partition("#")[0] + "#results")
    expect(page.locator("#results")).to_be_visible()
    expect(page.get_by_role("link", name="All cases")).to_have_attribute("aria-current", "true")


def test_phone_shows_value_and_interval_of_each_candidate(opened: Page, served: Served, run_id: str) -> None:
    page = opened
    page.set_viewport_size(PHONE)
    page.goto(f"{served.url}/runs/{run_id}")
    row = page.locator("table.ranking tbody tr").first
    for cell in (row.locator(".strong"), row.locator("td.plot svg")):
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_list_shows_the_first_candidate_of_each_run_with_its_interval(
    opened: Page, served: Served, run_id: str
) -> None:
    page = opened
    page.goto(served.url)
    row = page.locator("tr", has=page.locator(f'a[href="/runs/{run_id}"]'))
    expect(row.locator(".winner")).to_have_text(re.compile(r"aes-256-gcm\s+own 77\.1 ns ± 2\.57 %"))


def test_runs_of_one_name_are_folded_into_one_row(opened: Page, fresh: Served) -> None:
    # A line has the values of one device.
    devices = {"other0000001": "x86"} | dict.fromkeys(("first0000001", "again0000001", "third0000001"), "pi")
    for run_id, device in devices.items():
        shape = Shape(run_id=run_id, name="nightly", agents=(device,), repetitions=2, with_curves=False)
        fill(fresh.database, shape)
    page = opened
    page.goto(fresh.url)
    rows = page.locator("table.runlist th[scope=row]")
    expect(rows.filter(visible=True)).to_have_count(1)
    words = re.compile(r"by the medians of 3 runs on pi, oldest first: [0-9.]+ GiB/s, ")
    expect(page.locator("svg.spark")).to_have_attribute("aria-label", words)
    page.get_by_role("button", name="3 earlier of this name").click()
    expect(rows.filter(visible=True)).to_have_count(4)


def test_page_of_a_paper_has_its_verdicts_and_what_may_mislead_in_the_first_box(opened: Page, served: Served) -> None:
    measured_runs.store(served.database, "tinyjambu-compilers")
    page = opened
    page.goto(f"{served.url}/papers/tinyjambu-compilers")
    for words in ("of 2 claims, 2 not reproduced here", "executions were disturbed", "No noise floor"):
        expect(page.locator(".answer")).to_contain_text(words)
    expect(page.get_by_role("group", name="Verdicts of vm")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") <= 2000
    page.get_by_role("link", name="Published figures").click()
    expect(page.locator("#figures figure")).to_have_attribute("data-drawn", "true")


@pytest.mark.usefixtures("run_id")
def test_long_reason_of_a_size_fits_a_phone(opened: Page, served: Served) -> None:
    with served.database.write() as session:
        (case,) = session.query(Case).filter_by(algorithm="tinyjambu-128").limit(1)
        path, of_case = f"/cases/{case.id}", Footprint.algorithm == case.algorithm
        session.execute(update(Footprint).where(of_case).values(code_bytes=None, reason="/folder" * 40))
    page = opened
    page.set_viewport_size(PHONE)
    page.goto(served.url + path)
    expect(page.locator(".figures")).to_contain_text("/folder/folder")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_refused_question_shows_its_reason_in_place_of_the_answer(opened: Page, served: Served, run_id: str) -> None:
    """Regression: the card of the answer stayed empty."""
    opened.goto(f"{served.url}/runs/{run_id}?ranked=aes-128-crt")
    expect(opened.locator(".ranked")).to_contain_text("The run has no algorithm 'aes-128-crt'.")
    opened.goto(f"{served.url}/runs/{run_id}?call=key-setup&only_length=17")
    expect(opened.locator(".ranked")).to_contain_text("It has ")


def test_long_words_of_a_description_and_of_notes_fit_a_phone(opened: Page, served: Served, run_id: str) -> None:
    word = "long" * 40
    with served.database.write() as session:
        run = session.get_one(Run, run_id)
        run.plan = {**run.plan, "description": word}
        agent = session.scalars(select(Agent)).first()
        assert agent is not None
        agent.notes, path = word, f"/agents/{agent.id}"
    page = opened
    page.set_viewport_size(PHONE)
    for address in (f"/runs/{run_id}", path):
        page.goto(served.url + address)
        expect(page.locator(".lead").first).to_contain_text(word)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
