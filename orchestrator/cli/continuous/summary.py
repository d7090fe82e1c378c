"""Markdown summary of a comparison with a baseline. Pure."""

from typing import Any

from orchestrator.cli.continuous.junit import change_text
from orchestrator.shared.exporters.markdown import escaped

_MAX_ROWS = 100


def markdown(document: dict[str, Any], plan: str, url: str) -> str:
    """Return the summary of a document of ``/regressions``; url: of the run's page."""
    lines = [
        f"## {escaped(plan)} against {len(document['baseline_run_ids'])} former runs",
        "",
        f"{escaped(document['sentence'])}",
        "",
    ]
    if document["changes"]:
        lines += ["| case | result | new / former, corrected interval | runs |", "|---|---|---|---|"]
        lines += [
            f"| {escaped(one['case_words'])} | {'worse' if one['worse'] else 'better'} | {change_text(one)} "
            f"| {one['new_runs']} new, {one['former_runs']} former |"
            for one in document["changes"][:_MAX_ROWS]
        ]
        if len(document["changes"]) > _MAX_ROWS:
            lines.append(f"| … and {len(document['changes']) - _MAX_ROWS} more | | | |")
        lines.append("")
    left_out = [*document["lost"], *document["left_out"]]
    if left_out:
        lines += ["| not compared | why |", "|---|---|"]
        lines += [f"| {escaped(one['case_words'])} | {escaped(one['reason'])} |" for one in left_out[:_MAX_ROWS]]
        if len(left_out) > _MAX_ROWS:
            lines.append(f"| … and {len(left_out) - _MAX_ROWS} more | |")
        lines.append("")
    if document["differences"]:
        lines += ["| changed besides | where | before | after |", "|---|---|---|---|"]
        lines += [
            "| " + " | ".join(escaped(one[name] or "—") for name in ("topic", "subject", "before", "after")) + " |"
            for one in document["differences"][:_MAX_ROWS]
        ]
        lines.append("")
    if document["detectable_change"] is not None:
        lines += [f"Half of the cases show a change of {document['detectable_change']:.1%} or less.", ""]
    return "\n".join([*lines, escaped(document["method"]), "", f"[Run {document['run_id']}]({url})", ""])
