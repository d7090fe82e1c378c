"""Preflight reports while the service is reachable and unreachable."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.daemon.health.preflight import REPORTS_KEPT, CheckedMachine, PreflightReports
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.database.models import PreflightReport
from tests.support.daemon_bench import NO_SERVICE, DaemonBench, a_job
from tests.support.database import Shape, fill
from tests.support.live_service import Served

RUN = "good00000001"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, Shape(run_id=RUN, repetitions=1, sizes=(1024,), kinds=("text",), with_curves=False))
    return served


@pytest.fixture
def client(served: Served) -> Iterator[ServiceClient]:
    agent_id = served.visitor.get("/api/v1/agents").json()["items"][0]["id"]
    token = served.client("agent", agent_id).headers["Authorization"].removeprefix("Bearer ")
    with ServiceClient(ServiceAddress(served.url, token, 60)) as client:
        yield client


@pytest.fixture
def unreachable() -> Iterator[ServiceClient]:
    with ServiceClient(ServiceAddress(NO_SERVICE, "token", 2.0)) as client:
        yield client


def stored(served: Served) -> list[str | None]:
    with served.database.read() as session:
        return [row.run_id for row in session.query(PreflightReport).order_by(PreflightReport.id)]


class TestBeforeJob:
    def test_first_job_of_a_run_takes_one_report(self, served: Served, client: ServiceClient, tmp_path: Path) -> None:
        reports, before = PreflightReports(client, CheckedMachine(0, tmp_path)), len(stored(served))
        for _ in range(3):
            reports.before_job(RUN)
            reports.send_waiting()
        assert stored(served)[before:] == [RUN]

    def test_report_is_kept_while_the_service_is_unreachable(self, bench: DaemonBench) -> None:
        bench.handler.handle(a_job(bench.build, 1).model_dump(mode="json"))

        assert len(bench.records()) == 3
        assert [report.run_id for report in bench.preflight.waiting()] == ["abcdefghij99"]
        bench.preflight.send_waiting()  # the service is unreachable
        assert len(bench.preflight.waiting()) == 1


class TestUnreachable:
    def test_kept_reports_are_sent_when_the_service_is_reachable(
        self, served: Served, client: ServiceClient, tmp_path: Path
    ) -> None:
        reports, before = PreflightReports(client, CheckedMachine(0, tmp_path)), len(stored(served))
        reports.take(RUN)
        reports.take()
        assert len(stored(served)) == before

        reports.send_waiting()

        assert stored(served)[before:] == [RUN, None]
        assert reports.waiting() == []

    def test_rejected_report_does_not_block_the_others(
        self, served: Served, client: ServiceClient, tmp_path: Path
    ) -> None:
        reports, before = PreflightReports(client, CheckedMachine(0, tmp_path)), len(stored(served))
        reports.take(secrets.token_hex(6))  # no such run
        reports.take(RUN)

        reports.send_waiting()

        assert stored(served)[before:] == [RUN]

    def test_number_of_kept_reports_is_limited(self, unreachable: ServiceClient, tmp_path: Path) -> None:
        reports = PreflightReports(unreachable, CheckedMachine(3, tmp_path))
        report = reports.take()
        for number in range(REPORTS_KEPT + 2):
            reports.keep(report.model_copy(update={"run_id": f"run{number:09d}"}))

        assert [one.run_id for one in reports.waiting()] == [f"run{n:09d}" for n in range(2, REPORTS_KEPT + 2)]
