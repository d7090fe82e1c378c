"""The part of a run's page that tells how precise it is: in words, and case by case where it is not."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Build, Case, CaseStatistics, Execution, Run
from orchestrator.runs.precision import asked_precision, precision_shown
from orchestrator.web.assemble import toolchain_text
from orchestrator.web.views import ImpreciseCase, PrecisionPart

CASES_SHOWN = 50

_WORDS = {
    "maximum": "the maximum of repetitions",
    "budget": "its time was spent",
    "failing": "no execution is ok",
    "lost": "a job was lost",
}


def precision_part(session: Session, run: Run) -> PrecisionPart | None:
    """Return how precise a run is; None where its plan asks for no precision."""
    asked, shown = asked_precision(run), precision_shown(session, run)
    if asked is None or shown is None:
        return None
    return PrecisionPart(
        sentence=shown.sentence,
        not_reached=shown.maximum + shown.budget + shown.failing + shown.lost,
        cases=_imprecise_cases(session, run.id),
    )


def _imprecise_cases(session: Session, run_id: str) -> list[ImpreciseCase]:
    # The summary's ok ones may be made for memory or energy.
    timed = (
        select(func.count())
        .where(Execution.case_id == Case.id, Execution.purpose == "timing", Execution.state == "ok")
        .correlate(Case)
        .scalar_subquery()
    )
    rows = session.execute(
        select(Case, timed, CaseStatistics.relative_interval, Agent.name, Build.toolchain)
        .join(Agent, Agent.id == Case.agent_id)
        .join(Build, Build.id == Case.build_id)
        .outerjoin(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(Case.run_id == run_id, Case.stop_reason.in_(_WORDS))
        .order_by(CaseStatistics.relative_interval.desc().nulls_first(), Case.number)
        .limit(CASES_SHOWN)
    )
    return [
        ImpreciseCase(
            case_id=case.id,
            agent=agent,
            provider=case.provider,
            algorithm=case.algorithm,
            variant=case.variant,
            copy_number=case.copy,
            toolchain=toolchain_text(toolchain),
            operation=case.operation,
            input_kind=case.input_kind,
            message_bytes=case.message_bytes,
            ok=ok,
            stop_reason=_WORDS[case.stop_reason or ""],
            relative_interval=interval,
        )
        for case, ok, interval, agent, toolchain in rows
    ]
