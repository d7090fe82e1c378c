"""Builds that agents report, with their proofs, calibrations and footprints."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from orchestrator.builds import challenges, repository
from orchestrator.builds.schemas import (
    BuildCreated,
    BuildDetail,
    BuildReference,
    BuildSummary,
    CalibrationCreated,
    ChallengeAnswersCreated,
    FootprintSummary,
    ProofsCreated,
    ProofSummary,
    ResultsCreated,
)
from orchestrator.compilation.reference.known_answers import known_answers, own_source_sha256
from orchestrator.database.engine import Database
from orchestrator.database.models import Build, Footprint, Proof, now
from orchestrator.service.pagination import Page
from orchestrator.service.trust import service as trust
from orchestrator.service.trust.kinds import Finding
from orchestrator.shared.errors import NotFound
from orchestrator.wire.builds import (
    BuildReport,
    CalibrationReport,
    ChallengeAnswers,
    FootprintReport,
    ProofReport,
    ProofResult,
    RunnerBinary,
    Toolchain,
    build_words,
)


def report_build(database: Database, agent_id: str, report: BuildReport) -> BuildCreated:
    """Store or update a build and make it the one that new runs of its toolchain use."""
    with database.write() as session:
        build = repository.find_build_by_key(session, agent_id, report.build_key)
        if build is None:
            build = Build(agent_id=agent_id, build_key=report.build_key)
            session.add(build)
        _fill(build, report)
        session.flush()
        if report.is_default:
            repository.clear_other_defaults(session, agent_id, build.id)
        replaced = [
            other.id
            for other in repository.list_current_builds(session, agent_id)
            if other.id != build.id
            and Toolchain.model_validate(other.toolchain) == report.toolchain
            # A cross-build never replaces a build of the agent's own compiler, and the reverse.
            and (other.cross_built is None) == (report.cross_built is None)
            # A requested build never replaces the default build, which the daemon made at its start.
            and (report.is_default or not other.is_default)
        ]
        repository.retire_builds(session, replaced)
        return BuildCreated(id=build.id, build_key=build.build_key)


def _fill(build: Build, report: BuildReport) -> None:
    build.source_sha256 = report.source_sha256
    build.toolchain = report.toolchain.model_dump(mode="json")
    build.compiler_version = report.compiler_version
    build.prebuilt = report.prebuilt
    build.cross_built = report.cross_built.model_dump(mode="json") if report.cross_built else None
    build.build_wall_ns = report.build_wall_ns
    build.runners = {runner.provider: runner.model_dump(mode="json") for runner in report.runners}
    build.missing_providers = dict(report.missing_providers)
    build.compile_commands = dict(report.compile_commands)
    build.failure = None
    build.current = True
    # A daemon reports the default build again, without the mark, if a run requests its toolchain.
    build.is_default = bool(build.is_default) or report.is_default
    build.reported_at = now()


def report_proofs(
    database: Database, agent_id: str, build_key: str, report: ProofReport, cache_folder: Path
) -> ProofsCreated:
    """Store proofs on a build; a later one of the same implementation replaces the earlier. Raises NotFound.

    Known answers that passed with another output than the answers is no proof, and a false report. Some of the others
    are challenged, except those of prebuilt programs, whose origin is unknown.

    cache_folder: folder of the service's own runners, which compute the challenges.
    """
    with database.read() as session:
        reported = own_build(session, agent_id, build_key)
    prebuilt = reported.prebuilt
    false = [_contradiction(reported, proof) for proof in report.proofs]
    prepared = [] if prebuilt else challenges.prepare(report.proofs, reported.runners, cache_folder)
    with database.write() as session:
        build = own_build(session, agent_id, build_key)
        at = now()
        results = [
            proof.model_dump()
            | {"relative_times": proof.relative_times or None, "proved_at": at}
            | ({"passed": False, "detail": finding.detail} if finding is not None else {})
            for proof, finding in zip(report.proofs, false, strict=True)
        ]
        repository.store_results(session, Proof, build.id, results)
        trust.note(session, agent_id, (finding for finding in false if finding is not None))
        session.flush()
        sent = [] if prebuilt else challenges.add(session, build, prepared)
    return ProofsCreated(stored=len(report.proofs), challenges=sent)


def _contradiction(build: Build, proof: ProofResult) -> Finding | None:
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


def answer_challenges(
    database: Database, agent_id: str, build_key: str, answers: ChallengeAnswers
) -> ChallengeAnswersCreated:
    """Judge the answers to challenges of a build; unknown or answered ones are ignored. Raises NotFound."""
    with database.write() as session:
        passed, failed = challenges.answer(session, own_build(session, agent_id, build_key), answers)
    return ChallengeAnswersCreated(passed=passed, failed=failed)


def report_footprints(database: Database, agent_id: str, build_key: str, report: FootprintReport) -> ResultsCreated:
    """Store footprints; a later one of the same implementation replaces the earlier. Raises NotFound."""
    with database.write() as session:
        build = own_build(session, agent_id, build_key)
        repository.store_results(session, Footprint, build.id, [one.model_dump() for one in report.footprints])
    return ResultsCreated(stored=len(report.footprints))


def report_calibration(database: Database, agent_id: str, report: CalibrationReport) -> CalibrationCreated:
    """Store a calibration of a build; raises NotFound."""
    with database.write() as session:
        build = own_build(session, agent_id, report.build_key)
        values = report.model_dump(exclude={"build_key"}) | {"agent_id": agent_id, "build_id": build.id}
        return CalibrationCreated(id=repository.add_calibration(session, values).id)


def list_builds(database: Database, agent_id: str | None, cursor: str | None, limit: int) -> Page[BuildSummary]:
    """Return a page of builds, newest first."""
    with database.read() as session:
        rows = repository.list_builds(session, agent_id, cursor, limit)
        shown = {one.id: one for one in summaries(session, rows.items)}
    return rows.page(lambda row: shown[row.id])


def list_usable_builds(session: Session, agent_id: str, limit: int) -> list[BuildSummary]:
    """Return an agent's builds that can be executed: the default one first, then current ones, the newest first."""
    return summaries(session, repository.list_usable_builds(session, agent_id, limit))


