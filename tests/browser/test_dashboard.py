"""The dashboard in a real browser: charts and live updates."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from orchestrator.database.models import Agent, Execution, Run, now
from orchestrator.results.freshness.repository import count_changes
from orchestrator.service.events import repository as events
from orchestrator.service.security import tokens
from orchestrator.web import formats
from tests.support.browser import complaints_of, log_in
from tests.support.database import Shape, fill
from tests.support.live_service import Served
from tests.support.waiting import GENEROUS_SECONDS


@dataclass(frozen=True)
class Watched:
    """A page with its errors."""

    page: Page
    url: str
    complaints: list[str]

    def open(self, path: str) -> Page:
        self.page.goto(self.url + path)
        return self.page

    def wait_for_charts(self, number: int) -> None:
        for index in range(number):
            figure = self.page.locator("figure[data-spec]").nth(index)
            expect(figure).to_have_attribute("data-drawn", "true")


@pytest.fixture
def watched(chromium: Browser, filled: Served) -> Iterator[Watched]:
    context = chromium.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(1000 * GENEROUS_SECONDS)
    page = context.new_page()
    yield Watched(page, filled.url, complaints_of(page, filled.url))
    context.close()


class TestCharts:
    def test_execution_page_draws_the_memory_curve(self, watched: Watched) -> None:
        page = watched.open("/runs/good00000001")
        watched.wait_for_charts(2)
        page.get_by_role("link", name="All cases").click()
        page.locator("table.results tbody th a").first.click()
        page.wait_for_url("**/cases/*")
        watched.wait_for_charts(1)
        page.get_by_role("link", name="all of its readings").click()
        watched.wait_for_charts(1)
        expect(page.get_by_role("heading", name="Memory and CPU over time")).to_be_visible()
        assert watched.complaints == []

    def test_run_of_calls_draws_its_toolchains_and_links_to_a_build(self, watched: Watched) -> None:
        page = watched.open("/runs/calls0000001")
        watched.wait_for_charts(2)
        expect(page.locator(".sentence")).to_contain_text("has the fastest call")
        page.get_by_role("link", name="Conditions").click()
        page.get_by_role("link", name="clang -O3").click()
        expect(page.get_by_role("heading", name="Sizes")).to_be_visible()
        page.get_by_role("link", name="Code").click()
        expect(page.locator("th[aria-sort]")).to_have_text(re.compile("Code"))
        assert watched.complaints == []

    def test_chart_without_javascript_is_a_picture(self, chromium: Browser, filled: Served) -> None:
        context = chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{filled.url}/runs/good00000001")
        picture = page.locator("figure noscript img").first
        picture.scroll_into_view_if_needed()
        address = picture.get_attribute("src")
        assert address is not None
        assert context.request.get(filled.url + address).headers["content-type"].startswith("image/svg+xml")
        context.close()

    def test_chart_is_downloaded_as_picture_and_data(self, watched: Watched) -> None:
        page = watched.open("/runs/good00000001?top=all")
        watched.wait_for_charts(2)  # A drawing moves what is below it, in front of a click.
        links = page.locator("#charts figure").locator("a[download]")
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


def test_saved_form_keeps_the_fields_that_another_user_changed(watched: Watched, filled: Served) -> None:
    """Regression: a page that was opened before another user's change put the former values back."""
    with filled.database.read() as session:
        agent_id = session.scalars(select(Agent.id)).first()
    log_in(watched.page, filled.url, filled.token("admin"))
    page = watched.open(f"/agents/{agent_id}")
    with filled.database.write() as session:
        session.get_one(Agent, agent_id).labels = ["of-another-user"]
    page.get_by_text("Edit name, labels and notes").click()
    page.get_by_label("Notes").fill("in the attic")
    with page.expect_navigation():
        page.get_by_role("button", name="Save").click()
    with filled.database.read() as session:
        agent = session.get_one(Agent, agent_id)
        assert (agent.labels, agent.notes) == (["of-another-user"], "in the attic")


