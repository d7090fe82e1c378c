"""List actions on tokens, logins, agents, deletions and backups with their callers, and refusals."""

import json
from enum import StrEnum
from typing import Annotated

import typer

from orchestrator.cli.client import shaped
from orchestrator.cli.connection import connect
from orchestrator.cli.moments import SinceOption, parse_moment, show_moment
from orchestrator.cli.output import first, print_rows
from orchestrator.service.audit.schemas import AuditEntrySummary
from orchestrator.shared.tables import Column, number

app = typer.Typer()


class Outcome(StrEnum):
    """Outcome of an action."""

    DONE = "done"
    REFUSED = "refused"


@app.command()
def audit(
    ctx: typer.Context,
    *,
    who: Annotated[str | None, typer.Option(help="Label, family, role or agent of the caller.")] = None,
    action: Annotated[str | None, typer.Option(help="Only this action: revoke-token, log-in, ….")] = None,
    outcome: Annotated[Outcome | None, typer.Option(help="Only completed actions, or only refusals.")] = None,
    since: SinceOption = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum entries.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines: one object per entry.")] = False,
) -> None:
    """List the audit log, newest first. Requires an admin's token."""
    with connect(ctx) as client:
        query = {"who": who, "action": action, "outcome": outcome and outcome.value, "since": parse_moment(since)}
        entries = first(client.items("/audit", limit + 1, **query), limit)
    if as_json:
        for entry in entries:
            typer.echo(json.dumps(entry))
        return
    columns = (
        Column("when", keeps_width=True, value=lambda one: show_moment(one.at)), Column("who", value="label"),
        Column("role", drop=1), Column("action", keeps_width=True), Column("object", shortened=True, value="object_id"),
        Column("outcome", value=lambda one: one.reason or one.outcome), number("count", drop=3),
        Column("from", value="address", drop=2),
    )  # fmt: skip
    print_rows(columns, [shaped(AuditEntrySummary, entry) for entry in entries])
