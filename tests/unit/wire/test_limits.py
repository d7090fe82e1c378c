"""Messages within their limits are accepted, and each value outside of them is refused.

That accepted messages survive JSON, is shown in tests/fuzz/test_documents.py.
"""

import math
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from orchestrator.shared.units import GIB
from orchestrator.wire.agents import EnrollmentRequest, InventoryFacts
from orchestrator.wire.builds import BuildOutcome, ConstantTimeResult, ProofResult, Toolchain
from orchestrator.wire.downloads import Downloads
from orchestrator.wire.health import ControlWorkload, HealthCheckReport, PreflightResult, SensorSample
from orchestrator.wire.heartbeats import Heartbeat, StopOrder
from orchestrator.wire.jobs import JobMessage
from orchestrator.wire.plans import Matrix, Plan
from orchestrator.wire.records import CurveSamples, Failure, Record, RecordBatch, TimingSeries
from orchestrator.wire.runners import Implementation, ListReport, PhaseCounts, ProcessReport
from tests.support import agent_reports
from tests.unit.measurement.runner import test_process_report
from tests.unit.wire.test_forms import LISTING, ROW
from tests.unit.wire.test_jobs import JOB, LATENCY, PROCESS

Document = dict[str, Any]
SOURCE = {"path": "/api/v1/downloads/runner-source", "file_name": "runners.tar.gz", "sha256": "1" * 64,
          "size_bytes": 10, "source_sha256": "2" * 64, "languages_sha256": "3" * 64}  # fmt: skip
DOWNLOADS = {"runner_source": SOURCE, "agent_wheel": None, "absent": {"agent_wheel": "it is being built"}}
FACTS: Document = agent_reports.inventory()["inventory"]
COMPILER = {"name": "gcc", "command": "gcc-14", "version": "14.2", "target": "aarch64-linux-gnu"}
CONTROL: Document = agent_reports.health_check(control_wall_ns=100.0)["control"]
SAMPLE = {"sensor": "power_watts ina0", "unit": "W", "read_at": "2026-11-01T10:00:00Z", "value": 3.5}
CHECK = {"name": "cpu-governor", "state": "good", "found": "off", "expected": "off"}
MATRIX: Document = {"providers": ["*"], "algorithms": ["aes-*"], "inputs": {"sizes": ["1 KiB"]}}
CALLS: Document = {"providers": ["own"], "algorithms": ["*"], "protocol": "latency", "messages": {"lengths": [0]}}
PLAN: Document = {"version": 1, "name": "quick", "repetitions": 3, "matrix": [MATRIX]}
RECORD: Document = {
    "case_id": 1, "repetition": 1, "position": 0, "job_id": 1, "attempt": 1, "session_id": "0" * 32,
    "inventory_sha256": "1" * 64, "started_at": "2026-11-01T10:00:00Z", "state": "ok",
}  # fmt: skip
TIMED = {"work_wall_ns": 10, "output_sha256": "2" * 64}
TIMINGS: Document = {
    "iterations": [1, 2], "wall_ns": [5, 6], "cpu_ns": [5, 6], "cycles": [None, 9], "instructions": [None, None],
    "core_clock_hz": [3e9, None], "derived_cycles": [None, 1.5],
}  # fmt: skip
FAILURE = {"error": "runner-crashed", "detail": "signal 11", "signal": 11}
KEY = {"build_key": "0" * 64}
CALL = {"name": "digest", "inputs": ["message"], "check": "digest"}
CHECKED = {"provider": "own", "algorithm": "aes-128-ctr", "variant": "ref", "errors": 0, "t": 1.5}

