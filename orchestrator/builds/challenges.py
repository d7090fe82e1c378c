"""Challenges: messages of random keys and lengths, in no file, that an agent's implementations must encrypt correctly.

Known answers are public, so a program can contain them. The service therefore challenges some implementations after
each report of proofs. It computes the expected ciphertext itself before the challenge leaves it.
"""

import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from orchestrator.builds import repository
from orchestrator.compilation.reference import third_party
from orchestrator.compilation.reference.own_runners import CannotCompute, OwnRunners
from orchestrator.compilation.reference.proven_cryptography import NAME, is_proven
from orchestrator.database.engine import Database
from orchestrator.database.models import Build, BuildChallenge, now
from orchestrator.service.trust import service as trust
from orchestrator.service.trust.kinds import Finding
from orchestrator.shared.values.forms import UNMASKED, Form
from orchestrator.wire.builds import Challenge, ChallengeAnswers, ProofResult, challenge_message

CHALLENGES = 8
"""Implementations that are challenged after one report of proofs."""
TRIES = 24
"""Implementations for which the service tries to compute a challenge."""
ANSWER_TIME = timedelta(minutes=10)
"""Time after which an unanswered challenge makes the proof fail. A device encrypts 64 KiB in seconds at most."""
MAX_MESSAGE_BYTES = 65_536
MAX_MASKED_MESSAGE_BYTES = 1024
"""A masked cipher draws up to 4.4 KB of random bytes for a byte, and the slowest generator delivers 1 MB a second."""
_WHOLE_BLOCKS = 48
"""A multiple of every block length, for modes without partial blocks."""


@dataclass(frozen=True)
class _ComputedSecrets:
    """Secrets of a challenge and the digest of its ciphertext."""

    key: bytes
    nonce: bytes
    output_sha256: str
    computed_by: str


@dataclass
class _Drawn:
    """Random bytes of the length that a cipher requires."""

    value: bytes = b""

    def draw(self, length: int) -> bytes:
        """Return new random bytes and keep them."""
        self.value = secrets.token_bytes(length)
        return self.value


