"""A database of version 0.1 (revision 0003) comes up to date without loss, and goes back as it was."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import MetaData, Table, create_engine, inspect, select
from sqlalchemy.orm import Session

from orchestrator.database.migrate import bring_up_to_date, config_for
from orchestrator.database.models import BuildRequest, Case, Execution, PreflightReport, Run
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.health import PreflightResult
from orchestrator.wire.plans import Plan
from tests.support.earlier_database import AT, earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more

TOOLCHAIN = {
    "compiler": "gcc", "version": None, "optimisation": "O3", "march": None, "mtune": None, "mcpu": None,
    "link": "dynamic",
}  # fmt: skip
PLAN = {
    "version": 1,
    "name": "before",
    "repetitions": 3,
    "precision": {"relative_interval": 0.01, "maximum_repetitions": 50},
    "conditions": {"maximum_temperature_celsius": 60.0, "maximum_others_share": 0.1},
    "toolchains": [{"compiler": ["gcc"], "optimisation": ["O2", "O3"]}],
    "matrix": [
        {
            "protocol": "latency", "providers": ["own"], "algorithms": ["ascon-128"],
            "messages": {"lengths": [16], "least_timing_ms": 2.5},
        }
    ],
}  # fmt: skip
READINGS = {
    "least_call_cycles": None,
    "absent": {"least_call_cycles": "no lower bound is derived"},
    "disturbances": [],
    "provenance": {},
}
RESULT = {"name": "turbo", "state": "poor", "found": "on", "wanted": "off", "remedy": "sudo …", "tunable": True}


def _rows() -> dict[str, dict[str, Any]]:
    key = hashlib.sha256(json.dumps(TOOLCHAIN, separators=(",", ":")).encode()).hexdigest()
    agent = {
        "id": "agent0000001", "name": "pi", "enrolled_at": AT, "broker_password_hash": "0" * 64, "state": "ready",
        "doing": "waits for jobs", "held_jobs": [], "spool_records": 7, "heard_at": AT, "health": "healthy",
        "health_reason": "", "check_asked": True,
    }  # fmt: skip
    case = {
        "id": 1, "run_id": "run000000001", "number": 0, "agent_id": agent["id"], "build_id": 1, "protocol": "latency",
        "operation": "encrypt", "provider": "own", "algorithm": "ascon-128", "variant": "ref", "message_bytes": 16,
        "associated_data_bytes": 0, "least_timing_ms": 2.5, "shares": 1, "copy": 1, "stopped": "reached",
    }  # fmt: skip
    return {
        "agents": agent,
        "inventories": {
            "id": 1, "agent_id": agent["id"], "sha256": "1" * 64, "architecture": "aarch64", "emulated": False,
            "facts": {"processor": {"maximum_frequency_hz": 1_500_000_000}}, "detected_at": AT,
        },
        "builds": {
            "id": 1, "agent_id": agent["id"], "build_key": "2" * 64, "toolchain": TOOLCHAIN, "compiler_version": "12",
            "prebuilt": False, "compile_commands": {}, "runners": {}, "left_out": {"botan": "missing"},
            "reported_at": AT, "current": True, "is_default": False,
        },
        "build_requests": {
            "id": 1, "agent_id": agent["id"], "toolchain_key": key, "toolchain": TOOLCHAIN, "state": "ready",
            "build_id": 1, "requested_at": AT,
        },
        "runs": {
            "id": "run000000001", "name": "before", "plan": PLAN, "seed": 1, "state": "running", "reason": "",
            "priority": 5, "executions_total": 3, "rounds_open": False, "submitted_at": AT, "submitted_by": "",
            "layout_token": "a" * 32, "layout_touched_at": AT,
        },
        "cases": case,
        "executions": {
            "id": 1, "run_id": case["run_id"], "case_id": 1, "repetition": 1, "purpose": "timing", "state": "ok",
            "call_wall_ns": 812.5, "disturbed": False, "readings": READINGS,
        },
        "case_summaries": {
            "case_id": 1, "ok": 1, "failed": 0, "wrong": 0, "disputed": 0, "skipped": 0, "disturbed": 0,
            "warm_ups": 0, "outliers": 0, "median_call_wall_ns": 812.5,
        },
        "hygiene_reports": {
            "id": 1, "agent_id": agent["id"], "run_id": case["run_id"], "checked_at": AT,
            "facts": {"run_id": None, "checked_at": "2026-11-22T00:00:00Z", "findings": [RESULT]},
        },
        "expected_digests": {
            "id": 1, "algorithm": "ascon-128", "input_sha256": "3" * 64, "ciphertext_sha256": "4" * 64,
            "basis": "agreement", "detail": "", "learnt_at": AT,
        },
        "digest_questions": {"id": 1, "algorithm": "ascon-128", "input_sha256": "5" * 64, "asked": 4},
    }  # fmt: skip


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the address of a database that version 0.1 wrote, with one row in each table that changes."""
    return earlier_database(tmp_path, "0003", _rows().items())


def _dump(url: str) -> dict[str, list[dict[str, Any]]]:
    engine = create_engine(url)
    with engine.connect() as connection:
        tables = {name: Table(name, MetaData(), autoload_with=connection) for name in inspect(engine).get_table_names()}
        found = {
            name: [dict(row) for row in connection.execute(select(one)).mappings()] for name, one in tables.items()
        }
    engine.dispose()
    return found


def test_migration_keeps_every_row_and_value(url: str) -> None:
    before = _dump(url)
    # Later migrations add columns to these tables.
    command.upgrade(config_for(url), "0004")
    after = _dump(url)
    names = {
        "case_summaries": "case_statistics",
        "digest_questions": "pending_digests",
        "hygiene_reports": "preflight_reports",
    }
    documents = ("runs", "builds", "build_requests", "inventories", "executions", "hygiene_reports", "alembic_version")
    for name, rows in before.items():
        assert len(after[names.get(name, name)]) == len(rows), name
        if name not in documents:
            now = after[names.get(name, name)]
            assert [list(row.values()) for row in now] == [list(row.values()) for row in rows]


def test_migrated_documents_are_valid_for_this_version(url: str) -> None:
    with migrated(url) as database, Session(database.engine) as session:
        plan = Plan.model_validate(session.scalars(select(Run.plan)).one())
        assert plan.matrix[0].messages is not None
        assert plan.matrix[0].messages.min_timing_ms == 2.5
        assert plan.conditions.max_temperature_celsius == 60.0
        assert [toolchain.optimization for toolchain in plan.all_toolchains()] == ["O2", "O3"]
        request = session.scalars(select(BuildRequest)).one()
        assert request.toolchain_key == Toolchain.model_validate(request.toolchain).key
        (result,) = session.scalars(select(PreflightReport)).one().facts["results"]
        assert PreflightResult.model_validate(result).expected == "off"
        readings = session.scalars(select(Execution.readings)).one() or {}
        assert readings["min_call_cycles"] is None
        assert readings["absent"] == {"min_call_cycles": "no lower bound is derived"}
        assert session.execute(select(Case.min_timing_ms, Case.stop_reason)).one() == (2.5, "reached")


def test_downgrade_restores_the_previous_database(url: str) -> None:
    before = _dump(url)
    bring_up_to_date(url)
    command.downgrade(config_for(url), "0003")
    assert _dump(url) == before