LIMITS: list[tuple[type[BaseModel], Document, list[Document]]] = [
    (EnrollmentRequest, {"name": "a" * 63},
     [{"name": name} for name in ("", "-pi", ".pi", "pi/4", "pi 4", "a" * 64, "pi\n", "ä")]),
    (EnrollmentRequest, {"name": "Pi-4.lab_2"}, []),
    (InventoryFacts, FACTS | {"compilers": [COMPILER], "quantum_bits": 3},
     [{"compilers": [COMPILER | {"name": "tcc"}]}]),
    (Toolchain, {},
     [{"compiler": "/bin/sh"}, {"optimization": "O4"}, {"march": "native -fplugin=x"}, {"mcpu": "$(id)"},
      {"march": ""}, {"version": "12; id"}, {"link": "lto"}, {"flags": "-O2"}]),
    (Toolchain, {"compiler": "cpython"}, [{"march": "native"}, {"link": "static"}, {"masked": True}]),
    (ConstantTimeResult, CHECKED,
     [{"errors": -1}, {"errors": None}, {"reason": "no valgrind"}, {"t": None}, {"t": math.inf}, {"timing_reason": "x"},
      {"max_message_bytes": -1}, {"hidden_features": ["avx2"] * 65}, {"timed_calls": 2**31}]),
    (ConstantTimeResult, CHECKED | {"errors": None, "reason": "no valgrind", "t": None, "timing_reason": "no clock"},
     [{"reason": "x" * 501}, {"timing_reason": "x" * 501}]),
    (ProofResult, agent_reports.proof() | {"relative_times": {"16": 1.5}, "fastest_at": [16]},
     [{"fastest_at": [64]}, {"relative_times": {}}, {"relative_times": {"-1": 1.5, "16": 1.5}}]),
    (BuildOutcome, KEY, [KEY | {"failure": "x"}, {"build_key": None}]),
    (BuildOutcome, {"failure": "clang is not installed"}, [{"failure": ""}]),
    (Downloads, DOWNLOADS,
     [{"runner_source": SOURCE | one} for one in ({"sha256": "1" * 63}, {"size_bytes": -1}, {"url": "http://else"})]),
    (SensorSample, SAMPLE,
     [*({"value": value} for value in (math.nan, math.inf, "much")),
      {"read_at": datetime(2026, 11, 1)},  # noqa: DTZ001 - without a zone
      *({"sensor": name} for name in ("", "Power", "power\x1b[31m", "power ", "a" * 65))]),
    (ControlWorkload, CONTROL,
     [{"median_work_wall_ns": 98.0}, {"median_work_wall_ns": 102.0}, {"low_work_wall_ns": None},
      {"high_work_wall_ns": None}, {"median_work_wall_ns": 0.0}, {"low_work_wall_ns": math.nan}]),
    (HealthCheckReport, agent_reports.health_check(),
     [{"noise_floor": -0.01}, {"disturbed_share": -0.01}, {"disturbed_share": 1.01}]),
    (PreflightResult, CHECK, [{"name": "Swap"}, {"name": "swap-"}]),
    (Heartbeat, {"session_id": "0" * 32, "state": "ready"},
     [{"state": "enrolled"}, {"session_id": "x"}, {"activity": "x" * 201}, {"jobs": [{"job_id": 0, "attempt": 0}]},
      {"jobs": [{"job_id": 1, "attempt": 0}] * 1001}, {"undelivered_records": -1}, {"agent_id": "other"}]),
    (StopOrder, {"job_id": 1, "reason": "paused"}, [{"reason": "tired"}]),
    (JobMessage, JOB,
     [{"version": 2}, {"executions": []}, {"cases": []}, {"timeout_seconds": 0}, {"command": "id"},
      {"executions": [*JOB["executions"], {"case_id": 3, "repetition": 1, "position": 2}]},
      {"cases": [PROCESS | {"path": "/bin/sh"}, LATENCY]}, {"cases": [PROCESS | {"algorithm": "../x"}, LATENCY]},
      {"cases": [PROCESS, LATENCY | {"timings": 1001}]}, {"cases": [PROCESS, LATENCY | {"operation": "../x"}]},
      {"cases": [PROCESS, LATENCY | {"message_bytes": GIB + 1}]}]),
    (Matrix, MATRIX,
     [{"inputs": None}, {"messages": {"lengths": [1]}}, {"protocol": "latency"}, {"providers": []},
      {"algorithms": ["aes;id"]}, {"copies": 0}]),
    (Matrix, CALLS,
     [{"protocol": "process"}, *({"messages": one} for one in (
         {"lengths": []}, {"lengths": [-1]}, {"lengths": [16], "timings": 1001}, {"lengths": [16], "fill": "ones"}))]),
    (Plan, PLAN,
     [{"version": 2}, {"name": "Quick"}, {"repetitions": 0}, {"matrix": []}, {"priority": 10}, {"seed": -1},
      {"precision": {"relative_interval": 0.01, "max_repetitions": 2}}, {"memory_repetitions": 4},
      {"repetitions": 5, "shell_repetitions": 6}, {"repetitions": 5, "blocked_repetitions": 6},
      {"timeout_seconds": 0}, {"architectures": ["x86-64"]}, {"unknown": 1}]),
    (Plan, PLAN | {"memory": "apart", "memory_repetitions": 4}, []),
    (Record, RECORD | TIMED,
     [{"output_sha256": None}, {"work_wall_ns": None}, dict.fromkeys(TIMED), {"work_wall_ns": -1},
      {"disturbances": ["x"] * 33}, {"state": "disputed"}]),
    (Record, RECORD | {"call_wall_ns": 1.5, "timings": TIMINGS}, [{"timings": None}, {"call_wall_ns": None}]),
    (Record, RECORD | {"state": "failed", "failure": FAILURE}, [{"failure": None}]),
    (Failure, FAILURE, [{"error": "x" * 65}, {"detail": "x" * 4001}, {"stderr_tail": "x" * 8193}]),
    (Record, RECORD | {"state": "skipped", "failure": FAILURE}, [{"failure": None}]),
    (Record, RECORD | {"state": "wrong"}, []),
    (RecordBatch, {"records": [RECORD | TIMED]}, [{"records": [RECORD | TIMED] * count} for count in (0, 1001)]),
    (TimingSeries, TIMINGS, [{"iterations": [0, 1]}]),
    (ProcessReport, test_process_report.report(),
     [{"protocol": 3}, {"phases": []}, {"output_sha256": "x"}, {"input_bytes": -1},
      {"instructions": {"encrypt": 0.0}}]),
    (Implementation, ROW | {"operations": [CALL], "process": ["digest"]},
     [{"operations": [CALL, CALL]}, {"process": ["sign"]}, {"process": ["digest", "digest"]}]),
    (ListReport, LISTING,
     [{"implementations": [ROW | {"masking": forms}]} for forms in (
         {"shares": [], "degrees": ["full"]}, {"shares": [7], "degrees": ["full"]},
         {"shares": [2], "degrees": ["half"]}, {"shares": [2, 2, 2, 2, 2, 2], "degrees": ["full"]})]),
]  # fmt: skip
"""Message, a document within its limits, and changes of which each leaves them."""


