"""``ciphermark daemon start``: connect to the service, prepare the machine, then execute jobs until SIGTERM."""

import logging
import os
import secrets
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import structlog
from celery.exceptions import SecurityWarning

from orchestrator.compilation.cache import LEDGER_FILE, BuildLedger
from orchestrator.compilation.libraries.registered import LIBRARIES_FILE
from orchestrator.compilation.native.steps import Interrupted
from orchestrator.compilation.proved import ProvedBuilds
from orchestrator.daemon.builds.builder import Builder, DefaultBuild
from orchestrator.daemon.health.calibration import CALIBRATION_FOLDER
from orchestrator.daemon.health.checks import ControlInstrument, HealthChecks
from orchestrator.daemon.health.preflight import CheckedMachine, PreflightReports
from orchestrator.daemon.health.sensor_series import SensorThread
from orchestrator.daemon.heartbeat import Heartbeats, HeartbeatThread, first_heartbeat
from orchestrator.daemon.jobs.chunk_cache import ChunkCache
from orchestrator.daemon.jobs.claims import AgentSession, Claims
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.executor import Executor
from orchestrator.daemon.jobs.handler import JobHandler
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.daemon.jobs.room import Room
from orchestrator.daemon.jobs.worker import end_worker, make_app, run_worker
from orchestrator.daemon.machine.emulation import is_emulated
from orchestrator.daemon.machine.inventory import RegisteredVersions
from orchestrator.daemon.preparation import Preparation
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.ending import forget_end, noted_end
from orchestrator.daemon.session.enrollment import token_rotation
from orchestrator.daemon.session.identity import DataFolderLock, Identity, load_identity
from orchestrator.daemon.session.status import Status
from orchestrator.daemon.session.worker_thread import WorkerThread
from orchestrator.measurement.instrument.measure import Instrument, InstrumentPlan
from orchestrator.measurement.instrument.monitor import PSUTIL_INTERVAL_NS, MonitorPlan
from orchestrator.measurement.launch.affinity import choose_measured_core, leave_core
from orchestrator.measurement.machine.core_lock import CoreLock
from orchestrator.measurement.machine.roots import KERNEL
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import BuildFailed, NoRunners, SetupError, Unreachable
from orchestrator.shared.files.private import make_private
from orchestrator.shared.free_space import shortage
from orchestrator.shared.logs import configure
from orchestrator.shared.settings import DaemonSettings