def prepare(
    proofs: Sequence[ProofResult], runners_listed: Mapping[str, Any], cache_folder: Path
) -> list[BuildChallenge]:
    """Return challenges for some passed proofs, chosen at random; without a build id, to be stored.

    runners_listed: the programs of the build with their listings, by provider. A masked implementation is challenged in
    a random form.
    """
    passed = [proof for proof in proofs if proof.passed]
    runners = OwnRunners.find(cache_folder)
    rows: list[BuildChallenge] = []
    for proof in secrets.SystemRandom().sample(passed, min(TRIES, len(passed))):
        if len(rows) == CHALLENGES:
            break
        form = _random_form(runners_listed.get(proof.provider, {}).get("listing", {}), proof)
        if form is None:
            continue
        length = 1 + secrets.randbelow(MAX_MASKED_MESSAGE_BYTES if form.shares else MAX_MESSAGE_BYTES)
        if proof.algorithm.endswith(("-ecb", "-cbc")):
            length = -(-length // _WHOLE_BLOCKS) * _WHOLE_BLOCKS
        seed = secrets.token_hex(16)
        computed = _compute(runners, proof.algorithm, challenge_message(seed, length))
        if computed is not None:
            rows.append(
                BuildChallenge(
                    provider=proof.provider, algorithm=proof.algorithm, variant=proof.variant, seed=seed,
                    **form.fields, message_bytes=length, key=computed.key.hex(), nonce=computed.nonce.hex(),
                    expected_sha256=computed.output_sha256, computed_by=computed.computed_by,
                )
            )  # fmt: skip
    return rows


def _random_form(listing: Mapping[str, Any], proof: ProofResult) -> Form | None:
    """Return a random form of the proved implementation; None for a masked one whose agent has no generator."""
    forms = next(
        (
            row.get("masking")
            for row in listing.get("implementations", ())
            if (row["algorithm"], row.get("variant")) == (proof.algorithm, proof.variant)
        ),
        None,
    )
    if not forms:
        return UNMASKED
    generators = [one["name"] for one in listing.get("generators", ()) if one["available"]]
    if not generators:
        return None
    return Form(*(secrets.choice(values) for values in (forms["shares"], forms["degrees"], generators)))


def add(session: Session, build: Build, rows: Sequence[BuildChallenge]) -> list[Challenge]:
    """Store challenges and return them; open ones of the build are returned again instead, if there are any."""
    kept = repository.list_open_challenges(session, build.id)
    if not kept:
        repository.delete_answered_challenges(session, build.id)
        for row in rows:
            row.build_id = build.id
        session.add_all(rows)
        session.flush()
    return [Challenge.from_row(row) for row in kept or rows]


def answer(session: Session, build: Build, answers: ChallengeAnswers) -> tuple[int, int]:
    """Compare answers with the expected digests; return how many challenges passed and failed.

    A wrong ciphertext is a false report; an error of the runner is not. A late answer counts like one in time.
    """
    rows = {row.id: row for row in repository.list_unanswered_challenges(session, build.id)}
    passed, findings = 0, list[Finding]()
    answered = [(rows[one.challenge_id], one) for one in answers.answers if one.challenge_id in rows]
    for row, one in answered:
        right = one.output_sha256 == row.expected_sha256
        passed += right
        row.answered_at, row.answer_sha256 = now(), one.output_sha256
        if right:
            if row.state == "expired":
                repository.set_proof(session, row, passed=True, detail="")
            row.state = "passed"
            continue
        row.state = "failed"
        seen = one.output_sha256 or f"no ciphertext ({one.error or 'no reason'})"
        detail = (
            f"the challenge of {row.message_bytes} bytes to {row.algorithm} {row.variant} by {row.provider} was "
            f"answered with {seen}, expected {row.expected_sha256}, computed by {row.computed_by}."
        )
        repository.set_proof(session, row, passed=False, detail=detail)
        if one.output_sha256 is not None:
            evidence = {"build_key": build.build_key, "seen": seen, "expected": row.expected_sha256}
            findings.append(Finding("challenge-failed", detail, evidence | {"algorithm": row.algorithm}))
    trust.note(session, build.agent_id, findings)
    return passed, len(answered) - passed


def expire(database: Database, at: datetime) -> int:
    """Fail the proofs whose challenges were not answered in time; return how many."""
    before = at - ANSWER_TIME
    with database.read() as session:
        if not repository.list_late_challenges(session, before):
            return 0
    with database.write() as session:
        late = repository.list_late_challenges(session, before)
        for row in late:
            row.state = "expired"
            minutes = ANSWER_TIME.total_seconds() / 60
            detail = f"the challenge of {row.message_bytes} bytes was not answered within {minutes:g} minutes"
            repository.set_proof(session, row, passed=False, detail=detail)
    return len(late)


def _compute(runners: OwnRunners, algorithm: str, message: bytes) -> _ComputedSecrets | None:
    """Return random secrets and the digest of the ciphertext; None where the service cannot compute it."""
    if is_proven(algorithm):
        keys, nonces = _Drawn(), _Drawn()
        random = third_party.Secrets(fixed=keys.draw, fixed_nonce=nonces.draw)
        digest = third_party.output_sha256(algorithm, [message], random)
        nonce = b"" if algorithm.endswith("-ecb") else nonces.value
        return _ComputedSecrets(keys.value, nonce, digest or "", NAME)
    try:
        one = runners.of(algorithm)
        key = secrets.token_bytes(one.implementation.key_bytes)
        nonce = secrets.token_bytes(one.implementation.nonce_bytes)
        with tempfile.TemporaryDirectory(prefix="ciphermark-challenge-") as folder:
            source, target = Path(folder, "in"), Path(folder, "out")
            source.write_bytes(message)
            return _ComputedSecrets(key, nonce, runners.crypt(one, key, nonce, source, target), one.words)
    except CannotCompute:
        return None
