"""A damaged database and a full disk: noticed, reported, and nothing new begins until the cause is gone."""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from orchestrator.database.engine import Database
from orchestrator.database.integrity import Integrity
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.database.models import Tick
from orchestrator.shared.errors import DatabaseDamaged, NoRoom
from orchestrator.shared.units import MIB
from tests.support.commands import executed
from tests.support.fleet import Fleet, open_fleet, plan
from tests.support.small_disk import SmallDisk, small_disk
from tests.support.waiting import GENEROUS_SECONDS, until


def flip_pages(path: Path, table: str) -> None:
    """Invert the first bytes of the pages of a table, as a bad sector would."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page_bytes = connection.execute("PRAGMA page_size").fetchone()[0]
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
    content = bytearray(path.read_bytes())
    begin = (root - 1) * page_bytes
    content[begin : begin + 200] = bytes(byte ^ 0xFF for byte in content[begin : begin + 200])
    path.write_bytes(content)


def problem_of(answer: httpx.Response) -> str:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    return str(answer.json()["type"]).rpartition("/")[2]


def parts_of(fleet: Fleet) -> dict[str, tuple[bool, str]]:
    answer = fleet.submitter.get("/api/v1/readiness").json()
    assert "parts" in answer, answer
    return {part["name"]: (part["ready"], part["detail"]) for part in answer["parts"]}


class TestDamagedDatabase:
    """Regression: flipped bytes were not noticed: "writable", 500, and an export of 0 bytes with status 200 (S7)."""

    def test_damage_is_reported_and_stops_writes(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        fleet.database.close()
        flip_pages(fleet.served.settings.data_folder / "ciphermark.sqlite", "executions")

        answers = [fleet.submitter.get(f"/api/v1/runs/{run_id}/{name}") for name in ("executions", "export")]
        assert [(answer.status_code, problem_of(answer)) for answer in answers] == [(503, "database-damaged")] * 2
        assert "ciphermark restore" in answers[0].json()["remedy"]

        ready, detail = parts_of(fleet)["database"]
        assert not ready
        assert "damaged" in detail
        refused = fleet.submitter.post("/api/v1/runs", json={"plan": plan()})
        assert (refused.status_code, problem_of(refused)) == (503, "database-damaged")
        health = httpx.get(f"{fleet.served.url}/api/v1/health", timeout=GENEROUS_SECONDS)
        assert health.json()["warnings"] == ["database damaged"]

    def test_check_finds_damage_before_a_request_does(self, fleet: Fleet) -> None:
        integrity, path = fleet.database.integrity, fleet.served.settings.data_folder / "ciphermark.sqlite"
        fleet.lay_out()
        assert integrity.check() is None
        fleet.database.close()
        intact = path.with_suffix(".copy")
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(intact)) as copy:
            source.backup(copy)
        flip_pages(path, "executions")

        assert integrity.check() is not None
        with pytest.raises(DatabaseDamaged, match="nothing is written"), fleet.database.write():
            pass
        # Another process sees it, and a restored file ends it.
        assert Integrity(path).damage() is not None
        for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            name.unlink(missing_ok=True)
        shutil.copy(intact, path)
        bring_up_to_date(f"sqlite:///{path}")
        assert Integrity(path).damage() is None
        assert fleet.submitter.post("/api/v1/runs", json={"plan": plan()}).status_code == 201

    def test_file_that_is_no_database_is_damaged(self, tmp_path: Path) -> None:
        path = tmp_path / "ciphermark.sqlite"
        path.write_bytes(b"not a database " * 1000)
        assert Integrity(path).check() is not None

    def test_other_database_servers_have_no_file(self) -> None:
        integrity = Integrity(None)
        integrity.note("impossible")
        assert (integrity.check(), integrity.damage()) == (None, None)
        integrity.require_intact()


class TestFullDisk:
    """Regression: readiness was "writable" and `POST /runs` a bare 500 on a full disk (S8)."""

    @pytest.fixture
    def disk(self, tmp_path: Path) -> Iterator[SmallDisk]:
        with small_disk(tmp_path / "disk", 96) as disk:
            yield disk

    def test_nearly_full_disk_stops_new_work_until_there_is_room(self, disk: SmallDisk) -> None:
        with open_fleet(disk.folder, min_free_mib=32) as fleet:
            run_id = fleet.lay_out()
            job_id = fleet.jobs(run_id)[0]["id"]
            assert all(ready for name, (ready, _) in parts_of(fleet).items() if name in ("database", "disk"))
            disk.fill(leave_bytes=16 * MIB)

            refused = fleet.submitter.post("/api/v1/runs", json={"plan": plan()})
            assert (refused.status_code, problem_of(refused)) == (503, "no-room")
            assert "MiB free; new work needs 32 MiB" in refused.json()["detail"]
            claim = fleet.claim(job_id)
            assert (claim.status_code, claim.json()["facts"]) == (409, {"state": "paused"})
            ready, detail = parts_of(fleet)["disk"]
            assert not ready
            assert "needs 32 MiB" in detail
            assert parts_of(fleet)["database"] == (True, "writable")
            assert fleet.submitter.get("/api/v1/health").json()["warnings"] == ["disk nearly full"]

            disk.empty()
            assert fleet.submitter.post("/api/v1/runs", json={"plan": plan()}).status_code == 201
            assert fleet.submitter.get("/api/v1/health").json()["warnings"] == []

    def test_full_disk_is_a_problem_with_a_remedy(self, disk: SmallDisk) -> None:
        with open_fleet(disk.folder, min_free_mib=0) as fleet:
            disk.fill()
            answers = []

            def submit() -> bool:
                # The log of the database may have room for some more pages.
                answers.append(fleet.submitter.post("/api/v1/runs", json={"plan": plan()}))
                return answers[-1].status_code != 201

            until(submit, "a submission on a full disk")
            assert (answers[-1].status_code, problem_of(answers[-1])) == (503, "no-room")
            assert "Make room" in answers[-1].json()["remedy"]
            ready, detail = parts_of(fleet)["database"]
            assert not ready, detail
            assert fleet.database.integrity.damage() is None

            disk.empty()
            assert fleet.submitter.post("/api/v1/runs", json={"plan": plan()}).status_code == 201
            assert parts_of(fleet)["database"] == (True, "writable")

    def test_database_is_not_ready_when_its_log_alone_has_room(self, disk: SmallDisk) -> None:
        with open_fleet(disk.folder, min_free_mib=0) as fleet:
            with closing(sqlite3.connect(fleet.served.settings.data_folder / "ciphermark.sqlite")) as connection:
                connection.execute("PRAGMA wal_checkpoint(FULL)")
            disk.fill()
            ready, detail = parts_of(fleet)["database"]
            assert not ready, detail
            assert "Make room" in detail
            disk.empty()
            assert parts_of(fleet)["database"] == (True, "writable")


def test_readiness_writes(fleet: Fleet) -> None:
    fleet.submitter.get("/api/v1/readiness")
    with fleet.database.read() as session:
        assert session.scalar(select(Tick.ticked_at).where(Tick.program == "readiness")) is not None


def test_database_in_a_missing_folder_is_explained(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'absent' / 'ciphermark.sqlite'}")
    with pytest.raises(NoRoom, match="unable to open"), database.write():
        pass
    database.close()


@pytest.mark.parametrize("as_json", [False, True])
def test_status_reports_parts_and_agents(fleet: Fleet, as_json: bool) -> None:
    access = {"CIPHERMARK_URL": fleet.served.url, "CIPHERMARK_TOKEN": fleet.submitter.headers["authorization"][7:]}
    done = executed(os.environ | access | {"COLUMNS": "160"}, "status", *(["--json"] if as_json else []))
    # This service has neither Redis nor a scheduler.
    assert done.returncode == 1, done.stderr
    if as_json:
        parts = {part["name"]: part["ready"] for part in json.loads(done.stdout)["readiness"]["parts"]}
        assert parts == {
            "database": True,
            "disk": True,
            "schema": True,
            "redis": False,
            "scheduler": False,
            "reference": True,
        }
    else:
        assert re.search(r"database +ready +writable", done.stdout)
        assert re.search(r"scheduler +not ready +never ticked", done.stdout)
        assert "agent " in done.stdout
