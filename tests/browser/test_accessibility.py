"""Each page: axe-core reports nothing, in both color schemes, and it fits a phone and a wide screen.

Nor does it write to the console, or send a request to another origin.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from orchestrator.database.models import Execution, SensorReading, now
from orchestrator.web.charts.response import rows_of
from orchestrator.web.codes import PROVIDERS
from orchestrator.web.router import router
from tests.support import axe, latency_results
from tests.support.agent_reports import enroll_checked
from tests.support.browser import complaints_of, log_in
from tests.support.database import Shape, fill, many_series
from tests.support.import_files import imported
from tests.support.live_service import Served, routes_of
from tests.support.masked_results import Shape as MaskedShape
from tests.support.masked_results import fill_masked
from tests.support.seldom import seldom
from tests.support.watch_results import fill_watches

HEIGHT = 900
SCHEMES: dict[Literal["light", "dark"], tuple[str, ...]] = {"light": (), "dark": ("color-contrast",)}
"""Color schemes with the rules of axe-core; none: all. The dark one differs in its colors alone."""
VIEWS = (
    pytest.param((("light", 360), ("dark", 1440)), id="quick"),
    pytest.param((("light", 1440), ("dark", 360)), id="rest", marks=pytest.mark.long),
)
"""Pairs of scheme and width of the window; `make test` sees each scheme and each width once."""
SIDES = "run=calls0000001,toolchain=gcc -O3&run=calls0000001,toolchain=clang -O3"
PAGES = {
    "/": ("/?q=good&archived=include", "/", "/?q=no-such-run"),
    "/agents": ("/agents",),
    "/agents/add": ("/agents/add",),
    "/agents/{agent_id}": ("/agents/CHECKED", "/agents/94d9ba988fa2"),
    "/audit": ("/audit", "/audit?who=no-such-token"),
    "/builds/{build_id}": ("/builds/2",),
    "/cases/{case_id}": ("/cases/1",),
    "/compare": (
        f"/compare?{SIDES}",
        "/compare",
        "/compare?run=good00000001",
        "/compare?run=good00000001&run=good00000001,provider=x",
        "/compare?run=calls0000001&run=import:IMPORTED/1&measure=call",
    ),
    "/executions/{execution_id}": ("/executions/TIMED", "/executions/1"),
    "/imports": ("/imports",),
    "/imports/{import_id}": ("/imports/IMPORTED", "/imports/IMPORTED?q=nothing"),
    "/licenses": ("/licenses",),
    "/login": ("/login",),
    "/papers": ("/papers",),
    "/papers/{name}": (
        "/papers/tinyjambu-compilers?run=calls0000001",
        "/papers/evalme-2021",
        "/papers/evalme-2021?run=good00000001&run=lengths00001",
    ),
    "/plans/new": ("/plans/new?plan=name: x", "/plans/new", "/plans/new?from=quick"),
    "/runs/{run_id}": (
        "/runs/troubled0001",
        "/runs/good00000001",
        "/runs/lengths00001",
        "/runs/waiting00001",
        "/runs/many00000001?top=24",
    ),
    "run of calls": ("/runs/calls0000001",),
    "/runs/{run_id}/answer": ("/runs/good00000001/answer?rank=decrypt&against=code-size",),
    "/runs/{run_id}/winner": ("/runs/good00000001/winner",),
    "/runs/{run_id}/masking": ("/runs/masked000001/masking",),
    "/runs/{run_id}/scaling": ("/runs/lengths00001/scaling",),
    "/runs/{run_id}/traffic": ("/runs/calls0000001/traffic?lengths=64:1", "/runs/calls0000001/traffic"),
    "/watches": ("/watches",),
    "/watches/{watch_id}": ("/watches/nightly", "/watches/builds"),
    "problem": ("/runs/nothing00000",),
    "data of a chart": ("/runs/many00000001/charts/throughput.html?top=all",),
}
"""Addresses of each page; `make test` opens the first, except of LIKE_OTHERS."""
LIKE_OTHERS = {"run of calls", "data of a chart", "/runs/{run_id}/scaling"}
"""Pages that consist of parts of other pages; only `make test-all` opens them."""
ADDRESSES = [
    one
    for page, (first, *others) in PAGES.items()
    for one in (*(seldom(first) if page in LIKE_OTHERS else [first]), *seldom(*others))
]
OTHERS = {"run of calls", "problem", "data of a chart"}
"""Keys of PAGES that are no routes of pages."""
NOT_PAGES = re.compile(r"/static/|\.\{form\}$|/shared/")  # a share link shows the page of a run


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    """Runs of both protocols, of masked ciphers and with troubles; agents with health checks; an admin's session."""
    fill(served.database, Shape(run_id="good00000001", name="good", repetitions=6))
    fill(served.database, Shape(run_id="troubled0001", name="troubled", repetitions=6, trouble=True))
    fill(served.database, Shape(run_id="lengths00001", name="lengths", sizes=(4096, 65536, 1048576)))
    fill(served.database, many_series(PROVIDERS, 2))
    running = replace(many_series(PROVIDERS[:3], 3), run_id="running00001", state="running", done=0.8)
    fill(served.database, running)
    latency_results.fill_calls(served.database, latency_results.Shape(agent="pi4"))
    latency_results.fill_waiting(served.database)
    fill_watches(served.database)
    fill_masked(served.database, MaskedShape(repetitions=6, agents=("desk", "shelf")))
    return served


