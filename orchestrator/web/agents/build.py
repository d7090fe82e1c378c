"""The page of one build."""

from collections.abc import Callable, Mapping, Sequence

from fastapi import Request, Response

from orchestrator.agents import service as agents
from orchestrator.builds import service as builds
from orchestrator.builds.constant_time import list_constant_time
from orchestrator.builds.schemas import (
    NOT_CHECKED,
    BuildSummary,
    ConstantTimeSummary,
    FootprintFigures,
    FootprintSummary,
    ProofSummary,
)
from orchestrator.database.engine import Database
from orchestrator.results.cases.repository import Sorting
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RowId
from orchestrator.shared.errors import InvalidRequest
from orchestrator.web.agents.views import BuildCard, BuildPage, FootprintRow, ProgramRow, ProofRow, max_stack_bytes
from orchestrator.web.rendering import page
from orchestrator.web.routing import Choice, page_router
from orchestrator.web.views import AgentName
from orchestrator.wire.builds import RunnerBinary

FOOTPRINT_COLUMNS: Mapping[str, Callable[[FootprintRow], int | str | None]] = {
    "provider": lambda row: row.provider,
    "algorithm": lambda row: row.algorithm,
    "code": lambda row: row.figures.code_bytes,
    "ram": lambda row: row.figures.static_ram_bytes,
    "context": lambda row: row.figures.context_bytes,
    "stack": lambda row: max_stack_bytes(row.figures),
}

router = page_router()


@router.get("/builds/{build_id}")
def build(request: Request, database: DatabaseDep, build_id: RowId, sort: Choice = "code") -> Response:
    """Show one build: its commands, its programs, the size of each implementation, its proofs."""
    sorting = parse_sorting(sort)
    return page(request, "agents/build.html", build_page(database, build_id, sorting), sorting=sorting)


def parse_sorting(text: str) -> Sorting:
    """Return the order of ``-code`` or ``algorithm``; raises InvalidRequest for another column."""
    name = text.removeprefix("-")
    if name not in FOOTPRINT_COLUMNS:
        raise InvalidRequest(
            f"The table cannot be sorted by {name[:40]!r}.",
            remedy=f"Use one of {', '.join(FOOTPRINT_COLUMNS)}.",
            field="sort",
        )
    return Sorting(name, text.startswith("-"))


def build_page(database: Database, build_id: int, sorting: Sorting) -> BuildPage:
    """Return one build with its programs, footprints and proofs; raises NotFound."""
    found = builds.get_build(database, build_id)
    agent = agents.get_device(database, found.agent_id)
    proofs = builds.list_proofs(database, build_id)
    checks = {(one.provider, one.algorithm, one.variant): one for one in list_constant_time(database, build_id)}
    rows = [_footprint(footprint, checks) for footprint in builds.list_footprints(database, build_id)]
    return BuildPage(
        agent=AgentName(id=agent.id, name=agent.name, live=agent.liveness == "live"),
        build=build_card(found, [proof for proof in proofs if not proof.passed], len(rows)),
        source_sha256=found.source_sha256,
        compile_commands=found.compile_commands,
        programs=[_program(provider, runner) for provider, runner in sorted(found.runners.items())],
        footprints=sort_footprints(rows, sorting),
        proofs=[ProofRow.model_validate(proof, from_attributes=True) for proof in proofs],
    )


def build_card(build: BuildSummary, failed_proofs: Sequence[ProofSummary], footprints: int) -> BuildCard:
    """Return a build as a card."""
    columns = ("id", "build_key", "compiler_version", "prebuilt", "cross_built", "current", "is_default",
               "reported_at", "build_wall_ns", "missing_providers")  # fmt: skip
    return BuildCard(
        **{name: getattr(build, name) for name in columns},
        toolchain=build.toolchain_words,
        providers=dict(sorted(build.providers.items())),
        passed=build.proofs_passed,
        refused=[
            f"{proof.provider} {proof.algorithm} {proof.variant}: {proof.detail or 'known answers did not pass'}"
            for proof in failed_proofs
        ],
        footprints=footprints,
    )


def sort_footprints(rows: Sequence[FootprintRow], sorting: Sorting) -> list[FootprintRow]:
    """Return the rows in the order of a column; rows without a value come last either way."""
    value = FOOTPRINT_COLUMNS[sorting.key]
    known = [row for row in rows if value(row) is not None]
    return [
        *sorted(known, key=lambda row: value(row) or 0, reverse=sorting.descending),
        *(row for row in rows if value(row) is None),
    ]


def _footprint(footprint: FootprintSummary, checks: Mapping[tuple[str, str, str], ConstantTimeSummary]) -> FootprintRow:
    figures = {name: getattr(footprint, name) for name in FootprintFigures.model_fields}
    return FootprintRow(
        provider=footprint.provider,
        algorithm=footprint.algorithm,
        variant=footprint.variant,
        figures=FootprintFigures(**figures),
        constant_time=checks.get((footprint.provider, footprint.algorithm, footprint.variant), NOT_CHECKED),
    )


def _program(provider: str, runner: RunnerBinary) -> ProgramRow:
    return ProgramRow(
        provider=provider,
        version=runner.listing.version,
        sha256=runner.sha256,
        size_bytes=runner.size_bytes,
        library_path=runner.library_path,
        library_sha256=runner.library_sha256,
    )
