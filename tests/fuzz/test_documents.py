"""Documents that are almost right are accepted or refused in the documented way, by every parser of them."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from orchestrator.measurement.machine.cpu_time_split import SplitFacts
from orchestrator.measurement.runner import latency_report, process_report
from orchestrator.measurement.runner.commands import parse_as
from orchestrator.queue.envelope import envelope_fault
from orchestrator.results import validation
from orchestrator.runs.planning.plan import read_plan
from orchestrator.shared.errors import PlanRefused, ProtocolMismatch
from orchestrator.shared.values.field_errors import field_errors
from orchestrator.wire.agents import EnrollmentRequest, InventoryReport
from orchestrator.wire.builds import BuildReport
from orchestrator.wire.health import HealthCheckReport
from orchestrator.wire.heartbeats import Heartbeat
from orchestrator.wire.jobs import JobMessage
from orchestrator.wire.launcher import Ended, read_event
from orchestrator.wire.metrics.phases import reading_refusal
from orchestrator.wire.records import Record, RecordBatch
from orchestrator.wire.runners import LatencyReport, ProcessReport
from tests.support import agent_reports, job_records
from tests.support.documents import VALUES, as_bytes, changed, changed_text, with_each_integer
from tests.support.fuzzing import max_examples
from tests.support.live_service import serve
from tests.unit.measurement.runner import test_latency_report, test_process_report

pytestmark = pytest.mark.untraced

PLAN: dict[str, Any] = {
    "version": 1, "name": "fuzz", "description": "for a test", "repetitions": 3, "warm_up": 1, "seed": 5,
    "precision": {"relative_interval": 0.01, "max_repetitions": 50, "seconds_per_case": 5},
    "agents": ["*"], "conditions": {"max_temperature_celsius": 70, "wait_seconds": 1},
    "toolchains": [{"compiler": ["gcc", "clang"], "version": "12", "optimization": ["O2", "O3"]}],
    "matrix": [
        {"providers": ["own"], "algorithms": ["aes-*"], "inputs": {"kinds": ["text"], "sizes": ["128 KiB", 5]}},
        {"providers": ["*"], "algorithms": ["*"], "protocol": "latency",
         "messages": {"lengths": [16, "1 KiB"], "operations": ["encrypt"], "timings": 3, "min_timing_ms": 0.5}},
    ],
}  # fmt: skip
RECORD = json.loads(job_records.record().model_dump_json())
CURVE = {"at_ns": [0, 10], "rss_bytes": [1, 2], "cpu_ns": [], "threads": [1, 1], "source": "proc"}
BATCH = {"records": [RECORD, RECORD | {"curve": CURVE, "readings": {"work_minor_faults": 4}, "absent": {"a": "b"}}]}
HEARTBEAT = agent_reports.heartbeat(jobs=[{"job_id": 1, "attempt": 1, "done": 3}], undelivered_records=3)
JOB = json.loads(job_records.job().model_dump_json())
ENDED = {"event": "ended"} | vars(test_process_report.ended())
MANY = settings(max_examples=max_examples(tests=22))
SPLIT = SplitFacts("sampled", 4_000_000)
MESSAGES: list[tuple[type[BaseModel], dict[str, Any]]] = [
    (RecordBatch, BATCH),
    (Heartbeat, HEARTBEAT),
    (InventoryReport, agent_reports.inventory()),
    (BuildReport, agent_reports.build(optimization="O2")),
    (EnrollmentRequest, {"name": "pi-attic"}),
    (HealthCheckReport, agent_reports.health_check()),
    (JobMessage, JOB),
]


@pytest.mark.parametrize(("model", "document"), MESSAGES, ids=lambda value: getattr(value, "__name__", ""))
@MANY
@given(data=st.data())
def test_message_is_a_model_or_has_errors_that_can_be_sent(
    model: type[BaseModel], document: dict[str, Any], data: st.DataObject
) -> None:
    value = data.draw(changed(document))
    try:
        accepted = model.model_validate(value)
    except ValidationError as error:
        errors = field_errors(error.errors())
        assert errors
        assert all(len(one.seen or "") <= 100 for one in errors)
        return
    assert type(accepted).model_validate_json(accepted.model_dump_json()) == accepted
    if isinstance(accepted, RecordBatch):
        assert all(isinstance(validation.refusal(record), str | None) for record in accepted.records)


@MANY
@given(changed(RECORD | {"readings": {"work_minor_faults": 4}}))
def test_record_is_refused_with_a_sentence(value: Any) -> None:
    with suppress(ValidationError):
        refusal = validation.refusal(Record.model_validate(value))
        assert refusal is None or refusal


class TestPlans:
    @MANY
    @given(changed(PLAN, max_changes=6))
    def test_mapping_is_a_plan_or_refused(self, value: Any) -> None:
        if isinstance(value, dict):
            with suppress(PlanRefused):
                read_plan(value, None)

    @MANY
    @given(changed_text(yaml.safe_dump(PLAN)))
    def test_yaml_is_a_plan_or_refused(self, text: str) -> None:
        with suppress(PlanRefused):
            read_plan(None, text)

    @MANY
    @given(changed_text(json.dumps(PLAN)))
    def test_json_is_a_plan_or_refused(self, text: str) -> None:
        with suppress(PlanRefused):
            read_plan(None, text)

    # The renamed key was looked for among the first 20 errors only (StopIteration, 500).
    def test_renamed_key_behind_many_errors_is_named(self) -> None:
        unknown = {f"unknown_{number}": 1 for number in range(30)}
        with pytest.raises(PlanRefused, match="keys of Ciphermark") as refusal:
            read_plan(PLAN | unknown | {"maximum_repetitions": 1, "least_timing_ms": 2}, None)
        assert "least_timing_ms to min_timing_ms" in refusal.value.remedy


class TestRunnerReports:
    @MANY
    @given(changed(test_process_report.report(), max_changes=4), st.sampled_from([b"", b"x", b"\xff"]))
    def test_process_report_is_read_or_a_mismatch(self, value: Any, garbage: bytes) -> None:
        with suppress(ProtocolMismatch):
            report = parse_as(ProcessReport, as_bytes(value) + garbage)
            found = process_report.read_report(report, test_process_report.PHASES, Ended.read(ENDED), SPLIT)
            assert [reading_refusal(name, value) for name, value in found.readings.items()] == [None] * len(
                found.readings
            )

    @MANY
    @given(changed(test_latency_report.report(), max_changes=4), st.sampled_from([b"", b"x", b"\xff"]))
    def test_latency_report_is_read_or_a_mismatch(self, value: Any, garbage: bytes) -> None:
        with suppress(ProtocolMismatch):
            report = parse_as(LatencyReport, as_bytes(value) + garbage)
            latency_report.read_report(report, Ended.read(ENDED), SPLIT)

    @MANY
    @given(changed(ENDED) | VALUES, st.sampled_from([b"", b"}", b"\xff"]))
    def test_event_of_the_launcher_is_read_or_refused(self, value: Any, garbage: bytes) -> None:
        with suppress(ValueError):
            read_event(as_bytes(value) + garbage)

    @MANY
    @given(st.binary(max_size=60))
    def test_arbitrary_output_is_a_mismatch(self, output: bytes) -> None:
        with pytest.raises(ProtocolMismatch):
            parse_as(ProcessReport, output)


@MANY
@given(changed({"body": "W1tdLHt9LHt9XQ==", "content-type": "application/json", "content-encoding": "utf-8",
                "headers": {"task": "a", "id": "b", "eta": None, "expires": None, "retries": 0},
                "properties": {"delivery_tag": "c", "body_encoding": "base64",
                               "delivery_info": {"exchange": "", "routing_key": "jobs"}}}))  # fmt: skip
def test_queue_entry_is_valid_or_has_a_fault(entry: Any) -> None:
    fault = envelope_fault(entry)
    assert fault is None or fault


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Return the client of an agent with a build."""
    with serve(tmp_path_factory.mktemp("service")) as served:
        client, _ = agent_reports.enroll(served)
        with client:
            assert client.post("/api/v1/builds", json=agent_reports.build()).is_success
            yield client


OF_AGENTS = pytest.mark.parametrize(
    ("path", "document"),
    [
        ("records", BATCH),
        ("heartbeats", HEARTBEAT),
        ("inventories", agent_reports.inventory()),
        ("builds", agent_reports.build(optimization="O2")),
        ("health-checks", agent_reports.health_check()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)


@OF_AGENTS
def test_service_accepts_or_refuses_integers_that_no_column_holds(
    agent: httpx.Client, path: str, document: dict[str, Any]
) -> None:
    for body in with_each_integer(document, 2**63):
        response = agent.post(f"/api/v1/{path}", json=body)
        assert response.status_code in (200, 201, 422), f"{body}: {response.text}"


@OF_AGENTS
@MANY
@given(data=st.data())
def test_service_accepts_or_refuses_a_changed_message(
    agent: httpx.Client, path: str, document: dict[str, Any], data: st.DataObject
) -> None:
    body = as_bytes(data.draw(changed(document)))
    response = agent.post(f"/api/v1/{path}", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code in (200, 201, 400, 404, 409, 413, 422, 429), response.text
    if not response.is_success:
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["remedy"]
