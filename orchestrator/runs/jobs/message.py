"""The message that sends a job to its agent."""

from sqlalchemy.orm import Session

from orchestrator.database.models import Case, Job, Run
from orchestrator.runs.jobs.repository import unrecorded_executions
from orchestrator.shared.values.forms import FORM_FIELDS
from orchestrator.wire.jobs import JobCase, JobExecution, JobMessage, LatencyCase, ProcessCase
from orchestrator.wire.plans import Plan


def build_message(session: Session, job_id: int) -> JobMessage | None:
    """Return the message of a job with its executions that have no record yet; None where all have one."""
    job = session.get(Job, job_id)
    rows = unrecorded_executions(session, job_id)
    if job is None or not rows:
        return None
    plan = Plan.model_validate(session.get_one(Run, job.run_id).plan)
    cases: dict[int, JobCase] = {}
    executions: list[JobExecution] = []
    for execution, case, build_key in rows:
        executions.append(
            JobExecution.model_validate(
                {
                    "case_id": case.id,
                    "repetition": execution.repetition,
                    "purpose": execution.purpose,
                    "position": execution.position,
                }
            )
        )
        if case.id not in cases:
            cases[case.id] = _message_case(case, build_key)
    return JobMessage(
        version=1,
        job_id=job_id,
        run_id=job.run_id,
        agent_id=job.agent_id,
        timeout_seconds=plan.timeout_seconds,
        output_limit_bytes=plan.output_limit_bytes,
        memory=plan.memory,
        energy_window_seconds=plan.energy.window_seconds if plan.energy is not None else None,
        conditions=plan.conditions,
        cases=list(cases.values()),
        executions=executions,
    )


def _message_case(case: Case, build_key: str) -> JobCase:
    columns: dict[str, object] = {
        "case_id": case.id,
        "build_key": build_key,
        **{
            name: getattr(case, name)
            for name in ("provider", "algorithm", "variant", "protocol", "operation", *FORM_FIELDS)
        },
    }
    if case.protocol == "process":
        columns |= {"chunk_sha256": case.input_sha256, "chunk_bytes": case.message_bytes}
        return ProcessCase.model_validate(columns)
    timed = ("message_bytes", "associated_data_bytes", "fill", "key_fill", "key_setup", "timings", "min_timing_ms")
    return LatencyCase.model_validate(columns | {name: getattr(case, name) for name in timed})
