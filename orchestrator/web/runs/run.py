"""The list of runs and the page of one run, as views."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Build, Inventory, Run
from orchestrator.errors import InvalidRequest, NotFound
from orchestrator.preflight import service as preflight
from orchestrator.results import service as results
from orchestrator.results.answers.ranking import Question
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.answers.scaling import show_scaling
from orchestrator.results.schemas import Measure
from orchestrator.web import agent_repository, assemble, repository
from orchestrator.web.repository import SORT_COLUMNS, CaseFilter, Protocol, Slice, Sorting
from orchestrator.web.runs import latency
from orchestrator.web.runs.precision import precision_part
from orchestrator.web.views import (
    AnswerPage,
    CalibrationRow,
    ChartChoice,
    Choices,
    Device,
    DeviceToolchain,
    OmissionRow,
    ResultPage,
    RunListPage,
    RunPage,
    ScalingPage,
    Trouble,
)

RUNS_A_PAGE = 25
ROWS_A_PAGE = 50
ANSWER_ROWS = 30
TROUBLES_SHOWN = 12
OMISSIONS_SHOWN = 500


USUAL_ORDER: dict[Protocol, str] = {"process": "-encrypt", "latency": "call"}
"""The fastest first."""


@dataclass(frozen=True)
class ChartQuery:
    """What the reader of the charts asked for: one kind of input or all, one algorithm or all, one agent or the first.

    Without a measure: encrypt, or call where the table shows calls.
    """

    measure: Measure | None
    kind: str | None
    algorithm: str | None
    agent_id: str | None


@dataclass(frozen=True)
class ResultQuery:
    """What the reader of a run's page asked for."""

    cases: CaseFilter
    protocol: Protocol | None  # None: the first that the run has
    sort: str  # empty: the fastest first
    page: int
    charts: ChartQuery

    def of_protocol(self, protocol: Protocol) -> "ResultQuery":
        """Return the query as it is for a table of this protocol; raises InvalidRequest for a column it has not."""
        wanted = replace(self.charts, measure="call") if protocol == "latency" else self.charts
        sort = self.sort or USUAL_ORDER[protocol]
        sorting_of(sort, protocol)
        return replace(self, cases=replace(self.cases, protocol=protocol), sort=sort, protocol=protocol, charts=wanted)

    @property
    def sorting(self) -> Sorting:
        """The order of the table."""
        return sorting_of(self.sort or USUAL_ORDER[self.cases.protocol], self.cases.protocol)


def sorting_of(text: str, protocol: Protocol) -> Sorting:
    """Read ``-encrypt`` or ``length``; raises InvalidRequest for a column that the table of a protocol has not."""
    name, known = text.removeprefix("-"), SORT_COLUMNS[protocol]
    if name not in known:
        raise InvalidRequest(
            f"The table cannot be sorted by {name[:40]!r}.", remedy=f"Use one of {', '.join(known)}.", field="sort"
        )
    return Sorting(name, text.startswith("-"))


