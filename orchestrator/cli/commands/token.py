"""Create, list and revoke tokens; log in to the dashboard."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer

from orchestrator.cli.client import shaped
from orchestrator.cli.connection import connect
from orchestrator.cli.moments import parse_duration, show_moment
from orchestrator.cli.output import JSONOption, print_json, print_rows
from orchestrator.cli.supervisor.access import replace_local_token
from orchestrator.service.security.schemas import LoginCode, TokenCreated, TokenSummary
from orchestrator.shared.tables import Column

app = typer.Typer(no_args_is_help=True)


class Role(StrEnum):
    """Role of a token; ``agent`` creates a join token, which enrolls one agent."""

    VIEWER = "viewer"
    SUBMITTER = "submitter"
    ADMIN = "admin"
    AGENT = "agent"


ExpiresOption = typer.Option(help="Validity, such as 90d or 12h; default: unlimited.")


@app.command()
def create(
    ctx: typer.Context,
    *,
    role: Annotated[Role, typer.Option(help="agent: a short-lived token that enrolls one device, once.")],
    label: Annotated[str, typer.Option(help="Label of the token.")] = "",
    expires: Annotated[str | None, ExpiresOption] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the token.")] = False,
    as_json: JSONOption = False,
) -> None:
    """Create a token. It is shown only now; the service keeps its hash."""
    body = {
        "role": "join" if role is Role.AGENT else role.value,
        "label": label,
        "expires_in_seconds": parse_duration(expires),
    }
    with connect(ctx) as client:
        made = client.post("/tokens", body)
        url = client.access.url
    if as_json:
        print_json(made)
    else:
        token = shaped(TokenCreated, made)
        typer.echo(token.token)
        if role is Role.AGENT and not quiet:
            until = f" (until {show_moment(token.expires_at)})" if token.expires_at else ""
            typer.echo(f"Execute once on the device, with this code on standard input{until}:", err=True)
            typer.echo(f"  ciphermark daemon enroll --server {url}", err=True)


@app.command("list")
def list_tokens(ctx: typer.Context, as_json: JSONOption = False) -> None:
    """List tokens, newest first, without their secrets."""
    with connect(ctx) as client:
        tokens = list(client.items("/tokens"))
    if as_json:
        print_json(tokens)
        return
    columns = (
        Column("id", keeps_width=True), Column("role"), Column("label"), Column("state", value=_state),
        Column("last used", value=lambda token: show_moment(token.used_at)), Column("family", value="family_id"),
    )  # fmt: skip
    print_rows(columns, [shaped(TokenSummary, token) for token in tokens])


@app.command()
def rotate(
    ctx: typer.Context,
    token_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Default: the token of this command.")] = None,
    grace: Annotated[
        str | None,
        typer.Option(help="How long the old one remains valid, 0 to end it now; default: until the new one is used."),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(help="Validity of the new one, such as 90d; default and limit: the end of the old one."),
    ] = None,
    as_json: JSONOption = False,
) -> None:
    """Replace a token by a new one with the same rights. It is shown only now, except in the file that `up` wrote."""
    body = {"grace_seconds": parse_duration(grace), "expires_in_seconds": parse_duration(expires)}
    with connect(ctx) as client:
        made = client.post(f"/tokens/{token_id or 'self'}/rotate", body)
        access = client.access
    new = shaped(TokenCreated, made)
    stored = token_id is None and replace_local_token(access, new.token)
    if stored:
        # The first use ends the old token.
        with connect(ctx) as client:
            client.get("/tokens", limit=1)
    if as_json:
        print_json(made, **({"token": None} if stored else {}))
    else:
        typer.echo(f"The command line of this machine uses the new token {new.id}." if stored else new.token)


@app.command()
def revoke(ctx: typer.Context, token_id: Annotated[str, typer.Argument(metavar="ID")]) -> None:
    """Revoke a token immediately, with all that rotations made of it and the sessions that they opened."""
    with connect(ctx) as client:
        client.delete(f"/tokens/{token_id}")
    typer.echo(f"Token {token_id} is revoked, with its family.")


@app.command()
def login(ctx: typer.Context, as_json: JSONOption = False) -> None:
    """Print the dashboard's address with a one-time login code."""
    with connect(ctx) as client:
        address = f"{client.access.url}{shaped(LoginCode, client.post('/login-codes')).path}"
    if as_json:
        print_json({"url": address})
    else:
        typer.echo(address)


def _state(token: TokenSummary) -> str:
    if token.revoked_at:
        return "revoked"
    if token.expires_at is None:
        return "valid"
    return "expired" if token.expires_at < datetime.now(UTC) else f"until {show_moment(token.expires_at)}"
