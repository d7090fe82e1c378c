"""The client of a command, from the options before the command."""

import typer

from orchestrator.cli.client import APIClient, ServiceAccess


def connect(ctx: typer.Context) -> APIClient:
    """Return the client for the service named by the command line, the environment or ``up``."""
    options = ctx.find_root().obj
    return APIClient(ServiceAccess.find(options.url, options.token))
