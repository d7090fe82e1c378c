"""The page of a watch pauses, resumes and removes it (finding F116)."""

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from orchestrator.service.security import sessions
from tests.support.live_service import serve
from tests.support.watch_results import fill_watches


def test_watch_is_paused_resumed_and_removed_on_its_page(chromium: Browser, tmp_path: Path) -> None:
    with serve(tmp_path) as served:
        fill_watches(served.database)
        with served.database.write() as session:
            cookie = sessions.open_by_code(session, sessions.create_code(session))
        context = chromium.new_context()
        context.add_cookies([{"name": sessions.COOKIE, "value": cookie, "url": served.url}])
        page = context.new_page()
        page.goto(f"{served.url}/watches/nightly")
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Remove").click()
        page.wait_for_url(re.compile(r"/watches$"))
        expect(page.get_by_text("builds", exact=True).first).to_be_visible()
        expect(page.get_by_text("nightly", exact=True)).to_have_count(0)
        context.close()
