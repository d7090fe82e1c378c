"""Times of phases and stacks of operations are moved without loss, and cases name the operations with a message."""

import json
from pathlib import Path

from sqlalchemy import inspect

from orchestrator.database.models import Case, CaseStatistics, Execution, Footprint, WatchCase
from tests.support.earlier_database import downgraded, earlier_database, migrated

RUN, AGENT = "run000000001", "agent0000001"
CASE = {"run_id": RUN, "agent_id": AGENT, "build_id": 1, "provider": "own", "algorithm": "ascon-128", "copy": 1}
EXECUTION = {"run_id": RUN, "case_id": 1, "purpose": "timing", "state": "ok", "readings": {"samples": 3}}
WALLS = {"key_setup_wall_ns": 9, "encrypt_wall_ns": 200, "decrypt_wall_ns": 300}
FIGURES = {"median_encrypt_bytes_per_second": 4.5, "low_encrypt_bytes_per_second": 4.25,
           "high_encrypt_bytes_per_second": 5.0, "median_decrypt_bytes_per_second": 3.5}  # fmt: skip


def test_times_and_figures_of_phases_survive_both_directions(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0034", [
        ("agents", {"id": AGENT, "name": "pi"}),
        ("builds", {"id": 1, "agent_id": AGENT, "build_key": "2" * 64}),
        ("runs", {"id": RUN, "state": "finished", "start": "together"}),
        ("cases", CASE | {"id": 1, "number": 0, "protocol": "process", "operation": "encrypt-decrypt"}),
        ("cases", CASE | {"id": 2, "number": 1, "protocol": "latency", "operation": "encrypt"}),
        ("executions", EXECUTION | WALLS | {"id": 1, "repetition": 1, "ciphertext_sha256": "3" * 64}),
        ("executions", EXECUTION | {"id": 2, "repetition": 2, "encrypt_wall_ns": 7}),
        ("executions", EXECUTION | {"id": 3, "repetition": 1, "case_id": 2, "call_wall_ns": 1.5}),
        ("case_statistics", {"case_id": 1, **FIGURES}),
        ("case_statistics", {"case_id": 2}),
    ])  # fmt: skip
    with migrated(url) as database:
        with database.read() as session:
            assert [session.get_one(Case, number).operation for number in (1, 2)] == [
                "key-setup+encrypt+decrypt", "encrypt",
            ]  # fmt: skip
            first, second, third = (session.get_one(Execution, number) for number in (1, 2, 3))
            assert list((first.phase_wall_ns or {}).items()) == [("key_setup", 9), ("encrypt", 200), ("decrypt", 300)]
            assert (second.phase_wall_ns, third.phase_wall_ns) == ({"encrypt": 7}, None)
            assert (first.output_sha256, first.readings) == ("3" * 64, {"samples": 3})
            phases = session.get_one(CaseStatistics, 1).phases or {}
            assert list(phases) == ["key_setup", "encrypt", "decrypt"]
            assert list(phases["encrypt"].values()) == [None, 4.5, 4.25, 5.0]
            assert list(phases["decrypt"].values()) == [None, 3.5, None, None]
            assert session.get_one(CaseStatistics, 2).phases is None
        names = [column["name"] for column in inspect(database.engine).get_columns("executions")]
        assert names.index("phase_wall_ns") < names.index("readings")
        assert "ix_executions_run_state" in {one["name"] for one in inspect(database.engine).get_indexes("executions")}
    with downgraded(url, "0034") as connection:
        rows = connection.exec_driver_sql(f"SELECT {', '.join(WALLS)} FROM executions ORDER BY id").all()
        figures = connection.exec_driver_sql(f"SELECT {', '.join(FIGURES)} FROM case_statistics ORDER BY case_id").all()
    assert [tuple(row) for row in rows] == [(9, 200, 300), (None, 7, None), (None, None, None)]
    assert [tuple(row) for row in figures] == [(4.5, 4.25, 5.0, 3.5), (None, None, None, None)]


def test_stack_of_operations_survives_both_directions(tmp_path: Path) -> None:
    stacks = {"key_setup_stack_bytes": 16, "encrypt_stack_bytes": 208, "decrypt_stack_bytes": 0}
    named = {"build_id": 1, "provider": "own", "algorithm": "ascon-128"}
    url = earlier_database(tmp_path, "0036", [
        ("agents", {"id": AGENT, "name": "pi"}),
        ("builds", {"id": 1, "agent_id": AGENT, "build_key": "2" * 64}),
        ("footprints", named | stacks | {"id": 1, "variant": "ref"}),
        ("footprints", named | {"id": 2, "variant": "masked"}),
    ])  # fmt: skip
    with migrated(url) as database, database.read() as session:
        assert [session.get_one(Footprint, number).stack_bytes for number in (1, 2)] == [
            {"key-setup": 16, "encrypt": 208, "decrypt": 0}, None,
        ]  # fmt: skip
    with downgraded(url, "0036") as connection:
        rows = connection.exec_driver_sql(f"SELECT {', '.join(stacks)} FROM footprints ORDER BY id").all()
    assert [tuple(row) for row in rows] == [(16, 208, 0), (None, None, None)]


def test_cases_and_watches_know_which_operations_have_a_message(tmp_path: Path) -> None:
    operations = ["key-setup+encrypt+decrypt", "digest", "noop", "encrypt", "key-setup"]
    watch = "watch0000001"
    url = earlier_database(tmp_path, "0035", [
        ("agents", {"id": AGENT, "name": "pi"}),
        ("builds", {"id": 1, "agent_id": AGENT, "build_key": "2" * 64}),
        ("runs", {"id": RUN, "state": "finished", "start": "together"}),
        *(
            ("cases", CASE | {"id": number, "number": number, "protocol": "process", "operation": operation})
            for number, operation in enumerate(operations, 1)
        ),
        ("watches", {"id": watch}),
        *(
            ("watch_cases", {"id": number, "watch_id": watch, "key": str(number), "levels": [],
                             "facts": {"operation": operation}})
            for number, operation in enumerate(("", "encrypt", "key-setup"), 1)
        ),
    ])  # fmt: skip
    with migrated(url) as database, database.read() as session:
        found = [session.get_one(Case, number).message_operations for number in range(1, 6)]
        assert found == ["encrypt+decrypt", "digest", "encrypt+decrypt", "encrypt", ""]
        watched = [session.get_one(WatchCase, number).facts for number in (1, 2, 3)]
        assert [facts["has_message"] for facts in watched] == [True, True, False]
    with downgraded(url, "0035") as connection:
        facts = connection.exec_driver_sql("SELECT facts FROM watch_cases ORDER BY id").scalars().all()
        assert "message_operations" not in {column["name"] for column in inspect(connection).get_columns("cases")}
    assert [json.loads(one) for one in facts] == [{"operation": one} for one in ("", "encrypt", "key-setup")]
