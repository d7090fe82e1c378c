"""Queries over expected digests, pending digests, and the executions that verdicts change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, case, delete, exists, func, insert, or_, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import (
    Agent,
    Build,
    Case,
    Execution,
    ExpectedDigest,
    FalseReport,
    PendingDigest,
    Proof,
    Run,
    ServiceDigest,
    now,
)
from orchestrator.database.rows import keys_table, upsert
from orchestrator.results.digests.verdicts import DIGEST_DIFFERS, DIGEST_DISPUTED, DigestJudgment, Observation


def add_pending(session: Session, pairs: Iterable[tuple[str, str]]) -> None:
    """Add (algorithm, input SHA-256) pairs to judge; a repeated request invalidates a judgment in progress."""
    rows = [{"algorithm": algorithm, "input_sha256": chunk, "requests": 1} for algorithm, chunk in sorted(set(pairs))]
    statement = upsert(session, PendingDigest).on_conflict_do_update(
        index_elements=["algorithm", "input_sha256"], set_={"requests": PendingDigest.requests + 1}
    )
    if rows:
        session.connection().execute(statement, rows)


def request_unvouched(session: Session) -> None:
    """Add the pairs whose expected digest nothing vouches for: agreements of earlier versions."""
    pairs = select(ExpectedDigest.algorithm, ExpectedDigest.input_sha256).where(ExpectedDigest.vouched_by == "")
    add_pending(session, [(algorithm, input_sha256) for algorithm, input_sha256 in session.execute(pairs)])


def remove_pending(session: Session, pending: PendingDigest) -> None:
    """Remove a pending digest unless it was requested again since it was read."""
    session.execute(
        delete(PendingDigest).where(PendingDigest.id == pending.id, PendingDigest.requests == pending.requests)
    )


def expectations(session: Session, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], ExpectedDigest]:
    """Return the expected digests of (algorithm, input SHA-256) pairs that have one."""
    requested = sorted(set(pairs))
    if not requested:
        return {}
    key = keys_table(session, [ExpectedDigest.algorithm, ExpectedDigest.input_sha256], requested).c
    query = select(ExpectedDigest).where(
        ExpectedDigest.algorithm == key.algorithm, ExpectedDigest.input_sha256 == key.input_sha256
    )
    return {(row.algorithm, row.input_sha256): row for row in session.scalars(query)}


def vouching_of_run(session: Session, run_id: str) -> dict[tuple[str, str], str]:
    """Return what vouches for the expected digests of a run's inputs, by algorithm and input SHA-256."""
    inputs = select(Case.algorithm, Case.input_sha256).where(Case.run_id == run_id).distinct().subquery()
    query = select(ExpectedDigest.algorithm, ExpectedDigest.input_sha256, ExpectedDigest.vouched_by).join(
        inputs,
        and_(ExpectedDigest.algorithm == inputs.c.algorithm, ExpectedDigest.input_sha256 == inputs.c.input_sha256),
    )
    return {(algorithm, input_sha256): label for algorithm, input_sha256, label in session.execute(query)}


def list_pending(session: Session, limit: int) -> Sequence[PendingDigest]:
    """Return the pending digests that have waited longest."""
    return session.scalars(select(PendingDigest).order_by(PendingDigest.id).limit(limit)).all()


class ObservedRow(NamedTuple):
    """An observation, and what decides whether a contradiction is a false report."""

    observation: Observation
    prebuilt: bool
    """The programs are of unknown origin, so that their output accuses no agent."""
    latest_at: datetime | None
    """When the latest of its executions was stored; None for those of earlier versions."""


def observations(session: Session, algorithm: str, input_sha256: str) -> list[ObservedRow]:
    """Return the distinct ciphertext digests of an input by agent, provider and origin of the build."""
    proven = _is_proven().label("proven")
    trusted = and_(Agent.revoked_at.is_(None), Agent.distrusted_at.is_(None)).label("trusted")
    # Executions of earlier versions have no time: as if they came first.
    first_at = case((func.count(Execution.stored_at) == func.count(), func.min(Execution.stored_at)))
    found = session.execute(
        select(
            Case.agent_id, Agent.name, Case.provider, Execution.output_sha256, proven, trusted, Build.prebuilt,
            func.max(Execution.stored_at), first_at, func.min(case((Execution.state == "ok", Run.finished_at))),
        )
        .join(Execution, Execution.case_id == Case.id)
        .join(Run, Run.id == Case.run_id)
        .join(Agent, Agent.id == Case.agent_id)
        .join(Build, Build.id == Case.build_id)
        .where(
            Case.algorithm == algorithm,
            Case.input_sha256 == input_sha256,
            Execution.output_sha256.is_not(None),
            # An execution that did not decrypt to its input is wrong on its own and disputes no other.
            or_(Execution.state.in_(["ok", "disputed"]), _marked_by_digest()),
        )
        .group_by(
            Case.agent_id, Agent.name, Case.provider, Execution.output_sha256, proven, trusted, Build.prebuilt
        )
    )  # fmt: skip
    return [
        ObservedRow(
            Observation(agent_id, name, provider, digest, bool(is_proven), bool(is_trusted), first, finished),
            bool(prebuilt),
            latest,
        )
        for agent_id, name, provider, digest, is_proven, is_trusted, prebuilt, latest, first, finished in found
        if digest is not None
    ]


def contradicted_inputs(session: Session, agent_id: str) -> int:
    """Return for how many pairs the results of an agent with proven programs are wrong by their digest."""
    pairs = (
        select(Case.algorithm, Case.input_sha256)
        .join(Execution, Execution.case_id == Case.id)
        .where(Case.agent_id == agent_id, _is_proven(), Execution.state == "wrong", _marked_by_digest())
        .distinct()
        .subquery()
    )
    return session.scalar(select(func.count()).select_from(pairs)) or 0


