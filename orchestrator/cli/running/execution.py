"""Execution of a plan by a service, until its end."""

from collections.abc import Callable
from dataclasses import dataclass

import typer

from orchestrator.cli.client import APIClient, shaped
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.output import notes
from orchestrator.cli.running.submission import post_plan
from orchestrator.cli.watching import watch
from orchestrator.runs.schemas import RunDetail, RunRequest


@dataclass(frozen=True)
class PlanExecution:
    """Executes plans."""

    client: APIClient
    tend: Callable[[], None] = lambda: None
    """Called again and again while a run is watched."""

    def execute(self, request: RunRequest) -> RunDetail:
        """Submit a plan and wait for its end; exit with 10 if it did not finish."""
        submitted = shaped(RunDetail, post_plan(self.client, "/runs", request))
        url = f"{self.client.access.url}/runs/{submitted.id}"
        notes().print(f"Run {submitted.id}: {url}", markup=False, soft_wrap=True)
        run = watch(self.client, submitted.id, notes(), self.tend)
        if run.state != "finished":
            notes().print(f"The run {run.id} is {run.state}: {run.reason or 'no reason given'}", markup=False)
            raise typer.Exit(ExitCode.RUN_NOT_FINISHED)
        return run


@dataclass(frozen=True)
class MeasuredRun:
    """A finished run, and what it is compared with: a tag of runs, or a run."""

    execution: PlanExecution
    run: RunDetail
    baseline: str


Check = Callable[[PlanExecution, RunRequest], None]
"""Raises an error if the plan cannot be compared, before anything is measured."""
