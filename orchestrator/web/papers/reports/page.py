"""The report of a paper as one HTML file without scripts, which needs no network: charts are SVG in the file."""

from dataclasses import dataclass

from markupsafe import Markup

from orchestrator.papers.reporting.columns import COLUMNS_ABREAST
from orchestrator.papers.reporting.drawn import shared_scale
from orchestrator.papers.reporting.explanation import differences, noise, summary, warnings
from orchestrator.papers.reporting.schemas import PaperDrawing, PaperDrawings, PaperReport
from orchestrator.papers.schemas import AgentVerdicts
from orchestrator.shared.errors import Unavailable
from orchestrator.web.charts import drawings
from orchestrator.web.charts.published import specs
from orchestrator.web.charts.theme import svg
from orchestrator.web.rendering import render

STYLE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"""No script, no other address, not even of the service that made the file."""


@dataclass(frozen=True)
class Charts:
    """Pictures of one agent, or the reason why there are none."""

    pictures: list[Markup]
    reason: str = ""


def report_page(report: PaperReport, proof: str = "") -> str:
    """Return the report as HTML.

    proof: what vouches for the readings, where it is not the service that makes the page.
    """
    found = [run.found for run in report.runs]
    return render(
        "papers/report.html",
        report=report,
        proof=proof,
        warnings=warnings(found),
        noise=noise(found),
        summary=summary(report),
        agents=[
            (run, agent, _charts(agent, number), differences(agent))
            for number, (run, agent) in enumerate((run, agent) for run in report.runs for agent in run.found.agents)
        ],
        columns_abreast=COLUMNS_ABREAST,
        drawings=_drawings(report.drawings),
    )


def _drawings(found: PaperDrawings) -> list[tuple[PaperDrawing, Charts, bool]]:
    """Draw the figures of the publication next to the measured ones; a table has no picture."""
    drawn = []
    for place, one in enumerate(found.drawings):
        charts = Charts([])
        if one.kind != "table":
            try:
                charts = Charts([_embedded(svg(drawings.spec(found, one)), f"d{place}")])
            except Unavailable as error:
                charts = Charts([], error.detail)
        drawn.append((one, charts, shared_scale(found, one)))
    return drawn


def _charts(agent: AgentVerdicts, number: int) -> Charts:
    """Draw the figures of an agent; a report without pictures is better than none, because its tables have them all."""
    try:
        pictures = [svg(one) for one in specs(agent)]
    except Unavailable as error:
        return Charts([], f"{error.detail} The tables have the same figures.")
    return Charts([_embedded(one, f"a{number}c{place}") for place, one in enumerate(pictures)])


def _embedded(picture: str, name: str) -> Markup:
    """Return a picture whose ids are those of no other picture in the same file.

    The picture is made by the chart library, which escapes the texts in it.
    """
    return Markup(picture.replace('id="', f'id="{name}').replace("url(#", f"url(#{name}"))  # noqa: S704