def pages_of(total: int, rows_a_page: int) -> int:
    """Return how many pages so many rows take, at least 1."""
    return max(1, -(-total // rows_a_page))


def run_list(session: Session, page: int) -> RunListPage:
    """Return one page of runs, the latest first."""
    total = repository.count_runs(session)
    runs = repository.runs(session, (page - 1) * RUNS_A_PAGE, RUNS_A_PAGE)
    agents = [assemble.agent_name(agent) for agent in agent_repository.agents(session) if agent.revoked_at is None]
    return RunListPage(
        runs=assemble.run_cards(session, runs), page=page, pages=pages_of(total, RUNS_A_PAGE), agents=agents
    )


def run_page(session: Session, asked: ResultQuery) -> tuple[RunPage, ResultQuery]:
    """Return the page of one run, and the query as it was understood; raises NotFound."""
    run_id = asked.cases.run_id
    run = _find(session, run_id)
    card = assemble.run_cards(session, [run])[0]
    builds = agent_repository.builds_of_run(session, run_id)
    protocols = repository.protocols(session, run_id)
    usual: Protocol = protocols[0] if protocols else "process"
    query = _of_builds(asked.of_protocol(asked.protocol or usual), builds)
    choices = Choices(
        protocols=list(protocols),
        agents=card.agents,
        toolchains=sorted({assemble.toolchain_text(build.toolchain) for build in builds}),
        **repository.distinct_values(session, run_id, query.cases.protocol),
    )
    view = RunPage(
        run=card,
        troubles=_troubles(session, run_id),
        skipped=latency.skipped_groups(session, run_id) if card.tally.skipped else [],
        conditions=preflight.of_run(session, run_id),
        precision=precision_part(session, run),
        results=_results(session, query),
        choices=choices,
        charts=_charts(query.charts, choices),
        omissions=_omissions(session, run_id),
        devices=_devices(session, builds),
        plan=run.plan,
    )
    return view, query


def answer_page(database: Database, cache: ReadingsCache, run_id: str, measure: Measure | None) -> AnswerPage:
    """Return which implementation is fastest on each agent of a run, and how sure that is; raises NotFound."""
    with database.read() as session:
        card = assemble.run_cards(session, [_find(session, run_id)])[0]
    return AnswerPage(
        run=card, answer=results.show_answer(database, cache, run_id, Question(measure, rows=ANSWER_ROWS))
    )


def scaling_page(database: Database, cache: ReadingsCache, run_id: str, measure: Measure | None) -> ScalingPage:
    """Return start-up and cost per byte of a run's candidates, the cheapest byte first; raises NotFound."""
    with database.read() as session:
        card = assemble.run_cards(session, [_find(session, run_id)])[0]
    found = show_scaling(database, cache, run_id, measure)
    rows = sorted(found.rows, key=lambda row: (not row.points, row.per_byte_ns or row.step_lowest_ns or 0.0))
    return ScalingPage(run=card, scaling=found.model_copy(update={"rows": rows}))


def _find(session: Session, run_id: str) -> Run:
    run = repository.run(session, run_id)
    if run is None:
        raise NotFound(f"There is no run {run_id[:40]!r}.", remedy="The front page lists all runs.")
    return run


def _of_builds(query: ResultQuery, builds: Sequence[Build]) -> ResultQuery:
    """Return the query with the builds that the toolchain it names made."""
    words = query.cases.toolchain
    if words is None:
        return query
    ids = tuple(build.id for build in builds if assemble.toolchain_text(build.toolchain) == words)
    return replace(query, cases=replace(query.cases, build_ids=ids))


def _results(session: Session, query: ResultQuery) -> ResultPage:
    part = Slice((query.page - 1) * ROWS_A_PAGE, ROWS_A_PAGE)
    rows, total = repository.results(session, query.cases, query.sorting, part)
    return ResultPage(
        protocol=query.cases.protocol,
        rows=latency.case_rows(session, rows),
        total=total,
        page=query.page,
        pages=pages_of(total, ROWS_A_PAGE),
    )


def _charts(query: ChartQuery, choices: Choices) -> ChartChoice:
    first_agent = choices.agents[0].id if choices.agents else None
    agent_id = query.agent_id or first_agent
    return ChartChoice(
        measure=query.measure or "encrypt",
        kind=query.kind if query.kind in choices.kinds else None,
        algorithm=query.algorithm if query.algorithm in choices.algorithms else None,
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
            toolchain=assemble.toolchain_text(found.toolchain),
            protocol=found.case.protocol,
            operation=found.case.operation,
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


def _devices(session: Session, builds_of_run: Sequence[Build]) -> list[Device]:
    """Return the agents of a run's cases, those whose every case was skipped included."""
    agents = agent_repository.agents_by_id(session, [build.agent_id for build in builds_of_run])
    builds: dict[str, list[Build]] = defaultdict(list)
    for build in builds_of_run:
        builds[build.agent_id].append(build)
    calibrations = _calibrations(session, builds)
    inventories = agent_repository.inventories(session, agents)
    return [_device(a, inventories.get(a.id), builds[a.id], calibrations[a.id]) for a in agents]


def _calibrations(session: Session, builds: Mapping[str, Sequence[Build]]) -> dict[str, list[CalibrationRow]]:
    """Return by agent what measuring costs with these builds; builds on request are not calibrated, the default is."""
    of_run: dict[str, list[CalibrationRow]] = defaultdict(list)
    of_default: dict[str, list[CalibrationRow]] = defaultdict(list)
    for calibration, build in agent_repository.calibrations(session, list(builds)):
        row = assemble.calibration_row(calibration, build)
        if build in builds[calibration.agent_id]:
            of_run[calibration.agent_id].append(row)
        elif build.is_default:
            of_default[calibration.agent_id].append(row)
    return {agent_id: of_run[agent_id] or of_default[agent_id] for agent_id in builds}


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
        toolchains=[_toolchain(build) for build in builds],
        calibrations=calibrations,
    )


def _toolchain(build: Build) -> DeviceToolchain:
    return DeviceToolchain(
        build_id=build.id,
        words=assemble.toolchain_text(build.toolchain),
        compiler_version=build.compiler_version,
        failed=build.failure is not None,
    )
