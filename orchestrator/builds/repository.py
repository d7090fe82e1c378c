"""Queries over builds, their proofs, calibrations, sizes, constant time and source code, and requests for builds."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.orm import Session, defer

from orchestrator.database.models import (
    Agent,
    AwaitedBuild,
    Build,
    BuildChallenge,
    BuildRequest,
    Calibration,
    Case,
    ConstantTimeCheck,
    Footprint,
    Job,
    Proof,
    Run,
)
from orchestrator.service.keyset import Rows, rows_after

Result = TypeVar("Result", Proof, Footprint, ConstantTimeCheck)
UNFINISHED_RUNS = ("planned", "running", "paused")
"""The unfinished states of runs/state.py, which depends on this module."""
_OPEN_JOBS = ("waiting", "sent", "running")
"""The open states of jobs in runs/state.py."""


def find_build_by_key(session: Session, agent_id: str, build_key: str) -> Build | None:
    """Return the agent's build with this key."""
    return session.scalar(select(Build).where(Build.agent_id == agent_id, Build.build_key == build_key))


def list_current_builds(session: Session, agent_id: str) -> Sequence[Build]:
    """Return the builds of an agent that new runs use."""
    return session.scalars(select(Build).where(Build.agent_id == agent_id, Build.current)).all()


def retire_builds(session: Session, build_ids: Iterable[int]) -> None:
    """Mark builds as replaced by newer ones."""
    session.execute(
        update(Build).where(Build.id.in_(list(build_ids))).values(current=False),
        execution_options={"synchronize_session": False},
    )


def clear_other_defaults(session: Session, agent_id: str, build_id: int) -> None:
    """Clear is_default of every other build of an agent."""
    session.execute(
        update(Build).where(Build.agent_id == agent_id, Build.id != build_id).values(is_default=False),
        execution_options={"synchronize_session": "fetch"},
    )


def list_builds(session: Session, agent_id: str | None, cursor: str | None, limit: int) -> Rows[Build]:
    """Return a page of builds, newest first."""
    query = select(Build)
    if agent_id is not None:
        query = query.where(Build.agent_id == agent_id)
    return rows_after(session, query, (Build.id.desc(),), cursor, limit)


def list_builds_of_run(session: Session, run_id: str) -> Sequence[Build]:
    """Return the builds of a run's cases without their runners' listings, failed ones included."""
    used = select(Case.build_id).where(Case.run_id == run_id).distinct()
    query = select(Build).where(Build.id.in_(used)).order_by(Build.id)
    return session.scalars(query.options(defer(Build.runners), defer(Build.compile_commands))).all()


def targets_of_run(session: Session, run_id: str) -> list[str]:
    """Return the targets that the builds of a run have sizes on, sorted."""
    measured = select(Case.build_id).where(Case.run_id == run_id).distinct()
    found = select(Footprint.target).where(Footprint.build_id.in_(measured), Footprint.target != "")
    return list(session.scalars(found.distinct().order_by(Footprint.target)))


def calibrated_defaults(session: Session, build_ids: Iterable[int]) -> dict[tuple[int, str, str, str], bool]:
    """Return whether each calibrated implementation of these builds is a default, whatever its runner lists."""
    found = select(Proof.build_id, Proof.provider, Proof.algorithm, Proof.variant, Proof.fastest_at).where(
        Proof.build_id.in_(list(build_ids)), Proof.relative_times.is_not(None)
    )
    return {(row[0], row[1], row[2], row[3]): bool(row[4]) for row in session.execute(found)}


def code_sizes(session: Session, build_id: int) -> dict[tuple[str, str, str], int | None]:
    """Return the code size of each implementation of a build on its own processor."""
    found = select(Footprint.provider, Footprint.algorithm, Footprint.variant, Footprint.code_bytes).where(
        Footprint.build_id == build_id, Footprint.target == ""
    )
    return {(row[0], row[1], row[2]): row[3] for row in session.execute(found)}


def list_usable_builds(session: Session, agent_id: str, limit: int) -> Sequence[Build]:
    """Return an agent's builds that can be executed: the default one first, then current ones, the newest first."""
    return session.scalars(
        select(Build)
        .where(Build.agent_id == agent_id, Build.failure.is_(None))
        .order_by(Build.is_default.desc(), Build.current.desc(), Build.id.desc())
        .limit(limit)
    ).all()


def count_footprints(session: Session, build_ids: Iterable[int]) -> dict[int, int]:
    """Return the number of implementations of each build whose size is known."""
    sized = select(Footprint.build_id, func.count()).where(
        Footprint.build_id.in_(list(build_ids)), Footprint.target == ""
    )
    return {row[0]: row[1] for row in session.execute(sized.group_by(Footprint.build_id))}


