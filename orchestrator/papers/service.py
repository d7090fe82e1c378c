"""Papers and verdicts, for the API, the pages and the reports."""

import json
from collections.abc import Sequence
from functools import partial

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Inventory
from orchestrator.papers.conditions import conditions_of
from orchestrator.papers.paper import Paper, Scale
from orchestrator.papers.quantities import Device, Missing, OtherReadings
from orchestrator.papers.registry import find_paper, papers
from orchestrator.papers.schemas import (
    ClaimDetail,
    FigureDetail,
    PaperDetail,
    PaperReport,
    PaperSummary,
    PaperVerdicts,
    PlanOfPaper,
)
from orchestrator.papers.verdicts import verdicts_of
from orchestrator.resources import shipped
from orchestrator.results.answers import repository
from orchestrator.results.answers.facts import agent_facts
from orchestrator.results.answers.readings import ReadingName, ReadingsCache, load_reading
from orchestrator.runs import repository as runs
from orchestrator.runs.planning.plan import parse_text
from orchestrator.statistics.claims.verdict import SIGNIFICANCE
from orchestrator.wire.jobs import Purpose


def list_papers() -> list[PaperSummary]:
    """Return all papers by name."""
    return [_summary(paper) for paper in papers().values()]


def get_paper(name: str, scale: Scale = "full") -> PaperDetail:
    """Return a paper with its plan at a scale; raises NotFound."""
    paper = find_paper(name)
    text = paper.plan_text()
    if scale == "quick":
        text = json.dumps(paper.reduced(parse_text(text)), indent=2, ensure_ascii=False)
    return PaperDetail(
        **_summary(paper).model_dump(),
        summary=paper.summary,
        claim_details=[
            ClaimDetail(claim=one.id, text=one.text, tested=one.statement.tested, architectures=list(one.architectures))
            for one in paper.claims
        ],
        figure_details=[
            FigureDetail(label=one.label, published=one.value, unit=one.unit, where=one.where, reason=one.reason)
            for one in paper.figures
        ],
        published_on=paper.published_on,
        differences=list(paper.differences),
        findings=[one.text for one in paper.findings],
        further_plans=[PlanOfPaper(name=one.name, answers=one.answers) for one in paper.further_plans],
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
    readings = cache.get(run_id, with_disturbed)
    agents = []
    with database.read() as session:
        run = runs.require_run(session, run_id)
        for agent_id in sorted({*readings.agent_ids("encrypt"), *readings.agent_ids("call")}):
            process, latency = readings.of_agent(agent_id, "encrypt"), readings.of_agent(agent_id, "call")
            facts = agent_facts(session, agent_id, {**process, **latency})
            agent = session.get_one(Agent, agent_id)
            inventory = session.get(Inventory, agent.inventory_id) if agent.inventory_id is not None else None
            builds = repository.builds(session, facts.builds)
            compilers = {build_id: str(build.toolchain["compiler"]) for build_id, build in builds.items()}
            architecture = inventory.architecture if inventory else ""
            agents.append(
                Device(
                    facts,
                    architecture,
                    process,
                    latency,
                    compilers,
                    partial(
                        _other_readings,
                        database,
                        run_id,
                        agent_id,
                        blocks=readings.blocks,
                        with_disturbed=with_disturbed,
                    ),
                    read_source,
                )
            )
        found = PaperVerdicts(
            paper=paper.name,
            title=paper.title,
            run_id=run_id,
            run_name=run.name,
            run_state=run.state,
            seed=run.seed,
            significance=SIGNIFICANCE,
            agents=[],
        )
    # Noise floors and code sizes change without the readings, so that they are part of the key.
    judged = [
        readings.once(("paper", paper.name, repr(one.facts)), lambda one=one: verdicts_of(paper, one))  # type: ignore[misc]
        for one in agents
    ]
    return found.model_copy(update={"agents": judged})


def get_report(
    database: Database, cache: ReadingsCache, name: str, run_id: str, *, with_disturbed: bool = True
) -> PaperReport:
    """Return all parts of the report of a run; raises NotFound."""
    return PaperReport(
        paper=get_paper(name),
        found=get_verdicts(database, cache, name, run_id, with_disturbed=with_disturbed),
        conditions=conditions_of(database, run_id),
    )


def _other_readings(
    database: Database,
    run_id: str,
    agent_id: str,
    name: ReadingName,
    purpose: Purpose = "timing",
    *,
    blocks: Sequence[int],
    with_disturbed: bool,
) -> OtherReadings:
    with database.read() as session:
        return load_reading(session, run_id, agent_id, name, blocks, purpose=purpose, with_disturbed=with_disturbed)


def read_source(path: str) -> str:
    """Return the text of a file of the runners of this installation; raises Missing."""
    try:
        return (shipped("runners") / path).read_text(encoding="utf-8")
    except OSError as error:
        raise Missing(f"{path}: not among the sources of the runners") from error


def _summary(paper: Paper) -> PaperSummary:
    return PaperSummary(
        name=paper.name,
        title=paper.title,
        authors=paper.authors,
        year=paper.year,
        claims=len(paper.claims),
        figures=len(paper.figures),
    )
