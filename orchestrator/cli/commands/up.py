"""Start everything on this machine and print the dashboard's address."""

import signal
import threading
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.output import notes, print_json
from orchestrator.cli.settings import service_settings
from orchestrator.cli.supervisor.up import Up
from orchestrator.shared import logs
from orchestrator.shared.files.private import private_process

app = typer.Typer()

_TEND_SECONDS = 0.2


@app.command()
def up(
    *,
    listen: Annotated[str | None, typer.Option(help="Address to listen on for a fleet; 0.0.0.0 for all.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port of the service [8451]; 0 for any free port.")
    ] = None,
    tls_certificate: Annotated[Path | None, typer.Option(help="PEM file; with --tls-key.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="PEM file; with --tls-certificate.")] = None,
    insecure_lan: Annotated[
        bool,
        typer.Option(
            "--insecure-lan",
            help="Listen without TLS: others on the network can read tokens and results, and change them. Devices "
            "execute only programs that this service signed: copy the line of 'agents invite' on this machine.",
        ),
    ] = False,
    announce: Annotated[
        bool, typer.Option("--announce", help="Announce the service on the local network; with --listen.")
    ] = False,
    agent: Annotated[bool, typer.Option("--agent/--no-agent", help="Also start an agent on this machine.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the addresses as JSON after start.")] = False,
) -> None:
    """Start the service, the scheduler, a private Redis and an agent of this machine; stop them with Ctrl-C.

    Programs that die are restarted. All data is in one folder (CIPHERMARK_DATA_FOLDER), so the next `up` continues
    where this one ended.
    """
    settings = service_settings(
        host=listen,
        port=port,
        tls_certificate=tls_certificate,
        tls_key=tls_key,
        insecure_lan=insecure_lan or None,
    )
    logs.configure("warning" if settings.log_level == "info" else settings.log_level)
    private_process(settings.data_folder)
    ending = end_on_signal()
    console = notes()
    with Up(
        settings, lambda text: console.print(text, markup=False), with_agent=agent, announce=announce
    ) as everything:
        _announce(everything, as_json)
        awaited = agent and not as_json
        if awaited:
            console.print("The agent of this machine prepares its runners; a line follows when it is ready.")
        while not ending.wait(_TEND_SECONDS):
            everything.tend()
            if awaited and everything.agent_is_ready():
                awaited = False
                console.print("The agent is ready. Try: ciphermark submit plans/quick.yaml --watch")
            elif awaited and (reason := everything.agent_refusal()):
                awaited = False
                console.print(f"The agent takes no runs: {reason}", markup=False)
        console.print("Ending …")


def end_on_signal() -> threading.Event:
    """Return an event that SIGTERM, SIGINT and SIGHUP set, so that this process can end cleanly."""
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: ending.set())
    return ending


def _announce(everything: Up, as_json: bool) -> None:
    login = everything.login_url()
    if as_json:
        print_json(
            {"url": everything.access.url, "login_url": login, "data_folder": str(everything.layout.data_folder)}
        )
        return
    console = notes()
    console.print("Ciphermark is up. The dashboard (this address works once, for 15 minutes):")
    console.print(f"  {login}", soft_wrap=True, style="bold")
    console.print(f"Results are kept in {everything.layout.data_folder}", soft_wrap=True, markup=False)
    console.print("Stop with Ctrl-C.")
