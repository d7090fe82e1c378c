"""Charts of many series in a real browser: how many are drawn, and highlighting by keyboard and under the pointer."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from orchestrator.web.codes import PROVIDERS
from tests.support.database import fill, many_series
from tests.support.live_service import Served
from tests.support.waiting import until


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, replace(many_series(PROVIDERS[:20], 5), sizes=(4096, 65536), repetitions=6))
    return served


@pytest.fixture
def page(chromium: Browser, served: Served) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.goto(f"{served.url}/runs/many00000001")
    drawn(page)
    yield page
    context.close()


def drawn(page: Page) -> None:
    expect(page.locator("#charts figure")).to_have_attribute("data-drawn", "true")


def opacities(page: Page) -> dict[str, float]:
    """Return the opacity of the point of each series in the first chart."""
    found: dict[str, float] = page.evaluate("""() => {
        const found = {};
        const visit = (item) => {
            if (item.mark?.marktype === "symbol" && item.datum?.series) found[item.datum.series] = item.opacity;
            for (const child of item.items ?? []) visit(child);
        };
        visit(document.querySelector("#charts figure").view.view.scenegraph().root);
        return found;
    }""")
    return found


def highlighted(page: Page) -> list[str]:
    """Return the series at full opacity."""
    return [name for name, opacity in opacities(page).items() if opacity == 1]


def test_number_of_series_is_chosen_in_the_address(page: Page) -> None:
    assert len(opacities(page)) == 12
    page.get_by_role("link", name="first 24").click()
    drawn(page)
    assert page.url.endswith("top=24#charts")
    assert len(opacities(page)) == 24
    page.get_by_role("link", name="all series").click()
    drawn(page)
    assert len(opacities(page)) == 100


def test_series_is_highlighted_by_keyboard(page: Page) -> None:
    assert set(opacities(page).values()) == {1}
    page.locator("#charts").get_by_label("Highlight").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    chosen = page.locator("#charts").get_by_label("Highlight").input_value()
    until(lambda: highlighted(page) == [chosen], "the highlight of the chosen series")
    assert set(opacities(page).values()) == {1, 0.12}


def test_series_is_highlighted_under_the_pointer(page: Page) -> None:
    place = page.evaluate("""() => {
        const visit = (item, x, y) => {
            const series = item.datum?.series;
            if (item.mark?.marktype === "symbol" && series) return [x + item.x, y + item.y, series];
            const within = item.mark?.marktype === "group";
            for (const child of item.items ?? []) {
                const found = visit(child, x + (within ? item.x ?? 0 : 0), y + (within ? item.y ?? 0 : 0));
                if (found) return found;
            }
        };
        const view = document.querySelector("#charts figure").view.view;
        return visit(view.scenegraph().root, ...view.origin());
    }""")
    canvas = page.locator("#charts canvas")

    def pointed() -> list[str]:
        # A pointer moves along the row, until it is above the point.
        for step in range(-8, 9):
            canvas.hover(position={"x": place[0] + step, "y": place[1] + 2})
            page.wait_for_timeout(100)
            if len(found := highlighted(page)) == 1:
                return found
        return []

    assert until(pointed, "the highlight under the pointer") == [place[2]]
    canvas.hover(position={"x": 5, "y": 5})
    until(lambda: len(highlighted(page)) == 12, "the end of the highlight")
