"""Constant time of the implementations of a build on this machine."""

from collections.abc import Sequence

from orchestrator.cli.output import Column, console, number, print_table
from orchestrator.compilation.constant_time.checks import claims_of_build
from orchestrator.compilation.installed import InstalledBuild
from orchestrator.shared.values.constant_time import label
from orchestrator.wire.builds import ConstantTimeResult

_COLUMNS = (
    Column("provider"), Column("algorithm", keeps_width=True), Column("variant", keeps_width=True),
    Column("constant time"), number("t"), number("timings"),
)  # fmt: skip


def print_constant_time(made: InstalledBuild, rows: Sequence[ConstantTimeResult], title: str) -> None:
    """Print claims, checks and timing tests of a build, and the reasons of missing checks."""
    claims = claims_of_build(made)
    print_table(_COLUMNS, [_cells(row, claims.get((row.provider, row.algorithm, row.variant))) for row in rows], title)
    for reason in dict.fromkeys(row.reason for row in rows if row.reason):
        console().print(f"Not checked: {reason}", markup=False)


def constant_time_json(made: InstalledBuild, row: ConstantTimeResult) -> dict[str, object]:
    """Return one result with the key of its build and the claim of the code."""
    claimed = claims_of_build(made).get((row.provider, row.algorithm, row.variant))
    return {"build_key": made.build_key, "claimed": claimed, **row.model_dump(mode="json")}


def _cells(row: ConstantTimeResult, claimed: bool | None) -> tuple[object, ...]:
    shown = label(claimed, row.errors, row.hidden_features)
    t = None if row.t is None else f"{row.t:.1f}"
    return row.provider, row.algorithm, row.variant, shown, t, row.timed_calls
