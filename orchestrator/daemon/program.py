"""``ciphermark daemon start``: lock, first heartbeat, inventory, runners, proofs, calibration, then jobs."""

import logging
import os
import secrets
import signal
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

import structlog
from celery.exceptions import SecurityWarning

from orchestrator.daemon.builds.builder import StartBuild, Workshop, WorkshopParts, WorkshopThread
from orchestrator.daemon.builds.cache import LEDGER_FILE, BuildLedger
from orchestrator.daemon.builds.compilation.steps import Interrupted
from orchestrator.daemon.builds.proved import ProvedBuild, ProvedBuilds
from orchestrator.daemon.health.calibration import CALIBRATION_FOLDER
from orchestrator.daemon.health.preflight import Place, PreflightReports
from orchestrator.daemon.health.sensor_series import LinePlan, SensorLine
from orchestrator.daemon.health.thread import CheckParts, HealthChecks, HealthThread
from orchestrator.daemon.heartbeat import Heartbeats, HeartbeatThread, first_heartbeat
from orchestrator.daemon.jobs.chunk_cache import ChunkCache
from orchestrator.daemon.jobs.dead_letters import SetAside
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.executor import Executor, ExecutorParts
from orchestrator.daemon.jobs.handler import AgentSession, HandlerParts, JobHandler
from orchestrator.daemon.jobs.journal import Journal
from orchestrator.daemon.jobs.worker import end_worker, make_app, run_worker
from orchestrator.daemon.machine.inventory import take_inventory
from orchestrator.daemon.preparation import Preparation
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.identity import DataFolderLock, Identity, load_identity
from orchestrator.daemon.session.status import Status
from orchestrator.daemon.session.turns import Turns
from orchestrator.errors import BuildFailed, SetupError, Unreachable
from orchestrator.logs import configure
from orchestrator.measurement.instrument.measure import Instrument, InstrumentPlan
from orchestrator.measurement.instrument.monitor import PSUTIL_INTERVAL_NS, MonitorPlan
from orchestrator.measurement.launch.affinity import choose_measured_core, leave_core
from orchestrator.measurement.machine.roots import KERNEL
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.settings import DaemonSettings

_WORKSHOP_SECONDS = 10.0
"""For the workshop to end its compilers and the request it has in work."""

_HEALTH_SECONDS = 5.0
"""For the control workload to come to its end."""

_SIGNALS = (signal.SIGTERM, signal.SIGINT)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Foundation:
    """What lives from the daemon's start to its end."""

    settings: DaemonSettings
    identity: Identity
    session_id: str
    client: ServiceClient
    journal: Journal
    delivery: Delivery
    status: Status
    heartbeats: Heartbeats
    preflight: PreflightReports
    sensors: Sensors


def start(settings: DaemonSettings) -> None:
    """Be this machine's agent until SIGTERM.

    Raises NotEnrolled, SecondSession (another daemon is this agent), Unauthorized or Forbidden (revoked), and
    SetupError for a setting that fits nothing here.
    """
    configure(settings.log_level)
    # A line for each heartbeat would bury everything else.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    # Celery warns of root because of pickle, which this worker refuses to read.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    identity = load_identity(settings.data_folder)
    measured_core = choose_measured_core(settings.measured_core)
    with DataFolderLock(settings.data_folder):
        foundation = _found(settings, identity, measured_core)
        previous = {number: signal.signal(number, _interrupt(foundation.status)) for number in _SIGNALS}
        thread: HeartbeatThread | None = None
        try:
            first_heartbeat(foundation.heartbeats)
            thread = HeartbeatThread(
                foundation.heartbeats, foundation.delivery, foundation.preflight, on_fatal=end_worker
            )
            thread.start()
            _serve(foundation, measured_core)
        except (Interrupted, KeyboardInterrupt):
            _log.info("stopped while preparing")
        except Unreachable:
            if not foundation.status.wait_for_shutdown(0):
                raise
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
            if thread is not None:
                thread.stop()
            foundation.sensors.close()
            foundation.delivery.close()
            foundation.journal.close()
            foundation.client.close()
        if thread is not None and thread.fatal is not None:
            raise thread.fatal


def _found(settings: DaemonSettings, identity: Identity, measured_core: int) -> _Foundation:
    enrollment = identity.enrollment
    address = ServiceAddress(identity.service_url, enrollment.agent_token, settings.service_timeout_seconds)
    client = ServiceClient(address)
    journal = Journal(settings.data_folder / f"journal-{enrollment.agent_id}.sqlite")
    session_id, status = secrets.token_hex(16), Status()
    return _Foundation(
        settings=settings,
        identity=identity,
        session_id=session_id,
        client=client,
        journal=journal,
        delivery=Delivery(journal, client),
        status=status,
        heartbeats=Heartbeats(client, status, journal, session_id),
        preflight=PreflightReports(client, Place(measured_core, settings.data_folder)),
        sensors=find_sensors(KERNEL, settings.meter_command),
    )


