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
from orchestrator.database.engine import Database
from orchestrator.results import service as results
from orchestrator.results.answers import service as answers
from orchestrator.results.cases import service as cases
from orchestrator.results.cases.schemas import CaseChoices, CaseInterval
from orchestrator.results.comparisons.choices.service import list_comparable
from orchestrator.results.freshness.service import catch_up
from orchestrator.results.schemas import ExecutionSummary
from orchestrator.runs import service as runs
from orchestrator.runs.planning.editing.texts import plan_text
from orchestrator.runs.preflight import service as preflight
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
    catch_up(database, query.cases.run_id)
    with database.one_reading():
        view, query = _run_view(database, query)
        form = question_bar(database, query.cases.run_id, ranking, view["choices"])
    again = {"plan_text": plan_text(view["plan"]), "key": new_key()}
    return page(request, "runs/run.html", view, results_query=query, **again, **form)


def _run_view(database: Database, query: ResultQuery) -> tuple[dict[str, Any], ResultQuery]:
    """Return the facts of the page, and the query with its protocol and order filled in; raises NotFound."""
    run_id = query.cases.run_id
    found = runs.get_run_summary(database, run_id)
    builds_of_run = builds.list_builds_of_run(database, run_id)
    choices = cases.get_choices(database, run_id, query.cases.protocol)
    query = query.among(choices)
    precision = runs.get_precision(database, run_id)
    measuring = found.state in ("running", "paused") and found.executions_total > 0
    view = {
        "run": found,
        "troubles": _troubles(database, found),
        "skipped": cases.list_skipped(database, run_id) if found.skipped else [],
        "conditions": preflight.list_worst_reports(database, run_id),
        "precision": precision,
        "imprecise_cases": _imprecise(database, run_id) if precision else [],
        "intervals": cases.get_intervals(database, run_id, INTERVALS_SHOWN) if measuring else None,
        "results": _results(database, query),
        "choices": choices,
        "toolchains": sorted({build.toolchain_words for build in builds_of_run}),
        "charts": chart_choice(query.charts, choices, found.agents),
        "comparable": list_comparable(database, run_id) if found.ok else [],
        "omissions": runs.list_omissions(database, run_id, None, OMISSIONS_SHOWN).items,
        "devices": devices(database, run_id, builds_of_run),
        "plan": runs.get_plan(database, run_id),
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


def _troubles(database: Database, run: RunSummary) -> list[ExecutionSummary]:
    """Return the first executions without a valid result: wrong, then disputed, then failed."""
    found: list[ExecutionSummary] = []
    for state in TROUBLE_STATES:
        limit = TROUBLES_SHOWN - len(found)
        if limit and getattr(run, state):
            found += results.list_executions(database, run.id, state, None, limit).items
    return found


def _imprecise(database: Database, run_id: str) -> list[CaseInterval]:
    """Return the cases that stopped before they were as precise as the plan requires, the widest intervals first."""
    found = cases.get_intervals(database, run_id, IMPRECISE_CASES_SHOWN, imprecise=True).cases
    return sorted(found, key=lambda one: -math.inf if one.relative_interval is None else -one.relative_interval)


def _results(database: Database, query: ResultQuery) -> dict[str, Any]:
    """Return one page of the table, which has the cases of one protocol except those of `noop`."""
    run_id, protocol = query.cases.run_id, query.cases.protocol or "process"
    offset = (query.page - 1) * ROWS_PER_PAGE
    found = cases.list_sorted_cases(database, protocol, query.cases, query.sorting, offset=offset, limit=ROWS_PER_PAGE)
    calls, overheads = protocol == "latency", {}
    if not calls:
        overheads = answers.list_overheads(database, run_id)
    return {
        "protocol": protocol,
        "rows": found.items,
        "typical": cases.typical_calls(database, [case.id for case in found.items]) if calls else {},
        "total": found.total,
        "page": query.page,
        "pages": pages_of(found.total, ROWS_PER_PAGE),
        "overheads": [{"agent": agent, "overhead": one} for agent, own in overheads.items() for one in own],
        "lag": found.lag,
    }


def devices(database: Database, run_id: str, builds_of_run: Sequence[BuildReference]) -> list[dict[str, Any]]:
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
        for agent, in_run in agents.list_devices(database, run_id, builds)
    ]


def calibrations(agent: AgentDevice, builds: Sequence[BuildReference]) -> list[CalibrationSummary]:
    """Return the calibrations of these builds; builds on request have none, then those of the default build."""
    ids = {build.id for build in builds}
    of_run = [one for one in agent.calibrations if one.build_id in ids]
    return of_run or [one for one in agent.calibrations if one.of_default_build]
