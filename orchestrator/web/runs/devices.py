"""The agents of a run with their builds and calibrations."""

from collections import defaultdict
from collections.abc import Sequence

from orchestrator.agents import service as agents
from orchestrator.agents.schemas import AgentDevice
from orchestrator.builds.schemas import BuildReference
from orchestrator.database.engine import Database
from orchestrator.web.runs.views import Device, DeviceToolchain
from orchestrator.web.views import AgentName, CalibrationRow, calibration_row


def devices(database: Database, run_id: str, builds_of_run: Sequence[BuildReference]) -> list[Device]:
    """Return the agents of a run's cases as they were in it, also those whose cases were all skipped."""
    builds: dict[str, list[BuildReference]] = defaultdict(list)
    for build in builds_of_run:
        builds[build.agent_id].append(build)
    return [
        _device(agent, builds[agent.id], in_run.difference_words)
        for agent, in_run in agents.list_devices(database, run_id, builds)
    ]


def calibrations(agent: AgentDevice, builds: Sequence[BuildReference]) -> list[CalibrationRow]:
    """Return the calibrations of these builds; builds on request have none, then those of the default build."""
    ids = {build.id for build in builds}
    of_run = [one for one in agent.calibrations if one.build_id in ids]
    return [calibration_row(one) for one in of_run or agent.calibrations if of_run or one.of_default_build]


def _device(agent: AgentDevice, builds: Sequence[BuildReference], differences: str) -> Device:
    inventory = agent.inventory
    return Device(
        agent=AgentName(id=agent.id, name=agent.name, live=agent.liveness == "live"),
        model=agent.device_model,
        processor=agent.processor,
        architecture=agent.architecture,
        operating_system=inventory.operating_system if inventory else None,
        emulated=bool(agent.emulated),
        hardware_counters=inventory.hardware_counters if inventory else None,
        toolchains=[
            DeviceToolchain(
                build_id=build.id,
                words=build.toolchain_words,
                compiler_version=build.compiler_version,
                origin=build.cross_built.words if build.cross_built else "",
                failed=build.failure is not None,
            )
            for build in builds
        ],
        calibrations=calibrations(agent, builds),
        differences=differences,
        withdrawn=agent.distrusted_at is not None,
    )
