"""Download of chunks: resumed, verified, repeated when damaged, and rejected when damaged twice."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from corpus.store import ChunkStore
from orchestrator.daemon.jobs.chunk_cache import ChunkCache
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.shared.errors import ChunkDamaged, NotFound, Unreachable
from tests.support.forwarding_proxy import QuietHandler, serving

CHUNK = bytes(range(256)) * 8192
SHA256 = hashlib.sha256(CHUNK).hexdigest()


@dataclass
class Faults:
    """The faults of the server, and the requests it received."""

    cut_after_bytes: int | None = None
    damaged_answers: int = 0
    ranges: list[str | None] = field(default_factory=list)


@dataclass(frozen=True)
class Server:
    """A server that interrupts and damages downloads on request, which the real service cannot do."""

    url: str
    faults: Faults


@pytest.fixture
def server() -> Iterator[Server]:
    faults = Faults()

    class Handler(QuietHandler):
        def answer(self, body: bytes) -> None:
            requested = self.headers.get("Range")
            faults.ranges.append(requested)
            if not self.path.endswith(SHA256):
                self.send_error(404)
                return
            first = int(requested.removeprefix("bytes=").rstrip("-")) if requested else 0
            sent = CHUNK[first:]
            if faults.damaged_answers:
                faults.damaged_answers -= 1
                sent = b"!" + sent[1:]
            self.send_response(206 if requested else 200)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            cut, faults.cut_after_bytes = faults.cut_after_bytes, None
            self.wfile.write(sent[:cut])

    with serving(Handler) as url:
        yield Server(url, faults)


@pytest.fixture
def cache(server: Server, tmp_path: Path) -> Iterator[ChunkCache]:
    with ServiceClient(ServiceAddress(server.url, "token", 5)) as client:
        yield ChunkCache(tmp_path, client)


class TestMakeRoom:
    """Regression: nothing was ever deleted."""

    def test_least_recently_used_files_are_deleted(self, server: Server, tmp_path: Path) -> None:
        client = ServiceClient(ServiceAddress(server.url, "token", 5))
        cache = ChunkCache(tmp_path, client, max_bytes=len(CHUNK) + 250)
        store = ChunkStore(tmp_path)
        old, recent = (store.put_stream([bytes([number]) * 100]).sha256 for number in (1, 2))
        damaged = store.path(recent).with_suffix(".damaged")
        damaged.write_bytes(b"!" * 100)
        (tmp_path / "partial").mkdir()
        partial = tmp_path / "partial" / ("cd" * 32)
        partial.write_bytes(b"?" * 100)
        for age_seconds, path in enumerate((damaged, store.path(old), store.path(recent), partial)):
            os.utime(path, (age_seconds, age_seconds))
        assert cache.make_room({old: 100}) == 0  # its use, not its download, decides
        old, recent = recent, old

        assert cache.make_room({SHA256: len(CHUNK)}) == 2
        assert (store.has(recent), partial.exists()) == (True, True)
        assert (store.has(old), damaged.exists()) == (False, False)
        assert cache.provide(SHA256).path.exists()
        assert cache.make_room({SHA256: len(CHUNK)}) == 0
        client.close()

    def test_chunks_of_the_job_are_kept_even_if_they_exceed_the_limit(self, server: Server, tmp_path: Path) -> None:
        client = ServiceClient(ServiceAddress(server.url, "token", 5))
        cache = ChunkCache(tmp_path, client, max_bytes=10)
        cache.provide(SHA256)
        assert cache.make_room({SHA256: len(CHUNK)}) == 0
        assert cache.make_room({"ab" * 32: 1}) == 1
        client.close()


class TestProvide:
    def test_chunk_is_downloaded_once(self, cache: ChunkCache, server: Server) -> None:
        first, second = cache.provide(SHA256), cache.provide(SHA256)

        assert first == second
        assert first.path.read_bytes() == CHUNK
        assert server.faults.ranges == [None]

    def test_interrupted_download_is_resumed(self, cache: ChunkCache, server: Server) -> None:
        server.faults.cut_after_bytes = 1_500_000
        with pytest.raises(Unreachable):
            cache.provide(SHA256)

        assert cache.provide(SHA256).path.read_bytes() == CHUNK
        first, resumed = server.faults.ranges
        assert first is None
        assert resumed is not None
        assert 0 < int(resumed.removeprefix("bytes=").rstrip("-")) <= 1_500_000

    def test_damaged_download_is_repeated_once(self, cache: ChunkCache, server: Server) -> None:
        server.faults.damaged_answers = 1

        assert cache.provide(SHA256).path.read_bytes() == CHUNK
        assert server.faults.ranges == [None, None]

    def test_chunk_damaged_twice_is_rejected(self, cache: ChunkCache, server: Server) -> None:
        server.faults.damaged_answers = 2
        with pytest.raises(ChunkDamaged):
            cache.provide(SHA256)

    def test_file_damaged_on_the_device_is_downloaded_again(self, cache: ChunkCache) -> None:
        chunk = cache.provide(SHA256)
        chunk.path.write_bytes(b"!" + CHUNK[1:])

        assert not chunk.is_unchanged()
        assert cache.provide(SHA256).path.read_bytes() == CHUNK

    def test_unknown_chunk_is_not_found(self, cache: ChunkCache) -> None:
        with pytest.raises(NotFound):
            cache.provide("ab" * 32)
