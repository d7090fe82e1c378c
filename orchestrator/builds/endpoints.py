"""``/api/v1/builds``, ``/api/v1/build-requests``, ``/api/v1/calibrations``, ``/api/v1/downloads``."""

from typing import Annotated

from fastapi import Path, Response
from fastapi.responses import FileResponse

from orchestrator.builds import constant_time, cross_builds, join_script, requests, service
from orchestrator.builds.downloads import DownloadShelfDep
from orchestrator.builds.schemas import (
    BuildCreated,
    BuildDetail,
    BuildRequestState,
    BuildRequestSummary,
    BuildSummary,
    CalibrationCreated,
    ChallengeAnswersCreated,
    ConstantTimeSummary,
    FootprintSummary,
    ProofsCreated,
    ProofSummary,
    ResultsCreated,
)
from orchestrator.builds.source_metrics.schemas import ImplementationSource
from orchestrator.builds.source_metrics.stored import sources_of_build
from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery, SettingsDep
from orchestrator.service.pagination import Page
from orchestrator.service.security.bodies import REPORT_LIMIT, body_limit
from orchestrator.service.security.dependencies import AgentDep, AgentIdQuery, InstallerDep, RowId, Sha256, ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.shared.values.signatures import SIGNATURE_HEADER
from orchestrator.wire.builds import (
    BuildOutcome,
    BuildReport,
    CalibrationReport,
    ChallengeAnswers,
    ConstantTimeReport,
    DeviceMachine,
    FootprintReport,
    ProofReport,
    TargetName,
)
from orchestrator.wire.cross_builds import CrossBuildOffers
from orchestrator.wire.downloads import RUNNER_SOURCE, Downloads

router = api_router(tags=["builds"])

# An agent names its own builds by their keys, a reader names the builds of all agents by their ids. Both use the same
# address, so the parameter has one name.
BuildKey = Annotated[Sha256, Path(description="Key of the build, 64 hexadecimal digits in lower case.")]
BuildId = Annotated[RowId, Path(description="Id of the build.")]


@router.post("/builds")
@body_limit(REPORT_LIMIT)
def report_build(report: BuildReport, database: DatabaseDep, caller: AgentDep) -> BuildCreated:
    """Store a build of the runners, which new runs of its toolchain use."""
    return service.report_build(database, caller.own_agent_id, report)


@router.post("/builds/{build}/proofs")
@body_limit(REPORT_LIMIT)
def report_proofs(
    build: BuildKey, report: ProofReport, database: DatabaseDep, settings: SettingsDep, caller: AgentDep
) -> ProofsCreated:
    """Store the results of the known-answer tests on a build, and challenge some of the implementations."""
    return service.report_proofs(database, caller.own_agent_id, build, report, settings.cache_folder)


@router.post("/builds/{build_key}/challenge-answers")
@body_limit(REPORT_LIMIT)
def answer_challenges(
    build_key: Sha256, answers: ChallengeAnswers, database: DatabaseDep, caller: AgentDep
) -> ChallengeAnswersCreated:
    """Compare the answers to challenges with the service's own ciphertexts; a wrong one fails the proof."""
    return service.answer_challenges(database, caller.own_agent_id, build_key, answers)


@router.post("/builds/{build}/footprints")
@body_limit(REPORT_LIMIT)
def report_footprints(
    build: BuildKey, report: FootprintReport, database: DatabaseDep, caller: AgentDep
) -> ResultsCreated:
    """Store the memory footprints of the implementations of a build: code, static RAM, context, stack."""
    return service.report_footprints(database, caller.own_agent_id, build, report)


@router.post("/builds/{build}/constant-time")
@body_limit(REPORT_LIMIT)
def report_constant_time(
    build: BuildKey, report: ConstantTimeReport, database: DatabaseDep, caller: AgentDep
) -> ResultsCreated:
    """Store what an agent found about the constant time of the implementations of a build."""
    return constant_time.report_constant_time(database, caller.own_agent_id, build, report)


@router.post("/build-requests/{request_id}/outcome")
def report_outcome(
    request_id: RowId, outcome: BuildOutcome, database: DatabaseDep, caller: AgentDep
) -> BuildRequestSummary:
    """Settle a request with the build that was reported and proved, or with the reason of the failure."""
    return requests.settle(database, caller.own_agent_id, request_id, outcome)


@router.get("/build-requests")
def list_build_requests(
    *,
    database: DatabaseDep,
    _caller: ViewerDep,
    agent_id: AgentIdQuery = None,
    state: BuildRequestState | None = None,
    cursor: CursorQuery = None,
    limit: LimitQuery = 100,
) -> Page[BuildRequestSummary]:
    """List the toolchains that runs requested on agents with their states, newest first."""
    with database.read() as session:
        return requests.list_requests(session, agent_id, state, cursor, limit)


