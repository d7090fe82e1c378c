"""Papers and verdicts, for the API, the pages and the reports."""

import json
from collections.abc import Sequence

from orchestrator.agents.devices import device_in_run
from orchestrator.database.engine import Database
from orchestrator.database.models import Build, Run
from orchestrator.papers.conditions import conditions_of
from orchestrator.papers.judging.comparability import kinds_of, labels
from orchestrator.papers.judging.verdicts import verdicts_of
from orchestrator.papers.names import Scale
from orchestrator.papers.quantities import CompilerFlags, Device, Missing, OtherReadings, ReadingsOf
from orchestrator.papers.registry import find_paper, papers
from orchestrator.papers.reporting.columns import side_by_side
from orchestrator.papers.reporting.drawn import DrawingValues, drawn, values_of
from orchestrator.papers.reporting.schemas import PaperDrawings, PaperReport, ReportedRun
from orchestrator.papers.schemas import (
    ClaimDetail,
    FigureDetail,
    PaperDetail,
    PaperSummary,
    PaperVerdicts,
    PlanOfPaper,
)
from orchestrator.results.answers import repository
from orchestrator.results.answers.facts import agent_facts
from orchestrator.results.answers.readings import ReadingName, ReadingsCache, RunReadings, load_reading
from orchestrator.results.freshness.service import snapshot_of
from orchestrator.runs import repository as runs
from orchestrator.runs.planning.plan import parse_text
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.resources import shipped
from orchestrator.statistics.claims.verdict import SIGNIFICANCE
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.jobs import Purpose


def list_papers() -> list[PaperSummary]:
    """Return all papers by name."""
    return [
        PaperSummary.from_row(paper, claims=len(paper.claims), figures=len(paper.figures))
        for paper in papers().values()
    ]


def get_paper(name: str, scale: Scale = "full", plan: str = "") -> PaperDetail:
    """Return a paper with its plan at a scale, or with a further plan.

    Raises NotFound, and InvalidRequest for a further plan at quick scale.
    """
    paper = find_paper(name)
    text = paper.plan_text(plan)
    if plan and scale != "full":
        raise InvalidRequest(
            f"Plan {plan} has one scale, full; only the plan of the paper itself has a quick one.", field="scale"
        )
    if scale == "quick":
        text = json.dumps(paper.reduced(parse_text(text)), indent=2, ensure_ascii=False)
    return PaperDetail.from_row(
        paper,
        claims=len(paper.claims),
        figures=len(paper.figures),
        claim_details=[
            ClaimDetail(
                claim=one.id, text=one.text, tested=one.statement.tested, device=labels(kinds_of(paper.setting, one))
            )
            for one in paper.claims
        ],
        figure_details=[FigureDetail.from_row(one, published=one.value) for one in paper.figures],
        published_on=labels(paper.setting.devices),
        findings=[one.text for one in paper.findings],
        further_plans=[PlanOfPaper(name=name, answers=question) for name, question in paper.further_plans.items()],
        scale=scale,
        plan_text=text,
    )


def run_names(name: str) -> list[str]:
    """Return the names of runs of a paper's plan, at both scales; raises NotFound."""
    paper = find_paper(name)
    plan = parse_text(paper.plan_text())
    return [str(plan["name"]), str(paper.reduced(plan)["name"])]


def require_run(database: Database, name: str, run_id: str) -> None:
    """Raise NotFound unless the paper and the run exist."""
    find_paper(name)
    with database.read() as session:
        runs.require_run(session, run_id)


def get_verdicts(
    database: Database, cache: ReadingsCache, name: str, run_id: str, *, with_disturbed: bool = True
) -> PaperVerdicts:
    """Return the verdicts of a run on the claims of a paper, for each agent; raises NotFound."""
    paper = find_paper(name)
    run, readings, devices = _measured(database, cache, run_id, with_disturbed=with_disturbed)
    # Noise floors and code sizes change without the readings, so that they are part of the key.
    judged = [
        readings.once(("paper", paper.name, repr(one.facts)), lambda one=one: verdicts_of(paper, one))  # type: ignore[misc]
        for one in devices
    ]
    return PaperVerdicts.from_row(
        run,
        paper=paper.name,
        title=paper.title,
        run_id=run_id,
        run_name=run.name,
        run_state=run.state,
        significance=SIGNIFICANCE,
        chance="By chance, any of the verdicts on an agent is wrong with a probability of at most "
        f"{SIGNIFICANCE:.0%}; this covers neither disturbances nor differences from the publication.",
        agents=judged,
    )


