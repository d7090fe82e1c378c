"""Answers to the service's challenges: messages of random keys and lengths, encrypted by the proved programs."""

import hashlib
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from orchestrator.compilation.installed import InstalledBuild
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.shared.values.forms import Form
from orchestrator.wire.builds import Challenge, ChallengeAnswer, ChallengeAnswers, ProofReport, challenge_message

CRYPT_SECONDS = 60


def report_proofs(client: ServiceClient, build: InstalledBuild, report: ProofReport) -> None:
    """Report proofs and answer the challenges that follow."""
    challenges = client.report_proofs(build.build_key, report).challenges
    if challenges:
        client.answer_challenges(build.build_key, ChallengeAnswers(answers=answer_all(build, challenges)))


def answer_all(build: InstalledBuild, challenges: Iterable[Challenge]) -> list[ChallengeAnswer]:
    """Return the answer to each challenge, with the error of a runner that could not encrypt."""
    with tempfile.TemporaryDirectory(prefix="ciphermark-challenge-") as folder:
        return [_answer(build, challenge, Path(folder)) for challenge in challenges]


def _answer(build: InstalledBuild, challenge: Challenge, folder: Path) -> ChallengeAnswer:
    program = build.runners.get(challenge.provider)
    if program is None:
        return ChallengeAnswer(challenge_id=challenge.id, error=f"the build has no runner of {challenge.provider}")
    source, target = folder / "in", folder / "out"
    source.write_bytes(challenge_message(challenge.seed, challenge.message_bytes))
    target.unlink(missing_ok=True)
    command = [
        *program.command, "crypt", "--algorithm", challenge.algorithm, "--variant", challenge.variant,
        *Form.of(challenge).options, "--operation", "encrypt", "--key", challenge.key,
        *(["--nonce", challenge.nonce] if challenge.nonce else []), "--in", str(source), "--out", str(target),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, timeout=CRYPT_SECONDS, check=False)
        if done.returncode == 0:
            digest = hashlib.sha256(target.read_bytes()).hexdigest()
            return ChallengeAnswer(challenge_id=challenge.id, output_sha256=digest)
        error = f"exit {done.returncode}: {done.stderr[-500:].decode(errors='replace').strip()}"
    except subprocess.TimeoutExpired:
        error = f"crypt did not finish within {CRYPT_SECONDS} s"
    except OSError as reason:
        error = str(reason)
    return ChallengeAnswer(challenge_id=challenge.id, error=error[:1000])
