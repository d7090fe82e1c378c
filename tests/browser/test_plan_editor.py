"""The editor of plans in a real browser: names at the caret, live preview, drafts, submission, and no JavaScript."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import update

from orchestrator.database.models import Agent, Build, Run
from tests.support.browser import log_in
from tests.support.fleet import Fleet, open_fleet
from tests.support.waiting import until

PLAN = """\
version: 1
name: two-ciphers
repetitions: 3
matrix:
  - providers: [botan]
    algorithms: [aes-192-cbc]
    inputs: {kinds: [text], sizes: [1 KiB]}
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with open_fleet(tmp_path_factory.mktemp("fleet")) as opened:
        yield opened


@pytest.fixture
def page(chromium: Browser, fleet: Fleet) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def open_editor(page: Page, fleet: Fleet) -> None:
    with page.expect_response(re.compile("/api/v1/plans/keys")) as answer:
        page.goto(f"{fleet.served.url}/plans/new")
    answer.value.finished()


def write(page: Page, text: str) -> None:
    """Replace the text and set the caret to the mark ``|``."""
    area = page.get_by_role("textbox", name="Plan")
    area.fill(text.replace("|", ""))
    area.evaluate("(area, at) => { area.focus(); area.setSelectionRange(at, at); }", text.index("|"))


def names(page: Page) -> list[str]:
    page.keyboard.press("Control+Space")
    return page.get_by_role("option").all_inner_texts()


MATRIX = "matrix:\n  - providers: [botan]\n    algorithms:\n      - aes-192-ctr\n"


FIRST_NAMES = (
    ("|", "version:"),
    ("rep|", "repetitions:"),
    ("start: |", "as-ready"),
    ("start: to|", "together"),
    ("version: 1\nmat|", "matrix:"),
    ("matrix:\n  - pro|", "providers:"),
    ("matrix:\n- providers: [bo|", "botan"),
    ("matrix:\n- providers: [botan, cry|]", "cryptopp"),
    (f"{MATRIX}      - aes-192-cb|", "aes-192-cbc"),
    (f"{MATRIX}    inp|", "inputs:"),
    (f"{MATRIX}    inputs:\n      ki|", "kinds:"),
    (f"{MATRIX}    inputs:\n      kinds: [te|", "text"),
    (f"{MATRIX}    inputs: {{ki|", "kinds:"),
    (f"{MATRIX}    inputs: {{kinds: [text], si|", "sizes:"),
    (f"{MATRIX}    inputs: {{kinds: [text, vi|]}}", "video"),
    (f"{MATRIX}    inputs: {{kinds: [text],\n             sizes: [1|", "1 KiB"),
    (f"{MATRIX}  - prot|", "protocol:"),
    (f"{MATRIX}    messages:\n      lengths: [1]\n    protocol: la|", "latency"),
    (f"{MATRIX}toolchains:\n  - {{compiler: cl|", "clang"),
    ("requires:\n  coun|", "counters:"),
    ("requires: {counters: |", "true"),
    ('{"version": 1, "ag|', "agents:"),
    ('{"agents": ["p|', "pi"),
    ("# matrix: [\nag|", "agents:"),
)
"""A text with the caret, and the first name that is offered there."""


def test_names_at_the_caret_are_those_of_the_key(page: Page, fleet: Fleet) -> None:
    open_editor(page, fleet)
    found = {}
    for text, _ in FIRST_NAMES:
        write(page, text)
        # The page may not have read the names yet.
        found[text] = until(lambda: names(page), "names that fit")[0]
    assert found == dict(FIRST_NAMES)


def test_values_of_other_keys_are_not_offered(page: Page, fleet: Fleet) -> None:
    open_editor(page, fleet)
    write(page, f"{MATRIX}    inputs: {{kinds: [|]}}")
    assert until(lambda: names(page), "names that fit") == ["random", "audio", "video", "text"]
    write(page, "name: |")
    assert names(page) == []


