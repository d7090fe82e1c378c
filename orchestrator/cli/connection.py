"""The client of a command: made from the options that stand before the command."""

import typer

from orchestrator.cli.client import APIClient, ServiceAccess


def connect(ctx: typer.Context) -> APIClient:
    """Return the client for the service that the command line, the environment or ``up`` names."""
    said = ctx.find_root().obj
    return APIClient(ServiceAccess.find(said.url, said.token))
