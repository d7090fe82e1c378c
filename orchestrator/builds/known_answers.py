"""The known answers that an agent reports as passed, compared with those that the service knows."""

from orchestrator.compilation.reference.known_answers import known_answers, own_source_sha256
from orchestrator.database.models import Build
from orchestrator.service.trust.kinds import Finding
from orchestrator.wire.builds import ProofResult


def contradiction(build: Build, proof: ProofResult) -> Finding | None:
    """Return how a passed proof contradicts the known answers; None if it agrees, or if nothing is known.

    Every runner prints the same text for an algorithm, so its SHA-256 is known for builds of the service's own sources.
    Builds of other sources, and prebuilt programs, may have other vectors.
    """
    if not proof.passed or build.source_sha256 != own_source_sha256():
        return None
    answers = known_answers(proof.algorithm)
    if answers is None or proof.output_sha256 == answers.output_sha256:
        return None
    return Finding(
        "known-answers-differ",
        f"the known answers of {proof.algorithm} {proof.variant} by {proof.provider} passed with an output whose "
        f"SHA-256 is {proof.output_sha256}, expected {answers.output_sha256}.",
        {
            "build_key": build.build_key, "provider": proof.provider, "algorithm": proof.algorithm,
            "variant": proof.variant, "seen": proof.output_sha256, "expected": answers.output_sha256,
        },
    )  # fmt: skip
