"""Weight and speed of a run's page in Chromium: 100 series in a small run, and in one of 100 000 executions.

The service is started on a filled database. Each load uses a new browser context, so nothing is cached in the browser;
the first load of all, which fills the service's own caches, is printed apart. Columns: bytes received (compressed, with
headers) and bytes after decompression, requests, first contentful paint, time until the page is interactive (end of
the last task of the main thread that took more than 50 ms), until all charts are drawn, and sum of such long tasks.

Usage: .venv/bin/python bench/pages.py [--quick] [--loads 7] [--folder FOLDER]
--quick: 4 series and 96 executions, two loads: whether the script works, not a measurement.
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from playwright.sync_api import Browser

from bench._options import options
from orchestrator.web.codes import PROVIDERS
from tests.support.browser import launched
from tests.support.database import Shape, fill, many_series
from tests.support.live_service import serve

LIMIT_BYTES = 1_000_000
LIMIT_SECONDS = 2.0
DRAWN_MS = 120_000
SIZES = (1024, 4096, 16384, 65536, 262144, 1048576)
OBSERVE = """
window.longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => [one.startTime, one.duration])))
  .observe({ type: "longtask", buffered: true });
"""
READ = """() => {
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const sum = (name) => entries.reduce((total, one) => total + one[name], 0);
  const paint = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  const ends = longTasks.map(([start, duration]) => start + duration);
  return {
    received: sum("transferSize"), decompressed: sum("decodedBodySize"), requests: entries.length, paint: paint / 1e3,
    interactive: Math.max(paint, ...ends) / 1e3, drawn: performance.now() / 1e3,
    blocked: longTasks.reduce((total, [, duration]) => total + duration, 0) / 1e3,
  };
}"""


@dataclass(frozen=True)
class Load:
    """One load of the page; times in seconds since its request."""

    received: float
    decompressed: float
    requests: float
    paint: float
    interactive: float
    drawn: float
    blocked: float


def load(browser: Browser, address: str) -> Load:
    """Load the page without a browser cache, until its charts and its answer are there."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.add_init_script(OBSERVE)
    page.goto(address)
    for figure in page.locator("figure[data-spec]").all():
        figure.locator("canvas").wait_for(state="attached", timeout=DRAWN_MS)
    for place in page.locator("[data-fragment]").all():
        place.locator("> p > a:only-child").wait_for(state="detached", timeout=DRAWN_MS)
    found = Load(**page.evaluate(READ))
    context.close()
    return found


def median(loads: Sequence[Load]) -> Load:
    """Return the median of each column."""
    return Load(*(statistics.median(getattr(one, field.name) for one in loads) for field in fields(Load)))


def line(label: str, one: Load) -> str:
    """Return a row of the table."""
    sizes = f"{one.received / 1000:9.0f} {one.decompressed / 1000:9.0f} {one.requests:8.0f}"
    return f"{label:<34} {sizes} {one.paint:7.2f} {one.interactive:7.2f} {one.drawn:7.2f} {one.blocked:7.2f}"


def shapes(quick: bool) -> list[Shape]:
    """Return the runs to load."""
    if quick:
        return [replace(many_series(PROVIDERS[:2], 2), sizes=SIZES[:3], repetitions=8)]
    many = many_series(PROVIDERS[:20], 5)
    return [
        replace(many, sizes=SIZES[:3], repetitions=8, name="100 series, 2 400 executions"),
        replace(many, run_id="large0000001", sizes=SIZES, repetitions=167, name="100 series, 100 200 executions"),
    ]


def main() -> int:
    """Fill, load, print; 1 when a page is heavier or slower than the limits."""
    given = options(__doc__, quick=False, loads=7, folder=Path)
    loads = 2 if given.quick else given.loads
    good = True
    with tempfile.TemporaryDirectory(dir=given.folder) as name, launched() as browser:
        folder = Path(name)
        with serve(folder, cache_folder=folder / "cache") as served:
            print(
                f"{'':<34} {'kB rec.':>9} {'kB dec.':>9} {'requests':>8} {'paint':>7} {'inter.':>7} {'drawn':>7} long s"
            )
            for shape in shapes(given.quick):
                begin = time.monotonic()
                fill(served.database, shape)
                print(f"{shape.name}: filled in {time.monotonic() - begin:.0f} s", flush=True)
                address = f"{served.url}/runs/{shape.run_id}"
                print(line("  first load", load(browser, address)), flush=True)
                found = median([load(browser, address) for _ in range(loads)])
                print(line(f"  median of {loads} loads", found), flush=True)
                good &= found.received <= LIMIT_BYTES and max(found.interactive, found.paint) <= LIMIT_SECONDS
    print(f"aims: at most {LIMIT_BYTES / 1000:.0f} kB received, interactive within {LIMIT_SECONDS} s")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