def refused() -> Iterator[Any]:
    """Yield each message with each change."""
    for model, document, changes in LIMITS:
        for change in changes:
            yield pytest.param(model, document | change, id=f"{model.__name__} {str(change)[:60]}")


@pytest.mark.parametrize(
    ("model", "document"), [one[:2] for one in LIMITS], ids=lambda one: getattr(one, "__name__", "")
)
def test_message_within_its_limits_is_accepted(model: type[BaseModel], document: Document) -> None:
    assert model.model_validate(document)


@pytest.mark.parametrize(("model", "document"), [*refused()])
def test_value_outside_of_the_limits_is_refused(model: type[BaseModel], document: Document) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(document)


@pytest.mark.parametrize("column", ["rss_bytes", "cpu_ns", "threads"])
def test_column_of_a_curve_is_complete_or_empty(column: str) -> None:
    assert CurveSamples.model_validate({"at_ns": [1, 2], column: [3, 4]})
    with pytest.raises(ValidationError, match=f"column {column} has 1 values, expected 2"):
        CurveSamples.model_validate({"at_ns": [1, 2], column: [3]})


@pytest.mark.parametrize("column", sorted(set(TIMINGS) - {"iterations"}))
def test_every_column_has_one_value_per_timing(column: str) -> None:
    with pytest.raises(ValidationError, match=f"column {column} has 1 values, expected 2"):
        TimingSeries.model_validate(TIMINGS | {column: TIMINGS[column][:1]})


def test_report_of_an_older_runner_and_inventory_of_an_older_daemon_are_accepted() -> None:
    report = ProcessReport.model_validate(test_process_report.report(cycles={"reason": "not permitted"}))
    assert (report.counters, report.cycles) == ({}, PhaseCounts(reason="not permitted"))
    older = {name: value for name, value in FACTS.items() if name != "cpu_time_split"}
    assert InventoryFacts.model_validate(older).cpu_time_split == "unknown"


def test_listing_contains_algorithms_that_the_provider_lacks() -> None:
    row = {"algorithm": "spook-128-512-su", "variant": None, "available": False, "reason": "not in this provider"}
    (implementation,) = ListReport.model_validate(LISTING | {"implementations": [row]}).implementations
    assert (implementation.available, implementation.key_bytes) == (False, 0)
