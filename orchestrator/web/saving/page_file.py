"""A page as one HTML file: the parts that it loads, the data of its charts, styles and scripts are inside.

Links to other pages, forms and buttons are left out. The file has the digest of its text and data, which its own script
checks: an accident is found, but who falsifies a file can compute the digest again.
"""

import base64
import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PreformattedString, Tag
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool

from orchestrator.web import assets
from orchestrator.web.formats import moment
from orchestrator.web.rendering import render

Read = Callable[[str], Awaitable[str]]
"""Returns the text at an address of this service."""

_LEFT_OUT = (
    "details:has(> form), form, button:not(.pick), noscript, script, nav:not(.pages, [data-tabs]), .pages a, .actions,"
    " .downloads, .problem, [data-service]"
)
"""Elements that need the service."""
_SPACE = re.compile(r"[ \t\n\r\f]+")
_SCRIPTS = ("saved.js", assets.CHART_LIBRARY, "charts.js", "page.js")


@dataclass(frozen=True)
class LoadedChart:
    """Figure of a page, with what it would load: the specification, and its data as CSV."""

    figure: Tag
    spec: str
    data: str


@dataclass(frozen=True)
class Frame:
    """Surroundings of the page in its file."""

    note: str
    """Where and when it was made."""
    linked: Mapping[str, str]
    """Path of another page → file next to this one; links to all others are left out."""
    cache_folder: Path
    """Folder of the chart library."""


async def page_file(read: Read, address: str, frame: Frame) -> str:
    """Return the page at an address as one document; raises what `read` raises."""
    page = await _parsed(await read(address))
    for place in page.select("[data-fragment]"):
        found = (await _parsed(await read(str(place["data-fragment"])))).select_one("[data-answer]")
        del place["data-fragment"]
        place.clear()
        place.extend(list(found.children) if found else [])
    charts = []
    for figure in page.select("figure[data-spec]"):
        spec = str(figure["data-spec"])
        charts.append(LoadedChart(figure, await read(spec), await read(spec.replace(".json", ".csv", 1))))
    return await run_in_threadpool(_assembled, page, charts, frame)


async def _parsed(text: str) -> BeautifulSoup:
    return await run_in_threadpool(BeautifulSoup, text, "html.parser")


def _assembled(page: BeautifulSoup, charts: Iterable[LoadedChart], frame: Frame) -> str:
    main = page.select_one("main") or page
    for element in main.select(_LEFT_OUT):
        element.decompose()
    for time in main.select("time"):  # "3 min ago" is true only now
        time.string = moment(datetime.fromisoformat(str(time["datetime"])))
    for group in main.select("[role=group]:has(a[aria-current])"):  # only the chosen one of several pages is inside
        for link in group.select("a:not([aria-current])"):
            link.decompose()
    for link in main.select('a[href^="/"], a[href^="?"]'):
        if (file := frame.linked.get(str(link["href"]))) is None:
            link.unwrap()
        else:
            link["href"] = file
    for number, chart in enumerate(charts):
        _embed(page, chart, number)
    scripts = [_script(name, frame.cache_folder) for name in _SCRIPTS] if main.select_one("figure") else []
    scripts = scripts or [_script(_SCRIPTS[0], frame.cache_folder)]
    return render(
        "shared/saved.html",
        title=page.title.get_text() if page.title else "",
        content=Markup(main.decode_contents()),  # noqa: S704 - of a page, whose template escaped its texts
        note=frame.note,
        digest=text_digest(main),
        scripts=[Markup(script) for script in scripts],  # noqa: S704 - our own
        script_hashes=[base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts],
        style=Markup(assets.find("ciphermark.css", frame.cache_folder).content.decode()),  # noqa: S704 - our own
    )


def text_digest(element: Tag) -> str:
    """Return the SHA-256 of all text in an element without its white space, as static/saved.js computes it."""
    texts = (one for one in element.descendants if isinstance(one, NavigableString))
    joined = "".join(one for one in texts if not isinstance(one, PreformattedString))
    return hashlib.sha256(_SPACE.sub("", joined).encode()).hexdigest()


def _embed(page: BeautifulSoup, chart: LoadedChart, number: int) -> None:
    for name, document in (("spec", chart.spec), ("data", json.dumps(chart.data))):
        place = f"chart-{number}-{name}"
        island = page.new_tag("script", type="application/json", id=place)
        island.string = document.replace("<", "\\u003c")  # a name with `<!--<script>` would hide the end of the island
        chart.figure.append(island)
        chart.figure[f"data-{name}"] = f"#{place}"
    for name in ("data-library", "data-alternative"):
        del chart.figure[name]


def _script(name: str, cache_folder: Path) -> str:
    """Return a script so that it can be inside a document."""
    return assets.find(name, cache_folder).content.decode().replace("</script", "<\\/script")
