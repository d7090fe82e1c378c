"""The client of a command: made from the options that stand before the command."""

import typer

from orchestrator.cli.client import ServiceAccess, ServiceClient


def connect(ctx: typer.Context) -> ServiceClient:
    """Return the client for the service that the command line, the environment or ``up`` names."""
    said = ctx.find_root().obj
    return ServiceClient(ServiceAccess.find(said.url, said.token))
