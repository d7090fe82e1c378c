"""Pictures of the dashboard's pages, taken by Chromium from a service that has stored runs."""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.support.browser import FLAGS

PAGES = (
    ("runs", "/", "The runs"),
    ("run", "/runs/{run}", "A run: the answer in a sentence, the ranking with intervals and ties, and its charts"),
    ("traffic", "/runs/{run}/traffic?lengths=24:900,1024:100", "The cost of a traffic for each candidate"),
    ("new-run", "/plans/new?run={run}", "A new run: the plan with its preview"),
    ("paper", "/papers/tinyjambu-compilers", "A published benchmark: its claims, and how each is tested"),
    ("agents", "/agents", "The devices that measure"),
)
"""Name, address and caption of each picture."""
_MAX_HEIGHT = 1000
"""Pixels of a picture; of a longer page, the upper part is shown."""


def take_pictures(url: str, token: str, run_id: str, into: Path) -> None:
    """Write a picture of each page, and the page of the site that shows them."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        raise SystemExit("No Chromium in the search path; expected chromium or google-chrome: apt-get install chromium")
    into.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": _MAX_HEIGHT})
        page.goto(f"{url}/login")
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Log in").click()
        for name, address, _ in PAGES:
            answer = page.goto(url + address.format(run=run_id), wait_until="networkidle")
            if answer is None or not answer.ok:
                raise SystemExit(f"{address} answered {answer and answer.status}, expected 200.")
            end = page.locator("body > footer").bounding_box()
            height = min(_MAX_HEIGHT, end["y"]) if end else _MAX_HEIGHT
            page.screenshot(path=into / f"{name}.png", clip={"x": 0, "y": 0, "width": 1280, "height": height})
        browser.close()
    parts = [f"## {caption}\n\n![{caption}](pictures/{name}.png)\n" for name, _, caption in PAGES]
    text = "# Pictures\n\nPages of the dashboard with stored runs, made with this site.\n\n"
    (into.parent / "pictures.md").write_text(text + "\n".join(parts), encoding="utf-8")
