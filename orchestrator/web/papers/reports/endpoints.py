"""``/api/v1/papers/{name}/report``: the report of a run as a file."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated

from fastapi import Query, Response

from orchestrator.papers import service
from orchestrator.papers.endpoints import PaperName, RunIdsQuery
from orchestrator.papers.names import ReportForm
from orchestrator.papers.reporting.latex import latex
from orchestrator.papers.reporting.markdown import markdown
from orchestrator.papers.reporting.rows import COLUMNS, FACTS, rows_of
from orchestrator.papers.reporting.schemas import PaperReport
from orchestrator.results.answers.decision.question import DisturbedQuery
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.shared.exporters import exporter
from orchestrator.web.papers.reports.page import STYLE_POLICY, report_page

# Not named `router`, which the dashboard would mount with its pages.
api = api_router(tags=["papers"])


def _data(form: str, report: PaperReport) -> bytes:
    return b"".join(exporter(form).stream(COLUMNS, rows_of(one.found for one in report.runs), FACTS))


_FORMS: Mapping[ReportForm, tuple[str, Callable[[PaperReport], str | bytes]]] = {
    "html": ("text/html; charset=utf-8", report_page),
    "tex": ("application/x-tex; charset=utf-8", latex),
    "md": ("text/markdown; charset=utf-8", lambda report: markdown(report.paper, [one.found for one in report.runs])),
    "csv": ("text/csv; charset=utf-8", partial(_data, "csv")),
    "parquet": (exporter("parquet").MEDIA_TYPE, partial(_data, "parquet")),
}


@api.get("/papers/{name}/report", response_class=Response)
def get_report(
    *,
    name: PaperName,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    run: RunIdsQuery,
    form: Annotated[
        ReportForm, Query(alias="format", description="csv and parquet have the verdicts and figures.")
    ] = "html",
    disturbed: DisturbedQuery = "include",
) -> Response:
    """Download the report of one to four runs: verdicts, figures next to the published ones, conditions, repetition."""
    report = service.get_report(database, cache, name, run, with_disturbed=disturbed == "include")
    media_type, make = _FORMS[form]
    return Response(
        make(report),
        media_type=media_type,
        headers={
            "Content-Disposition": f'attachment; filename="ciphermark-{name}-{"-".join(dict.fromkeys(run))}.{form}"',
            "Content-Security-Policy": STYLE_POLICY,
            "X-Content-Type-Options": "nosniff",
        },
    )