def test_plan_is_written_and_submitted_by_keyboard(page: Page, fleet: Fleet) -> None:
    log_in(page, fleet.served.url, fleet.served.token("submitter"))
    open_editor(page, fleet)
    write(page, PLAN.replace("[aes-192-cbc]", "[aes-192-cbc, |]"))
    page.keyboard.type("3des-192-c")
    expect(page.get_by_role("option")).to_have_text(["3des-192-cbc", "3des-192-cfb", "3des-192-ctr"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("option", selected=True)).to_have_text("3des-192-cbc")
    page.keyboard.press("Enter")
    area = page.get_by_role("textbox", name="Plan")
    expect(area).to_have_value(PLAN.replace("[aes-192-cbc]", "[aes-192-cbc, 3des-192-cbc]"))
    expect(page.locator("[data-part=preview] dl.totals dd").nth(1)).to_have_text("6")
    page.keyboard.press("Tab")
    expect(page.get_by_role("checkbox", name="Register")).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/[a-z0-9]{12}$"))
    expect(page.get_by_text("registered", exact=True)).to_be_visible()
    with fleet.database.read() as session:
        run = session.get_one(Run, page.url.rpartition("/")[2])
        assert (run.name, run.registered_repetitions) == ("two-ciphers", 3)


def test_preview_follows_the_text_and_errors_lead_to_their_line(page: Page, fleet: Fleet) -> None:
    open_editor(page, fleet)
    area = page.get_by_role("textbox", name="Plan")
    area.fill(PLAN)
    preview = page.locator("[data-part=preview]")
    expect(preview.locator("dl.totals dd").nth(1)).to_have_text("3")
    area.fill(PLAN.replace("repetitions: 3", "repetitions: none"))
    expect(preview).to_contain_text("repetitions expected a whole number")
    expect(page.locator(".lines .bad")).to_have_text("3")
    preview.get_by_role("link", name="line 3").click()
    selected = area.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)")
    assert selected == "repetitions: none"
    page.keyboard.type("repetitions: 5")
    page.keyboard.press("Escape")
    expect(preview.locator("dl.totals dd").nth(1)).to_have_text("5")


def test_draft_is_kept_in_the_browser_until_it_is_removed(page: Page, fleet: Fleet) -> None:
    open_editor(page, fleet)
    page.get_by_role("textbox", name="Plan").fill(PLAN)
    page.get_by_role("button", name="Save draft").click()
    open_editor(page, fleet)
    page.get_by_text("Start from a plan, a run or a draft").click()
    page.get_by_role("button", name="two-ciphers", exact=True).click()
    expect(page.get_by_role("textbox", name="Plan")).to_have_value(PLAN)
    page.get_by_role("button", name="Remove the draft two-ciphers").click()
    expect(page.get_by_role("button", name="two-ciphers", exact=True)).to_have_count(0)


def test_removal_of_a_draft_keeps_those_that_another_tab_saved(page: Page, fleet: Fleet) -> None:
    """Regression: it stored the drafts as they were when the page showed them."""
    open_editor(page, fleet)
    page.get_by_role("textbox", name="Plan").fill(PLAN)
    page.get_by_role("button", name="Save draft").click()
    page.get_by_text("Start from a plan, a run or a draft").click()
    other = page.context.new_page()
    open_editor(other, fleet)
    other.get_by_role("textbox", name="Plan").fill(PLAN.replace("two-ciphers", "of-another-tab"))
    other.get_by_role("button", name="Save draft").click()
    page.get_by_role("button", name="Remove the draft two-ciphers").click()
    expect(page.get_by_role("button", name="of-another-tab", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="two-ciphers", exact=True)).to_have_count(0)


def test_plan_of_an_agent_without_runners_is_submitted_once_it_has_them(page: Page, fleet: Fleet) -> None:
    """Finding F104: the page showed an error, and the plan had to be submitted again."""
    with fleet.database.write() as session:
        session.execute(update(Build).values(current=False))
        session.execute(update(Agent).values(state="preparing", activity="building runners: compiling: 3 of 9"))
    log_in(page, fleet.served.url, fleet.served.token("submitter"))
    open_editor(page, fleet)
    page.get_by_role("textbox", name="Plan").fill(PLAN)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_contain_text("pi is preparing them (building runners: compiling: 3 of 9)")
    expect(page.get_by_role("alert")).to_contain_text("This page submits the plan when they are ready.")
    with fleet.database.write() as session:
        session.execute(update(Build).values(current=True))
        session.execute(update(Agent).values(state="ready", activity=""))
    page.wait_for_url(re.compile("/runs/[a-z0-9]{12}$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("two-ciphers")


def test_page_without_javascript_previews_and_submits(chromium: Browser, fleet: Fleet) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    log_in(page, fleet.served.url, fleet.served.token("submitter"))
    page.goto(f"{fleet.served.url}/plans/new")
    page.get_by_role("radio", name="Time of single messages").check()
    page.get_by_role("button", name="Write the plan").click()
    area = page.get_by_role("textbox", name="Plan")
    assert "protocol: latency" in area.input_value()
    area.fill(PLAN.replace("repetitions: 3", "repetitions: none"))
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("alert")).to_contain_text("line 3 repetitions expected a whole number")
    area.fill(PLAN.replace("two-ciphers", "by-form"))
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("by-form")
    context.close()