def _serve(foundation: _Foundation, measured_core: int) -> None:
    """Prepare, then take jobs until the end."""
    settings, status = foundation.settings, foundation.status
    preparation = Preparation(settings, foundation.client, status)
    status.tell("preparing", "taking inventory")
    inventory = take_inventory(measured_core, KERNEL, foundation.sensors)
    foundation.heartbeats.inventory = inventory
    preparation.until_answered(lambda: foundation.client.report_inventory(inventory))
    status.know_inventory(inventory.sha256)
    try:
        start_build = preparation.prepare_build()
    except (BuildFailed, SetupError) as error:
        # It stays, so that whoever looks at the agents reads why it measures nothing.
        _log.error("no runners", error=str(error))
        status.tell("refusing", f"no runners: {error}")
        while not status.wait_for_shutdown(60):
            pass
        return
    workshop = _workshop(foundation, start_build)
    plan = _instrument_plan(foundation, measured_core, start_build.proved)
    instrument = Instrument(plan)
    control = preparation.calibrate(start_build.proved, instrument)
    instrument.close()
    checks = _health_checks(foundation, workshop, plan)
    if control is not None:
        checks.take(control)
    _work(foundation, inventory.sha256, workshop, plan, HealthThread(checks, status))


def _instrument_plan(foundation: _Foundation, measured_core: int, proved: ProvedBuild) -> InstrumentPlan:
    settings, alone = foundation.settings, leave_core(measured_core)
    if not alone:
        _log.warning("one core only: the monitor shares it with the runner, so the curve is coarse")
    fine_ns = settings.sampling_interval_ms * 1_000_000
    return InstrumentPlan(
        launcher=proved.build.launcher,
        measured_core=measured_core,
        pinned=alone,
        # With one core only, each sample of the monitor takes time from the runner.
        monitor=MonitorPlan(fine_ns if alone else max(fine_ns, PSUTIL_INTERVAL_NS), PSUTIL_INTERVAL_NS),
        sensors=foundation.sensors,
    )


def _workshop(foundation: _Foundation, start_build: StartBuild) -> Workshop:
    settings = foundation.settings
    return Workshop(
        WorkshopParts(
            start=start_build,
            client=foundation.client,
            status=foundation.status,
            turns=Turns(),
            orders=foundation.heartbeats.orders,
            ledger=BuildLedger(settings.data_folder / LEDGER_FILE),
            cache_folder=settings.cache_folder,
            cache_bytes=settings.build_cache_bytes,
            # Before the measured core is left: a build may use all of them.
            cores=frozenset(os.sched_getaffinity(0)),
        )
    )


def _health_checks(foundation: _Foundation, workshop: Workshop, plan: InstrumentPlan) -> HealthChecks:
    return HealthChecks(
        CheckParts(
            proved=workshop.start_build,
            folder=foundation.settings.data_folder / CALIBRATION_FOLDER,
            new_instrument=lambda: Instrument(plan),
            sensors=foundation.sensors,
            preflight=foundation.preflight,
            client=foundation.client,
            status=foundation.status,
            turns=workshop.turns,
            order=foundation.heartbeats.checks,
            measuring=foundation.delivery.measuring,
        )
    )


def _work(
    foundation: _Foundation, inventory_sha256: str, workshop: Workshop, plan: InstrumentPlan, health: HealthThread
) -> None:
    settings, status, journal = foundation.settings, foundation.status, foundation.journal
    parts = ExecutorParts(
        journal=journal,
        delivery=foundation.delivery,
        status=status,
        chunks=ChunkCache(settings.data_folder / "chunks", foundation.client),
        builds=ProvedBuilds(settings.cache_folder, workshop.start_build),
        new_instrument=lambda: Instrument(plan),
    )
    agent_id = foundation.identity.enrollment.agent_id
    handler = JobHandler(
        HandlerParts(
            session=AgentSession(agent_id, foundation.session_id, inventory_sha256),
            client=foundation.client,
            journal=journal,
            delivery=foundation.delivery,
            status=status,
            executor=Executor(parts),
            set_aside=SetAside(settings.data_folder / "set-aside.jsonl"),
            workshop=workshop,
            preflight=foundation.preflight,
        )
    )
    status.tell("ready")
    _log.info("ready", agent_id=agent_id, session_id=foundation.session_id, core=plan.measured_core)
    thread = WorkshopThread(workshop, status)
    thread.start()
    health.start()
    line = _sensor_line(foundation)
    line.start()
    try:
        run_worker(make_app(foundation.identity, handler), status)
    finally:
        status.shut_down()
        line.stop()
        health.join(_HEALTH_SECONDS)
        thread.join(_WORKSHOP_SECONDS)


def _sensor_line(foundation: _Foundation) -> SensorLine:
    plan = LinePlan(foundation.settings.sensor_interval_seconds, foundation.delivery.measuring)
    return SensorLine(foundation.sensors.sensors, plan, foundation.heartbeats.readings)


def _interrupt(status: Status) -> Callable[[int, FrameType | None], None]:
    """Until the worker has its own handlers: stop waiting, and leave whatever step is in work."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        status.shut_down()
        raise KeyboardInterrupt

    return handle
