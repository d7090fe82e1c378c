"""Health of an agent in the terminal, and waiting for a requested check."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from orchestrator.agents.schemas import AgentSummary, FalseReportSummary, HealthCheckSummary
from orchestrator.cli.client import APIClient, shaped
from orchestrator.cli.moments import show_age, show_moment
from orchestrator.cli.output import print_table
from orchestrator.shared.tables import Column, number
from orchestrator.shared.units import format_duration_ns

CHECKS_SHOWN = 5
_ASK_EACH_SECONDS = 1.0

COLUMNS = (
    Column("checked", keeps_width=True),
    Column("health"),
    number("control time"),
    number("drift"),
    number("noise floor"),
    number("disturbed"),
    number("temperature", drop=1),
)


def health_line(agent: AgentSummary) -> str:
    """Return ``degraded, checked 5 min ago: the noise floor is …``."""
    age = show_age(agent.health_checked_at, datetime.now(UTC))
    checked = f", checked {age}" if age else ""
    requested = ", a check is requested" if agent.health_check_requested else ""
    reason = f": {agent.health_reason}" if agent.health_reason else ""
    return f"{agent.health}{checked}{requested}{reason}"


def print_checks(checks: Sequence[HealthCheckSummary]) -> None:
    """Print checks, newest first; print nothing if there is none."""
    if checks:
        print_table(COLUMNS, [check_line(check) for check in checks])


def check_line(check: HealthCheckSummary) -> tuple[object, ...]:
    """Return the row of one check."""
    celsius = check.temperature_celsius
    return (
        show_moment(check.checked_at),
        f"{check.state} (accepted)" if check.accepted else check.state,
        format_duration_ns(check.control.median_work_wall_ns),
        None if check.drift is None else f"{check.drift:+.1%}",
        None if check.noise_floor is None else f"{check.noise_floor:.2%}",
        f"{check.disturbed_share:.0%}",
        None if celsius is None else f"{celsius:.1f} °C",
    )


def wait_for_check(client: APIClient, agent_id: str, report: Callable[[str], None]) -> object:
    """Return the document of an agent once the requested check is reported; report: receives each new activity."""
    reported = ""
    while True:
        document = client.get(f"/agents/{agent_id}")
        agent = shaped(AgentSummary, document)
        if not agent.health_check_requested:
            return document
        activity = agent.activity or agent.state if agent.live else "silent: the check follows its next heartbeat"
        if activity != reported:
            report(activity)
            reported = activity
        time.sleep(_ASK_EACH_SECONDS)


def false_report_line(report: FalseReportSummary) -> str:
    """Return a false report of an agent as a line."""
    kind = "false report" if report.proven else "doubtful report"
    lifted = f", trusted again {show_moment(report.lifted_at)}" if report.lifted_at else ""
    times = f", {report.times} times" if report.times > 1 else ""
    return f"{kind} {show_moment(report.first_at)}{times}{lifted}: {report.kind}: {report.detail}"
