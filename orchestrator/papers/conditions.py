"""Conditions of a run for the report of a paper: devices, builds with their hashes, preflight checks, omissions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml
from sqlalchemy.orm import Session

from orchestrator import __version__
from orchestrator.agents.devices import device_in_run
from orchestrator.builds.repository import list_builds_of_run
from orchestrator.database.engine import Database
from orchestrator.database.models import Build, Inventory
from orchestrator.papers import repository
from orchestrator.papers.schemas import BuildOfRun, DeviceConditions, RunConditions
from orchestrator.runs.preflight.schemas import PreflightReportDetail
from orchestrator.runs.preflight.service import MAX_REPORTS_OF_RUN, list_run_reports
from orchestrator.runs.progress.repository import executions_by_state
from orchestrator.runs.repository import agents_of_runs, require_run
from orchestrator.shared.files.identity import json_sha256
from orchestrator.shared.units import format_bytes_approximately
from orchestrator.wire.builds import build_words


def conditions_of(database: Database, run_id: str) -> RunConditions:
    """Return the conditions of a run; raises NotFound."""
    with database.read() as session:
        run = require_run(session, run_id)
        reports = list_run_reports(session, run_id, None, MAX_REPORTS_OF_RUN).items
        newest = {one.agent_id: one for one in reversed(reports)}
        agents = agents_of_runs(session, [run_id]).get(run_id, {})
        builds = list_builds_of_run(session, run_id)
        plan = dict(run.plan)
        return RunConditions.from_row(
            run,
            run_id=run_id,
            version=__version__,
            plan_text=yaml.safe_dump(plan, sort_keys=False, allow_unicode=True, width=100),
            plan_sha256=json_sha256(plan),
            devices=[_device(session, run_id, agent_id, builds, newest.get(agent_id)) for agent_id in agents],
            omissions=repository.omissions(session, run_id),
        )


def _device(
    session: Session, run_id: str, agent_id: str, builds: Sequence[Build], report: PreflightReportDetail | None
) -> DeviceConditions:
    device = device_in_run(session, run_id, agent_id)
    return DeviceConditions(
        agent_id=agent_id,
        agent_name=device.agent.name,
        facts=dict(_facts(device.inventory)) if device.inventory else {},
        inventory_sha256=device.inventory.sha256 if device.inventory else None,
        builds=[_build(one) for one in builds if one.agent_id == agent_id],
        executions=executions_by_state(session, run_id, agent_id),
        preflight=report,
    )


def _build(build: Build) -> BuildOfRun:
    return BuildOfRun.from_row(
        build,
        toolchain=build_words(build.toolchain, build.cross_built),
        runners={name: str(one["sha256"]) for name, one in sorted(build.runners.items())},
    )


def _facts(inventory: Inventory) -> Iterator[tuple[str, str]]:
    facts = inventory.facts
    processor: Mapping[str, Any] = facts.get("processor") or {}
    yield "device", str(facts.get("device_model") or "not reported")
    model, cores = processor.get("model") or "not reported", processor.get("cores") or "?"
    yield "processor", f"{model}, {inventory.architecture}, {cores} cores"
    yield "governor", str(processor.get("governor") or "not reported")
    if facts.get("memory_bytes"):
        yield "memory", format_bytes_approximately(facts["memory_bytes"])
    system = (facts.get("operating_system"), facts.get("kernel"), facts.get("libc"))
    yield "system", ", ".join(str(one) for one in system if one) or "not reported"
    if facts.get("virtual_machine"):
        yield "virtual machine", str(facts["virtual_machine"])
    libraries = (facts.get("libraries") or {}).items()
    yield "libraries", ", ".join(f"{name} {version}" for name, version in libraries) or "none"
    yield "daemon", str(facts.get("daemon_version") or "not reported")
