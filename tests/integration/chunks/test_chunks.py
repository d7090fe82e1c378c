import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from corpus.catalogue import Catalogue, ChunkEntry, chunk_store
from orchestrator.database.models import Agent, Build, Case, Run
from orchestrator.database.rows import stored
from orchestrator.runs.chunks.limits import delete_unused
from orchestrator.runs.chunks.service import register
from tests.support.agent_reports import enroll
from tests.support.live_service import Served
from tests.support.phases import executing

DATA = bytes(range(256)) * 1000


def entry(data: bytes, **changes: Any) -> ChunkEntry:
    values: dict[str, Any] = {
        "kind": "random", "length_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "origin": "generated",
        "title": "random bytes", "license": "none", "address": None, "repeated": False, "offset_bytes": 0,
        "made_at": datetime(2026, 11, 20, tzinfo=UTC),
    }  # fmt: skip
    return ChunkEntry(**{**values, **changes})


@pytest.fixture
def sha256(fresh: Served) -> str:
    stored = chunk_store(fresh.settings.corpus_folder).put_stream([DATA])
    Catalogue(fresh.settings.corpus_folder).change(add=[entry(DATA)])
    register(fresh.database, fresh.settings.corpus_folder)
    return stored.sha256


class TestRegister:
    def test_doing_it_again_changes_nothing(self, fresh: Served, sha256: str) -> None:
        assert register(fresh.database, fresh.settings.corpus_folder) == 0
        (chunk,) = fresh.viewer.get("/api/v1/chunks").json()["items"]
        assert (chunk["sha256"], chunk["facts"]["license"]) == (sha256, "none")

    def test_a_chunk_that_left_the_manifest_goes_unless_a_case_names_it(self, fresh: Served, sha256: str) -> None:
        catalogue = Catalogue(fresh.settings.corpus_folder)
        used, unused = entry(DATA), entry(b"other", kind="text")
        catalogue.change(add=[unused])
        register(fresh.database, fresh.settings.corpus_folder)
        _name_in_a_case(fresh, sha256)
        catalogue.change(remove=[used, unused])
        register(fresh.database, fresh.settings.corpus_folder)
        assert [one["sha256"] for one in fresh.viewer.get("/api/v1/chunks").json()["items"]] == [sha256]


class TestLimit:
    """Regression: nothing was ever deleted from the corpus."""

    def test_oldest_chunks_that_no_run_uses_are_deleted(self, fresh: Served, sha256: str) -> None:
        folder, at = fresh.settings.corpus_folder, datetime(2026, 11, 30, tzinfo=UTC)
        store, catalogue = chunk_store(folder), Catalogue(folder)
        made = {
            "old": entry(b"o" * 100, kind="text", made_at=at - timedelta(days=20)),
            "older": entry(b"p" * 100, kind="text", made_at=at - timedelta(days=30)),
            "oldest": entry(b"q" * 100, kind="text", made_at=at - timedelta(days=40)),
            "of the user": entry(b"u" * 100, kind="text", made_at=at - timedelta(days=50), origin="user"),
            "recent": entry(b"r" * 100, kind="text", made_at=at - timedelta(days=6)),
        }
        for one in (b"o", b"p", b"q", b"u", b"r"):
            store.put_stream([one * 100])
        catalogue.change(add=made.values())
        register(fresh.database, folder)
        _name_in_a_case(fresh, sha256)

        assert delete_unused(fresh.database, folder, at, max_bytes=len(DATA) + 500) == 0
        assert delete_unused(fresh.database, folder, at, max_bytes=len(DATA) + 301) == 2
        assert [name for name, one in made.items() if not store.has(one.sha256)] == ["older", "oldest"]
        assert delete_unused(fresh.database, folder, at, max_bytes=0) == 1
        left = {one.sha256 for one in catalogue.entries()}
        assert left == {sha256, made["of the user"].sha256, made["recent"].sha256} == set(store.hashes())
        assert {one["sha256"] for one in fresh.viewer.get("/api/v1/chunks").json()["items"]} == left

    def test_bytes_that_another_kind_has_stay(self, fresh: Served, sha256: str) -> None:
        folder, at = fresh.settings.corpus_folder, datetime(2026, 11, 30, tzinfo=UTC)
        Catalogue(folder).change(add=[entry(DATA, kind="text", made_at=at)])
        assert delete_unused(fresh.database, folder, at, max_bytes=0) == 1
        assert chunk_store(folder).has(sha256)


class TestDownload:
    def test_an_agent_gets_the_bytes_in_ranges(self, fresh: Served, sha256: str) -> None:
        client, _ = enroll(fresh)
        path = f"/api/v1/chunks/{sha256}"
        whole = client.get(path)
        part = client.get(path, headers={"range": "bytes=1000-"})
        beyond = client.get(path, headers={"range": f"bytes={len(DATA)}-"})
        known = client.get(path, headers={"if-none-match": f'"{sha256}"'})
        assert (whole.status_code, whole.content, whole.headers["etag"]) == (200, DATA, f'"{sha256}"')
        assert (part.status_code, part.content) == (206, DATA[1000:])
        assert (beyond.status_code, known.status_code, known.content) == (416, 304, b"")

    def test_a_damaged_chunk_is_never_sent(self, fresh: Served, sha256: str) -> None:
        file = chunk_store(fresh.settings.corpus_folder).path(sha256)
        file.write_bytes(DATA[:-1] + b"x")
        problem = fresh.client("submitter").get(f"/api/v1/chunks/{sha256}")
        assert problem.status_code == 503
        assert "damaged" in problem.json()["detail"]

    @pytest.mark.parametrize(("name", "status"), [("0" * 64, 404), ("xyz", 422), ("..%2f..%2fetc%2fpasswd", 404)])
    def test_what_is_no_chunk_is_not_found(self, fresh: Served, name: str, status: int) -> None:
        assert fresh.client("submitter").get(f"/api/v1/chunks/{name}").status_code == status


def _name_in_a_case(served: Served, sha256: str) -> None:
    from orchestrator.runs.chunks import repository

    with served.database.write() as session:
        chunk = repository.find_chunk(session, sha256)
        assert chunk is not None
        session.add(Agent(id="agent0000001", name="pi", broker_password_hash="0" * 64))
        stored(session, Run(id="run000000001", name="x", plan={}, seed=1, state="running", executions_total=1))
        build = Build(agent_id="agent0000001", build_key="b" * 64, toolchain={}, compiler_version="", runners={})
        stored(session, build)
        session.add(
            Case(run_id="run000000001", number=0, agent_id="agent0000001", build_id=build.id, protocol="process",
                 **executing(), provider="own", algorithm="aes-128-ctr", variant="ref",
                 chunk_id=chunk.id, input_sha256=sha256, input_kind="random", message_bytes=len(DATA))
        )  # fmt: skip
