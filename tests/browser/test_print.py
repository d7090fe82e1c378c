"""Printed pages: nothing is folded or wider than the paper, no chart is higher than a page, and the paper is white."""

import pytest
from playwright.sync_api import Browser, expect

from orchestrator.web.codes import PROVIDERS
from tests.support import latency_results
from tests.support.database import Shape, fill, many_series
from tests.support.live_service import Served
from tests.support.seldom import seldom

PAPER_PIXELS = 733
"""Width of A4 without the margins of 8 mm, at 96 pixels per inch."""
PAGE_PIXELS = 1062
"""Height of A4 without its margins."""
MANY, GOOD, CALLS = "/runs/many00000001?top=all", "/runs/good00000001", "/runs/calls0000001"
PAGES = (
    *((GOOD, 390), (CALLS, 1440), ("/executions/1", 390)),
    *seldom((MANY, 390), (MANY, 1440), (GOOD, 1440), (CALLS, 390), (f"{GOOD}/answer", 390), ("/agents", 1440)),
)
"""Addresses, and widths of the windows in which their charts were drawn."""


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, Shape(run_id="good00000001", name="good", repetitions=6))
    fill(served.database, many_series(PROVIDERS[:20], 5))
    latency_results.fill_calls(served.database, latency_results.Shape(agent="pi4"))
    return served


@pytest.mark.parametrize("opened", PAGES, ids=str)
def test_nothing_is_cut_on_paper(chromium: Browser, served: Served, opened: tuple[str, int]) -> None:
    address, width = opened
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme="dark")
    page.goto(served.url + address)
    for figure in page.locator("figure[data-spec]").all():
        expect(figure).to_have_attribute("data-drawn", "true")
    for place in page.locator("[data-fragment]").all():
        expect(place.locator("> p > a:only-child")).to_have_count(0)
    page.emulate_media(media="print")
    # The charts keep the size that they had on the screen, as they do when a user prints.
    page.evaluate(f"document.body.style.width = '{PAPER_PIXELS}px'")
    cut = page.evaluate(
        """(paper) => [...document.querySelectorAll("body *")]
        .filter((one) => one.checkVisibility() && !one.matches(".hidden, .hidden *") && one.closest("main"))
        .filter((one) => one.getBoundingClientRect().right > paper + 1)
        .map((one) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 40)}`)""",
        PAPER_PIXELS,
    )
    folded = page.evaluate(
        """[...document.querySelectorAll("main details:not(.question *) *")]
        .filter((one) => !one.checkVisibility() && !one.matches(".actions *, .filters, .filters *"))
        .map((one) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 40)}`)"""
    )
    heights = page.evaluate("[...document.querySelectorAll('canvas')].map((one) => one.getBoundingClientRect().height)")
    navigation_shown = page.get_by_role("navigation", name="Main").is_visible()
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.close()
    assert cut == []
    assert folded == []
    assert max(heights, default=0) < PAGE_PIXELS
    assert not navigation_shown
    assert background == "rgb(255, 255, 255)"
