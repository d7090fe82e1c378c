"""The builds of an agent and the page of one build, as views."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from orchestrator.database.models import Build, Proof
from orchestrator.errors import InvalidRequest, NotFound
from orchestrator.web import agent_repository as repository
from orchestrator.web import assemble
from orchestrator.web.agents.views import (
    BuildCard,
    BuildPage,
    FootprintRow,
    ProgramRow,
    ProofRow,
    RequestRow,
    max_stack_bytes,
)
from orchestrator.web.repository import Sorting
from orchestrator.web.runs.latency import figures_of

FOOTPRINT_COLUMNS: Mapping[str, Callable[[FootprintRow], int | str | None]] = {
    "provider": lambda row: row.provider,
    "algorithm": lambda row: row.algorithm,
    "code": lambda row: row.figures.code_bytes,
    "ram": lambda row: row.figures.static_ram_bytes,
    "context": lambda row: row.figures.context_bytes,
    "stack": lambda row: max_stack_bytes(row.figures),
}


def sorting_of(text: str) -> Sorting:
    """Read ``-code`` or ``algorithm``; raises InvalidRequest for a column that the table of sizes has not."""
    name = text.removeprefix("-")
    if name not in FOOTPRINT_COLUMNS:
        raise InvalidRequest(
            f"The table cannot be sorted by {name[:40]!r}.",
            remedy=f"Use one of {', '.join(FOOTPRINT_COLUMNS)}.",
            field="sort",
        )
    return Sorting(name, text.startswith("-"))


def build_cards(session: Session, agent_id: str) -> list[BuildCard]:
    """Return the builds of an agent, those that failed left out."""
    builds = repository.builds_of_agent(session, agent_id)
    ids = [build.id for build in builds]
    proofs: dict[int, list[Proof]] = defaultdict(list)
    for proof in repository.proofs(session, ids):
        proofs[proof.build_id].append(proof)
    sized = repository.count_footprints(session, ids)
    return [_build_card(build, proofs[build.id], sized.get(build.id, 0)) for build in builds]


def request_rows(session: Session, agent_id: str) -> list[RequestRow]:
    """Return the toolchains that plans asked for and that the agent has no build for."""
    return [
        RequestRow(
            toolchain=assemble.toolchain_text(request.toolchain),
            state=request.state,
            requested_at=request.requested_at,
            settled_at=request.settled_at,
            failure=failure,
        )
        for request, failure in repository.unmet_requests(session, agent_id)
    ]


def build_page(session: Session, build_id: int, sorting: Sorting) -> BuildPage:
    """Return one build with everything that was found out about it; raises NotFound."""
    build = repository.build(session, build_id)
    agent = repository.agent(session, build.agent_id) if build else None
    if build is None or agent is None:
        raise NotFound(f"There is no build {build_id}.", remedy="The page of an agent lists its builds.")
    proofs = repository.proofs(session, [build_id])
    rows = [
        FootprintRow(
            provider=found.provider, algorithm=found.algorithm, variant=found.variant, figures=figures_of(found)
        )
        for found in repository.footprints(session, build_id)
    ]
    return BuildPage(
        agent=assemble.agent_name(agent),
        build=_build_card(build, proofs, len(rows)),
        source_sha256=build.source_sha256,
        compile_commands={name: str(command) for name, command in build.compile_commands.items()},
        programs=[_program(name, runner) for name, runner in sorted(build.runners.items())],
        footprints=sort_footprints(rows, sorting),
        proofs=[ProofRow.model_validate(proof, from_attributes=True) for proof in proofs],
    )


def sort_footprints(rows: Sequence[FootprintRow], sorting: Sorting) -> list[FootprintRow]:
    """Return the rows in order of a column; those without a value come last either way."""
    value = FOOTPRINT_COLUMNS[sorting.key]
    known = [row for row in rows if value(row) is not None]
    return [
        *sorted(known, key=lambda row: value(row) or 0, reverse=sorting.descending),
        *(row for row in rows if value(row) is None),
    ]


def _build_card(build: Build, proofs: Sequence[Proof], footprints: int) -> BuildCard:
    return BuildCard(
        id=build.id,
        build_key=build.build_key,
        toolchain=assemble.toolchain_text(build.toolchain),
        compiler_version=build.compiler_version,
        prebuilt=build.prebuilt,
        current=build.current,
        is_default=build.is_default,
        reported_at=build.reported_at,
        build_wall_ns=build.build_wall_ns,
        providers={name: str(runner["listing"]["version"]) for name, runner in sorted(build.runners.items())},
        missing_providers={name: str(reason) for name, reason in build.missing_providers.items()},
        passed=sum(proof.passed for proof in proofs),
        refused=[
            f"{proof.provider} {proof.algorithm} {proof.variant}: {proof.detail or 'known answers did not pass'}"
            for proof in proofs
            if not proof.passed
        ],
        footprints=footprints,
    )


def _program(provider: str, runner: Mapping[str, Any]) -> ProgramRow:
    return ProgramRow(
        provider=provider,
        version=str(runner["listing"]["version"]),
        sha256=str(runner["sha256"]),
        size_bytes=int(runner["size_bytes"]),
        library_path=runner.get("library_path"),
        library_sha256=runner.get("library_sha256"),
    )
