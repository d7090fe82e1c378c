"""Annotations and a summary of a comparison with a baseline, in the formats that show them next to a change. Pure."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from orchestrator.cli.continuous.junit import change_text
from orchestrator.shared.exporters.markdown import escaped, table
from orchestrator.shared.units import format_share
from orchestrator.shared.values.text import counted
from orchestrator.watches.schemas import Regressions

_MAX_OF_LEVEL = 10
"""Annotations of one level that GitHub shows for a step; it drops further ones."""
_SEVERITIES = {"error": "major", "warning": "minor", "notice": "info"}
"""Severity in GitLab's code quality report, by level."""


@dataclass(frozen=True)
class Annotation:
    """A statement with the level that GitHub gives it."""

    level: Literal["error", "warning", "notice"]
    title: str
    text: str


def annotations(found: Regressions) -> list[Annotation]:
    """Return the summary, then each case that changed, has no verified result any more, or is left out."""
    worse = bool(found.lost) or any(change.worse for change in found.changes)
    doubtful = found.state == "undecided" or bool(found.left_out)
    level: Literal["error", "warning", "notice"] = "error" if worse else "warning" if doubtful else "notice"
    changed = [(one, f"{found.measure} in {found.unit}: {change_text(one)}") for one in found.changes]
    return [
        Annotation(level, "Ciphermark", found.sentence),
        *(Annotation("error", f"Worse: {one.case_words}", text) for one, text in changed if one.worse),
        *(Annotation("error", f"No verified result: {one.case_words}", one.reason) for one in found.lost),
        *(Annotation("warning", f"Not compared: {one.case_words}", one.reason) for one in found.left_out),
        *(Annotation("notice", f"Better: {one.case_words}", text) for one, text in changed if not one.worse),
    ]


def github(found: Regressions, plan_file: str) -> Iterator[str]:
    """Yield GitHub's workflow commands: annotations of the plan's file, as many as GitHub shows."""
    everything = annotations(found)
    for level in _SEVERITIES:
        of_level = [one for one in everything if one.level == level]
        shown = of_level
        if len(of_level) > _MAX_OF_LEVEL:
            shown = of_level[: _MAX_OF_LEVEL - 1]
            more = f"{len(of_level) - len(shown)} more cases are in the summary."
            shown.append(Annotation(of_level[0].level, "Ciphermark", more))
        for one in shown:
            yield f"::{one.level} file={_property(plan_file)},title={_property(one.title)}::{_data(one.text)}"


def code_quality(found: Regressions, plan: str, plan_file: str) -> str:
    """Return GitLab's code quality report: the errors and warnings, at the plan's file."""
    report = [
        {
            "check_name": "ciphermark",
            "description": f"{one.title}: {one.text}",
            "severity": _SEVERITIES[one.level],
            # Equal while the case and the kind of statement are: GitLab shows what is new or resolved.
            "fingerprint": hashlib.sha256(f"{plan}\n{found.measure}\n{one.title}".encode()).hexdigest(),
            "location": {"path": plan_file, "lines": {"begin": 1}},
        }
        for one in annotations(found)
        if one.level != "notice"
    ]
    return json.dumps(report, indent=1) + "\n"


def _data(text: str) -> str:
    """Return a text as the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return a text as a property of a workflow command, which ends at a comma or two colons."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_MAX_ROWS = 100


def detection_limit(found: Regressions) -> str:
    """Return which changes the comparison would have missed; empty if that is not known."""
    limit = found.detectable_change
    return "" if limit is None else f"In half of the cases, changes below {format_share(limit)} cannot be detected."


def markdown(found: Regressions, plan: str, url: str | None) -> str:
    """Return the summary of a comparison with former runs; url: of the run's page, if the service is permanent."""
    lines = [
        f"## {escaped(plan)} against {counted(len(found.baseline_run_ids), 'former run')}",
        "",
        f"{escaped(found.sentence)}",
        "",
    ]
    lines += _table(
        ("case", "result", f"{found.measure}, new / former, corrected interval", "runs"),
        [
            (one.case_words, "worse" if one.worse else "better", change_text(one),
             f"{one.new_runs} new, {one.former_runs} former")
            for one in found.changes
        ],
    )  # fmt: skip
    lines += _table(("not compared", "why"), [(one.case_words, one.reason) for one in (*found.lost, *found.left_out)])
    lines += _table(
        ("changed besides", "where", "before", "after"),
        [(one.topic, one.subject, one.before or "—", one.after or "—") for one in found.differences],
    )
    if limit := detection_limit(found):
        lines += [limit, ""]
    page = [f"[Run {found.run_id}]({url})", ""] if url else []
    return "\n".join([*lines, escaped(found.method), "", *page])


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table of up to 100 rows; none without rows."""
    if not rows:
        return []
    further = [f"… and {len(rows) - _MAX_ROWS} more"] if len(rows) > _MAX_ROWS else []
    return [*table(titles, rows[:_MAX_ROWS]), *further, ""]
