"""On a device: enroll it, start its daemon, show its inventory, tune it, leave the service."""

import getpass
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.device import libraries, tuning
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.output import JSONOption, notes, print_json, print_pairs
from orchestrator.cli.processes.daemon import become_daemon, providers_of
from orchestrator.cli.tables.inventory import inventory_pairs
from orchestrator.compilation.libraries.registered import LIBRARIES_FILE, usable_registered
from orchestrator.daemon import departure
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.daemon.machine.inventory import take_inventory
from orchestrator.daemon.session import enrollment as enrolment_of_device
from orchestrator.daemon.session.ending import find_end
from orchestrator.daemon.session.enrollment import Invitation
from orchestrator.daemon.session.identity import IDENTITY_FILE, load_identity
from orchestrator.measurement.launch.affinity import choose_measured_core
from orchestrator.measurement.machine.roots import KERNEL
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.service.discovery import find_services
from orchestrator.shared.errors import SetupError, Unreachable
from orchestrator.shared.files.private import private_process
from orchestrator.shared.settings import DaemonSettings
from orchestrator.shared.values.text import counted
from orchestrator.wire.agents import EnrollmentResponse

app = typer.Typer(no_args_is_help=True)

JOIN_CODE_VARIABLE = "CIPHERMARK_JOIN_TOKEN"
_MAX_CODE_CHARACTERS = 200
SEARCH_SECONDS = 3.0
"""Duration of the search for announced services."""


ServerOption = typer.Option(help="The service's address: https://host:8451.")
NameOption = typer.Option(help="Name of the agent, unless its invitation has one; default: the host name.")
LanOption = typer.Option(
    "--insecure-lan",
    help="Allow plain HTTP: others on the network can read tokens and results, and change them. Programs are downloaded"
    " only with the service's key (CIPHERMARK_SERVICE_KEY), which the line of 'agents invite' brings.",
)


@app.command()
def enroll(
    server: Annotated[str, ServerOption],
    name: Annotated[str | None, NameOption] = None,
    insecure_lan: Annotated[bool, LanOption] = False,
    as_json: JSONOption = False,
) -> None:
    """Enroll this machine as an agent of a service. Reads the join code from CIPHERMARK_JOIN_TOKEN or standard input.

    A terminal prompts for it. 'ciphermark agents invite' creates a code.
    """
    enrollment, path = _enroll(Invitation(server, read_join_code(), name, insecure_lan))
    facts = {"agent_id": enrollment.agent_id, "name": enrollment.name, "identity_file": str(path)}
    if as_json:
        print_json(facts)
    else:
        print_pairs([("agent", enrollment.agent_id), ("name", enrollment.name), ("identity", path)])


@app.command()
def join(
    server: Annotated[str | None, typer.Option(help="The service's address; default: search the network.")] = None,
    name: Annotated[str | None, NameOption] = None,
    insecure_lan: Annotated[bool, LanOption] = False,
    seconds: Annotated[float, typer.Option(min=0.1, max=60, help="Duration of the search.")] = SEARCH_SECONDS,
) -> None:
    """Enroll this machine at a service that announces itself on this network ('ciphermark up --announce').

    Every machine of a network can announce itself. The join code is therefore sent to the service only after you
    confirmed its address on the terminal, or named it with --server. Reads the code like 'daemon enroll'.
    """
    url = server or _confirmed_service(seconds)
    notes().print(f"The service is {url}.", markup=False)
    enrollment, _ = _enroll(Invitation(url, read_join_code(), name, insecure_lan))
    notes().print(f"This machine is the agent {enrollment.name}. Start it: ciphermark daemon start", markup=False)


@app.command()
def start(
    server: Annotated[str | None, ServerOption] = None,
    name: Annotated[str | None, NameOption] = None,
    insecure_lan: Annotated[bool, LanOption] = False,
    providers: Annotated[
        str,
        typer.Option(
            help="Compile the runners of these providers alone, separated by commas. The next start without it adds the"
            " others; code sizes are measured then."
        ),
    ] = "",
) -> None:
    """Take jobs from the service and measure, until SIGTERM or Ctrl-C.

    With --server and a join code in CIPHERMARK_JOIN_TOKEN, a machine that is not enrolled yet is enrolled first; an
    enrolled one ignores both.
    """
    settings = DaemonSettings()
    private_process(settings.data_folder)
    token = os.environ.get(JOIN_CODE_VARIABLE)
    if server and token and not enrolment_of_device.is_enrolled(settings):
        _enroll(Invitation(server, token, name, insecure_lan))
    become_daemon(providers)
    # Celery is slow to import, and only this command needs it.
    from orchestrator.daemon.program import start as start_daemon  # noqa: PLC0415

    start_daemon(settings, providers_of(providers))


@app.command()
def stop() -> None:
    """Stop the daemon of this machine after its running execution. A systemd unit is stopped with systemctl."""
    settings = DaemonSettings()
    if departure.stop_daemon(settings.data_folder):
        notes().print("The daemon has ended.")
    else:
        notes().print(f"No daemon uses {settings.data_folder}.", markup=False)


