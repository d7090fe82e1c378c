"""The page of one run."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from orchestrator.agents import service as agents
from orchestrator.agents.schemas import AgentDevice, CalibrationSummary
from orchestrator.builds import service as builds
from orchestrator.builds.schemas import BuildReference
from orchestrator.database.engine import ReadSession
from orchestrator.database.models import Run
from orchestrator.results import service as results
from orchestrator.results.answers import service as answers
from orchestrator.results.cases import service as cases
from orchestrator.results.cases.schemas import CaseChoices, CaseInterval
from orchestrator.results.comparisons.choices.service import list_comparable
from orchestrator.results.freshness.service import RunSnapshot, snapshot_of
from orchestrator.results.schemas import ExecutionSummary
from orchestrator.runs import service as runs
from orchestrator.runs.planning.editing.texts import plan_text
from orchestrator.runs.preflight import service as preflight
from orchestrator.runs.progress.precision import precision_summary
from orchestrator.runs.schemas import RunAgent, RunSummary
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.web.plans.editor import new_key
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router, pages_of
from orchestrator.web.runs.query import ChartQuery, ResultQuery, result_query
from orchestrator.web.runs.ranking import RankingQueryDep, question_bar

OMISSIONS_SHOWN = 500
INTERVALS_SHOWN = 100
ROWS_PER_PAGE = 50
IMPRECISE_CASES_SHOWN = 50
TROUBLE_STATES = ("wrong", "disputed", "failed")
TROUBLES_SHOWN = 12

router = page_router()


@router.get("/runs/{run_id}")
def run(
    request: Request,
    database: DatabaseDep,
    query: Annotated[ResultQuery, Depends(result_query)],
    ranking: RankingQueryDep,
) -> Response:
    """Show one run: its answer, then executions without a result, charts, results, omissions and devices."""
    with snapshot_of(database, query.cases.run_id) as seen:
        view, query = _run_view(seen, query)
        form = question_bar(seen.session, query.cases.run_id, ranking, view["choices"])
    again = {"plan_text": plan_text(view["plan"]), "key": new_key()}
    return page(request, "runs/run.html", view, results_query=query, **again, **form)


def _run_view(seen: RunSnapshot, query: ResultQuery) -> tuple[dict[str, Any], ResultQuery]:
    """Return the facts of the page, and the query with its protocol and order filled in."""
    session, stored, run_id = seen.session, seen.run, seen.run.id
    found = runs.summary_of(session, stored)
    builds_of_run = builds.list_builds_of_run(session, run_id)
    choices = cases.get_choices(session, run_id, query.cases.protocol)
    query = query.among(choices)
    precision = precision_summary(session, stored)
    measuring = found.state in ("running", "paused") and found.executions_total > 0
    view = {
        "run": found,
        "troubles": _troubles(session, found),
        "skipped": cases.list_skipped(session, run_id) if found.skipped else [],
        "conditions": preflight.list_worst_reports(session, run_id),
        "precision": precision,
        "imprecise_cases": _imprecise(session, stored) if precision else [],
        "intervals": cases.get_intervals(session, stored, INTERVALS_SHOWN) if measuring else None,
        "results": _results(seen, query),
        "choices": choices,
        "toolchains": sorted({build.toolchain_words for build in builds_of_run}),
        "charts": chart_choice(query.charts, choices, found.agents),
        "comparable": list_comparable(session, stored) if found.ok else [],
        "omissions": runs.list_omissions(session, run_id, None, OMISSIONS_SHOWN).items,
        "devices": devices(session, run_id, builds_of_run),
        "plan": stored.plan,
    }
    return view, query


def chart_choice(query: ChartQuery, choices: CaseChoices, agents: Sequence[RunAgent]) -> ChartQuery:
    """Return the charts to draw: of one agent, because executions are never paired across agents.

    A kind or algorithm that the run lacks counts as all of them.
    """
    return replace(
        query,
        measure=query.measure or next(iter(choices.phases), "pass"),
        kind=query.kind if query.kind in choices.kinds else None,
        algorithm=query.algorithm if query.algorithm in choices.algorithms else None,
        agent_id=query.agent_id or (agents[0].id if agents else None),
    )


def _troubles(session: ReadSession, run: RunSummary) -> list[ExecutionSummary]:
    """Return the first executions without a valid result: wrong, then disputed, then failed."""
    found: list[ExecutionSummary] = []
    for state in TROUBLE_STATES:
        limit = TROUBLES_SHOWN - len(found)
        if limit and getattr(run, state):
            found += results.list_executions(session, run.id, state, None, limit).items
    return found


def _imprecise(session: ReadSession, run: Run) -> list[CaseInterval]:
    """Return the cases that stopped before they were as precise as the plan requires, the widest intervals first."""
    found = cases.get_intervals(session, run, IMPRECISE_CASES_SHOWN, imprecise=True).cases
    return sorted(found, key=lambda one: -math.inf if one.relative_interval is None else -one.relative_interval)


def _results(seen: RunSnapshot, query: ResultQuery) -> dict[str, Any]:
    """Return one page of the table, which has the cases of one protocol except those of `noop`."""
    session, protocol = seen.session, query.cases.protocol or "process"
    offset = (query.page - 1) * ROWS_PER_PAGE
    rows, total = cases.list_sorted_cases(
        session, protocol, query.cases, query.sorting, offset=offset, limit=ROWS_PER_PAGE
    )
    calls = protocol == "latency"
    overheads = {} if calls else answers.list_overheads(session, seen.run.id)
    return {
        "protocol": protocol,
        "rows": rows,
        "typical": cases.typical_calls(session, [case.id for case in rows]) if calls else {},
        "total": total,
        "page": query.page,
        "pages": pages_of(total, ROWS_PER_PAGE),
        "overheads": [{"agent": agent, "overhead": one} for agent, own in overheads.items() for one in own],
        "lag": seen.lag,
    }


def devices(session: ReadSession, run_id: str, builds_of_run: Sequence[BuildReference]) -> list[dict[str, Any]]:
    """Return the agents of a run's cases as they were in it, also those whose cases were all skipped.

    Each with its builds and their calibrations, and a sentence on what differs from its present state.
    """
    builds: dict[str, list[BuildReference]] = defaultdict(list)
    for build in builds_of_run:
        builds[build.agent_id].append(build)
    return [
        {
            "agent": agent,
            "builds": builds[agent.id],
            "calibrations": calibrations(agent, builds[agent.id]),
            "differences": in_run.difference_words,
        }
        for agent, in_run in agents.list_devices(session, run_id, builds)
    ]


def calibrations(agent: AgentDevice, builds: Sequence[BuildReference]) -> list[CalibrationSummary]:
    """Return the calibrations of these builds; builds on request have none, then those of the default build."""
    ids = {build.id for build in builds}
    of_run = [one for one in agent.calibrations if one.build_id in ids]
    return of_run or [one for one in agent.calibrations if one.of_default_build]
