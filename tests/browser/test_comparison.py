"""The page of a comparison without JavaScript: sides are chosen from lists, with the keyboard alone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.live_service import Served

RUN = "calls0000001"


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def choose(page: Page, side: str, name: str, typed: str) -> None:
    """Choose an entry of a list of a side by typing its first letters into the list."""
    field = page.get_by_role("group", name=side).get_by_role("combobox", name=name, exact=True)
    field.focus()
    page.keyboard.type(typed)


def press(page: Page, button: str) -> None:
    page.get_by_role("button", name=button).focus()
    page.keyboard.press("Enter")


def test_toolchains_of_a_run_are_chosen_from_lists(page: Page, filled: Served) -> None:
    page.goto(f"{filled.url}/compare")
    for side in ("First side", "Compared with it"):
        choose(page, side, "Run", "calls")
    press(page, "List their parts")
    choose(page, "First side", "Toolchain", "gcc")
    choose(page, "Compared with it", "Toolchain", "clang")
    press(page, "Compare")
    expect(page.get_by_role("heading", name="Cases")).to_be_visible()
    page.reload()
    page.get_by_text("Choose sides and measure").click()
    expect(page.get_by_text("18 cases with a verified result").filter(visible=True)).to_have_count(2)
    shown = page.get_by_role("group", name="First side").get_by_role("combobox", name="Toolchain", exact=True)
    expect(shown).to_have_value("toolchain=gcc -O3")


@pytest.mark.parametrize("width", [390, 1440])
def test_chart_fits_into_the_page_and_is_mostly_plot(chromium: Browser, filled: Served, width: int) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 1000})
    page = context.new_page()
    page.goto(f"{filled.url}/compare?run={RUN},toolchain%3Dgcc -O3&run={RUN},toolchain%3Dclang -O3")
    figure = page.locator("figure[data-drawn=true]")
    figure.wait_for()
    box, content, plot = figure.evaluate(
        "(one) => { const box = one.querySelector('.canvas');"
        " return [box.clientWidth, box.scrollWidth, one.view.view.width()]; }"
    )
    context.close()
    assert content == box
    assert plot > box / 2
