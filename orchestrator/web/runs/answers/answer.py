"""The answer of a run, its start-up and cost per byte, and the overhead of masking; the run's page loads them later."""

from dataclasses import replace
from typing import Annotated

from fastapi import Query, Request, Response

from orchestrator.results.answers import service as answers
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.masking.service import read_masking
from orchestrator.results.answers.scaling.service import read_scaling
from orchestrator.results.cases import service as cases
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.freshness.service import snapshot_of
from orchestrator.results.measures import MEASURES
from orchestrator.runs import service as runs
from orchestrator.service.dependencies import DatabaseDep, SettingsDep
from orchestrator.shared.values.parameters import SearchText, WholeNumber
from orchestrator.web.charts.points import parse_measure, parse_ranking_measure
from orchestrator.web.rendering import page
from orchestrator.web.routing import Choice, page_router
from orchestrator.web.runs.ranking import RankingQueryDep, question_bar
from orchestrator.wire.messages import MAX_SHARES, MIN_SHARES

ROWS_SHOWN = 100
ROWS_FIRST = 15
"""Rows of the chart that fit into one screen; the others are folded."""

router = page_router()


@router.get("/runs/{run_id}/answer")
def answer(
    *,
    request: Request,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    run_id: str,
    measure: Choice = "",
    ranking: RankingQueryDep,
    device: Choice = "",
) -> Response:
    """Show the best implementation by a measure on each agent, how certain that is, and which constraints exclude.

    measure: that of the run's page, used unless the form of the ranking chose another one (rank). device: the agent
    whose ranking is drawn, by default the first.
    """
    chosen = ranking.question.measure or parse_ranking_measure(measure)
    question = replace(ranking.question, rows=ROWS_SHOWN, measure=chosen)
    with snapshot_of(database, run_id) as seen:
        facts = answers.read_answer(seen, cache, question)
        run = runs.summary_of(seen.session, seen.run)
        latency = MEASURES[facts.answer.measure].protocol == "latency"
        choices = cases.get_choices(seen.session, run_id, "latency" if latency else None)
        form = question_bar(seen.session, run_id, ranking, choices)
    found = facts.compute(database)
    ids = [one.agent_id for one in found.agents]
    drawn = device if device in ids else next(iter(ids), "")
    view = {"run": run, "answer": found}
    return page(request, "answers/answer.html", view, chosen_agent=drawn, rows_first=ROWS_FIRST, **form)


@router.get("/runs/{run_id}/winner")
def winner(request: Request, database: DatabaseDep, cache: ReadingsCacheDep, run_id: str) -> Response:
    """Show the first candidate on each agent by the run's default measure; the list of runs loads it later."""
    with snapshot_of(database, run_id) as seen:
        facts = answers.read_answer(seen, cache, Question(rows=ROWS_SHOWN))
    return page(request, "answers/winner.html", {"answer": facts.compute(database)})


@router.get("/runs/{run_id}/scaling")
def scaling(
    request: Request, database: DatabaseDep, cache: ReadingsCacheDep, run_id: str, measure: Choice = ""
) -> Response:
    """Show start-up and cost per byte of each candidate, the lowest cost per byte first."""
    with snapshot_of(database, run_id) as seen:
        compute = read_scaling(seen, cache, parse_measure(measure) if measure else None)
        run = runs.summary_of(seen.session, seen.run)
    found = compute()
    rows = sorted(found.rows, key=lambda row: (not row.points, row.per_byte_ns or row.step_lowest_ns or 0.0))
    view = {"run": run, "scaling": found.model_copy(update={"rows": rows})}
    return page(request, "answers/scaling.html", view)


@router.get("/runs/{run_id}/masking")
def masking(
    *,
    request: Request,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    settings: SettingsDep,
    run_id: str,
    shares: Annotated[WholeNumber | None, Query(ge=MIN_SHARES, le=MAX_SHARES)] = None,
    generator: Annotated[SearchText | None, Query(max_length=16)] = None,
) -> Response:
    """Show the overhead of masking for each generator, and how the order of ciphers changes."""
    with snapshot_of(database, run_id) as seen:
        compute = read_masking(seen, cache, shares, generator, cache_folder=settings.cache_folder)
        run = runs.summary_of(seen.session, seen.run)
    return page(request, "answers/masking.html", {"run": run, "masking": compute()})
