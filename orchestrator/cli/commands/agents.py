"""Invite, list, show, edit, check, approve and revoke agents."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from orchestrator.agents.schemas import AgentDetail, AgentSummary, HealthCheckSummary, InvitationCreated
from orchestrator.agents.selection import state_of
from orchestrator.builds.schemas import BuildSummary
from orchestrator.cli.agent_health import CHECKS_SHOWN, false_report_line, health_line, print_checks, wait_for_check
from orchestrator.cli.client import APIClient, shaped
from orchestrator.cli.connection import connect
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.moments import show_age, show_moment
from orchestrator.cli.names import find_agent, with_changes
from orchestrator.cli.output import JSONOption, console, notes, print_json, print_pairs, print_rows
from orchestrator.cli.tables.inventory import inventory_pairs
from orchestrator.shared.tables import Column, number
from orchestrator.shared.units import format_quantity, format_share
from orchestrator.shared.values.text import counted

app = typer.Typer(no_args_is_help=True)

INVITE_SECONDS = 300.0
"""Timeout of an invitation: the first one waits until the wheel for devices is made."""

AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help="Id or name of the agent.")]


@app.command("list")
def list_agents(
    ctx: typer.Context,
    *,
    search: Annotated[
        str | None, typer.Option(help="Part of the name, a label, the notes or the device, or the id.")
    ] = None,
    state: Annotated[str | None, typer.Option(help="ready, silent, 'not approved', …; default: all.")] = None,
    health: Annotated[str | None, typer.Option(help="unchecked, healthy, degraded or quarantined.")] = None,
    label: Annotated[str | None, typer.Option(help="Only agents with this label.")] = None,
    architecture: Annotated[str | None, typer.Option(help="x86_64, aarch64, armv7l, …")] = None,
    feature: Annotated[str | None, typer.Option(help="Only processors with this feature: aes, asimd, …")] = None,
    as_json: JSONOption = False,
) -> None:
    """List the agents with their activity, all or those that meet all conditions."""
    of_processor = {"architecture": architecture, "feature": feature}
    with connect(ctx) as client:
        agents = list(client.items("/agents", None, q=search, state=state, health=health, label=label, **of_processor))
    if as_json:
        print_json(agents)
        return
    print_rows(COLUMNS, [shaped(AgentSummary, agent) for agent in agents])


@app.command()
def invite(
    ctx: typer.Context,
    *,
    name: Annotated[str | None, typer.Option(help="Name of the agent; default: the host name of the device.")] = None,
    label: Annotated[list[str] | None, typer.Option(help="Label of the agent; may be repeated.")] = None,
    systemd: Annotated[bool, typer.Option("--systemd", help="The daemon becomes a systemd unit.")] = False,
    expires_in: Annotated[int | None, typer.Option(min=60, help="Validity of the code in seconds [3600].")] = None,
    as_json: JSONOption = False,
) -> None:
    """Print the command with which a device joins, and the join code for which it prompts, once."""
    body = {"name": name, "labels": label or [], "systemd": systemd, "expires_in_seconds": expires_in}
    with connect(ctx) as client:
        made = client.post("/invitations", body, timeout_seconds=INVITE_SECONDS)
    if as_json:
        print_json(made)
        return
    invited = shaped(InvitationCreated, made)
    notes().print(f"Execute on the device, once, until {show_moment(invited.expires_at)}:")
    typer.echo(invited.command)
    notes().print("It prompts for the join code, which is then in no history of a shell:")
    typer.echo(invited.code)
    if invited.this_machine_only:
        notes().print(
            f"Only this machine reaches {invited.server}. For other devices, start the service with "
            "'ciphermark up --listen 0.0.0.0' and --tls-certificate or --insecure-lan, or set CIPHERMARK_PUBLIC_URL.",
            style="yellow",
        )


@app.command()
def show(ctx: typer.Context, agent: AgentArgument, as_json: JSONOption = False) -> None:
    """Show an agent: health, inventory, builds, cost of measuring."""
    with connect(ctx) as client:
        agent_id = find_agent(client, agent)
        document = client.get(f"/agents/{agent_id}")
        checks = list(client.items(f"/agents/{agent_id}/health-checks", CHECKS_SHOWN))
    if as_json:
        print_json(document)
        return
    detail = shaped(AgentDetail, document)
    pairs: list[tuple[str, object]] = [
        ("agent", f"{detail.id} ({detail.name})"),
        ("labels", ", ".join(detail.labels)),
        *([("notes", detail.notes)] if detail.notes else []),
        ("state", _state(detail)),
        ("health", health_line(detail)),
        ("last heartbeat", show_age(detail.last_heartbeat_at, datetime.now(UTC))),
        ("activity", detail.activity if detail.live else None),
        *([("notice", detail.notice)] if detail.notice else []),
        ("undelivered", counted(detail.undelivered_records, "record")),
    ]
    print_pairs([*pairs, *(inventory_pairs(detail.inventory) if detail.inventory else [])])
    for report in detail.false_reports:
        console().print(false_report_line(report), markup=False)
    print_checks([shaped(HealthCheckSummary, one) for one in checks])
    print_builds(detail.builds)
    for one in detail.calibrations:
        limits = [format_share(one.detail[limit]) for limit in ("low", "high") if limit in one.detail]
        console().print(f"{one.kind}: {_calibrated(one.value, one.unit, limits)}", markup=False)


def _calibrated(value: float, unit: str, limits: Sequence[str]) -> str:
    share, _, whole = unit.partition(" of ")
    interval = f" (95 % {' to '.join(limits)})" if limits else ""
    return f"{format_share(value)} of {whole}{interval}" if share == "share" else format_quantity(value, unit)


@app.command()
def edit(
    ctx: typer.Context,
    agent: AgentArgument,
    *,
    name: Annotated[str | None, typer.Option(help="New name.")] = None,
    label: Annotated[list[str] | None, typer.Option(help="Label to add; may be repeated.")] = None,
    remove_label: Annotated[list[str] | None, typer.Option(help="Label to remove; may be repeated.")] = None,
    note: Annotated[str | None, typer.Option(help="Notes in place of the present ones; '' removes them.")] = None,
    as_json: JSONOption = False,
) -> None:
    """Change the name, labels or notes of an agent (admins only). Plans use the present name and labels."""
    if name is None and note is None and not label and not remove_label:
        raise typer.BadParameter("Nothing to change; name at least one of --name, --label, --remove-label, --note.")
    with connect(ctx) as client:
        agent_id = find_agent(client, agent)
        labels = None
        if label or remove_label:
            present = shaped(AgentDetail, client.get(f"/agents/{agent_id}")).labels
            labels = with_changes(present, label or (), remove_label or (), "label")
        changed = client.patch(f"/agents/{agent_id}", {"name": name, "notes": note, "labels": labels})
    if as_json:
        print_json(changed)
    else:
        detail = shaped(AgentDetail, changed)
        all_labels = f" with the labels {', '.join(detail.labels)}" if detail.labels else " without labels"
        console().print(f"Agent {detail.id} is {detail.name}{all_labels}.", markup=False)


@app.command()
def check(
    ctx: typer.Context,
    agent: AgentArgument,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the check is reported.")] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Accept the speed of the latest check as normal (admins only).")
    ] = False,
    as_json: JSONOption = False,
) -> None:
    """Request a health check before the agent's next job. With --wait, exits with 6 if it is quarantined."""
    if wait and accept:
        raise typer.BadParameter("--accept applies to the latest check and cannot be combined with --wait.")
    with connect(ctx) as client:
        agent_id = find_agent(client, agent)
        document = client.post(f"/agents/{agent_id}/health-check", {"accept": accept})
        if wait:
            document = wait_for_check(
                client, agent_id, lambda activity: notes().print(activity, style="dim", markup=False)
            )
    agent_now = shaped(AgentSummary, document)
    if as_json:
        print_json(document)
    else:
        console().print(f"Agent {agent_now.id} ({agent_now.name}) is {health_line(agent_now)}", markup=False)
    if wait and agent_now.health == "quarantined":
        raise typer.Exit(ExitCode.CONFLICT)