@app.command()
def leave(
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not prompt.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Remove everything even if the service does not answer.")
    ] = False,
) -> None:
    """Leave the service: stop the daemon, revoke its token, and remove what join.sh installed.

    The results stay at the service. Without --yes, a terminal prompts for a confirmation.
    """
    settings = DaemonSettings()
    identity = load_identity(settings.data_folder)
    installation = departure.find_installation()
    departure.require_departure(settings, installation)
    agent = identity.enrollment
    removed = installation.folders if installation else [settings.data_folder / IDENTITY_FILE]
    notes().print(
        f"The agent {agent.name} leaves {identity.service_url}, and this is removed: "
        f"{', '.join(str(path) for path in removed)}. {_undelivered(settings, agent.agent_id)}",
        markup=False,
    )
    if not yes and not typer.confirm("Continue?", err=True):
        raise typer.Exit(ExitCode.FAILED)
    departure.stop(settings, installation)
    try:
        departure.revoke(settings, identity)
    except Unreachable as error:
        if not force:
            raise Unreachable(
                f"{error.detail} The daemon is stopped, and nothing was removed.",
                remedy="Repeat the command when the service answers, or add --force and revoke the agent there: "
                f"ciphermark agents revoke {agent.agent_id}",
            ) from error
    departure.remove(settings, installation)
    notes().print("This device is no longer an agent.")


@app.command()
def inventory(as_json: JSONOption = False) -> None:
    """Show the facts of this machine, with the reasons of absent ones."""
    settings = DaemonSettings()
    sensors = find_sensors(KERNEL, settings.meter_command)
    registered = usable_registered(settings.data_folder / LIBRARIES_FILE)
    report = take_inventory(choose_measured_core(settings.measured_core), KERNEL, sensors, registered)
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        print_pairs(inventory_pairs(report.inventory))


@app.command()
def status(as_json: JSONOption = False) -> None:
    """Show this agent's identity, whether its daemon runs, and what is undelivered."""
    settings = DaemonSettings()
    identity = load_identity(settings.data_folder)
    ending = find_end(settings.data_folder)
    facts = {
        "agent_id": identity.enrollment.agent_id,
        "name": identity.enrollment.name,
        "service_url": identity.service_url,
        "data_folder": str(settings.data_folder),
        "daemon_lives": departure.find_daemon(settings.data_folder) is not None,
        "ended": ending.reason if ending else None,
        "undelivered_records": _undelivered_count(settings, identity.enrollment.agent_id),
    }
    if as_json:
        print_json(facts)
    else:
        print_pairs((key.replace("_", " "), value) for key, value in facts.items())


app.command()(tuning.tune)
app.command()(tuning.untune)
app.add_typer(libraries.app, name="libraries")


def read_join_code() -> str:
    """Return the join code; a terminal prompts for it without an echo. Raises SetupError if there is none."""
    code = os.environ.get(JOIN_CODE_VARIABLE, "").strip()
    if not code:
        line = getpass.getpass("Join code: ") if sys.stdin.isatty() else sys.stdin.readline(_MAX_CODE_CHARACTERS)
        code = line.strip()
    if not code:
        raise SetupError(
            "No join code was given.",
            remedy="Type 'ciphermark agents invite' on the server, and pass the code on standard input.",
        )
    return code


def _enroll(invitation: Invitation) -> tuple[EnrollmentResponse, Path]:
    """Enroll this machine, and name the name that the service chose in place of the requested one."""
    enrollment, path = enrolment_of_device.enroll(DaemonSettings(), invitation)
    if invitation.name not in (None, enrollment.name):
        reason = "its invitation has a name, or that one is in use"
        text = f"This agent is {enrollment.name}, not {invitation.name}: {reason}. Rename it on the server: "
        text += f"ciphermark agents edit {enrollment.name} --name NAME"
        notes().print(text, style="yellow", markup=False, soft_wrap=True)
    return enrollment, path


def _confirmed_service(seconds: float) -> str:
    found = find_services(seconds)
    if not found:
        raise SetupError(
            f"No service announced itself within {seconds:g} s.",
            remedy="Start it with 'ciphermark up --listen ADDRESS --announce', or name it: --server URL.",
        )
    if len(found) > 1:
        raise SetupError(f"Several services are announced: {', '.join(found)}.", remedy="Choose one: --server URL.")
    (url,) = found
    if not sys.stdin.isatty():
        raise SetupError(
            f"{url} announces itself as a service, which every machine of a network can do; nothing was sent to it.",
            remedy=f"Compare it with the line of 'ciphermark agents invite', and name it: --server {url}.",
        )
    question = f"{url} announces itself. Is it the address in the line of 'ciphermark agents invite'?"
    if not typer.confirm(question, err=True):
        raise typer.Exit(ExitCode.FAILED)
    return url


def _undelivered_count(settings: DaemonSettings, agent_id: str) -> int:
    journal = Journal(settings.data_folder / f"journal-{agent_id}.sqlite")
    count = journal.waiting_count()
    journal.close()
    return count


def _undelivered(settings: DaemonSettings, agent_id: str) -> str:
    count = _undelivered_count(settings, agent_id)
    return f"{counted(count, 'undelivered record')} would be lost." if count else ""
