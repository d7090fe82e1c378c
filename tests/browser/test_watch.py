"""The page of a watch pauses, resumes and removes it (finding F116)."""

import re

from playwright.sync_api import Browser, expect

from tests.support.browser import log_in
from tests.support.live_service import Served
from tests.support.watch_results import fill_watches


def test_watch_is_paused_resumed_and_removed_on_its_page(chromium: Browser, fresh: Served) -> None:
    fill_watches(fresh.database)
    page = chromium.new_page()
    log_in(page, fresh.url, fresh.token("admin"))
    page.goto(f"{fresh.url}/watches/nightly")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Remove").click()
    page.wait_for_url(re.compile(r"/watches$"))
    expect(page.get_by_text("builds", exact=True).first).to_be_visible()
    expect(page.get_by_text("nightly", exact=True)).to_have_count(0)
    page.close()
