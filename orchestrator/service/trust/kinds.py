"""Kinds of false reports, and which of them an honest agent cannot make. Pure."""

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal[
    "foreign-record",
    "unclaimed-record",
    "impossible-time",
    "claim-exceeded",
    "faster-than-control",
    "digest-contradicted",
    "known-answers-differ",
    "challenge-failed",
]

WORDS: dict[Kind, str] = {
    "foreign-record": "a record for another agent's execution",
    "unclaimed-record": "a record for a job that it never claimed",
    "impossible-time": "a time that is physically impossible",
    "claim-exceeded": "more measured time than has passed since its claim",
    "faster-than-control": "times that its own health checks contradict",
    "digest-contradicted": "a ciphertext that the service's own computation contradicts",
    "known-answers-differ": "passed known answers with another output than theirs",
    "challenge-failed": "a wrong answer to a challenge",
}
"""What the agent reported, for users."""


@dataclass(frozen=True)
class Finding:
    """One report of an agent that cannot be true."""

    kind: Kind
    detail: str
    """One sentence with the value seen and the value expected."""
    evidence: dict[str, Any] = field(default_factory=dict)
    proven: bool = True
    """False where an honest agent can send the same, for example after the service's database was restored."""


def quarantine_reason(finding: Finding) -> str:
    """Return why an agent is quarantined, which its page and its runs show."""
    return (
        f"it reported {WORDS[finding.kind]}: {finding.detail} Either the agent is dishonest, or its "
        "programs or its hardware compute wrongly. Only an operator ends this quarantine (ciphermark agents trust NAME)"
    )