def list_failed_proofs(session: Session, build_ids: Iterable[int]) -> Sequence[Proof]:
    """Return the proofs of these builds that did not pass."""
    order = (Proof.provider, Proof.algorithm, Proof.variant)
    failed = select(Proof).where(Proof.build_id.in_(list(build_ids)), Proof.passed.is_(False))
    return session.scalars(failed.order_by(*order)).all()


def list_proofs(session: Session, build_id: int) -> Sequence[Proof]:
    """Return the proofs of a build."""
    order = (Proof.provider, Proof.algorithm, Proof.variant)
    return session.scalars(select(Proof).where(Proof.build_id == build_id).order_by(*order)).all()


def list_open_challenges(session: Session, build_id: int) -> Sequence[BuildChallenge]:
    """Return the challenges of a build that wait for an answer."""
    query = select(BuildChallenge).where(BuildChallenge.build_id == build_id, BuildChallenge.state == "open")
    return session.scalars(query.order_by(BuildChallenge.id)).all()


def list_unanswered_challenges(session: Session, build_id: int) -> Sequence[BuildChallenge]:
    """Return the challenges of a build without an answer, expired ones included."""
    query = select(BuildChallenge).where(
        BuildChallenge.build_id == build_id, BuildChallenge.state.in_(("open", "expired"))
    )
    return session.scalars(query.order_by(BuildChallenge.id)).all()


def list_late_challenges(session: Session, before: datetime) -> Sequence[BuildChallenge]:
    """Return open challenges that were created before a moment, at most 100."""
    late = select(BuildChallenge).where(BuildChallenge.state == "open", BuildChallenge.created_at < before)
    return session.scalars(late.order_by(BuildChallenge.id).limit(100)).all()


def delete_answered_challenges(session: Session, build_id: int) -> None:
    """Delete the challenges of a build that ended, before it gets others; failed ones are in the false reports."""
    session.execute(delete(BuildChallenge).where(BuildChallenge.build_id == build_id, BuildChallenge.state != "open"))


def set_proof(session: Session, challenge: BuildChallenge, *, passed: bool, detail: str) -> None:
    """Set the proof of the implementation that was challenged."""
    proof = update(Proof).where(
        Proof.build_id == challenge.build_id,
        Proof.provider == challenge.provider,
        Proof.algorithm == challenge.algorithm,
        Proof.variant == challenge.variant,
    )
    session.execute(proof.values(passed=passed, detail=detail), execution_options={"synchronize_session": "fetch"})


def count_proofs(session: Session, build_ids: Iterable[int]) -> dict[tuple[int, bool], int]:
    """Return how many proofs of each build passed and failed."""
    query = (
        select(Proof.build_id, Proof.passed, func.count())
        .where(Proof.build_id.in_(list(build_ids)))
        .group_by(Proof.build_id, Proof.passed)
    )
    return {(build_id, passed): count for build_id, passed, count in session.execute(query)}


def add_calibration(session: Session, values: dict[str, Any]) -> Calibration:
    """Store a calibration; the newest one of its kind, which a daemon reports at each start, keeps its time."""
    same = (Calibration.build_id == values["build_id"], Calibration.kind == values["kind"])
    newest = session.scalar(select(Calibration).where(*same).order_by(Calibration.id.desc()).limit(1))
    if newest is not None and (newest.value, newest.detail) == (values["value"], values["detail"]):
        return newest
    calibration = Calibration(**values)
    session.add(calibration)
    session.flush()
    return calibration


# --- Requests ---------------------------------------------------------------------------------------------------


def get_requests_by_key(session: Session, agent_id: str) -> dict[str, BuildRequest]:
    """Return the requests for builds on an agent by the keys of their toolchains."""
    rows = session.scalars(select(BuildRequest).where(BuildRequest.agent_id == agent_id))
    return {request.toolchain_key: request for request in rows}


def list_awaited_request_ids(session: Session, run_id: str) -> set[int]:
    """Return the ids of the requests that a run waits or waited for."""
    return set(session.scalars(select(AwaitedBuild.request_id).where(AwaitedBuild.run_id == run_id)))


def list_open_requests(session: Session, agent_id: str, limit: int) -> Sequence[BuildRequest]:
    """Return the open requests on an agent that unfinished runs wait for, by priority of the runs."""
    query = (
        select(BuildRequest)
        .join(AwaitedBuild, AwaitedBuild.request_id == BuildRequest.id)
        .join(Run, Run.id == AwaitedBuild.run_id)
        .where(BuildRequest.agent_id == agent_id, BuildRequest.state == "open", Run.state.in_(UNFINISHED_RUNS))
        .group_by(BuildRequest.id)
        .order_by(func.min(Run.priority), BuildRequest.id)
        .limit(limit)
    )
    return session.scalars(query).all()


