"""Evidence of masking in the terminal: gadgets, planted faults, t-tests and object code; and constant time."""

from collections import defaultdict
from collections.abc import Sequence

from rich.text import Text

from orchestrator.cli.output import console, print_table
from orchestrator.compilation.constant_time.checks import claims_of_build
from orchestrator.compilation.evidence.forms import STATEMENT
from orchestrator.compilation.evidence.report import Evidence, ObjectCode, Traces
from orchestrator.compilation.installed import InstalledBuild
from orchestrator.shared.tables import Column, number
from orchestrator.shared.values.constant_time import label
from orchestrator.wire.builds import ConstantTimeResult


def print_evidence(evidence: Evidence) -> None:
    """Print what was examined and whether it passed."""
    out = console()
    print_table(_GADGET_COLUMNS, _gadgets(evidence), "Gadgets")
    print_table(_CONTROL_COLUMNS, _controls(evidence), "Planted faults in t-tests")
    print_table(_TRACE_COLUMNS, _traces(evidence.traces), "t-tests: largest |t| / threshold by order, all seeds")
    print_table(_CODE_COLUMNS, [_code(one) for one in evidence.object_code], "Object code")
    counts = (len(evidence.gadgets), len(evidence.controls), len(evidence.traces), len(evidence.object_code))
    out.print(f"{sum(counts)} results, {evidence.failed} not passed, in {evidence.wall_seconds:.0f} s.")
    out.print(Text(STATEMENT, style="dim"))


_GADGET_COLUMNS = (
    Column("gadget"), number("shares"), number("probes"), number("sets"), Column("which"),
    Column("violates"), Column("result"),
)  # fmt: skip
_CONTROL_COLUMNS = (
    Column("control"), number("shares"), number("seed"), number("largest |t|"), Column("found"), Column("result"),
)  # fmt: skip
_TRACE_COLUMNS = (
    Column("cipher"), number("shares"), number("points"), number("traces"),
    Column("largest |t| / threshold"), Column("result"),
)  # fmt: skip
_CODE_COLUMNS = (
    Column("cipher"), number("shares"), number("instructions"), number("draws"), number("before"), Column("result"),
)  # fmt: skip


def _result(passed: bool) -> str:
    return "ok" if passed else "FAILED"


def _gadgets(evidence: Evidence) -> list[tuple[object, ...]]:
    return [
        (
            f"fault: {one.gadget}" if one.faulty else one.gadget,
            one.shares,
            one.probes,
            one.sets,
            "all" if one.exhaustive else "random",
            ", ".join(
                name for name, found in (("probing", one.probing_violation), ("PINI", one.pini_violation)) if found
            ),
            _result(one.passed),
        )
        for one in evidence.gadgets
    ]


def _controls(evidence: Evidence) -> list[tuple[object, ...]]:
    return [
        (
            one.control,
            one.shares,
            one.seed,
            f"{max(order.largest_t for order in one.orders):.4g}",
            "yes" if one.found else "no",
            _result(one.passed),
        )
        for one in evidence.controls
    ]


def _traces(results: list[Traces]) -> list[tuple[object, ...]]:
    forms: dict[tuple[str, int], list[Traces]] = defaultdict(list)
    for one in results:
        forms[f"{one.algorithm} {one.degree} {one.variant}", one.shares].append(one)
    rows: list[tuple[object, ...]] = []
    for (name, shares), found in sorted(forms.items()):
        largest: dict[int, tuple[float, float]] = {}
        for one in found:
            for order in one.orders:
                pair = (order.largest_t, order.threshold)
                largest[order.order] = max(pair, largest.get(order.order, pair))
        orders = "  ".join(f"{order}: {t:.2f} / {limit:.2f}" for order, (t, limit) in sorted(largest.items()))
        traces = sum(one.traces for one in found)
        rows.append(
            (name, shares, max(one.points for one in found), traces, orders, _result(all(one.passed for one in found)))
        )
    return rows


def _code(one: ObjectCode) -> tuple[object, ...]:
    name = f"control: {one.control}" if one.control else f"{one.algorithm} {one.degree} {one.variant}"
    result = f"not examined: {one.unavailable}" if one.unavailable else _result(one.passed)
    return name, one.shares, one.instructions, one.draws, one.draws_before_recombination, result


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