def summaries(session: Session, builds: Sequence[Build]) -> list[BuildSummary]:
    """Return builds with the numbers of their known-answer tests."""
    counts = repository.count_proofs(session, (build.id for build in builds))
    return [BuildSummary.from_row(build, **_joined(build, counts)) for build in builds]


def list_builds_of_run(session: Session, run_id: str) -> list[BuildReference]:
    """Return the builds of a run's cases, failed ones included."""
    builds = repository.list_builds_of_run(session, run_id)
    return [BuildReference.from_row(build, toolchain_words=_words(build)) for build in builds]


def list_failed_proofs(session: Session, build_ids: Sequence[int]) -> dict[int, list[ProofSummary]]:
    """Return the proofs of each build that did not pass."""
    found: dict[int, list[ProofSummary]] = {build_id: [] for build_id in build_ids}
    for proof in repository.list_failed_proofs(session, build_ids):
        found[proof.build_id].append(ProofSummary.from_row(proof))
    return found


def get_build(session: Session, build_id: int) -> BuildDetail:
    """Return a build with the listings of its runners; raises NotFound."""
    build = known_build(session, build_id)
    counts = repository.count_proofs(session, [build_id])
    runners = {provider: RunnerBinary.model_validate(runner) for provider, runner in build.runners.items()}
    return BuildDetail.from_row(build, **_joined(build, counts), runners=runners)


def list_proofs(session: Session, build_id: int) -> list[ProofSummary]:
    """Return all proofs of a build; raises NotFound."""
    known_build(session, build_id)
    return [ProofSummary.from_row(proof) for proof in repository.list_proofs(session, build_id)]


def list_footprints(session: Session, build_id: int, target: str | None = "") -> list[FootprintSummary]:
    """Return the memory footprint of each implementation of a build; raises NotFound.

    target: the processor; empty: the one that the build is for, None: all.
    """
    known_build(session, build_id)
    return [FootprintSummary.from_row(one) for one in repository.list_footprints(session, build_id, target)]


def _words(build: Build) -> str:
    return build_words(build.toolchain, build.cross_built)


def _joined(build: Build, counts: dict[tuple[int, bool], int]) -> dict[str, Any]:
    """Return the fields of a `BuildSummary` that its row does not have."""
    return {
        "toolchain_words": _words(build),
        "providers": {provider: runner["listing"]["version"] for provider, runner in build.runners.items()},
        "proofs_passed": counts.get((build.id, True), 0),
        "proofs_failed": counts.get((build.id, False), 0),
    }


def known_build(session: Session, build_id: int) -> Build:
    """Return a build by its id; raises NotFound."""
    build = session.get(Build, build_id)
    if build is None:
        raise NotFound(f"There is no build {build_id}.", remedy="List them: GET /api/v1/builds.")
    return build


def own_build(session: Session, agent_id: str, build_key: str) -> Build:
    """Return a build of an agent by its key; raises NotFound."""
    build = repository.find_build_by_key(session, agent_id, build_key)
    if build is None:
        raise NotFound(
            f"Agent {agent_id} has not reported a build {build_key[:80]!r}.",
            remedy="Report it first: POST /api/v1/builds.",
        )
    return build
