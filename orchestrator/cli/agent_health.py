"""An agent's health in the terminal, and waiting for a check of it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from orchestrator.cli.client import APIClient
from orchestrator.cli.moments import show_age, show_moment
from orchestrator.cli.output import Column, number, print_table
from orchestrator.units import format_duration_ns

CHECKS_SHOWN = 5
_ASK_EACH_SECONDS = 1.0

COLUMNS = (
    Column("checked", keeps_width=True),
    Column("health"),
    number("control time"),
    number("drift"),
    number("noise floor"),
    number("disturbed"),
    number("temperature"),
)


def health_line(agent: dict[str, Any]) -> str:
    """Return ``degraded, checked 5 min ago: the noise floor is …``."""
    age = show_age(agent["health_checked_at"], datetime.now(UTC))
    checked = f", checked {age}" if age else ""
    asked = ", a check is asked for" if agent["health_check_requested"] else ""
    reason = f": {agent['health_reason']}" if agent["health_reason"] else ""
    return f"{agent['health']}{checked}{asked}{reason}"


def print_checks(checks: list[dict[str, Any]]) -> None:
    """Print checks, newest first; nothing where there is none."""
    if checks:
        print_table(COLUMNS, [check_line(check) for check in checks])


def check_line(check: dict[str, Any]) -> tuple[object, ...]:
    """Return the row of one check."""
    celsius = check["temperature_celsius"]
    return (
        show_moment(check["checked_at"]),
        f"{check['state']} (accepted)" if check["accepted"] else check["state"],
        format_duration_ns(check["control"]["median_work_wall_ns"]),
        None if check["drift"] is None else f"{check['drift']:+.1%}",
        None if check["noise_floor"] is None else f"{check['noise_floor']:.2%}",
        f"{check['disturbed_share']:.0%}",
        None if celsius is None else f"{celsius:.1f} °C",
    )


def wait_for_check(client: APIClient, agent_id: str, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return the agent once the check that was asked for is reported; tell: what it is doing, whenever that changes."""
    told = ""
    while True:
        agent = client.get(f"/agents/{agent_id}")
        if not agent["health_check_requested"]:
            return dict(agent)
        doing = (
            agent["activity"] or agent["state"] if agent["liveness"] == "live" else "silent: it checks when it is back"
        )
        if doing != told:
            tell(doing)
            told = doing
        time.sleep(_ASK_EACH_SECONDS)
