"""The precision of a run, and the cases that did not reach it."""

from orchestrator.database.engine import Database
from orchestrator.runs import service as runs
from orchestrator.web.runs.views import ImpreciseCase, PrecisionPart

CASES_SHOWN = 50

STOP_REASONS = {
    "maximum": "the maximum number of repetitions was reached",
    "budget": "the time budget was spent",
    "failing": "no execution is ok",
    "lost": "a job was lost",
}


def precision_part(database: Database, run_id: str) -> PrecisionPart | None:
    """Return the precision of a run, or None where its plan requires none."""
    precision = runs.get_precision(database, run_id)
    if precision is None:
        return None
    return PrecisionPart(
        sentence=precision.sentence,
        not_reached=precision.maximum + precision.budget + precision.failing + precision.lost,
        cases=[
            ImpreciseCase(
                **case.model_dump(exclude={"agent_name", "toolchain_words", "stop_reason"}),
                agent=case.agent_name,
                toolchain=case.toolchain_words,
                stop_reason=STOP_REASONS[case.stop_reason],
            )
            for case in runs.list_imprecise_cases(database, run_id, CASES_SHOWN)
        ],
    )
