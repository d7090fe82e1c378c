"""Chromium for tests, without a window and without requests of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

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
