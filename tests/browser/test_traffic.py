"""The page of a traffic: a CSV file is read into the field, a wrong one is refused with its line."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import log_in
from tests.support.live_service import Served

RUN = "calls0000001"


@pytest.fixture
def page(chromium: Browser, filled: Served) -> Iterator[Page]:
    opened = chromium.new_page()
    log_in(opened, filled.url, filled.token("viewer"))
    opened.goto(f"{filled.url}/runs/{RUN}/traffic")
    yield opened
    opened.close()


def choose(page: Page, content: bytes) -> None:
    file = {"name": "capture.csv", "mimeType": "text/csv", "buffer": content}
    page.get_by_label("CSV file").set_input_files([file])


def test_packets_of_a_file_become_a_histogram_and_are_computed(page: Page) -> None:
    choose(page, b"No.,Time,Length\r\n1,0.1,64\r\n2,0.2,1024\r\n3,0.3,64\r\n")
    expect(page.get_by_label("Message lengths and counts")).to_have_value("64:2, 1024:1")
    page.get_by_role("button", name="Compute").click()
    expect(page.locator("[data-answer]")).to_contain_text("3 messages")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"length_bytes,count\n64,9\n128,few\n", "line 3 has the count 'few', expected a number of messages"),
        (b"\xff\xfe\x00", "The file is no UTF-8 text."),
    ],
    ids=["count", "bytes"],
)
def test_wrong_file_is_refused_with_its_line(page: Page, content: bytes, message: str) -> None:
    choose(page, content)
    expect(page.locator(".problem[role=alert]")).to_contain_text(message)
    expect(page.get_by_label("Message lengths and counts")).to_have_value("")
