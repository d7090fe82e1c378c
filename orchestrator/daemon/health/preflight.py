"""Preflight reports: the environment checks, reported before a run's first job and with each health check."""

import threading
import time
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from orchestrator.daemon.machine.emulation import virtual_machine
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.measurement.machine.kernel_clock import KernelClock, read_kernel_clock
from orchestrator.measurement.machine.roots import KERNEL, Roots
from orchestrator.measurement.preflight.all_checks import run_checks
from orchestrator.measurement.preflight.base import PreflightContext
from orchestrator.shared.errors import CiphermarkError, Unreachable
from orchestrator.wire.base import RunId
from orchestrator.wire.health import PreflightReportMessage

REPORTS_KEPT = 50
"""Maximum number of unsent reports of about 4 KB each; the oldest is dropped, with a log entry."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class CheckedMachine:
    """The machine that the checks examine."""

    measured_core: int
    data_folder: Path
    roots: Roots = KERNEL
    own_daemon: int | None = None  # the daemon of the data folder, if another process checks


def context_of(machine: CheckedMachine, earlier_clock: KernelClock | None = None) -> PreflightContext:
    """Return the facts about this machine that the checks need."""
    return PreflightContext(
        measured_core=machine.measured_core,
        data_folder=machine.data_folder,
        virtual_machine=virtual_machine(machine.roots),
        clock=read_kernel_clock(),
        earlier_clock=earlier_clock,
        own_daemon=machine.own_daemon,
    )


def preflight_report(
    machine: CheckedMachine, run_id: RunId | None = None, earlier: KernelClock | None = None
) -> PreflightReportMessage:
    """Execute all checks now: 30 ms on an x86-64 virtual machine (2026-11), 25 ms of them observing other processes.

    earlier: the clock at the previous report; without it, jumps of the wall clock are not detected.
    """
    results = run_checks(machine.roots, context_of(machine, earlier))
    return PreflightReportMessage(run_id=run_id, checked_at=datetime.now(UTC), results=results)


class PreflightReports:
    """Takes reports and keeps them until the service has them. Every method may be called from any thread.

    Taking a report never waits for the network: the heartbeat thread sends the reports.
    """

    def __init__(self, client: ServiceClient, machine: CheckedMachine) -> None:
        """Report on `machine` through the client."""
        self._client = client
        self._machine = machine
        self._lock = threading.Lock()
        self._waiting: deque[PreflightReportMessage] = deque()
        self._runs: set[str] = set()
        self._clock: KernelClock | None = None

    def before_job(self, run_id: RunId) -> None:
        """Take a report if the job is the first of its run in this session."""
        if run_id not in self._runs:
            self._runs.add(run_id)
            self.take(run_id)

    def take(self, run_id: RunId | None = None) -> PreflightReportMessage:
        """Execute the checks now, keep the report for sending, and return it."""
        began_at = time.monotonic()
        report = preflight_report(self._machine, run_id, self._clock)
        self._clock = read_kernel_clock()
        poor = [result.name for result in report.results if result.state == "poor"]
        milliseconds = round((time.monotonic() - began_at) * 1000)
        _log.info("preflight checks executed", run_id=run_id, poor=poor, milliseconds=milliseconds)
        self.keep(report)
        return report

    def keep(self, report: PreflightReportMessage) -> None:
        """Keep a report for sending."""
        with self._lock:
            self._waiting.append(report)
            if len(self._waiting) > REPORTS_KEPT:
                dropped = self._waiting.popleft()
                _log.warning("preflight report dropped: too many unsent", run_id=dropped.run_id, kept=REPORTS_KEPT)

    def waiting(self) -> list[PreflightReportMessage]:
        """Return the unsent reports, oldest first."""
        with self._lock:
            return list(self._waiting)

    def send_waiting(self) -> None:
        """Send the unsent reports, oldest first, until the service is unreachable. Raises no error of the service."""
        while True:
            with self._lock:
                report = self._waiting[0] if self._waiting else None
            if report is None:
                return
            try:
                self._client.report_preflight(report)
            except Unreachable:
                return
            except CiphermarkError as error:
                # The service rejected the payload; retrying cannot succeed.
                _log.error("service rejected a preflight report", run_id=report.run_id, error=str(error))
            with self._lock:
                if self._waiting and self._waiting[0] is report:
                    self._waiting.popleft()
