"""Queries over expected digests, pending digests, and the executions that verdicts change."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, case, delete, exists, func, insert, not_, or_, select, update
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
from orchestrator.results.digests.verdicts import (
    DIGEST_DIFFERS,
    DIGEST_DISPUTED,
    DigestJudgment,
    Observation,
    digest_failure,
    dispute_failure,
)


def add_pending(session: Session, pairs: Iterable[tuple[str, str]]) -> None:
    """Add (algorithm, input SHA-256) pairs to judge; a repeated request invalidates a judgment in progress."""
    rows = [{"algorithm": algorithm, "input_sha256": chunk, "requests": 1} for algorithm, chunk in sorted(set(pairs))]
    statement = upsert(session, PendingDigest).on_conflict_do_update(
        index_elements=["algorithm", "input_sha256"], set_={"requests": PendingDigest.requests + 1}
    )
    if rows:
        session.connection().execute(statement, rows)


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


def observations(session: Session, algorithm: str, input_sha256: str) -> list[Observation]:
    """Return the distinct ciphertext digests of an input by agent, provider and origin of the build."""
    proven = _is_proven().label("proven")
    trusted = and_(Agent.revoked_at.is_(None), Agent.distrusted_at.is_(None)).label("trusted")
    # Executions of earlier versions have no time: as if they came first.
    first_at = case((func.count(Execution.stored_at) == func.count(), func.min(Execution.stored_at)))
    found = session.execute(
        select(
            Case.agent_id, Agent.name, Case.provider, Execution.output_sha256, proven, trusted, first_at,
            func.min(case((Execution.state == "ok", Run.finished_at))), Build.prebuilt, func.max(Execution.stored_at),
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
        Observation(
            agent_id, name, provider, digest, bool(is_proven), bool(is_trusted), first, finished, prebuilt, last
        )
        for agent_id, name, provider, digest, is_proven, is_trusted, first, finished, prebuilt, last in found
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


def trusted_since(session: Session, agent_ids: Iterable[str]) -> dict[str, datetime]:
    """Return when an operator last trusted these agents again after digests that the service contradicts."""
    query = select(FalseReport.agent_id, FalseReport.lifted_at).where(
        FalseReport.agent_id.in_(list(agent_ids)),
        FalseReport.kind == "digest-contradicted",
        FalseReport.lifted_at.is_not(None),
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


def timed_case(session: Session, algorithm: str, input_sha256: str) -> Case | None:
    """Return a latency case of this input, whose message all of them have; None for a chunk."""
    query = select(Case).where(Case.algorithm == algorithm, Case.input_sha256 == input_sha256)
    return session.scalar(query.where(Case.protocol == "latency").limit(1))


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


def mark(session: Session, pair: tuple[str, str], judgment: DigestJudgment) -> list[tuple[int, str, str]]:
    """Change the states of a pair's executions; return (case id, run id, new state) of the changed ones.

    Only states that followed from digests change; a failure that the runner reported stays. An agent whose only
    opponent is no longer trusted gets its results back.
    """
    cases = select(Case.id).where(Case.algorithm == pair[0], Case.input_sha256 == pair[1])
    if (expected := judgment.expected_sha256) is not None:
        state, failure = "wrong", digest_failure(None, expected, judgment.detail)
        rejected = Execution.output_sha256 != expected
    else:
        state, failure = "disputed", dispute_failure(judgment)
        rejected = Execution.case_id.in_(cases.where(Case.agent_id.in_(judgment.disputed_agents)))
    found: list[tuple[int, str, str]] = []
    for new, because, selected in ((state, failure, rejected), ("ok", None, not_(rejected))):
        changed = session.execute(
            update(Execution)
            .where(
                Execution.case_id.in_(cases),
                Execution.state != new,
                Execution.output_sha256.is_not(None),
                or_(Execution.state.in_(["ok", "disputed"]), _marked_by_digest()),
                selected,
            )
            .values(state=new, failure=because)
            .returning(Execution.case_id, Execution.run_id),
            execution_options={"synchronize_session": False},
        )
        found += [(case_id, run_id, new) for case_id, run_id in changed]
    return found


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
