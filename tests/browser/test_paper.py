"""Printed pages are not cut, and charts are downloaded as pictures and data."""

import csv
import io
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.live_service import Served

A4_WIDTH = 703
"""Pixels between margins of 12 mm."""
LARGE = "[...document.querySelectorAll('table, canvas, img, pre')]"


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": A4_WIDTH, "height": 990}, color_scheme="dark")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("path", ["/runs/good00000001", "/runs/calls0000001", "/agents", "/executions/1"])
def test_printed_page_is_not_cut(page: Page, filled: Served, path: str) -> None:
    page.goto(filled.url + path)
    for figure in page.locator("figure[data-spec]").all():
        expect(figure).to_have_attribute("data-drawn", "true")
    page.emulate_media(media="print")
    cut = page.evaluate(
        f"{LARGE}.filter((one) => one.getBoundingClientRect().right > {A4_WIDTH + 1}).map((one) => one.outerHTML)"
    )
    assert cut == []
    expect(page.get_by_role("navigation", name="Main")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_chart_is_downloaded_as_picture_and_data(page: Page, filled: Served) -> None:
    page.goto(f"{filled.url}/runs/good00000001?top=all")
    links = page.locator("figure").first.locator("a[download]")
    names = re.compile(r"throughput\.(svg|png|pdf|csv|json)$")
    files = {}
    for link in links.all():
        with page.expect_download() as download:
            link.click()
        found = names.search(download.value.suggested_filename)
        assert found is not None
        files[found[1]] = download.value.path().read_bytes()
    assert {name: data[:4] for name, data in files.items() if name in ("svg", "png", "pdf")} == {
        "svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF",
    }  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(files["csv"].decode())))
    assert {row["provider"] for row in rows} == {"own", "cryptopp", "botan"}
    assert b"vega-lite" in files["json"]