@app.command()
def approve(ctx: typer.Context, agent: AgentArgument, as_json: JSONOption = False) -> None:
    """Approve an agent for jobs, also one that the service cut off from the queue."""
    with connect(ctx) as client:
        _decide(client, agent, "approve", as_json)


@app.command()
def revoke(ctx: typer.Context, agent: AgentArgument, as_json: JSONOption = False) -> None:
    """Revoke an agent's token and Redis user immediately. Its results stay."""
    with connect(ctx) as client:
        _decide(client, agent, "revoke", as_json)


@app.command()
def trust(ctx: typer.Context, agent: AgentArgument, as_json: JSONOption = False) -> None:
    """End the quarantine of an agent for false reports. Its results vouch for others again."""
    with connect(ctx) as client:
        _decide(client, agent, "trust", as_json)


def _decide(client: APIClient, agent: str, step: str, as_json: bool) -> None:
    document = client.post(f"/agents/{find_agent(client, agent)}/{step}")
    if as_json:
        print_json(document)
    else:
        detail = shaped(AgentSummary, document)
        console().print(f"Agent {detail.id} ({detail.name}) is {_state(detail)}.", markup=False)


def _health(agent: AgentSummary) -> str:
    """Return the health with the age of the check."""
    age = show_age(agent.health_checked_at, datetime.now(UTC))
    return f"{agent.health} ({age})" if age else agent.health


def _state(agent: AgentSummary) -> str:
    state = state_of(agent)
    if state == "revoked":
        return f"revoked {show_moment(agent.revoked_at)}"
    return f"cut off: {agent.queue_closed_reason}" if state == "cut off" else state


def print_builds(builds: Sequence[BuildSummary]) -> None:
    """Print the builds of an agent, and why toolchains failed."""
    columns = (
        Column("build", keeps_width=True, value=lambda build: build.build_key[:12]),
        Column("toolchain", value="toolchain_words"),
        Column("compiler", shortened=True, drop=1, value="compiler_version"),
        Column("providers", value=lambda build: ", ".join(build.providers)),
        number("proved", "proofs_passed"),
        number("failed", "proofs_failed"),
        Column("use", value=_use),
    )
    print_rows(columns, [build for build in builds if build.failure is None])
    for build in builds:
        if build.failure is not None:
            last = build.failure.strip().splitlines()[-1:]
            console().print(f"No runners with {build.toolchain_words}: {''.join(last)}", markup=False)


def _use(build: BuildSummary) -> str:
    use = "default" if build.is_default else "current" if build.current else "old"
    return use if build.cross_built is None else f"{use}, {build.cross_built.words}"


COLUMNS = (
    Column("id", keeps_width=True),
    Column("name"),
    Column("state", value=_state),
    Column("health", value=_health),
    Column("last heartbeat", keeps_width=True, value=lambda one: show_age(one.last_heartbeat_at, datetime.now(UTC))),
    Column("device", drop=1, value=lambda agent: agent.device_model or agent.processor),
)