_BUILDER_SECONDS = 10.0
"""How long the shutdown waits for the builder to end its compilers and its current request."""
_NO_RUNNERS_SECONDS = 30.0
"""Interval at which a device without runners looks for cross-built ones."""
_HEALTH_SECONDS = 5.0
"""How long the shutdown waits for a running health check."""
_SWITCH_SECONDS = 0.0001
"""How long a thread that makes records may hold the interpreter after the end of a runner: 5 ms by default."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT)

_log = structlog.get_logger(__name__)


def start(settings: DaemonSettings, providers: frozenset[str] | None = None) -> None:
    """Execute jobs as this machine's agent until SIGTERM or SIGINT.

    providers: whose runners are compiled, if they are not found; None: all.
    Raises NotEnrolled, SecondSession (another daemon is this agent), Unauthorized or Forbidden (revoked), and
    SetupError for a setting that does not fit this machine.
    """
    _configure_logs(settings)
    sys.setswitchinterval(_SWITCH_SECONDS)
    make_private(settings.data_folder)
    identity = load_identity(settings.data_folder)
    measured_core = choose_measured_core(settings.measured_core)
    # Results of an emulated agent are never ranked, so it may share the core of the machine's own agent.
    shared = settings.share_core or is_emulated(KERNEL, os.uname().machine)
    with (
        DataFolderLock(settings.data_folder),
        CoreLock(measured_core, shared=shared),
        Daemon(settings, identity, measured_core, providers) as daemon,
        noted_end(settings.data_folder),
        _signals_interrupt(daemon.status),
    ):
        daemon.run()
        daemon.raise_if_ended_by_service()


class Daemon(Closable):
    """One session of the daemon: its connections, its threads, and its worker."""

    def __init__(
        self, settings: DaemonSettings, identity: Identity, measured_core: int, providers: frozenset[str] | None
    ) -> None:
        """Open the journal and prepare the connections; nothing is sent yet."""
        enrollment = identity.enrollment
        address = ServiceAddress(
            identity.service_url,
            enrollment.agent_token,
            service_key=settings.service_key,
        )
        self.status = Status()
        self._settings = settings
        self._identity = identity
        self._measured_core = measured_core
        self._providers = providers
        self._session_id = secrets.token_hex(16)
        self._client = ServiceClient(address)
        self._journal = Journal(settings.data_folder / f"journal-{enrollment.agent_id}.sqlite")
        self._delivery = Delivery(self._journal, self._client)
        self._preflight = PreflightReports(self._client, CheckedMachine(measured_core, settings.data_folder))
        self._heartbeats = Heartbeats(
            self._client,
            self.status,
            self._journal,
            self._session_id,
            shortage=lambda: shortage(settings.data_folder, settings.min_free_mib),
            update_inventory=RegisteredVersions(settings.data_folder / LIBRARIES_FILE).update,
            rotate_token=token_rotation(self._client, settings.data_folder),
        )
        self._heartbeat_thread = HeartbeatThread(self._heartbeats, self._delivery, self._preflight, on_fatal=end_worker)
        self._sensors = find_sensors(KERNEL, settings.meter_command)

    def run(self) -> None:
        """Connect, prepare, and execute jobs until the daemon is shut down."""
        try:
            self._connect()
            preparation = Preparation(self._settings, self._client, self.status, providers=self._providers)
            inventory_sha256 = preparation.report_inventory(self._heartbeats, self._measured_core, self._sensors)
            default = self._prepare_build(preparation)
            if default is None:
                return
            # Created before the measured core is left: builds may use all cores.
            builder = self._builder(default)
            plan = self._instrument_plan(default)
            control = preparation.calibrate(default.proved, plan)
            checks = self._health_checks(builder, plan)
            if control is not None:
                checks.take(control)
            self._execute_jobs(self._job_handler(builder, plan, inventory_sha256), builder, checks)
        except (Interrupted, KeyboardInterrupt):
            _log.info("stopped during preparation")
        except Unreachable:
            if not self.status.wait_for_shutdown(0):
                raise

    def raise_if_ended_by_service(self) -> None:
        """Raise the error with which the service ended this session, if it did."""
        if self._heartbeat_thread.fatal is not None:
            raise self._heartbeat_thread.fatal

    def close(self) -> None:
        """Stop the heartbeats and close files and connections."""
        if self._heartbeat_thread.is_alive():
            self._heartbeat_thread.stop()
        self._sensors.close()
        self._delivery.close()
        self._journal.close()
        self._client.close()

    def _connect(self) -> None:
        first_heartbeat(self._heartbeats)
        forget_end(self._settings.data_folder)
        self._heartbeat_thread.start()

    def _prepare_build(self, preparation: Preparation) -> DefaultBuild | None:
        """Return the default build; without one, refuse jobs until the shutdown, so that the agent page shows why.

        A device without a compiler requests cross-built runners again every half minute.
        """
        while True:
            try:
                return preparation.prepare_build()
            except (BuildFailed, SetupError) as error:
                _log.error("no runners", error=str(error))
                self.status.report("refusing", f"no runners: {error}")
                repeats = isinstance(error, NoRunners)
            while not self.status.wait_for_shutdown(_NO_RUNNERS_SECONDS):
                if repeats:
                    break
            else:
                return None

    def _builder(self, default: DefaultBuild) -> Builder:
        return Builder(
            default=default,
            client=self._client,
            status=self.status,
            orders=self._heartbeats.orders,
            ledger=BuildLedger(self._settings.data_folder / LEDGER_FILE),
            cache_folder=self._settings.cache_folder,
            cache_bytes=self._settings.build_cache_bytes,
            libraries_file=self._settings.data_folder / LIBRARIES_FILE,
        )

    def _instrument_plan(self, default: DefaultBuild) -> InstrumentPlan:
        settings, pinned = self._settings, leave_core(self._measured_core)
        if not pinned:
            _log.warning("only one core: the monitor shares it with the runner; sampling is coarse")
        fine_ns = settings.sampling_interval_ms * 1_000_000
        return InstrumentPlan(
            launcher=default.proved.build.launcher,
            measured_core=self._measured_core,
            pinned=pinned,
            # With one core only, each sample of the monitor takes time from the runner.
            monitor=MonitorPlan(fine_ns if pinned else max(fine_ns, PSUTIL_INTERVAL_NS), PSUTIL_INTERVAL_NS),
            exit_stop=settings.exit_stop,
            sensors=self._sensors,
        )

    def _health_checks(self, builder: Builder, plan: InstrumentPlan) -> HealthChecks:
        return HealthChecks(
            instrument=ControlInstrument(
                builder.default.proved, lambda: Instrument(plan), measuring=self._delivery.measuring
            ),
            folder=self._settings.data_folder / CALIBRATION_FOLDER,
            sensors=self._sensors,
            preflight=self._preflight,
            client=self._client,
            status=self.status,
            machine_lock=builder.machine_lock,
            request=self._heartbeats.health_check,
        )

    def _job_handler(self, builder: Builder, plan: InstrumentPlan, inventory_sha256: str) -> JobHandler:
        data_folder = self._settings.data_folder
        session = AgentSession(self._identity.enrollment.agent_id, self._session_id, inventory_sha256)
        room = Room(self._journal, data_folder, self._settings.min_free_mib)
        executor = Executor(
            journal=self._journal,
            delivery=self._delivery,
            chunks=ChunkCache(data_folder / "chunks", self._client),
            builds=ProvedBuilds(self._settings.cache_folder, builder.default.proved),
            restore_build=builder.restore_build,
            room=room,
            new_instrument=lambda: Instrument(plan),
        )
        return JobHandler(
            status=self.status,
            claims=Claims(self._client, self._journal, session),
            builder=builder,
            preflight=self._preflight,
            executor=executor,
            delivery=self._delivery,
            room=room,
        )

    def _execute_jobs(self, handler: JobHandler, builder: Builder, checks: HealthChecks) -> None:
        self.status.report("ready")
        self._heartbeat_thread.send_soon()
        agent_id = self._identity.enrollment.agent_id
        _log.info("ready", agent_id=agent_id, session_id=self._session_id, core=self._measured_core)
        builder_thread = WorkerThread("builder", builder.work, self.status)
        health_thread = WorkerThread("health", checks.work, self.status)
        sensor_thread = SensorThread(
            self._sensors.sensors,
            self._heartbeats.readings,
            measuring=self._delivery.measuring,
        )
        builder_thread.start()
        health_thread.start()
        sensor_thread.start()
        try:
            run_worker(make_app(self._identity, handler), self.status)
        finally:
            self.status.shut_down()
            sensor_thread.stop()
            health_thread.join(_HEALTH_SECONDS)
            builder_thread.join(_BUILDER_SECONDS)


def _configure_logs(settings: DaemonSettings) -> None:
    configure(settings.log_level)
    # One line per heartbeat would bury everything else.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    # Celery warns when root accepts pickled messages; this worker accepts only JSON.
    warnings.filterwarnings("ignore", category=SecurityWarning)


@contextmanager
def _signals_interrupt(status: Status) -> Iterator[None]:
    """Let SIGTERM and SIGINT interrupt the preparation; the worker installs its own handlers later."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        status.shut_down()
        raise KeyboardInterrupt

    previous = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