class TestLiveProgress:
    @pytest.fixture
    def running(self, fresh: Served) -> Served:
        sizes = Shape().sizes[:1]
        fill(fresh.database, Shape(run_id="running00001", state="running", done=0.4, sizes=sizes, with_curves=False))
        return fresh

    @pytest.fixture
    def page(self, chromium: Browser, running: Served) -> Iterator[Page]:
        context = chromium.new_context(viewport={"width": 1000, "height": 800})
        yield context.new_page()
        context.close()

    @pytest.mark.parametrize("path", ["/", "/runs/running00001"])
    def test_count_follows_arriving_records(self, running: Served, page: Page, path: str) -> None:
        page.goto(running.url + path)
        counts = page.locator(".counts").first
        before = self.ended(running)
        expect(counts).to_contain_text(formats.count(before))
        after = self.store_some(running, 50)
        assert after == before + 50
        expect(counts).to_contain_text(formats.count(after))

    def test_interval_of_a_case_follows_arriving_records(self, running: Served, page: Page) -> None:
        page.goto(f"{running.url}/runs/running00001#cases")
        part = page.locator("[data-part=intervals]")
        expect(part).to_contain_text("Intervals of cases")
        part.locator("details").evaluate("(part) => (part.open = true)")
        row = part.locator("tbody tr").first
        ended, left = (int(row.locator("td.n").nth(place).inner_text()) for place in (1, 2))
        self.store_some(running, self.waiting(running))
        expect(row.locator("td.n").nth(1)).to_have_text(str(ended + left))
        expect(row.locator("td.n").nth(2)).to_have_text("0")
        # The fold that the user opened stays open.
        assert part.locator("details").evaluate("(part) => part.open")

    def test_pause_resume_and_cancel_with_a_session(self, running: Served, page: Page) -> None:
        token = running.token("submitter")
        page.goto(f"{running.url}/runs/running00001")
        expect(page.get_by_role("button", name="Pause")).to_have_count(0)
        page.get_by_role("link", name="Log in", exact=True).click()
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Log in").click()
        page.goto(f"{running.url}/runs/running00001")
        expect(page.get_by_role("button", name="Measure again")).to_be_visible()
        # The run of another token.
        expect(page.get_by_role("button", name="Pause")).to_have_count(0)
        with running.database.write() as session:
            found = tokens.find(session, token)
            assert found is not None
            session.get_one(Run, "running00001").owner_id = found.family_id
        page.reload()
        page.once("dialog", lambda dialog: dialog.accept())
        for button, state in (("Pause", "paused"), ("Resume", "running"), ("Cancel", "cancelled")):
            page.get_by_role("button", name=button).click()
            # The agent of the filled database falls silent seven seconds after it was written.
            shown = re.compile("queued|preflight|measuring|waiting for agent") if state == "running" else state
            expect(page.locator("[data-part=head] .state").first).to_have_text(shown)
            with running.database.read() as session:
                assert session.get_one(Run, "running00001").state == state

    def test_ended_run_is_deleted_after_a_confirmation(self, running: Served, page: Page) -> None:
        fill(running.database, Shape(run_id="ended0000001", algorithms=("aes-128-ctr",), with_curves=False))
        log_in(page, running.url, running.token("admin"))
        page.goto(f"{running.url}/runs/ended0000001")
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.get_by_role("button", name="Delete").click()
        page.reload()
        page.once("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Delete").click()
        page.wait_for_url(f"{running.url}/")
        expect(page.locator("a[href='/runs/ended0000001']")).to_have_count(0)
        with running.database.read() as session:
            assert session.get_one(Run, "ended0000001").deleted_at is not None

    @staticmethod
    def ended(served: Served) -> int:
        with served.database.read() as session:
            return session.query(Execution).where(Execution.state != "waiting").count()

    @staticmethod
    def waiting(served: Served) -> int:
        with served.database.read() as session:
            return session.query(Execution).where(Execution.state == "waiting").count()

    def store_some(self, served: Served, number: int) -> int:
        with served.database.write() as session:
            waiting = session.query(Execution).filter_by(state="waiting").limit(number).all()
            for execution in waiting:
                execution.state = "ok"
                execution.work_wall_ns = 3_000_000
                execution.phase_wall_ns = {"key_setup": 900, "encrypt": 9000, "decrypt": 9000}
            session.flush()
            count_changes(session, Counter(execution.case_id for execution in waiting), now())
            events.note_progress(session, "running00001", now())
        return self.ended(served)
