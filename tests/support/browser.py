"""Chromium for tests, without a window and without requests of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


@contextmanager
def launched() -> Iterator[Browser]:
    """Start Chromium; skip the test where it is not installed."""
    if not CHROMIUM.exists():
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


def log_in(page: Page, url: str, token: str) -> None:
    """Log in to a service with a token."""
    page.goto(f"{url}/login")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Log in").click()


def complaints_of(page: Page, url: str) -> list[str]:
    """Return a list that grows with the errors of a page and its requests to other origins than the URL's."""
    complaints = list[str]()

    def note_message(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def check_address(request: Request) -> None:
        if not request.url.startswith((url, "data:", "blob:")):
            complaints.append(f"request to another origin: {request.url}")

    page.on("console", note_message)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", check_address)
    return complaints
