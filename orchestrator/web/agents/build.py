"""The page of one build."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from fastapi import Request, Response

from orchestrator.agents import service as agents
from orchestrator.builds import service as builds
from orchestrator.builds.constant_time import list_constant_time
from orchestrator.builds.schemas import NOT_CHECKED, FootprintSummary, ProofSummary
from orchestrator.results.cases.repository import Sorting
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RowId
from orchestrator.web.rendering import page
from orchestrator.web.routing import Choice, page_router
from orchestrator.wire.builds import TargetName, stack_operations

FOOTPRINT_COLUMNS: Mapping[str, Callable[[FootprintSummary], int | str | None]] = {
    "provider": lambda row: row.provider,
    "algorithm": lambda row: row.algorithm,
    "code": lambda row: row.code_bytes,
    "ram": lambda row: row.static_ram_bytes,
    "context": lambda row: row.context_bytes,
    "stack": FootprintSummary.max_stack_bytes,
}

router = page_router()


@router.get("/builds/{build_id}")
def build(
    *,
    request: Request,
    database: DatabaseDep,
    build_id: RowId,
    sort: Choice = "code",
    target: TargetName = "",
    provider: Choice = "",
) -> Response:
    """Show one build: whether it is proven, its defaults by length, the size of each implementation, its programs.

    target: processor that sizes are shown of; empty: the one that the build is for. provider: of tables; empty: all.
    """
    sorting = Sorting.parse(sort, FOOTPRINT_COLUMNS)
    with database.read() as session:
        found = builds.get_build(session, build_id)
        checks, proofs = list_constant_time(session, build_id), builds.list_proofs(session, build_id)
        every = builds.list_footprints(session, build_id, None)
        agent = agents.get_device(session, found.agent_id)
    shown = [row for row in every if row.target == target and provider in ("", row.provider)]
    footprints = sort_footprints(shown, sorting)
    operations = stack_operations(row.stack_bytes for row in footprints)
    view = {
        "agent": agent,
        "build": found,
        "footprints": footprints,
        "target": target,
        "provider": provider,
        "targets": sorted({row.target for row in every} - {""}),
        "constant_time": checks,
        "proofs": proofs,
    }
    by_name = {(one.provider, one.algorithm, one.variant): one for one in checks}
    return page(
        request,
        "agents/build.html",
        view,
        sorting=sorting,
        operations=operations,
        sizes_of=lambda row: shown_sizes(row, operations),
        check_of=lambda row: by_name.get((row.provider, row.algorithm, row.variant), NOT_CHECKED),
        sized=sum(not row.target for row in every),
        defaults=default_variants(proofs),
    )


def default_variants(proofs: Iterable[ProofSummary]) -> list[tuple[ProofSummary, dict[int, ProofSummary]]]:
    """Return for each timed algorithm one proof and the default of each length; those that change with it first."""
    found: dict[tuple[str, str], dict[int, ProofSummary]] = defaultdict(dict)
    for proof in proofs:
        for length in proof.fastest_at or ():
            found[proof.provider, proof.algorithm][length] = proof
    ordered = [dict(sorted(by_length.items())) for by_length in found.values()]
    ordered.sort(key=lambda by_length: len({proof.variant for proof in by_length.values()}) == 1)
    return [(next(iter(by_length.values())), by_length) for by_length in ordered]


def shown_sizes(row: FootprintSummary, operations: Sequence[str]) -> tuple[int | None, ...]:
    """Return the sizes of a row in bytes: code, static RAM, context, stack of each operation and the deepest."""
    stack = row.stack_bytes or {}
    return (
        row.code_bytes, row.static_ram_bytes, row.context_bytes, *map(stack.get, operations), row.max_stack_bytes(),
    )  # fmt: skip


def sort_footprints(rows: Sequence[FootprintSummary], sorting: Sorting) -> list[FootprintSummary]:
    """Return the rows in the order of a column; rows without a value come last either way."""
    value = FOOTPRINT_COLUMNS[sorting.key]
    known = [row for row in rows if value(row) is not None]
    return [
        *sorted(known, key=lambda row: value(row) or 0, reverse=sorting.descending),
        *(row for row in rows if value(row) is None),
    ]
