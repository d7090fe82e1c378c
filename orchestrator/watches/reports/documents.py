"""Contents of a report: a JSON document and a text. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.shared.values import changes as values
from orchestrator.shared.values.text import counted
from orchestrator.watches.schemas import ChangeSummary, LookDifferences
from orchestrator.watches.sentences import METHOD, change_words, changes_words, differences_words

MAX_CHANGES = 100
"""Changes in a report; the page has all."""


@dataclass(frozen=True)
class LookReport:
    """A look with changes."""

    watch: str
    url: str
    """Address of the watch's page."""
    number: int
    cases: int
    run_ids: Sequence[str]
    measure: RankingMeasure | None
    """None for a look that compared nothing."""
    changes: Sequence[ChangeSummary]
    differences: LookDifferences
    reason: str = ""
    """What the look lacks: cases that are left out, failed confirmations, too few former runs."""
    decided: bool = True
    """Whether enough former runs have its cases."""


def report_document(report: LookReport) -> dict[str, Any]:
    """Return the JSON document of a look's changes."""
    return {
        "watch": report.watch,
        "url": report.url,
        "look": report.number,
        "runs": list(report.run_ids),
        "cases": report.cases,
        "measure": report.measure,
        "unit": report.measure and MEASURES[report.measure].unit,
        "sentence": changes_words(report.changes, report.cases) if report.decided else f"{_undecided(report)}.",
        "reason": report.reason,
        "method": METHOD,
        "changes_total": len(report.changes),
        "changes": [
            one.model_dump(mode="json", by_alias=True, exclude={"lasts"}) for one in report.changes[:MAX_CHANGES]
        ],
        "differences": report.differences.model_dump(mode="json"),
    }


def report_body(document: dict[str, Any]) -> bytes:
    """Return the document as one line of JSON."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def report_text(report: LookReport) -> tuple[str, str]:
    """Return subject and body of an email."""
    changes = report.changes
    worse = sum(change.worse for change in changes)
    counts = [f"{count} {word}" for count, word in ((worse, "worse"), (len(changes) - worse, "better")) if count]
    found = " and ".join(counts)
    judged = f"Of {counted(report.cases, 'case')}, {found or 'none changed'}" if report.decided else _undecided(report)
    lines = [f"Look {report.number} of the watch {report.watch}. {judged}."]
    lines[0] += f" Measure: {report.measure} in {MEASURES[report.measure].unit}." if report.measure else ""
    lines += [*([report.reason] if report.reason else []), ""]
    lines += [f"- {change_words(change)}" for change in changes[:MAX_CHANGES]]
    if len(changes) > MAX_CHANGES:
        lines.append(f"… and {len(changes) - MAX_CHANGES} more.")
    lines += ["", differences_words(report.differences.changed, report.differences.reason)]
    lines += [f"- {values.change_words(**one.model_dump())}" for one in report.differences.changed[:MAX_CHANGES]]
    return f"Ciphermark: {report.watch}: {found or 'cases are left out'}", "\n".join(
        [*lines, "", report.url, "", METHOD, ""]
    )


def _undecided(report: LookReport) -> str:
    return f"Undecided for {counted(report.cases, 'case')}"