@pytest.fixture(scope="module")
def placeholders(served: Served) -> dict[str, str]:
    """Ids that the service chooses, by their placeholder in an address."""
    checked = enroll_checked(served)
    with served.database.write() as session:
        session.add_all(
            SensorReading(
                agent_id=checked, sensor=f"frequency_hz cpu{number}", unit="Hz", read_at=now(), value=1e9 + number
            )
            for number in range(16)
        )
        timed = session.query(Execution).filter_by(run_id="calls0000001", state="ok").first()
        assert timed is not None
        ids = {"CHECKED": checked, "TIMED": str(timed.id)}
    return ids | {"IMPORTED": str(imported(served, "pyperf.json")["id"])}


def test_every_page_is_examined() -> None:
    routes = {route.path for route in routes_of(router) if "GET" in (route.methods or ())}
    assert {path for path in routes if not NOT_PAGES.search(path)} == set(PAGES) - OTHERS


def with_ids(address: str, placeholders: dict[str, str]) -> str:
    """Return an address with the ids of its placeholders."""
    for placeholder, value in placeholders.items():
        address = address.replace(placeholder, value)
    return address


def test_every_chart_has_its_table(served: Served, placeholders: dict[str, str]) -> None:
    """Each figure of each page links to the data of its chart as a table, and each chart is on a page."""
    shown: dict[str, str] = {}
    addresses = [address for addresses in PAGES.values() for address in addresses]
    with served.client("viewer") as client:
        for address in addresses:
            page = client.get(with_ids(address, placeholders), headers={"Accept": "text/html"}).text
            for figure in re.findall(r"<figure.*?</figure>", page, re.DOTALL):
                spec, table = (
                    unescape(found[1]) if (found := re.search(pattern, figure)) else ""
                    for pattern in (r'data-spec="([^"]*)"', r'<a class="data"\s+href="([^"]*)"')
                )
                assert table == spec.replace(".json", ".html", 1) != "", (address, figure)
                shown[spec] = table
        for spec, table in shown.items():
            rows = list(rows_of(client.get(spec).json()))
            text = client.get(table).text
            # One row is that of the labels.
            assert text.count("<tr>") == (len(rows) + 1 if rows else 0), table
            assert text.count('<th scope="col">') == len({name for row in rows for name in row}), table
    charts = {path for path in (route.path for route in routes_of(router)) if path.endswith(".{form}")}
    patterns = {
        path: re.sub(r"\\{[a-z_]+\\}", "[^/?]+", re.escape(path).replace(r"\.\{form\}", r"\.json")) for path in charts
    }
    missing = {path for path, pattern in patterns.items() if not any(re.match(pattern, one) for one in shown)}
    assert missing == set()


def settle(page: Page) -> None:
    """Wait for charts and for parts that are fetched after the page, and open what is folded."""
    charts = page.locator("figure[data-spec]")
    for index in range(charts.count()):
        expect(charts.nth(index)).to_have_attribute("data-drawn", "true")
    for place in page.locator("[data-fragment]").all():
        expect(place.locator("> p > a:only-child")).to_have_count(0)
    page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")


def viewport_of(width: int) -> ViewportSize:
    return ViewportSize(width=width, height=HEIGHT)


def resize(page: Page, width: int) -> None:
    """Change the width of the window, and wait until every chart is drawn for it."""
    page.evaluate("document.querySelectorAll('figure[data-drawn]').forEach((figure) => delete figure.dataset.drawn)")
    page.set_viewport_size(viewport_of(width))
    settle(page)


@pytest.fixture(scope="module")
def logged_in(chromium: Browser, served: Served) -> Iterator[BrowserContext]:
    """An admin's session, which all pages share, so that the browser keeps the compiled scripts."""
    with chromium.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        log_in(page, served.url, served.token("admin"))
        expect(page).not_to_have_url(re.compile("/login"))
        yield context


@pytest.mark.parametrize("views", VIEWS)
@pytest.mark.parametrize("address", ADDRESSES)
def test_axe_reports_nothing(
    served: Served,
    logged_in: BrowserContext,
    placeholders: dict[str, str],
    *,
    address: str,
    views: tuple[tuple[Literal["light", "dark"], int], ...],
) -> None:
    found, widest = [], {}
    first = views[0]
    with logged_in.new_page() as page:
        complaints = complaints_of(page, served.url)
        page.emulate_media(color_scheme=first[0])
        page.set_viewport_size(viewport_of(first[1]))
        page.goto(served.url + with_ids(address, placeholders))
        settle(page)
        for scheme, width in views:
            if (scheme, width) != first:
                page.emulate_media(color_scheme=scheme)
                resize(page, width)
            found += [f"{scheme}, {width}: {fault}" for fault in axe.faults(page, *SCHEMES[scheme])]
            widest[width] = page.evaluate("document.documentElement.scrollWidth")
    # Hidden texts inside a scrolling table once made the run's page twice as wide as a phone.
    assert all(used <= width for width, used in widest.items()), widest
    assert found == []
    # The browser logs the status of the page of a problem.
    assert [text for text in complaints if not re.search("status of (404|409)", text)] == []


def test_planted_faults_are_found(chromium: Browser, served: Served) -> None:
    page = chromium.new_page()
    page.goto(f"{served.url}/login")
    page.evaluate("document.querySelector('label').replaceWith(document.createElement('input'))")
    page.evaluate("document.querySelector('h1').style.color = 'silver'")
    found = axe.faults(page)
    page.emulate_media(color_scheme="dark")
    page.evaluate("document.querySelector('h1').style.color = '#333'")
    found_in_the_dark = axe.faults(page, "color-contrast")
    page.close()
    assert sorted(fault.split(" ")[0] for fault in found) == ["color-contrast", "label"]
    assert [fault.split(" ")[0] for fault in found_in_the_dark] == ["color-contrast"]