def _measured(
    database: Database, cache: ReadingsCache, run_id: str, *, with_disturbed: bool
) -> tuple[Run, RunReadings, list[Device]]:
    """Return a run with its readings, and the agents that have some."""
    found = []
    with snapshot_of(database, run_id) as seen:
        session = seen.session
        readings = cache.get(session, run_id, with_disturbed)
        for agent_id in sorted({*readings.agent_ids("encrypt"), *readings.agent_ids("call")}):
            process, latency = readings.of_agent(agent_id, "encrypt"), readings.of_agent(agent_id, "call")
            facts = agent_facts(session, run_id, agent_id, {one.build_id for one in (*process, *latency)})
            inventory = device_in_run(session, run_id, agent_id).inventory
            builds = repository.builds(session, facts.builds)
            other_readings = _other_readings(database, readings, run_id, agent_id, with_disturbed=with_disturbed)
            found.append(
                Device(
                    facts,
                    inventory.architecture if inventory else "",
                    process,
                    latency,
                    {build_id: _compilation(build) for build_id, build in builds.items()},
                    other_readings,
                    read_source,
                    str((inventory.facts if inventory else {}).get("virtual_machine") or ""),
                )
            )
    return seen.run, readings, found


def _compilation(build: Build) -> CompilerFlags:
    toolchain = Toolchain.model_validate(build.toolchain)
    return CompilerFlags(toolchain.compiler, build.compiler_version, " ".join(toolchain.flags))


def get_drawings(
    database: Database, cache: ReadingsCache, name: str, found: Sequence[PaperVerdicts], *, with_disturbed: bool = True
) -> PaperDrawings:
    """Return the figures and tables of a paper next to what the runs of verdicts measured, if any; raises NotFound."""
    paper = find_paper(name)
    columns = side_by_side(found).columns if found else []
    measured = dict[tuple[str, str], DrawingValues]()
    for run in found:
        _, readings, devices = _measured(database, cache, run.run_id, with_disturbed=with_disturbed)
        for one in devices:
            measured[run.run_id, one.facts.agent_id] = readings.once(
                ("drawings", paper.name, repr(one.facts)),
                lambda one=one: values_of(paper, one),  # type: ignore[misc]
            )
    return drawn(paper, columns, [measured[one.run_id, one.agent_id] for one in columns])


def get_verdicts_of(
    database: Database, cache: ReadingsCache, name: str, run_ids: Sequence[str], *, with_disturbed: bool = True
) -> list[PaperVerdicts]:
    """Return the verdicts of some runs, by the time of their submission; raises NotFound."""
    found = [get_verdicts(database, cache, name, one, with_disturbed=with_disturbed) for one in dict.fromkeys(run_ids)]
    return sorted(found, key=lambda one: (one.submitted_at, one.run_id))


def get_report(
    database: Database, cache: ReadingsCache, name: str, run_ids: Sequence[str], *, with_disturbed: bool = True
) -> PaperReport:
    """Return all parts of the report of some runs; raises NotFound."""
    found = get_verdicts_of(database, cache, name, run_ids, with_disturbed=with_disturbed)
    return PaperReport(
        paper=get_paper(name),
        runs=[ReportedRun(found=one, conditions=conditions_of(database, one.run_id)) for one in found],
        side_by_side=side_by_side(found),
        drawings=get_drawings(database, cache, name, found, with_disturbed=with_disturbed),
    )


def _other_readings(
    database: Database, readings: RunReadings, run_id: str, agent_id: str, *, with_disturbed: bool
) -> ReadingsOf:
    """Return what reads an agent's other readings, each once for all claims and figures of a paper."""

    def read(name: ReadingName, purpose: Purpose) -> OtherReadings:
        with database.read() as session:
            return load_reading(
                session, run_id, agent_id, name, readings.blocks, purpose=purpose, with_disturbed=with_disturbed
            )

    return lambda name, purpose: readings.once(("reading", agent_id, name, purpose), lambda: read(name, purpose))


def read_source(path: str) -> str:
    """Return the text of a file of the runners of this installation; raises Missing."""
    try:
        return (shipped("runners") / path).read_text(encoding="utf-8")
    except OSError as error:
        raise Missing(f"{path}: not among the sources of the runners") from error