@router.post("/calibrations")
@body_limit(REPORT_LIMIT)
def report_calibration(report: CalibrationReport, database: DatabaseDep, caller: AgentDep) -> CalibrationCreated:
    """Store a calibration: the overhead of measuring on a build, or its noise floor."""
    return service.report_calibration(database, caller.own_agent_id, report)


@router.get("/builds")
def list_builds(
    database: DatabaseDep,
    _caller: ViewerDep,
    agent_id: AgentIdQuery = None,
    cursor: CursorQuery = None,
    limit: LimitQuery = 100,
) -> Page[BuildSummary]:
    """List builds, newest first."""
    return service.list_builds(database, agent_id, cursor, limit)


@router.get("/builds/{build_id}")
def get_build(build_id: RowId, database: DatabaseDep, _caller: ViewerDep) -> BuildDetail:
    """Return a build with the listings of its runners."""
    with database.read() as session:
        return service.get_build(session, build_id)


@router.get("/builds/{build}/proofs")
def list_proofs(build: BuildId, database: DatabaseDep, _caller: ViewerDep) -> list[ProofSummary]:
    """List the known-answer test of every implementation of a build."""
    with database.read() as session:
        return service.list_proofs(session, build)


@router.get("/builds/{build}/sources")
def list_sources(build: BuildId, database: DatabaseDep, _caller: ViewerDep) -> list[ImplementationSource]:
    """List the size and readability of the source code of every implementation of a build."""
    return sources_of_build(database, build)


@router.get("/builds/{build}/footprints")
def list_footprints(
    build: BuildId, database: DatabaseDep, _caller: ViewerDep, target: TargetName = ""
) -> list[FootprintSummary]:
    """List the memory footprint of every implementation of a build, executed or not.

    target: processor that the sources were compiled for besides; empty: the build's own.
    """
    with database.read() as session:
        return service.list_footprints(session, build, target)


@router.get("/builds/{build}/constant-time")
def list_constant_time(build: BuildId, database: DatabaseDep, _caller: ViewerDep) -> list[ConstantTimeSummary]:
    """List what the code of every implementation of a build claims about constant time, and what its agent found."""
    with database.read() as session:
        return constant_time.list_constant_time(session, build)


@router.get("/downloads")
def list_downloads(shelf: DownloadShelfDep, _caller: InstallerDep) -> Downloads:
    """List the files that a device installs, with SHA-256, and the reasons for absent files."""
    return shelf.manifest()


@router.get("/downloads/runner-source", response_class=Response)
def get_runner_source(shelf: DownloadShelfDep, _caller: InstallerDep) -> Response:
    """Return the sources of the runners as a gzipped tar archive."""
    source = shelf.runner_source()
    headers = {
        "ETag": f'"{source.sha256}"',
        "Content-Disposition": f'attachment; filename="{RUNNER_SOURCE}"',
        SIGNATURE_HEADER: shelf.source_signature(),
    }
    return Response(source.data, media_type="application/gzip", headers=headers)


@router.get("/downloads/agent-wheel", response_class=FileResponse)
def get_agent_wheel(shelf: DownloadShelfDep, _caller: InstallerDep) -> FileResponse:
    """Return the wheel that a device installs."""
    path = shelf.agent_wheel()
    return FileResponse(path, media_type="application/zip", filename=path.name)


@router.get("/downloads/agent-requirements", response_class=Response)
def get_agent_requirements(shelf: DownloadShelfDep, _caller: InstallerDep) -> Response:
    """Return the lock file of the packages that the wheel needs on a device: ``pip install --require-hashes -r``."""
    return Response(shelf.agent_requirements(), media_type="text/plain; charset=utf-8")


@router.get("/downloads/join.sh", response_class=Response)
def get_join_script(shelf: DownloadShelfDep) -> Response:
    """Return the shell script with which a device joins. Requires no token; 503 while the wheel is being built."""
    script = shelf.join_script_if_made()
    headers = {"ETag": f'"{join_script.script_sha256(script)}"', "Cache-Control": "no-cache"}
    return Response(script, media_type="text/x-shellscript; charset=utf-8", headers=headers)


@router.get("/downloads/cross-builds")
def list_cross_builds(shelf: DownloadShelfDep, _caller: InstallerDep) -> CrossBuildOffers:
    """List the cross-built runners for devices without a compiler, and the reason for each machine without any."""
    return cross_builds.list_offers(shelf.cache_folder, shelf.runner_source().source_sha256)


@router.get("/downloads/cross-builds/{machine}", response_class=FileResponse)
def get_cross_build(machine: DeviceMachine, shelf: DownloadShelfDep, _caller: InstallerDep) -> FileResponse:
    """Return the cross-built runners for a kind of device as a gzipped tar archive."""
    source = shelf.runner_source().source_sha256
    offer, path = cross_builds.find_archive(shelf.cache_folder, machine, source)
    headers = {"ETag": f'"{offer.sha256}"', SIGNATURE_HEADER: shelf.signer.sign(offer.signed)}
    return FileResponse(path, media_type="application/gzip", filename=offer.file_name, headers=headers)
