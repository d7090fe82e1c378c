"""The page of one build."""

from collections.abc import Callable, Mapping, Sequence

from fastapi import Request, Response

from orchestrator.agents import service as agents
from orchestrator.builds import service as builds
from orchestrator.builds.constant_time import list_constant_time
from orchestrator.builds.schemas import NOT_CHECKED, FootprintSummary
from orchestrator.results.cases.repository import Sorting
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RowId
from orchestrator.shared.errors import InvalidRequest
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
    request: Request, database: DatabaseDep, build_id: RowId, sort: Choice = "code", target: TargetName = ""
) -> Response:
    """Show one build: its commands, its programs, the size of each implementation, its proofs.

    target: processor that sizes are shown of; empty: the one that the build is for.
    """
    sorting = parse_sorting(sort)
    found = builds.get_build(database, build_id)
    checks = list_constant_time(database, build_id)
    every = builds.list_footprints(database, build_id, None)
    footprints = sort_footprints([row for row in every if row.target == target], sorting)
    operations = stack_operations(row.stack_bytes for row in footprints)
    view = {
        "agent": agents.get_device(database, found.agent_id),
        "build": found,
        "footprints": footprints,
        "target": target,
        "targets": sorted({row.target for row in every} - {""}),
        "constant_time": checks,
        "proofs": builds.list_proofs(database, build_id),
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
    )


def shown_sizes(row: FootprintSummary, operations: Sequence[str]) -> tuple[int | None, ...]:
    """Return the sizes of a row in bytes: code, static RAM, context, stack of each operation and the deepest."""
    stack = row.stack_bytes or {}
    return (
        row.code_bytes, row.static_ram_bytes, row.context_bytes, *map(stack.get, operations), row.max_stack_bytes(),
    )  # fmt: skip


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


def sort_footprints(rows: Sequence[FootprintSummary], sorting: Sorting) -> list[FootprintSummary]:
    """Return the rows in the order of a column; rows without a value come last either way."""
    value = FOOTPRINT_COLUMNS[sorting.key]
    known = [row for row in rows if value(row) is not None]
    return [
        *sorted(known, key=lambda row: value(row) or 0, reverse=sorting.descending),
        *(row for row in rows if value(row) is None),
    ]
