"""The daemon's requests to a real service: enrollment, heartbeats, claims, and records."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from orchestrator.daemon.health.sensor_series import SensorThread
from orchestrator.daemon.heartbeat import Heartbeats, first_heartbeat
from orchestrator.daemon.jobs.claims import AgentSession, Claims
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.daemon.machine.inventory import take_inventory
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.measuring_lock import MeasuringLock
from orchestrator.daemon.session.status import Status
from orchestrator.database.models import Agent, Job, SensorReading, now
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.shared.errors import SecondSession, Unauthorized, Unreachable
from orchestrator.wire.jobs import JobMessage
from orchestrator.wire.records import Record
from tests.support.agent_reports import enroll
from tests.support.job_records import job, record
from tests.support.kernel_tree import build_machine
from tests.support.live_service import Served
from tests.support.queued_jobs import fill_run


@dataclass(frozen=True)
class Enrolled:
    """An agent of the service, with its client."""

    agent_id: str
    client: ServiceClient


@pytest.fixture
def enrolled(served: Served) -> Iterator[Enrolled]:
    _, identity = enroll(served)
    with ServiceClient(ServiceAddress(served.url, identity["agent_token"], 60)) as client:
        yield Enrolled(identity["agent_id"], client)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite") as journal:
        yield journal


@pytest.fixture
def away() -> Iterator[ServiceClient]:
    """A client whose service does not listen."""
    with ServiceClient(ServiceAddress("http://127.0.0.1:9", "token", 1)) as client:
        yield client


def heartbeats_of(enrolled: Enrolled, journal: Journal, session_id: str) -> Heartbeats:
    return Heartbeats(enrolled.client, Status(), journal, session_id)


class TestHeartbeats:
    def test_unknown_inventory_is_requested_and_sent(self, enrolled: Enrolled, journal: Journal) -> None:
        heartbeats = heartbeats_of(enrolled, journal, "1" * 32)
        heartbeats.inventory = take_inventory(0)
        heartbeats.status.set_inventory(heartbeats.inventory.sha256)

        assert heartbeats.send().send_inventory
        assert not heartbeats.send().send_inventory

    def test_second_session_is_rejected_while_the_first_is_live(
        self, enrolled: Enrolled, served: Served, journal: Journal
    ) -> None:
        """As with a copied data folder on another machine."""
        heartbeats_of(enrolled, journal, "1" * 32).send()
        with served.database.write() as session:
            session.get_one(Agent, enrolled.agent_id).last_heartbeat_at = now() + timedelta(hours=1)

        with pytest.raises(SecondSession):
            first_heartbeat(heartbeats_of(enrolled, journal, "2" * 32), seconds=1.5)

    def test_sensor_readings_are_kept_until_their_heartbeat_is_answered(
        self, enrolled: Enrolled, served: Served, journal: Journal, away: ServiceClient, tmp_path: Path
    ) -> None:
        heartbeats = heartbeats_of(enrolled, journal, "1" * 32)
        roots = build_machine("raspberry-pi-4", tmp_path)
        sensors, measuring = find_sensors(roots).sensors, MeasuringLock()
        SensorThread(sensors, heartbeats.readings, interval_seconds=10, measuring=measuring).read_all()
        waiting = heartbeats.readings.oldest().readings
        there, heartbeats.client = heartbeats.client, away

        with pytest.raises(Unreachable):
            heartbeats.send()
        kept = heartbeats.readings.oldest().readings
        heartbeats.client = there
        heartbeats.send()

        assert len(waiting) == 8
        assert kept == waiting
        assert heartbeats.readings.oldest().readings == []
        with served.database.read() as session:
            stored = session.scalars(select(SensorReading).where(SensorReading.agent_id == enrolled.agent_id))
            assert {row.sensor: row.value for row in stored} == {one.sensor: one.value for one in waiting}

    def test_wrong_token_is_distinguished_from_an_unreachable_service(self, served: Served, journal: Journal) -> None:
        client = ServiceClient(ServiceAddress(served.url, "cm_agent_wrong", 60))
        with pytest.raises(Unauthorized):
            Heartbeats(client, Status(), journal, "1" * 32).send()
        client.close()


class TestClaims:
    """Without an answer a job is executed, and its message stays in the queue: its records are judged later."""

    def _fill(self, served: Served, enrolled: Enrolled) -> JobMessage:
        run_id = secrets.token_hex(6)
        (job_id,) = fill_run(served.database, run_id, agent_id=enrolled.agent_id)
        with served.database.write() as session:
            session.execute(update(Agent).values(approved_at=now()))
            session.execute(update(Job).where(Job.id == job_id).values(state="sent"))
        return job(job_id=job_id, run_id=run_id)

    def _claims(self, enrolled: Enrolled, journal: Journal, away: ServiceClient) -> tuple[Claims, Claims]:
        """Return the claims of one daemon session, with the service and without it."""
        session = AgentSession(enrolled.agent_id, "1" * 32, "")
        return Claims(enrolled.client, journal, session), Claims(away, journal, session)

    def _state(self, served: Served, message: JobMessage) -> tuple[str, int]:
        with served.database.read() as session:
            stored = session.get_one(Job, message.job_id)
            return stored.state, stored.attempts

    def test_answered_claim_is_kept_for_a_restart_without_service(
        self, enrolled: Enrolled, served: Served, journal: Journal, away: ServiceClient
    ) -> None:
        message = self._fill(served, enrolled)
        claims, restarted = self._claims(enrolled, journal, away)

        granted, without_answer = claims.claim(message), restarted.claim(message)

        assert self._state(served, message) == ("running", 1)
        assert granted is not None
        assert without_answer is not None
        assert (granted.attempt, without_answer.attempt) == (1, 1)
        assert claims.answered_boot_ns is not None
        assert restarted.answered_boot_ns is None

    def test_stopped_job_is_released_as_soon_as_the_service_answers(
        self, enrolled: Enrolled, served: Served, journal: Journal, away: ServiceClient
    ) -> None:
        message = self._fill(served, enrolled)
        claims, unanswered = self._claims(enrolled, journal, away)
        claims.claim(message)

        assert unanswered.finish(message, "shutdown") == "requeue"
        assert self._state(served, message) == ("running", 1)
        assert claims.finish(message, "shutdown") == "acknowledge"
        assert self._state(served, message) == ("waiting", 0)

    def test_job_that_is_unknown_or_of_another_agent_is_not_executed(
        self, enrolled: Enrolled, served: Served, journal: Journal
    ) -> None:
        message = self._fill(served, enrolled)
        _, identity = enroll(served)
        with ServiceClient(ServiceAddress(served.url, identity["agent_token"], 60)) as client:
            claims = Claims(client, journal, AgentSession("another", "1" * 32, ""))

            assert claims.claim(message) is None
            assert claims.claim(job(job_id=4711)) is None
            assert claims.finish(message, "cancelled") == "acknowledge"
        assert self._state(served, message) == ("sent", 0)


class TestDelivery:
    def test_rejected_record_does_not_block_the_others(self, enrolled: Enrolled, journal: Journal) -> None:
        for repetition in range(1, 8):
            journal.add(record(repetition, case_id=10**6))
        delivery = Delivery(journal, enrolled.client, batch_records=3)

        assert delivery.flush()
        assert journal.waiting_count() == 0

    def test_invalid_document_is_dropped_and_others_are_delivered(self, enrolled: Enrolled, journal: Journal) -> None:
        """Regression: one invalid document (of an older daemon or a damaged disk) blocked all later records."""
        for repetition in range(1, 6):
            journal.add(record(repetition, case_id=10**6))
        journal.connection.execute("UPDATE records SET record = '{}' WHERE repetition = 3")
        delivery = Delivery(journal, enrolled.client, batch_records=10)

        assert delivery.flush()
        assert journal.waiting_count() == 0

    def test_records_are_kept_while_the_service_is_unreachable(self, journal: Journal, away: ServiceClient) -> None:
        journal.add(record(1))

        assert not Delivery(journal, away, batch_records=10).flush()
        (document,) = journal.waiting(10).values()
        assert Record.model_validate_json(document).repetition == 1