def trusted_since(session: Session, agent_ids: Iterable[str], kind: str) -> dict[str, datetime]:
    """Return when an operator last trusted these agents again after false reports of a kind."""
    query = select(FalseReport.agent_id, FalseReport.lifted_at).where(
        FalseReport.agent_id.in_(list(agent_ids)), FalseReport.kind == kind, FalseReport.lifted_at.is_not(None)
    )
    return {agent_id: lifted for agent_id, lifted in session.execute(query) if lifted is not None}


# --- The service's own computation ------------------------------------------------------------------------------


def service_digest(session: Session, pair: tuple[str, str]) -> ServiceDigest | None:
    """Return the service's own digest of a pair, or the reason why there is none."""
    return session.scalar(
        select(ServiceDigest).where(ServiceDigest.algorithm == pair[0], ServiceDigest.input_sha256 == pair[1])
    )


def store_service_digest(session: Session, pair: tuple[str, str], **values: object) -> None:
    """Store or replace the service's own digest of a pair, or the reason why there is none."""
    absent = {"output_sha256": None, "computed_by": "", "reason": "", "runners_key": None}
    row: dict[str, object] = {**absent, "computed_at": now(), **values}
    statement = upsert(session, ServiceDigest).values(algorithm=pair[0], input_sha256=pair[1], **row)
    session.execute(statement.on_conflict_do_update(index_elements=["algorithm", "input_sha256"], set_=row))


def list_requested(session: Session, runners_key: str, limit: int) -> Sequence[ServiceDigest]:
    """Return pairs without a digest that these runners have not tried."""
    untried = or_(ServiceDigest.runners_key.is_(None), ServiceDigest.runners_key != runners_key)
    query = select(ServiceDigest).where(ServiceDigest.output_sha256.is_(None), untried)
    return session.scalars(query.order_by(ServiceDigest.id).limit(limit)).all()


class TimedMessage(NamedTuple):
    """The message of a latency case, and the operation whose output is judged."""

    operation: str
    fill: str | None
    key_fill: str | None
    message_bytes: int
    associated_data_bytes: int


def timed_message(session: Session, algorithm: str, input_sha256: str) -> TimedMessage | None:
    """Return the message of the latency cases of this input; None for a chunk."""
    row = session.execute(
        select(Case.operation, Case.fill, Case.key_fill, Case.message_bytes, Case.associated_data_bytes)
        .where(Case.algorithm == algorithm, Case.input_sha256 == input_sha256, Case.protocol == "latency")
        .limit(1)
    ).first()
    return None if row is None else TimedMessage._make(row)


def _is_proven() -> ColumnElement[bool]:
    """Return whether the known answers of a case's implementation passed on its build."""
    return (
        exists()
        .where(
            Proof.build_id == Case.build_id,
            Proof.provider == Case.provider,
            Proof.algorithm == Case.algorithm,
            Proof.variant == Case.variant,
            Proof.passed,
        )
        .correlate(Case)
    )


def _marked_by_digest() -> ColumnElement[bool]:
    error: ColumnElement[str] = Execution.failure["error"].as_string()
    return error.in_([DIGEST_DIFFERS, DIGEST_DISPUTED])


@dataclass(frozen=True)
class Marking:
    """Executions of a pair to mark: by their digest and by their agent; None selects all."""

    equal_to: str | None = None
    other_than: str | None = None
    of_agents: frozenset[str] | None = None
    not_of_agents: frozenset[str] = frozenset()


def mark(
    session: Session, pair: tuple[str, str], state: str, failure: dict[str, object] | None, selection: Marking
) -> list[tuple[int, str]]:
    """Change the state of a pair's executions; return (case id, run id) of the changed ones.

    Only states that followed from digests change; a failure that the runner reported stays.
    """
    of_pair = select(Case.id).where(Case.algorithm == pair[0], Case.input_sha256 == pair[1])
    if selection.of_agents is not None:
        of_pair = of_pair.where(Case.agent_id.in_(selection.of_agents))
    if selection.not_of_agents:
        of_pair = of_pair.where(Case.agent_id.not_in(selection.not_of_agents))
    statement = update(Execution).where(
        Execution.case_id.in_(of_pair),
        Execution.state != state,
        Execution.output_sha256.is_not(None),
        or_(Execution.state.in_(["ok", "disputed"]), _marked_by_digest()),
    )
    if selection.equal_to is not None:
        statement = statement.where(Execution.output_sha256 == selection.equal_to)
    if selection.other_than is not None:
        statement = statement.where(Execution.output_sha256 != selection.other_than)
    changed = session.execute(
        statement.values(state=state, failure=failure).returning(Execution.case_id, Execution.run_id),
        execution_options={"synchronize_session": False},
    )
    return [(case_id, run_id) for case_id, run_id in changed]


def replace_expectation(session: Session, pair: tuple[str, str], judgment: DigestJudgment) -> None:
    """Store the judgment's expected digest in place of the previous one, if the judgment has one."""
    session.execute(
        delete(ExpectedDigest).where(ExpectedDigest.algorithm == pair[0], ExpectedDigest.input_sha256 == pair[1])
    )
    if judgment.expected_sha256 is not None:
        session.execute(insert(ExpectedDigest).values(
            algorithm=pair[0], input_sha256=pair[1], output_sha256=judgment.expected_sha256,
            basis=judgment.basis, vouched_by=judgment.vouched_by, detail=judgment.detail,
        ))  # fmt: skip
