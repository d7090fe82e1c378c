"""The page of one run."""

from typing import Annotated

from fastapi import Depends, Request, Response

from orchestrator.builds import service as builds
from orchestrator.database.engine import Database
from orchestrator.results.answers import service as answers
from orchestrator.results.cases import service as cases
from orchestrator.results.comparisons.choices.service import list_comparable
from orchestrator.results.measures import MEASURES
from orchestrator.runs import service as runs
from orchestrator.runs.preflight import service as preflight
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router
from orchestrator.web.runs.cards import run_card
from orchestrator.web.runs.devices import devices
from orchestrator.web.runs.executions.tables import ROWS_PER_PAGE, case_rows, pages_of
from orchestrator.web.runs.precision import precision_part
from orchestrator.web.runs.query import ChartQuery, ResultQuery, result_query
from orchestrator.web.runs.ranking import RankingQueryDep, timed_operations
from orchestrator.web.runs.troubles import troubles
from orchestrator.web.runs.views import ChartChoice, Choices, OmissionRow, OverheadLine, ResultPage, RunPage

OMISSIONS_SHOWN = 500
INTERVALS_SHOWN = 100

router = page_router()


@router.get("/runs/{run_id}")
def run(
    request: Request,
    database: DatabaseDep,
    query: Annotated[ResultQuery, Depends(result_query)],
    ranking: RankingQueryDep,
) -> Response:
    """Show one run: its answer, then executions without a result, charts, results, omissions and devices."""
    view, query = run_page(database, query)
    timed = timed_operations(database, query.cases.run_id, view.choices.protocols)
    return page(
        request, "runs/run.html", view, results_query=query, ranking=ranking, measures=MEASURES, operations=timed
    )


def run_page(database: Database, query: ResultQuery) -> tuple[RunPage, ResultQuery]:
    """Return the page of one run, and the query with its protocol and order filled in; raises NotFound."""
    run_id = query.cases.run_id
    card = run_card(runs.get_run_summary(database, run_id))
    builds_of_run = builds.list_builds_of_run(database, run_id)
    found = cases.get_choices(database, run_id, query.cases.protocol)
    query = query.for_protocol(found.protocol)
    choices = Choices(
        **found.model_dump(exclude={"protocol", "lengths_bytes"}),
        lengths=found.lengths_bytes,
        agents=card.agents,
        toolchains=sorted({build.toolchain_words for build in builds_of_run}),
    )
    # The table brings the statistics up to date, which the intervals read.
    results = _results(database, query)
    measuring = card.run_state in ("running", "paused") and card.tally.total > 0
    view = RunPage(
        run=card,
        troubles=troubles(database, run_id, card.tally),
        skipped=cases.list_skipped(database, run_id) if card.tally.skipped else [],
        conditions=preflight.list_worst_reports(database, run_id),
        precision=precision_part(database, run_id),
        intervals=cases.get_intervals(database, run_id, INTERVALS_SHOWN) if measuring else None,
        results=results,
        choices=choices,
        charts=chart_choice(query.charts, choices),
        comparable=list_comparable(database, run_id) if card.tally.ok else [],
        omissions=_omissions(database, run_id),
        devices=devices(database, run_id, builds_of_run),
        plan=runs.get_plan(database, run_id),
    )
    return view, query


def chart_choice(query: ChartQuery, choices: Choices) -> ChartChoice:
    """Return the charts to draw; a kind or algorithm that the run lacks counts as all of them."""
    first_agent = choices.agents[0].id if choices.agents else None
    agent_id = query.agent_id or first_agent
    return ChartChoice(
        measure=query.measure or "encrypt",
        kind=query.kind if query.kind in choices.kinds else None,
        algorithm=query.algorithm if query.algorithm in choices.algorithms else None,
        agent_id=agent_id,
        agent=next((agent.name for agent in choices.agents if agent.id == agent_id), None),
        top=query.top.text,
    )


def _results(database: Database, query: ResultQuery) -> ResultPage:
    protocol = query.cases.protocol or "process"
    offset = (query.page - 1) * ROWS_PER_PAGE
    found = cases.list_sorted_cases(database, protocol, query.cases, query.sorting, offset=offset, limit=ROWS_PER_PAGE)
    return ResultPage(
        protocol=protocol,
        rows=case_rows(database, found.items),
        total=found.total,
        page=query.page,
        pages=pages_of(found.total),
        overheads=_overheads(database, query) if protocol == "process" else [],
        lag=found.lag,
    )


def _overheads(database: Database, query: ResultQuery) -> list[OverheadLine]:
    found = answers.list_overheads(database, query.cases.run_id)
    return [OverheadLine(agent=agent, overhead=one) for agent, overheads in found.items() for one in overheads]


def _omissions(database: Database, run_id: str) -> list[OmissionRow]:
    return [
        OmissionRow(
            agent=omission.agent_name,
            provider=omission.provider,
            algorithm=omission.algorithm,
            variant=omission.variant,
            reason=omission.reason,
            executions=omission.executions,
        )
        for omission in runs.list_omissions(database, run_id, None, OMISSIONS_SHOWN).items
    ]
