"""Cases as the same thing in all runs of a plan, and their values in one run. Pure."""

import hashlib
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orchestrator.database.models import WatchCase, WatchChange, WatchLook
from orchestrator.results.answers.agents import WITHDRAWN
from orchestrator.results.comparisons.sides import MeasuredCase
from orchestrator.results.schemas import Interval
from orchestrator.shared.units import format_size
from orchestrator.shared.values.forms import variant_label
from orchestrator.statistics.comparisons import between_runs
from orchestrator.statistics.location import Floats
from orchestrator.watches.judgment import FoundChange
from orchestrator.watches.schemas import ChangeSummary, WatchedCase, WithdrawnChange
from orchestrator.wire.messages import operation_label


@dataclass(frozen=True)
class RunValue:
    """Value of one case in one run."""

    key: str
    """The same in all runs of a plan."""
    facts: WatchedCase
    value: float
    """Trimmed mean of the logarithms of its readings (between_runs.run_values)."""


def run_values(cases: Sequence[MeasuredCase]) -> list[RunValue]:
    """Return the value of each case of a run."""
    return [
        RunValue(
            key=_key(case),
            facts=_facts(case),
            value=float(between_runs.run_values(case.readings[np.isfinite(case.readings)])),
        )
        for case in cases
    ]


def identified(cases: Sequence[MeasuredCase]) -> dict[str, WatchedCase]:
    """Return cases by their keys."""
    return {_key(case): _facts(case) for case in cases}


def values_table(runs: Sequence[Mapping[int, float]], case_ids: Sequence[int]) -> Floats:
    """Return the values of runs, shape (runs, cases); NaN for a case that a run lacks."""
    table = np.array([[run.get(case_id, math.nan) for case_id in case_ids] for run in runs], dtype=np.float64)
    return table.reshape(len(runs), len(case_ids))


def case_label(case: WatchedCase) -> str:
    """Return a case in one line: ``own aes-256-ctr simd, encrypt 1 KiB, on pi with gcc -O3``."""
    words = (
        operation_label(case.operation),
        format_size(case.length_bytes) if case.has_message else "",
        case.input_kind,
    )
    given = " ".join(word for word in words if word)
    if case.associated_data_bytes:
        given += f" and {format_size(case.associated_data_bytes)} of associated data"
    if case.key_setup == "included":
        given += ", key setup included"
    copy = f" (copy {case.copy_number})" if case.copy_number > 1 else ""
    subject = f"{case.provider} {case.algorithm} {variant_label(case)}{copy}"
    return f"{subject}, {given}, on {case.agent_name} with {case.toolchain}"


def change_fields(change: FoundChange | WatchChange, case: WatchedCase) -> dict[str, Any]:
    """Return the fields of schemas.RegressionRow."""
    return {
        "case": case,
        "case_words": case_label(case),
        "interval": Interval(low=change.low, high=change.high),
        **{name: getattr(change, name) for name in ("ratio", "worse", "new_runs", "former_runs")},
    }


def change_summaries(
    rows: Iterable[tuple[WatchChange, WatchLook, WatchCase]], distrusted: Collection[str]
) -> tuple[list[ChangeSummary], list[WithdrawnChange]]:
    """Return stored changes, newest first, for users, and those of distrusted agents without their figures."""
    changes, withdrawn, later = [], [], set[int]()
    for change, look, row in rows:
        case = WatchedCase.model_validate(row.facts)
        report: Any = {"look": look.number, "found_at": look.decided_at or look.began_at}
        if case.agent_id in distrusted:
            withdrawn.append(WithdrawnChange(case=case, case_words=case_label(case), reason=WITHDRAWN, **report))
        else:
            lasts = row.lasting and row.id not in later
            changes.append(ChangeSummary(**change_fields(change, case), **report, lasts=lasts))
        later.add(row.id)
    return changes, withdrawn


def _key(case: MeasuredCase) -> str:
    candidate, given = case.candidate, case.given
    form = candidate.form
    parts = [
        candidate.agent_id, case.toolchain, candidate.provider, candidate.algorithm, candidate.variant, candidate.copy,
        [form.shares, form.degree, form.generator],
        [given.length_bytes, given.kind, given.input_sha256, given.operation, given.key_setup],
        [given.associated_data_bytes, given.timing],
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _facts(case: MeasuredCase) -> WatchedCase:
    return WatchedCase(agent_id=case.candidate.agent_id, agent_name=case.agent, **case.fields)
