"""The list of runs and the page of one run, as views."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Build, Inventory, Run
from orchestrator.errors import InvalidRequest, NotFound
from orchestrator.results import service as results
from orchestrator.results.answer import Question
from orchestrator.results.readings import Measure, ReadingsCache
from orchestrator.web import assemble, repository
from orchestrator.web.repository import SORT_COLUMNS, CaseFilter, Slice, Sorting
from orchestrator.web.views import (
    AgentName,
    AnswerPage,
    CalibrationRow,
    ChartChoice,
    Choices,
    Device,
    OmissionRow,
    ResultPage,
    RunListPage,
    RunPage,
    Trouble,
)

RUNS_A_PAGE = 25
ROWS_A_PAGE = 50
ANSWER_ROWS = 30
TROUBLES_SHOWN = 12
OMISSIONS_SHOWN = 500


@dataclass(frozen=True)
class ChartQuery:
    """What the reader of the charts asked for: one kind of input or all, one agent or the first."""

    measure: Measure
    kind: str | None
    agent_id: str | None


@dataclass(frozen=True)
class ResultQuery:
    """What the reader of a run's page asked for."""

    cases: CaseFilter
    sorting: Sorting
    page: int
    charts: ChartQuery


def sorting_of(text: str) -> Sorting:
    """Read ``-encrypt`` or ``length``; raises InvalidRequest for a column that the table has not."""
    name = text.removeprefix("-")
    for known in SORT_COLUMNS:
        if known == name:
            return Sorting(known, text.startswith("-"))
    raise InvalidRequest(
        f"The table cannot be sorted by {name[:40]!r}.", remedy=f"Use one of {', '.join(SORT_COLUMNS)}.", field="sort"
    )


def pages_of(total: int, rows_a_page: int) -> int:
    """Return how many pages so many rows take, at least 1."""
    return max(1, -(-total // rows_a_page))


def run_list(session: Session, page: int) -> RunListPage:
    """Return one page of runs, the latest first."""
    total = repository.count_runs(session)
    runs = repository.runs(session, (page - 1) * RUNS_A_PAGE, RUNS_A_PAGE)
    agents = [assemble.agent_name(agent) for agent in repository.agents(session) if agent.revoked_at is None]
    return RunListPage(
        runs=assemble.run_cards(session, runs), page=page, pages=pages_of(total, RUNS_A_PAGE), agents=agents
    )


def run_page(session: Session, query: ResultQuery) -> RunPage:
    """Return the page of one run; raises NotFound."""
    run_id = query.cases.run_id
    run = _find(session, run_id)
    card = assemble.run_cards(session, [run])[0]
    agents = [agent for agent, _ in repository.agents_of_runs(session, [run_id]).get(run_id, {}).values()]
    choices = _choices(session, run_id, card.agents)
    return RunPage(
        run=card,
        troubles=_troubles(session, run_id),
        results=_results(session, query),
        choices=choices,
        charts=_charts(query.charts, choices),
        omissions=_omissions(session, run_id),
        devices=_devices(session, run_id, agents),
        plan=run.plan,
    )


def answer_page(database: Database, cache: ReadingsCache, run_id: str, measure: Measure) -> AnswerPage:
    """Return which implementation is fastest on each agent of a run, and how sure that is; raises NotFound."""
    with database.read() as session:
        card = assemble.run_cards(session, [_find(session, run_id)])[0]
    return AnswerPage(
        run=card, answer=results.show_answer(database, cache, run_id, Question(measure, rows=ANSWER_ROWS))
    )


def _find(session: Session, run_id: str) -> Run:
    run = repository.run(session, run_id)
    if run is None:
        raise NotFound(f"There is no run {run_id[:40]!r}.", remedy="The front page lists all runs.")
    return run


def _results(session: Session, query: ResultQuery) -> ResultPage:
    part = Slice((query.page - 1) * ROWS_A_PAGE, ROWS_A_PAGE)
    rows, total = repository.results(session, query.cases, query.sorting, part)
    return ResultPage(
        rows=[assemble.result_row(row) for row in rows],
        total=total,
        page=query.page,
        pages=pages_of(total, ROWS_A_PAGE),
    )


def _choices(session: Session, run_id: str, agents: Sequence[AgentName]) -> Choices:
    values = repository.distinct_values(session, run_id)
    return Choices(agents=list(agents), **values)


def _charts(query: ChartQuery, choices: Choices) -> ChartChoice:
    first_agent = choices.agents[0].id if choices.agents else None
    agent_id = query.agent_id or first_agent
    return ChartChoice(
        measure=query.measure,
        kind=query.kind if query.kind in choices.kinds else None,
        agent_id=agent_id,
        agent=next((agent.name for agent in choices.agents if agent.id == agent_id), None),
    )


def _troubles(session: Session, run_id: str) -> list[Trouble]:
    return [
        Trouble(
            execution_id=found.execution.id,
            state=found.execution.state,
            agent=found.agent,
            provider=found.case.provider,
            algorithm=found.case.algorithm,
            variant=found.case.variant,
            input_kind=found.case.input_kind,
            message_bytes=found.case.message_bytes,
            repetition=found.execution.repetition,
            detail=_trouble_detail(found.execution.state, found.execution.failure or {}),
        )
        for found in repository.troubles(session, run_id, TROUBLES_SHOWN)
    ]


def _trouble_detail(state: str, failure: Mapping[str, object]) -> str:
    if failure.get("detail"):
        return str(failure["detail"])
    return {
        "wrong": "The ciphertext differs from the expected one.",
        "disputed": "Providers give different ciphertexts, and no reference tells which is right.",
    }.get(state, "No detail was recorded.")


def _omissions(session: Session, run_id: str) -> list[OmissionRow]:
    return [
        OmissionRow(
            agent=agent,
            provider=omission.provider,
            algorithm=omission.algorithm,
            variant=omission.variant,
            reason=omission.reason,
            executions=omission.executions,
        )
        for omission, agent in repository.omissions(session, run_id, OMISSIONS_SHOWN)
    ]


def _devices(session: Session, run_id: str, agents: Sequence[Agent]) -> list[Device]:
    builds: dict[str, list[Build]] = defaultdict(list)
    for build in repository.builds_of_run(session, run_id):
        builds[build.agent_id].append(build)
    calibrations: dict[str, list[CalibrationRow]] = defaultdict(list)
    for calibration, build in repository.calibrations(session, [a.id for a in agents]):
        if build in builds[calibration.agent_id]:
            calibrations[calibration.agent_id].append(assemble.calibration_row(calibration, build))
    inventories = repository.inventories(session, agents)
    return [_device(a, inventories.get(a.id), builds[a.id], calibrations[a.id]) for a in agents]


def _device(
    agent: Agent, inventory: Inventory | None, builds: Sequence[Build], calibrations: list[CalibrationRow]
) -> Device:
    facts = assemble.inventory_facts(inventory)
    return Device(
        agent=assemble.agent_name(agent),
        model=facts.device_model if facts else None,
        processor=facts.processor.model if facts else None,
        architecture=facts.processor.architecture if facts else None,
        operating_system=facts.operating_system if facts else None,
        emulated=facts.emulated if facts else False,
        hardware_counters=facts.hardware_counters if facts else None,
        toolchains=[f"{assemble.toolchain_text(build)} ({build.compiler_version})" for build in builds],
        calibrations=calibrations,
    )
