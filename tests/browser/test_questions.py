"""The pages that answer the questions of docs/questions.md, reached with as many clicks as the document states."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support import measured_runs
from tests.support.database import Shape, fill
from tests.support.live_service import Served
from tests.support.paths import REPOSITORY
from tests.support.watch_results import fill_watches

_PAGE = re.compile(r"^## (.+\?)\n\n\*\*Page\*\* `(\S+)`, (\d+) clicks?: ", re.MULTILINE)
DOCUMENTED = {
    question: (path, int(clicks))
    for question, path, clicks in _PAGE.findall((REPOSITORY / "docs/questions.md").read_text(encoding="utf-8"))
}
"""Question → page of its answer, and number of clicks from the list of runs."""


@dataclass
class Reader:
    """A reader at the list of runs, whose clicks are counted: links, buttons, ticks and chosen entries of lists."""

    page: Page
    runs: dict[str, str]
    """Name of the stored run → id."""
    clicks: int = 0

    def click(self, target: Locator) -> None:
        self.clicks += 1
        target.click()

    def tick(self, label: str) -> None:
        """Tick a box of the question, which applies immediately."""
        self.clicks += 1
        with self.page.expect_navigation():
            self.page.get_by_label(label).click()

    def choose(self, field: str, entry: str) -> None:
        """Choose an entry of a list of the question, which applies immediately."""
        self.clicks += 1
        with self.page.expect_navigation():
            self.page.locator("[data-question]").get_by_role("combobox", name=field, exact=True).select_option(entry)

    def enter(self, field: str, text: str) -> None:
        """Enter a text, which is no click."""
        self.page.get_by_label(field, exact=True).fill(text)

    def follow(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True))

    def press(self, button: str) -> None:
        self.click(self.page.get_by_role("button", name=button, exact=True))

    def open_run(self, name: str) -> None:
        self.click(self.page.locator(f'main a[href="/runs/{self.runs[name]}"]'))

    def open_limits(self) -> None:
        self.click(self.page.locator("summary", has_text="More limits"))

    def apply(self) -> None:
        """Apply a text that was entered, with the keyboard."""
        self.page.keyboard.press("Enter")


def small_messages(reader: Reader) -> Locator:
    reader.open_run("packets")
    reader.tick("AEAD only")
    reader.choose("Length", "24 B")
    reader.enter("Code at most", "8 KiB")
    reader.apply()
    return reader.page.get_by_text("knot-aead-128-256 by own has the fastest call")


def library_for_gcm(reader: Reader) -> Locator:
    reader.open_run("packets")
    reader.choose("Length", "1 KiB")
    reader.open_limits()
    reader.enter("Algorithms", "aes-256-gcm")
    reader.apply()
    return reader.page.get_by_text("the next that differs, aes-256-gcm by openssl")


def constant_time(reader: Reader) -> Locator:
    reader.open_run("packets")
    reader.tick("claims constant time")
    return reader.page.get_by_text("Only candidates with: constant time.")


def traffic(reader: Reader) -> Locator:
    reader.open_run("packets")
    reader.follow("My traffic")
    reader.enter("Message lengths and counts", "24:900, 1 KiB:100")
    reader.enter("Key changes in this time", "10")
    reader.press("Compute")
    return reader.page.get_by_role("heading", name="Nearest changes that would change the winner")


def versions(reader: Reader) -> Locator:
    reader.open_run("versions")
    reader.follow("Compare its library versions")
    return reader.page.get_by_text("compared with libsodium 1.0.18 over the 24 cases").first


def compilers(reader: Reader) -> Locator:
    reader.open_run("tinyjambu-compilers")
    return reader.page.get_by_text("tinyjambu-128 by own [scalar, gcc -O3] has the fastest call")


def devices(reader: Reader) -> Locator:
    reader.open_run("two-agents")
    reader.follow("Compare its agents")
    return reader.page.get_by_text("vm-core0 and vm tie in all 40 cases")


def languages(reader: Reader) -> Locator:
    reader.open_run("bindings")
    reader.choose("Length", "1 KiB")
    reader.open_limits()
    reader.enter("Algorithms", "aes-128-ctr")
    reader.apply()
    return reader.page.get_by_text("aes-128-ctr by rust-binding, takes 1.04 times")


def claim(reader: Reader) -> Locator:
    reader.follow("Papers")
    reader.click(reader.page.locator('main a[href="/papers/tinyjambu-compilers"]'))
    verdicts = reader.page.get_by_role("group", name="Verdicts of vm")
    return verdicts.get_by_role("cell", name=re.compile("^((not )?reproduced here|contradicted|inconclusive)$")).first


def change(reader: Reader) -> Locator:
    reader.follow("Watches")
    reader.follow("nightly")
    return reader.page.get_by_text("1 case is worse now")


WALKS: dict[str, Callable[[Reader], Locator]] = {
    "Which AEAD for messages of 24 bytes within 8 KiB of code?": small_messages,
    "Which library for AES-GCM at 1 KiB?": library_for_gcm,
    "Which cipher is constant time and fastest?": constant_time,
    "What does my traffic cost, and what would change the winner?": traffic,
    "Is the new version of the library slower?": versions,
    "Which compiler and flags?": compilers,
    "Is device A fast enough, compared with B?": devices,
    "What do Python and Go cost, compared with C++?": languages,
    "Is a published claim true here?": claim,
    "Did something get slower since last week?": change,
}


@pytest.fixture(scope="module")
def runs(served: Served) -> dict[str, str]:
    """The ids of the stored runs by their names; the service has a watch as well."""
    fill(served.database, Shape(run_id="good00000001", name="good", with_curves=False))
    fill_watches(served.database)
    return {name: measured_runs.store(served.database, name) for name in measured_runs.names()}


@pytest.fixture
def reader(chromium: Browser, served: Served, runs: dict[str, str]) -> Iterator[Reader]:
    page = chromium.new_page()
    page.goto(served.url)
    yield Reader(page, runs)
    page.close()


def test_every_question_has_a_page_and_a_walk() -> None:
    text = (REPOSITORY / "docs/questions.md").read_text(encoding="utf-8")
    assert set(WALKS) == set(DOCUMENTED) == set(re.findall(r"^## (.+\?)$", text, re.MULTILINE))


@pytest.mark.parametrize("question", WALKS)
def test_answer_is_reached_with_the_documented_clicks(reader: Reader, question: str) -> None:
    path, clicks = DOCUMENTED[question]
    answer = WALKS[question](reader)
    expect(answer).to_be_visible()
    assert reader.clicks == clicks
    assert re.search(rf"//[^/]+{re.sub('[A-Z]+', '[^/]+', path)}([?]|$)", reader.page.url)
