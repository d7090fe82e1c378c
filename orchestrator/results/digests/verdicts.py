"""Judgment of ciphertexts: which digest of an input is correct, and who vouches for it. Pure functions.

An agent is believed for its own results only. An expected digest therefore comes from the service's own computation,
or from at least two agents that report the same one: two providers on one agent are one witness, because one daemon
reports both. Agents enter a fleet only by the operator's join codes, so two agents count as two machines; an operator
who enrolls one machine twice gives it two voices.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from orchestrator.shared.values.text import enumerated, some

Basis = Literal["service", "agents"]

OUTPUT_DIFFERS = "output-differs"
"""Failure of an execution whose decryption did not return the input."""
DIGEST_DIFFERS = "digest-differs"
"""Failure of an execution whose ciphertext differs from the expected one."""
DIGEST_DISPUTED = "digest-disputed"
"""Failure of an execution whose ciphertext differs from another's, without a decision between them."""
SERVICE = "service"
ONE_AGENT = "one agent"
"""Label of results that only the agent itself vouches for."""
MIN_AGENTS = 2
"""Agents that must report the same digest before it is expected of others."""
_MAX_REPORTS = 8
"""Reports that a dispute names."""


@dataclass(frozen=True)
class Observation:
    """A ciphertext digest of the input that one provider on one agent gave."""

    agent_id: str
    agent_name: str
    provider: str
    output_sha256: str
    proven: bool = True
    """Known answers passed on the same build."""
    trusted: bool = True
    """The agent is not revoked and has made no proven false report."""
    first_at: datetime | None = None
    """When the first of its executions was stored; None for those of earlier versions."""
    finished_at: datetime | None = None
    """When the first run with a valid one of them was finished."""
    prebuilt: bool = False
    """The programs are of unknown origin, so that their output accuses no agent."""
    latest_at: datetime | None = None
    """When the latest of its executions was stored; None for those of earlier versions."""

    @property
    def counts(self) -> bool:
        """True if it can vouch for, or dispute, the results of other agents."""
        return self.proven and self.trusted


@dataclass(frozen=True)
class DigestJudgment:
    """The expected digest with its basis, or the agents whose results are disputed."""

    expected_sha256: str | None
    basis: Basis | None
    vouched_by: str
    """``service``, ``agents pi4 and pi5``, or ``one agent``."""
    detail: str
    disputed_agents: frozenset[str] = frozenset()


def judge(
    observations: Iterable[Observation], expected_sha256: str | None = None, computed_by: str = ""
) -> DigestJudgment:
    """Return the judgment of all observations of one algorithm and input.

    expected_sha256: the service's own digest, None while it has none. computed_by: ``Python's cryptography``, or a
    runner on the machine of the service.
    """
    seen = set(observations)
    if expected_sha256 is not None:
        detail = f"computed on the machine of the service by {computed_by}"
        return DigestJudgment(expected_sha256, "service", SERVICE, detail)
    supporters = _supporters(seen)
    agreed = [digest for digest, names in supporters.items() if len(names) >= MIN_AGENTS]
    if len(agreed) == 1:
        names = sorted(supporters[agreed[0]].values())
        label = f"agents {enumerated(names)}"
        return DigestJudgment(agreed[0], "agents", label, f"{label} report it with proven implementations")
    finished = _finished_before(seen)
    disputed = _disputed_agents(seen, supporters, finished)
    if disputed:
        detail = f"nothing decides between these reports: {_reports(seen)}"
        if finished is not None:
            detail += f"; a run with {finished} was finished before the others came, and keeps its results"
        return DigestJudgment(None, None, ONE_AGENT, detail, disputed)
    return DigestJudgment(None, None, ONE_AGENT, f"{_agents(seen)} alone, without a second agent to compare with")


def digest_failure(seen: str | None, expected: str, basis: str) -> dict[str, Any]:
    """Return the failure of an execution whose ciphertext differs from the expected one."""
    subject = f"The ciphertext's SHA-256 is {seen}," if seen else "The ciphertext differs;"
    return {"error": DIGEST_DIFFERS, "detail": f"{subject} expected was {expected} ({basis})."}


def dispute_failure(judgment: DigestJudgment) -> dict[str, Any]:
    """Return the failure of a disputed execution, which names who reported what."""
    return {"error": DIGEST_DISPUTED, "detail": f"{judgment.detail[:1].upper()}{judgment.detail[1:]}."}


def vouched_by(*, ok: int, noop: bool, encrypts: bool, expected: str | None) -> str | None:
    """Return what vouches for the ok results of a case: ``service``, ``agents A and B`` or ``one agent``.

    ok: number of ok executions, None is returned without any. noop: its output is the input, which the service knows.
    encrypts: the case has a ciphertext that is compared. expected: label of its expected digest, if there is one.
    """
    if not ok:
        return None
    if noop:
        return SERVICE
    return expected if expected and encrypts else ONE_AGENT


def vouched_together(labels: Collection[str | None]) -> str | None:
    """Return what vouches for results over several inputs together: the weakest that vouches for one of them.

    labels: of each input, as by `vouched_by`. Agents are weaker than the service; None if no input has a result.
    """
    found = {label for label in labels if label is not None}
    if ONE_AGENT in found:
        return ONE_AGENT
    return "; ".join(sorted(found - {SERVICE})) or (SERVICE if found else None)


def _supporters(seen: Iterable[Observation]) -> dict[str, dict[str, str]]:
    """Return the agents (name by id) whose observations count, by digest."""
    found: dict[str, dict[str, str]] = {}
    for one in seen:
        if one.counts:
            found.setdefault(one.output_sha256, {})[one.agent_id] = one.agent_name
    return found


def _finished_before(seen: set[Observation]) -> str | None:
    """Return the digest whose run was finished before any other digest came: one newer report takes no rank."""
    counted = [one for one in seen if one.counts]
    finished = [(one.finished_at, one.output_sha256) for one in counted if one.finished_at is not None]
    if not finished:
        return None
    at, digest = min(finished)
    others = [one.first_at for one in counted if one.output_sha256 != digest]
    return digest if all(first is not None and first > at for first in others) else None


def _disputed_agents(
    seen: set[Observation], supporters: dict[str, dict[str, str]], finished: str | None
) -> frozenset[str]:
    """Return the agents whose results are disputed.

    An observation that does not count disputes nothing but the results of its own agent. finished: the digest that the
    others came too late to dispute.
    """
    if len(supporters) > 1:
        disputed = {agent_id for digest, agents in supporters.items() if digest != finished for agent_id in agents}
    else:
        disputed = set[str]()
    for agent_id in {one.agent_id for one in seen}:
        own = {one.output_sha256 for one in seen if one.agent_id == agent_id}
        if len(own) > 1 or (supporters and not own <= set(supporters)):
            disputed.add(agent_id)
    return frozenset(disputed)


def _reports(seen: Iterable[Observation]) -> str:
    """Return who reported what: ``pi4 (botan, own) aaaa…``."""
    grouped: dict[tuple[str, str], set[str]] = {}
    for one in seen:
        grouped.setdefault((one.agent_name, one.output_sha256), set()).add(one.provider)
    parts = [f"{agent} ({', '.join(sorted(grouped[agent, digest]))}) {digest}" for agent, digest in sorted(grouped)]
    return some(parts, _MAX_REPORTS, "; ")


def _agents(seen: Iterable[Observation]) -> str:
    return enumerated(sorted({one.agent_name for one in seen})) or "no agent"
