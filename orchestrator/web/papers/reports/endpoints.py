"""``/api/v1/papers/{name}/report``: the report of a run as a file."""

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from fastapi import Query, Response

from orchestrator.dependencies import DatabaseDep
from orchestrator.exporters import exporter
from orchestrator.papers import service
from orchestrator.papers.endpoints import PaperName
from orchestrator.papers.report import markdown
from orchestrator.papers.reporting.latex import latex
from orchestrator.papers.reporting.rows import COLUMNS, rows_of
from orchestrator.papers.schemas import PaperReport
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.security.dependencies import RunIdQuery, ViewerDep
from orchestrator.security.routing import api_router
from orchestrator.web.papers.reports.page import STYLE_POLICY, report_page
from orchestrator.web.papers.reports.pdf import pdf_of

ReportForm = Literal["html", "pdf", "tex", "md", "csv"]

# Not named `router`, which the dashboard would mount with its pages.
api = api_router(tags=["papers"])


def _csv(report: PaperReport) -> bytes:
    return b"".join(exporter("csv").stream(COLUMNS, rows_of(report.found)))


_FORMS: Mapping[ReportForm, tuple[str, Callable[[PaperReport], str | bytes]]] = {
    "html": ("text/html; charset=utf-8", report_page),
    "pdf": ("application/pdf", lambda report: pdf_of(report_page(report))),
    "tex": ("application/x-tex; charset=utf-8", latex),
    "md": ("text/markdown; charset=utf-8", lambda report: markdown(report.paper, report.found)),
    "csv": ("text/csv; charset=utf-8", _csv),
}


@api.get("/papers/{name}/report", response_class=Response)
def get_report(
    *,
    name: PaperName,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    run: RunIdQuery,
    form: Annotated[ReportForm, Query(alias="format", description="csv has the verdicts and figures.")] = "html",
    disturbed: Annotated[
        Literal["include", "exclude"], Query(description="Whether disturbed executions count.")
    ] = "include",
) -> Response:
    """Download the report of a run: verdicts, figures next to the published ones, conditions, how to repeat it."""
    report = service.get_report(database, cache, name, run, with_disturbed=disturbed == "include")
    media_type, make = _FORMS[form]
    return Response(
        make(report),
        media_type=media_type,
        headers={
            "Content-Disposition": f'attachment; filename="ciphermark-{name}-{run}.{form}"',
            "Content-Security-Policy": STYLE_POLICY,
            "X-Content-Type-Options": "nosniff",
        },
    )
