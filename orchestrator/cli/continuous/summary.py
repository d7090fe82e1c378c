"""Markdown summary of a comparison with a baseline. Pure."""

from orchestrator.cli.continuous.junit import change_text
from orchestrator.shared.exporters.markdown import escaped
from orchestrator.watches.schemas import Regressions

_MAX_ROWS = 100


def markdown(found: Regressions, plan: str, url: str | None) -> str:
    """Return the summary of a comparison with former runs; url: of the run's page, if the service is permanent."""
    lines = [
        f"## {escaped(plan)} against {len(found.baseline_run_ids)} former runs",
        "",
        f"{escaped(found.sentence)}",
        "",
    ]
    if found.changes:
        lines += ["| case | result | new / former, corrected interval | runs |", "|---|---|---|---|"]
        lines += [
            f"| {escaped(one.case_words)} | {'worse' if one.worse else 'better'} | {change_text(one)} "
            f"| {one.new_runs} new, {one.former_runs} former |"
            for one in found.changes[:_MAX_ROWS]
        ]
        if len(found.changes) > _MAX_ROWS:
            lines.append(f"| … and {len(found.changes) - _MAX_ROWS} more | | | |")
        lines.append("")
    left_out = [*found.lost, *found.left_out]
    if left_out:
        lines += ["| not compared | why |", "|---|---|"]
        lines += [f"| {escaped(one.case_words)} | {escaped(one.reason)} |" for one in left_out[:_MAX_ROWS]]
        if len(left_out) > _MAX_ROWS:
            lines.append(f"| … and {len(left_out) - _MAX_ROWS} more | |")
        lines.append("")
    if found.differences:
        lines += ["| changed besides | where | before | after |", "|---|---|---|---|"]
        lines += [
            f"| {' | '.join(escaped(fact or '—') for fact in (one.topic, one.subject, one.before, one.after))} |"
            for one in found.differences[:_MAX_ROWS]
        ]
        lines.append("")
    if found.detectable_change is not None:
        lines += [f"Half of the cases show a change of {found.detectable_change:.1%} or less.", ""]
    page = [f"[Run {found.run_id}]({url})", ""] if url else []
    return "\n".join([*lines, escaped(found.method), "", *page])
