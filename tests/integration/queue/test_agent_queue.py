"""One agent's queue with a real sender (admin credentials) and a real worker (agent credentials)."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
import redis

from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.redis_users import AgentUser, RedisUsers
from orchestrator.queue.sender import JobSender
from orchestrator.shared.errors import Unavailable
from orchestrator.wire.base import JOB_QUEUE, broker_username, key_prefix
from orchestrator.wire.jobs import JobMessage
from tests.support import job_records
from tests.support.redis_server import RedisServer
from tests.support.small_disk import SmallDisk, small_disk
from tests.support.waiting import GENEROUS_SECONDS, until

AGENT = "aaaaaaaaaaaa"
OTHER = "bbbbbbbbbbbb"
PASSWORD = "known only to the agent"
QUEUE_KEY = key_prefix(AGENT) + JOB_QUEUE


def user(agent_id: str) -> AgentUser:
    return AgentUser(agent_id, (hashlib.sha256(PASSWORD.encode()).hexdigest(),))


def job(job_id: int, agent_id: str = AGENT) -> JobMessage:
    return job_records.job(1, job_id=job_id, agent_id=agent_id)


class Worker:
    def __init__(self, address: BrokerAddress, folder: Path, endless: bool = False) -> None:
        self.output = folder / "jobs.txt"
        self.log = folder / "worker.log"
        own = address.logged_in(broker_username(AGENT), PASSWORD)
        mode = "endless" if endless else "short"
        arguments = ["-m", "tests.support.agent_worker", AGENT, own.url, str(self.output), mode]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([sys.executable, *arguments], stdout=log, stderr=log)

    def lines(self) -> list[str]:
        return self.output.read_text().splitlines() if self.output.exists() else []

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(GENEROUS_SECONDS)
        finally:
            self.kill()


@pytest.fixture
def sender(redis_server: RedisServer) -> Iterator[JobSender]:
    RedisUsers(redis_server.admin()).synchronize([user(AGENT), user(OTHER)])
    with JobSender(redis_server.address) as sender:
        yield sender


@pytest.fixture
def worker(redis_server: RedisServer, sender: JobSender, tmp_path: Path) -> Iterator[Worker]:
    worker = Worker(redis_server.address, tmp_path)
    yield worker
    worker.end()


class TestRedisUsers:
    @pytest.fixture
    def agent_client(self, redis_server: RedisServer, sender: JobSender) -> redis.Redis:
        return redis_server.address.logged_in(broker_username(AGENT), PASSWORD).client()

    def test_revoked_agent_loses_its_user_and_connections(
        self, redis_server: RedisServer, agent_client: redis.Redis
    ) -> None:
        assert agent_client.llen(QUEUE_KEY) == 0
        users = RedisUsers(redis_server.admin())
        users.synchronize([user(OTHER)])
        with pytest.raises(redis.exceptions.ConnectionError):
            agent_client.llen(QUEUE_KEY)

    def test_missing_users_are_created_again(self, redis_server: RedisServer, agent_client: redis.Redis) -> None:
        users = RedisUsers(redis_server.admin())
        users.synchronize([user(AGENT)])
        redis_server.admin().acl_deluser(broker_username(AGENT))
        users.synchronize([user(AGENT)])
        assert agent_client.llen(QUEUE_KEY) == 0


class TestDelivery:
    def test_each_agent_has_its_own_queue(self, redis_server: RedisServer, sender: JobSender) -> None:
        # kombu shares connections between applications with equal settings; the key prefix must separate them.
        for number, agent_id in enumerate((AGENT, OTHER, AGENT, OTHER, AGENT)):
            sender.send(job(number + 1, agent_id))
        lengths = [redis_server.admin().llen(key_prefix(agent_id) + JOB_QUEUE) for agent_id in (AGENT, OTHER)]
        assert lengths == [3, 2]

    @pytest.mark.long
    def test_worker_receives_jobs_while_its_password_is_replaced(
        self, redis_server: RedisServer, sender: JobSender, worker: Worker
    ) -> None:
        former, new = user(AGENT).passwords_sha256[0], hashlib.sha256(b"new").hexdigest()
        users = RedisUsers(redis_server.admin())
        sender.send(job(1))
        until(lambda: "done 1" in worker.lines(), "the job before")
        users.synchronize([AgentUser(AGENT, (former, new)), user(OTHER)])
        sender.send(job(2))
        until(lambda: "done 2" in worker.lines(), "the job after the second password")
        # Its connections are lost: it logs in again, with the password that it started with.
        redis_server.admin().client_kill_filter(user=broker_username(AGENT))
        sender.send(job(3))
        until(lambda: "done 3" in worker.lines(), "the job after the loss of the connection")
        users.synchronize([AgentUser(AGENT, (new,)), user(OTHER)])
        own = redis_server.address.logged_in
        with pytest.raises(redis.exceptions.AuthenticationError):
            own(broker_username(AGENT), PASSWORD).client().llen(QUEUE_KEY)
        assert own(broker_username(AGENT), "new").client().llen(QUEUE_KEY) == 0

    def test_job_of_a_killed_worker_is_redelivered(
        self, redis_server: RedisServer, sender: JobSender, tmp_path: Path
    ) -> None:
        worker = Worker(redis_server.address, tmp_path, endless=True)
        try:
            sender.send(job(7))
            until(lambda: "took 7" in worker.lines(), "the job")
        finally:
            worker.kill()
        worker = Worker(redis_server.address, tmp_path)
        try:
            until(lambda: worker.lines() == ["took 7", "took 7", "done 7"], "the job's return")
        finally:
            worker.end()

    def test_sending_fails_while_redis_is_unreachable(self, redis_server: RedisServer, sender: JobSender) -> None:
        sender.send(job(1))
        redis_server.kill()
        start = time.monotonic()
        with pytest.raises(Unavailable, match="did not take job 2"):
            sender.send(job(2))
        assert time.monotonic() - start < GENEROUS_SECONDS
        redis_server.start()
        RedisUsers(redis_server.admin()).synchronize([user(AGENT)])
        sender.send(job(2))
        assert redis_server.admin().llen(QUEUE_KEY) == 2

    @pytest.mark.parametrize("wiped", [False, True])
    def test_worker_survives_a_restart_of_redis(
        self, redis_server: RedisServer, sender: JobSender, worker: Worker, wiped: bool
    ) -> None:
        sender.send(job(1))
        until(lambda: "done 1" in worker.lines(), "the first job")
        redis_server.kill()
        if wiped:
            redis_server.wipe()
        until(lambda: "onnection" in worker.log.read_text(), "the worker's notice of the lost connection")
        redis_server.start()
        # Redis keeps no users: the worker is refused until the scheduler has made them again.
        until(lambda: redis_server.refused(broker_username(AGENT)), "the refusal of the worker")
        RedisUsers(redis_server.admin()).synchronize([user(AGENT)])
        sender.send(job(2))
        until(lambda: "done 2" in worker.lines(), "the job after the restart")
        assert worker.process.poll() is None


class TestUnexpectedRefusal:
    def test_worker_ends_with_an_error_so_that_it_is_restarted(
        self, redis_server: RedisServer, sender: JobSender, worker: Worker
    ) -> None:
        sender.send(job(1))
        until(lambda: "done 1" in worker.lines(), "the first job")
        admin = redis_server.admin()
        admin.acl_setuser(broker_username(AGENT), enabled=True, commands=["-brpop"])
        until(lambda: worker.process.poll() is not None, "the end of the worker")
        assert worker.process.poll() != 0
        assert "An error ended the worker of the queue jobs" in worker.log.read_text()


class TestFullRedis:
    """A Redis whose memory is full refuses writes; no program ends, and the database still has every job."""

    def test_job_is_refused_and_can_be_sent_again(self, redis_server: RedisServer, sender: JobSender) -> None:
        redis_server.admin().config_set("maxmemory", 1)
        with pytest.raises(Unavailable, match=r"did not take job 1: .*maxmemory"):
            sender.send(job(1))
        redis_server.admin().config_set("maxmemory", 0)
        sender.send(job(1))
        assert redis_server.admin().llen(QUEUE_KEY) == 1

    @pytest.mark.long
    def test_worker_executes_a_job_that_was_queued_before(
        self, redis_server: RedisServer, sender: JobSender, worker: Worker
    ) -> None:
        sender.send(job(1))
        until(lambda: "done 1" in worker.lines(), "the first job")
        worker.process.send_signal(signal.SIGSTOP)
        sender.send(job(2))
        redis_server.admin().config_set("maxmemory", 1)
        worker.process.send_signal(signal.SIGCONT)
        until(lambda: "done 2" in worker.lines(), "the job that the worker cannot note as unacknowledged")
        redis_server.admin().config_set("maxmemory", 0)
        sender.send(job(3))
        until(lambda: "done 3" in worker.lines(), "the job after that")
        assert worker.process.poll() is None

    @pytest.mark.long
    def test_worker_starts_and_restores_messages_later(
        self, redis_server: RedisServer, sender: JobSender, tmp_path: Path
    ) -> None:
        first = Worker(redis_server.address, tmp_path, endless=True)
        sender.send(job(7))
        until(lambda: "took 7" in first.lines(), "the job")
        first.kill()
        redis_server.admin().config_set("maxmemory", 1)
        second = Worker(redis_server.address, tmp_path)
        try:
            until(lambda: "not requeued yet" in second.log.read_text(), "the report of the refusal")
            redis_server.admin().config_set("maxmemory", 0)
            sender.send(job(8))
            until(lambda: "done 8" in second.lines(), "a new job")
            unacknowledged = key_prefix(AGENT) + "unacked"
            until(lambda: redis_server.admin().hlen(unacknowledged) == 1, "the acknowledgment of the new job alone")
        finally:
            second.end()


class TestFullDisk:
    """Regression: scheduler and daemon ended while Redis could not write its append-only file (S116)."""

    @pytest.fixture
    def disk(self, tmp_path: Path) -> Iterator[SmallDisk]:
        with small_disk(tmp_path / "disk", 8) as disk:
            yield disk

    @pytest.fixture
    def redis_server(self, disk: SmallDisk) -> Iterator[RedisServer]:
        server = RedisServer(disk.folder)
        yield server
        server.stop()

    @pytest.mark.long
    def test_job_is_refused_and_the_worker_goes_on_when_there_is_room(
        self, redis_server: RedisServer, sender: JobSender, worker: Worker, disk: SmallDisk
    ) -> None:
        sender.send(job(1))
        until(lambda: "done 1" in worker.lines(), "the first job")
        admin = redis_server.admin()
        disk.fill()

        def cannot_write() -> bool:
            try:
                admin.set("filler", "x" * 8192)
            except redis.ResponseError as error:
                return "MISCONF" in str(error)
            return False

        until(cannot_write, "the refusal of writes")
        with pytest.raises(Unavailable, match=r"did not take job 2: .*MISCONF"):
            sender.send(job(2))
        until(lambda: "MISCONF" in worker.log.read_text(), "the report of the worker")
        assert worker.process.poll() is None

        disk.empty()
        until(lambda: not cannot_write(), "the end of the refusals")
        sender.send(job(2))
        until(lambda: "done 2" in worker.lines(), "the job after that")
        assert worker.process.poll() is None
        assert worker.lines().count("done 1") == 1


def _envelope(body: object = "W10=", **changes: object) -> bytes:
    message = {
        "body": body,
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "py", "task": "ciphermark.execute_job", "id": "x", "argsrepr": "", "kwargsrepr": ""},
        "properties": {
            "correlation_id": "x",
            "delivery_mode": 2,
            "delivery_info": {"exchange": "", "routing_key": "jobs"},
            "priority": 0,
            "body_encoding": "base64",
            "delivery_tag": os.urandom(8).hex(),
        },
    }
    return json.dumps(message | changes).encode()


class TestMalformedEntries:
    """Entries that end a worker with kombu's own transport, or could; each is followed by a valid job."""

    ENTRIES: ClassVar = {
        "empty": b"",
        "no JSON": b"no JSON at all",
        "no UTF-8": b"\xff\xfe\x00",
        "nested too deeply": b"[" * 100_000,
        "a list": b"[]",
        "a number": b"17",
        "an empty object": b"{}",
        "no delivery tag": _envelope(properties={}),
        "no headers": _envelope(headers=None),
        "no task": _envelope(headers={}),
        "unknown task": _envelope(headers={"task": "os.system", "id": "1"}),
        "unknown task without id": _envelope(headers={"task": "os.system"}),
        "a list as task": _envelope(headers={"task": ["x"], "id": "1"}),
        "no id": _envelope(headers={"task": "ciphermark.execute_job"}),
        "body is no base64": _envelope("!!! no base64"),
        "body is no list of arguments": _envelope("e30="),
        "no arguments": _envelope("W10="),
        "body is no UTF-8": _envelope("//8="),
        "a pickle": _envelope(**{"content-type": "application/x-python-serialize"}),
        "no content type": _envelope(**{"content-type": None}),
        "unknown encoding": _envelope(**{"content-encoding": "rot-99"}),
        "no moment": _envelope(
            headers={"task": "ciphermark.execute_job", "id": "1", "eta": "never", "expires": "once"}
        ),
        "unknown compression": _envelope(headers={"task": "ciphermark.execute_job", "id": "1", "compression": "bzip9"}),
        "8 MB": _envelope("A" * 8_000_000),
    }

    @pytest.mark.long
    def test_malformed_entries_do_not_stop_the_worker(
        self, redis_server: RedisServer, sender: JobSender, worker: Worker
    ) -> None:
        for number, (name, entry) in enumerate(self.ENTRIES.items(), 1):
            redis_server.admin().lpush(QUEUE_KEY, entry)
            sender.send(job(number))
            until(lambda done=f"done {number}": done in worker.lines(), f"the job behind the malformed entry: {name}")
        assert worker.process.poll() is None

    def test_unreadable_entries_are_logged_and_dropped(
        self, redis_server: RedisServer, sender: JobSender, worker: Worker
    ) -> None:
        for number in range(120):
            redis_server.admin().lpush(QUEUE_KEY, f"garbage {number}")
        sender.send(job(1))
        until(lambda: "done 1" in worker.lines(), "the job behind the garbage")
        assert worker.log.read_text().count("queue entry dropped") == 120
