"""Requests for builds: opened by a submission, sent to daemons with heartbeats, settled by a build or a failure.

A request belongs to an agent and a toolchain, not to a run. Several runs can wait for the same request. A later
submission opens a failed request again, for example after the compiler was installed.
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache

from sqlalchemy.orm import Session

from orchestrator.builds import repository
from orchestrator.builds.schemas import BuildRequestSummary
from orchestrator.compilation.runner_sources import language_sha256
from orchestrator.database.engine import Database
from orchestrator.database.models import AwaitedBuild, Build, BuildRequest, now
from orchestrator.service.pagination import Page
from orchestrator.shared.errors import InvalidRequest, NotFound
from orchestrator.shared.resources import shipped
from orchestrator.wire.builds import BuildOrder, BuildOutcome, Toolchain
from orchestrator.wire.languages.all_languages import language_of_tool
from orchestrator.wire.languages.base import Language

OPEN, READY, FAILED = "open", "ready", "failed"

MAX_ORDERS = 64
"""Maximum number of orders in one response to a heartbeat; the others follow when these are settled."""


def get_usable_builds(session: Session, agent_id: str) -> tuple[Build | None, Mapping[Toolchain, Build]]:
    """Return an agent's default build, and by toolchain its current builds from the same sources; those of languages
    are from the sources that this service offers.

    A cross-build can be the default one, but never that of a toolchain, which is the agent's own compiler.
    """
    default: Build | None = None
    current = repository.list_current_builds(session, agent_id)
    for build in sorted(current, key=lambda build: build.id):
        if build.is_default and build.failure is None:
            default = build
    if default is None:
        return None, {}
    usable = [
        build
        for build in current
        if build.failure is None and build.cross_built is None and _is_current(build, default)
    ]
    return default, {Toolchain.model_validate(build.toolchain): build for build in usable}


def _is_current(build: Build, default: Build) -> bool:
    language = language_of_tool(build.toolchain["compiler"])
    expected = default.source_sha256 if language is None else shipped_language_sha256(language)
    return build.source_sha256 == expected


@cache
def shipped_language_sha256(language: Language) -> str:
    """Return the SHA-256 of the sources of a language's provider that this service offers."""
    return language_sha256(shipped("runners"), language)


def request_builds(session: Session, run_id: str, required: Mapping[str, Mapping[Toolchain, int | None]]) -> None:
    """Make a run wait for its toolchains, in the caller's write transaction.

    required: for each agent the toolchains with the id of their build; None opens a request for a build.
    """
    linked = repository.list_awaited_request_ids(session, run_id)
    for agent_id, builds in required.items():
        known = repository.get_requests_by_key(session, agent_id)
        requests = [_find_or_create(session, agent_id, toolchain, known) for toolchain in builds]
        for request, build_id in zip(requests, builds.values(), strict=True):
            if build_id is not None and request.state != READY:
                _settle(request, READY, build_id)
            elif build_id is None and request.state != OPEN:
                request.state, request.settled_at, request.requested_at = OPEN, None, now()
        session.flush()
        session.add_all(
            AwaitedBuild(run_id=run_id, request_id=request.id) for request in requests if request.id not in linked
        )


def _find_or_create(
    session: Session, agent_id: str, toolchain: Toolchain, known: Mapping[str, BuildRequest]
) -> BuildRequest:
    request = known.get(toolchain.key)
    if request is None:
        request = BuildRequest(agent_id=agent_id, toolchain_key=toolchain.key, state=OPEN)
        request.toolchain = toolchain.model_dump(mode="json")
        session.add(request)
    return request


def _settle(request: BuildRequest, state: str, build_id: int) -> None:
    request.state, request.build_id, request.settled_at = state, build_id, now()