def has_ready_jobs(session: Session, agent_id: str) -> bool:
    """Return whether an agent has open jobs of running runs; a quarantined one executes none."""
    ready = (Job.agent_id == agent_id, Job.state.in_(_OPEN_JOBS), Job.run_id == Run.id, Run.state == "running")
    able = (Agent.id == Job.agent_id, Agent.health != "quarantined")
    return bool(session.scalar(select(exists().where(*ready, *able))))


def list_failed_requests(session: Session, agent_ids: Iterable[str]) -> list[tuple[BuildRequest, Build]]:
    """Return the requests that failed on these agents, with the builds that contain the reasons."""
    rows = session.execute(
        select(BuildRequest, Build)
        .join(Build, Build.id == BuildRequest.build_id)
        .where(BuildRequest.agent_id.in_(list(agent_ids)), Build.failure.is_not(None))
    )
    return [(request, build) for request, build in rows]


def list_requests(
    session: Session, agent_id: str | None, state: str | None, cursor: str | None, limit: int
) -> Rows[BuildRequest]:
    """Return a page of requests, newest first."""
    query = select(BuildRequest)
    if agent_id is not None:
        query = query.where(BuildRequest.agent_id == agent_id)
    if state is not None:
        query = query.where(BuildRequest.state == state)
    return rows_after(session, query, (BuildRequest.id.desc(),), cursor, limit)


def list_keys_in_use(session: Session, agent_id: str) -> list[str]:
    """Return the keys of the agent's builds that unfinished runs use in their cases or have requested."""
    of_cases = (
        select(Case.build_id)
        .join(Run, Run.id == Case.run_id)
        .where(Run.state.in_(UNFINISHED_RUNS), Case.agent_id == agent_id)
    )
    of_requests = (
        select(BuildRequest.build_id)
        .join(AwaitedBuild, AwaitedBuild.request_id == BuildRequest.id)
        .join(Run, Run.id == AwaitedBuild.run_id)
        .where(Run.state.in_(UNFINISHED_RUNS), BuildRequest.agent_id == agent_id, BuildRequest.state == "ready")
    )
    ids = set(session.scalars(of_cases.distinct())) | set(session.scalars(of_requests))
    keys = select(Build.build_key).where(Build.id.in_(ids), Build.failure.is_(None))
    return sorted(session.scalars(keys))


def count_builds(session: Session, agent_id: str) -> int:
    """Return the number of builds that an agent has reported, failed ones excluded."""
    query = select(func.count()).select_from(Build).where(Build.agent_id == agent_id, Build.failure.is_(None))
    return session.scalar(query) or 0


# --- Results of implementations ---------------------------------------------------------------------------------


def store_results(session: Session, kind: type[Result], build_id: int, results: Iterable[Mapping[str, Any]]) -> None:
    """Store results on a build; each replaces the earlier one of the same implementation, and of the same target."""
    identity = [name for name in ("provider", "algorithm", "variant", "target") if hasattr(kind, name)]
    stored = session.scalars(select(kind).where(kind.build_id == build_id))
    known = {tuple(getattr(one, name) for name in identity): one for one in stored}
    for values in results:
        key = tuple(values[name] for name in identity)
        if key not in known:
            known[key] = kind(build_id=build_id)
            session.add(known[key])
        for name, value in values.items():
            setattr(known[key], name, value)


# --- Constant time ----------------------------------------------------------------------------------------------


def list_constant_time_checks(session: Session, build_ids: Iterable[int]) -> Sequence[ConstantTimeCheck]:
    """Return what agents found about the implementations of these builds."""
    order = (ConstantTimeCheck.provider, ConstantTimeCheck.algorithm, ConstantTimeCheck.variant)
    found = select(ConstantTimeCheck).where(ConstantTimeCheck.build_id.in_(list(build_ids)))
    return session.scalars(found.order_by(*order)).all()


# --- Footprints -------------------------------------------------------------------------------------------------


def list_footprints(session: Session, build_id: int, target: str | None = None) -> Sequence[Footprint]:
    """Return the footprints of a build on a target; empty: on its own processor, None: on all."""
    of_target = () if target is None else (Footprint.target == target,)
    order = (Footprint.target, Footprint.provider, Footprint.algorithm, Footprint.variant)
    return session.scalars(select(Footprint).where(Footprint.build_id == build_id, *of_target).order_by(*order)).all()


# --- Source code ------------------------------------------------------------------------------------------------


def builds_without_sources(session: Session, limit: int) -> Sequence[Build]:
    """Return the newest builds whose source code was not measured; failed ones have none."""
    waiting = select(Build).where(Build.sources.is_(None), Build.failure.is_(None))
    return session.scalars(waiting.order_by(Build.id.desc()).limit(limit)).all()


def store_sources(session: Session, build_id: int, sources: list[dict[str, Any]]) -> None:
    """Store the figures of the source code of a build's implementations."""
    session.execute(update(Build).where(Build.id == build_id).values(sources=sources))
