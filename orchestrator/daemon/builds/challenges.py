"""Answers to the service's challenges: messages of random keys and lengths, encrypted by the proved programs."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import structlog

from orchestrator.compilation.calibration import calibrated
from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.proofs import ProofBook
from orchestrator.compilation.runner_output import execute_runner
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.shared.files.identity import file_sha256
from orchestrator.shared.values.forms import Form
from orchestrator.wire.builds import Challenge, ChallengeAnswer, ChallengeAnswers, ProofReport, challenge_message

CRYPT_SECONDS = 60

_log = structlog.get_logger(__name__)


def proof_report_of(build: InstalledBuild, proofs: ProofBook, progress: Callable[[str], None]) -> ProofReport | None:
    """Return the report of a build's proofs, with its calibrated variants; None without an implementation."""
    failed = [f"{p.provider} {p.algorithm} {p.variant}" for p in proofs.proofs if not p.passed]
    if failed:
        _log.error(
            "known answers failed; these implementations are not measured",
            build_key=build.build_key,
            implementations=failed,
        )
    return ProofReport(proofs=calibrated(build, proofs, progress)) if proofs.proofs else None


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
    failure = execute_runner(command, CRYPT_SECONDS).failure
    if not failure and not target.is_file():
        failure = "wrote no ciphertext"
    if failure:
        return ChallengeAnswer(challenge_id=challenge.id, error=f"crypt {failure}"[:1000])
    return ChallengeAnswer(challenge_id=challenge.id, output_sha256=file_sha256(target))
