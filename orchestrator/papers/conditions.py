"""Conditions of a run for the report of a paper: devices, builds with their hashes, preflight checks, omissions."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from orchestrator import __version__
from orchestrator.agents.devices import device_in_run
from orchestrator.database.engine import Database
from orchestrator.database.models import Build, Inventory
from orchestrator.papers import repository
from orchestrator.papers.schemas import BuildOfRun, DeviceConditions, Fact, OmissionsOfRun, RunConditions
from orchestrator.runs.preflight.schemas import PreflightReportDetail
from orchestrator.runs.preflight.service import MAX_REPORTS_OF_RUN, list_run_reports
from orchestrator.runs.repository import require_run
from orchestrator.shared.files.identity import json_sha256
from orchestrator.shared.units import format_bytes_approximately
from orchestrator.wire.builds import build_words


def conditions_of(database: Database, run_id: str) -> RunConditions:
    """Return the conditions of a run; raises NotFound."""
    with database.read() as session:
        run = require_run(session, run_id)
        devices = [
            DeviceConditions(
                agent_id=device.agent.id,
                agent_name=device.agent.name,
                facts=list(_facts(device.inventory)) if device.inventory else [],
                inventory_sha256=device.inventory.sha256 if device.inventory else None,
                builds=[_build(one) for one in repository.builds_of_run(session, run_id, device.agent.id)],
                executions=repository.executions_by_state(session, run_id, device.agent.id),
                preflight=[],
                checked_at=None,
            )
            for device in (
                device_in_run(session, run_id, agent_id) for agent_id in repository.agents_of_run(session, run_id)
            )
        ]
        omitted = [
            OmissionsOfRun(agent_name=name, reason=reason, combinations=combinations, executions=executions)
            for name, reason, combinations, executions in repository.omissions(session, run_id)
        ]
        plan = dict(run.plan)
        found = RunConditions.from_row(
            run,
            run_id=run_id,
            version=__version__,
            plan_text=yaml.safe_dump(plan, sort_keys=False, allow_unicode=True, width=100),
            plan_sha256=json_sha256(plan),
            devices=devices,
            omissions=omitted,
        )
    reports = list_run_reports(database, run_id, None, MAX_REPORTS_OF_RUN).items
    return found.model_copy(update={"devices": [_checked(one, reports) for one in devices]})


def _checked(device: DeviceConditions, reports: list[PreflightReportDetail]) -> DeviceConditions:
    """Return the conditions with the agent's newest preflight report of the run, newest first in `reports`."""
    report = next((one for one in reports if one.agent_id == device.agent_id), None)
    if report is None:
        return device
    return device.model_copy(update={"preflight": report.results, "checked_at": report.checked_at})


def _build(build: Build) -> BuildOfRun:
    return BuildOfRun.from_row(
        build,
        toolchain=build_words(build.toolchain, build.cross_built),
        runners={name: str(one["sha256"]) for name, one in sorted(build.runners.items())},
    )


def _facts(inventory: Inventory) -> Iterator[Fact]:
    facts = inventory.facts
    processor: Mapping[str, Any] = facts.get("processor") or {}
    yield Fact(name="device", value=str(facts.get("device_model") or "not reported"))
    model, cores = processor.get("model") or "not reported", processor.get("cores") or "?"
    yield Fact(name="processor", value=f"{model}, {inventory.architecture}, {cores} cores")
    yield Fact(name="governor", value=str(processor.get("governor") or "not reported"))
    if facts.get("memory_bytes"):
        yield Fact(name="memory", value=format_bytes_approximately(facts["memory_bytes"]))
    system = (facts.get("operating_system"), facts.get("kernel"), facts.get("libc"))
    yield Fact(name="system", value=", ".join(str(one) for one in system if one) or "not reported")
    if facts.get("virtual_machine"):
        yield Fact(name="virtual machine", value=str(facts["virtual_machine"]))
    libraries = (facts.get("libraries") or {}).items()
    yield Fact(name="libraries", value=", ".join(f"{name} {version}" for name, version in libraries) or "none")
    yield Fact(name="daemon", value=str(facts.get("daemon_version") or "not reported"))
