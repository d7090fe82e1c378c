"""The system of this machine for the duration of one command."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rich.console import Console

from orchestrator.agents.schemas import AgentSummary
from orchestrator.cli.client import APIClient, shaped
from orchestrator.cli.output import notes
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.daemon.session.identity import load_identity
from orchestrator.shared.errors import AlreadyRunning, SetupError
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.plans import Plan

if TYPE_CHECKING:
    from orchestrator.cli.supervisor.up import Up

READY_SECONDS = 3600.0
"""Timeout of the agent's first start, which builds the runners: minutes, on a loaded machine half an hour."""
_MAX_STARTS = 4
"""Starts of a program after which it counts as broken."""
_TEND_SECONDS = 0.2
_NAME = re.compile(r"[a-z0-9_-]+")


class Show(Protocol):
    """Shows what an agent does that is waited for; may raise an error that makes waiting pointless."""

    def __call__(self, agent: AgentSummary, *, is_ready: bool) -> None:
        """Show the present activity."""


@dataclass(frozen=True)
class Stage:
    """The running system."""

    client: APIClient
    agent_id: str
    up: "Up | None" = None
    """Its programs; None if another process started them."""

    def tend(self) -> None:
        """Keep the programs running; raises SetupError if one ends again and again, or for good."""
        if self.up is None:
            return
        self.up.tend()
        for child in self.up.struggling(_MAX_STARTS):
            log = child.program.log_file
            last = "\n".join(log.read_text(errors="replace").splitlines()[-10:])
            raise SetupError(f"{child.program.name} ended (start {child.starts}):\n{last}", remedy=f"See {log}.")

    def use_runners(self, folder: Path) -> None:
        """Start the agent again with the programs of a folder, and return once it can measure."""
        if self.up is not None:
            notes().print("restarting the agent with the programs of the other build")
            self.up.restart_agent(folder)
        self.wait_until_ready()

    def wait_until_ready(self, show: Show | None = None, is_done: Callable[[], bool] = lambda: True) -> None:
        """Return once the agent can measure and the caller's own preparation is done."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            self.tend()
            agent = shaped(AgentSummary, self.client.get(f"/agents/{self.agent_id}"))
            live = agent.liveness == "live"
            is_ready = self.up.agent_is_ready() if self.up else live and agent.state in {"ready", "executing"}
            if is_ready and is_done():
                return
            if live and agent.state == "refusing":
                raise SetupError(f"The agent cannot measure: {agent.activity}.", remedy="ciphermark doctor")
            if show is not None:
                show(agent, is_ready=is_ready)
            time.sleep(_TEND_SECONDS)
        raise SetupError(f"The agent was not ready within {READY_SECONDS:.0f} s.", remedy="ciphermark doctor")


@contextmanager
def stage(
    settings: ServiceSettings, out: Console, providers: frozenset[str] | None, runners_folder: Path | None = None
) -> Iterator[Stage]:
    """Start everything, or use the programs already running on this data folder; stop what was started.

    providers: whose runners the agent compiles; None: all. runners_folder: programs of the agent in place of its own
    builds; raises AlreadyRunning then if another agent runs.
    """
    # Takes 2 s where no bytecode exists yet, in which the compiler works already.
    from orchestrator.cli.supervisor.up import Up  # noqa: PLC0415

    agent_folder = Layout(settings.data_folder).agent_folder
    try:
        up = Up(
            settings,
            lambda text: out.print(text, markup=False),
            providers=providers or (),
            runners_folder=runners_folder,
        )
    except AlreadyRunning as running:
        if runners_folder is not None:
            raise
        out.print(running.detail, markup=False)
        with APIClient(ServiceAccess.find()) as client:
            yield Stage(client, load_identity(agent_folder).enrollment.agent_id)
        return
    with up, APIClient(up.access) as client:
        yield Stage(client, load_identity(agent_folder).enrollment.agent_id, up)


def named_providers(plan: Plan) -> frozenset[str] | None:
    """Return the providers of a plan, whose runners suffice for its answer; None if it has patterns for them."""
    names = frozenset(name for matrix in plan.matrix for name in matrix.providers)
    return names if all(_NAME.fullmatch(name) for name in names) else None
