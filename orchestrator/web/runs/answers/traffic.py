"""The form for message lengths and key changes, and their cost with each candidate."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Query, Request, Response
from pydantic import ValidationError

from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.freshness.service import snapshot_of
from orchestrator.results.traffic.endpoints import MAX_FILE_BYTES
from orchestrator.results.traffic.schemas import TrafficRequest
from orchestrator.results.traffic.service import read_histogram, read_traffic
from orchestrator.runs import service as runs
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.values.field_errors import field_errors
from orchestrator.statistics.mixtures.histograms import FORMS
from orchestrator.web.charts.points import parse_measure
from orchestrator.web.rendering import page
from orchestrator.web.routing import Choice, page_router
from orchestrator.web.runs.ranking import RankingQuery, RankingQueryDep, size_in_form

ROWS_SHOWN = 50
MAX_TEXT = 30_000
"""Characters of a histogram in the address; the command line reads longer files."""

router = page_router()


@dataclass(frozen=True)
class TrafficQuery:
    """Query of the page; texts as the user wrote them."""

    lengths: Annotated[str, Query(max_length=MAX_TEXT)] = ""
    key_changes: Choice = ""
    operation: Annotated[Literal["encrypt", "decrypt", "both"], Query()] = "encrypt"
    associated_data: Choice = ""
    key_setup: Annotated[Literal["", "apart", "included"], Query()] = ""
    measure: Choice = ""

    def request(self, ranking: RankingQuery) -> TrafficRequest:
        """Return the request that the form describes; raises InvalidRequest."""
        histogram = read_histogram(self.lengths, "lengths")
        length = size_in_form("associated_data", self.associated_data, "16 or 16 B")
        try:
            return TrafficRequest(
                lengths_bytes=histogram.lengths_bytes,
                counts=histogram.counts,
                key_changes=_number(self.key_changes),
                operation=self.operation,
                associated_data_bytes=length,
                key_setup=self.key_setup or None,
                measure=parse_measure(self.measure) if self.measure else None,
                algorithms=sorted(ranking.question.algorithms),
                rows=ROWS_SHOWN,
            )
        except ValidationError as error:
            first = field_errors(error.errors())[0]
            words = ": ".join(filter(None, (first.field, first.allowed)))
            raise InvalidRequest(f"{words}.", remedy=FORMS, field=first.field or "lengths") from None


def _number(text: str) -> float:
    try:
        return float(text) if text.strip() else 0.0
    except ValueError:
        raise InvalidRequest(
            f"{text[:40]!r} is not a number of key changes.", remedy="Write a number such as 10.", field="key_changes"
        ) from None


@router.get("/runs/{run_id}/traffic")
def traffic(
    *,
    request: Request,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    run_id: str,
    query: Annotated[TrafficQuery, Depends()],
    ranking: RankingQueryDep,
) -> Response:
    """Show the cost of a traffic with each candidate of a run, and the changes that would change the winner."""
    compute = None
    with snapshot_of(database, run_id) as seen:
        run = runs.summary_of(seen.session, seen.run)
        if query.lengths.strip():
            compute = read_traffic(seen, cache, query.request(ranking), ranking.question.constraints)
    found = compute and compute()
    return page(request, "answers/traffic.html", {"run": run, "traffic": found}, entered=query, ranking=ranking,
                max_bytes=MAX_FILE_BYTES, max_text=MAX_TEXT)  # fmt: skip