def list_orders(session: Session, agent_id: str) -> list[BuildOrder]:
    """Return the open requests that unfinished runs wait for, those of the run with the highest priority first.

    Builds have the lowest priority: while the agent has jobs of running runs there is no order. A daemon pauses a build
    that it has started before.
    """
    if repository.has_ready_jobs(session, agent_id):
        return []
    rows = repository.list_open_requests(session, agent_id, MAX_ORDERS)
    return [BuildOrder(request_id=row.id, toolchain=row.toolchain) for row in rows]


def list_keys_to_keep(session: Session, agent_id: str) -> list[str]:
    """Return the keys of the builds that a daemon must keep, because unfinished runs use them."""
    # A daemon never deletes its default build, and most agents have no other one.
    if repository.count_builds(session, agent_id) <= 1:
        return []
    return repository.list_keys_in_use(session, agent_id)


def settle(database: Database, agent_id: str, request_id: int, outcome: BuildOutcome) -> BuildRequestSummary:
    """Settle a request with its outcome; a settled request stays unchanged.

    Raises NotFound for a request of another agent or a build that was not reported, and InvalidRequest for a build
    of another toolchain.
    """
    with database.write() as session:
        request = session.get(BuildRequest, request_id)
        if request is None or request.agent_id != agent_id:
            raise NotFound(f"This agent has no build request {request_id}.", remedy="Discard the build order.")
        if request.state == OPEN:
            if outcome.build_key is not None:
                _settle(request, READY, _named_build(session, request, outcome.build_key).id)
            else:
                _settle(request, FAILED, _failed_build(session, request, outcome.failure or "").id)
        return _summary(session, request)


def list_requests(
    session: Session, agent_id: str | None, state: str | None, cursor: str | None, limit: int
) -> Page[BuildRequestSummary]:
    """Return a page of requests for builds, newest first."""
    rows = repository.list_requests(session, agent_id, state, cursor, limit)
    return rows.page(lambda row: _summary(session, row))


def _named_build(session: Session, request: BuildRequest, build_key: str) -> Build:
    build = repository.find_build_by_key(session, request.agent_id, build_key)
    if build is None or build.failure is not None:
        raise NotFound(
            f"This agent has not reported a build {build_key}.",
            remedy="Report it first: POST /api/v1/builds.",
            field="build_key",
        )
    made, requested = Toolchain.model_validate(build.toolchain), Toolchain.model_validate(request.toolchain)
    if made != requested:
        raise InvalidRequest(
            f"Build {build_key} was made by {made.words}, expected {requested.words}.",
            remedy="Report the build of the requested toolchain.",
            field="build_key",
        )
    return build


def _failed_build(session: Session, request: BuildRequest, failure: str) -> Build:
    """Return the build row that stores the reason of a failure; a later failure of the request updates it."""
    words = f"failed build of {request.agent_id} {request.toolchain_key} {request.id}"
    build_key = hashlib.sha256(words.encode()).hexdigest()
    build = repository.find_build_by_key(session, request.agent_id, build_key)
    if build is None:
        build = Build(agent_id=request.agent_id, build_key=build_key, toolchain=request.toolchain)
        build.compiler_version, build.runners, build.missing_providers, build.current = "", {}, {}, False
        session.add(build)
    build.failure, build.reported_at = failure, now()
    session.flush()
    return build


def _summary(session: Session, request: BuildRequest) -> BuildRequestSummary:
    build = session.get(Build, request.build_id) if request.build_id is not None else None
    toolchain = Toolchain.model_validate(request.toolchain)
    return BuildRequestSummary.from_row(
        request,
        toolchain=toolchain,
        toolchain_words=toolchain.words,
        build_key=build.build_key if build else None,
        failure=build.failure if build else None,
    )


def get_failures(session: Session, agent_ids: Iterable[str]) -> dict[tuple[str, Toolchain], str]:
    """Return the reasons of the last failures by agent and toolchain."""
    return {
        (request.agent_id, Toolchain.model_validate(request.toolchain)): build.failure or ""
        for request, build in repository.list_failed_requests(session, agent_ids)
    }
