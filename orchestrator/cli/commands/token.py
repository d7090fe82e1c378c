"""Create, list and revoke tokens; log in to the dashboard."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import typer

from orchestrator.cli.client import replace_local_token
from orchestrator.cli.connection import connect
from orchestrator.cli.moments import parse_duration, parse_moment, show_moment
from orchestrator.cli.output import Column, JSONOption, print_json, print_rows

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
        typer.echo(made["token"])
        if role is Role.AGENT and not quiet:
            until = f" (until {show_moment(made['expires_at'])})" if made.get("expires_at") else ""
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
        Column("last used", value=lambda token: show_moment(token["used_at"])), Column("family", value="family_id"),
    )  # fmt: skip
    print_rows(columns, tokens)


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
    if token_id is None and replace_local_token(access, made["token"]):
        # The first use ends the old token.
        with connect(ctx) as client:
            client.get("/tokens", limit=1)
        made["token"] = None
    if as_json:
        print_json(made)
    elif made["token"] is None:
        typer.echo(f"The command line of this machine uses the new token {made['id']}.")
    else:
        typer.echo(made["token"])


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
        path = client.post("/login-codes")["path"]
        address = f"{client.access.url}{path}"
    if as_json:
        print_json({"url": address})
    else:
        typer.echo(address)


def _state(token: dict[str, str | None]) -> str:
    if token["revoked_at"]:
        return "revoked"
    expires = token["expires_at"]
    if expires is None:
        return "valid"
    moment = parse_moment(expires)
    return "expired" if moment < datetime.now(moment.tzinfo) else f"until {show_moment(expires)}"
