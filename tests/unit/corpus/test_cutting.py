from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.cutting import Cut, store_chunks
from corpus.material import BuildStep, Material, MaterialMissing, no_progress
from corpus.store import ChunkStore

NOW = datetime(2026, 11, 20, tzinfo=UTC)


@contextmanager
def opened(blocks: list[bytes]) -> Generator[Iterator[bytes]]:
    yield iter(blocks)


def material(blocks: list[bytes]) -> Material:
    return Material("source", "Work", "public domain", None, 3, "made for a test", partial(opened, blocks))


def content(store: ChunkStore, sha256: str) -> bytes:
    with store.open_verified(sha256) as file:
        return file.read()


class TestStoreChunks:
    @given(st.lists(st.binary(max_size=20), min_size=1), st.sets(st.integers(1, 500), min_size=1, max_size=5))
    def test_chunks_are_the_material_repeated_only_if_short(self, blocks: list[bytes], sizes: set[int]) -> None:
        whole = b"".join(blocks)
        if not whole:
            return
        with TemporaryDirectory() as folder:
            store = ChunkStore(Path(folder))
            entries = store_chunks(material(blocks), Cut("text", sorted(sizes), NOW), store, no_progress)
            assert [entry.length_bytes for entry in entries] == sorted(sizes)
            for entry in entries:
                assert content(store, entry.sha256) == (whole * 500)[: entry.length_bytes]
                assert entry.repeated == (entry.length_bytes > len(whole))
            # The temporary file is deleted.
            assert [path for path in store.root.iterdir() if path.is_file()] == []

    def test_endless_material_is_read_only_as_far_as_needed(self, tmp_path: Path) -> None:
        @contextmanager
        def endless() -> Generator[Iterator[bytes]]:
            yield iter(lambda: b"x" * 1000, b"")

        store = ChunkStore(tmp_path)
        steps: list[BuildStep] = []
        work = Material("generated", "Noise", "none needed", None, 0, "", endless)
        (entry,) = store_chunks(work, Cut("random", [2500], NOW), store, steps.append)
        assert content(store, entry.sha256) == b"x" * 2500
        assert [(step.step, step.done_bytes) for step in steps] == [
            ("making", 1000),
            ("making", 2000),
            ("making", 2500),
            ("stored", 2500),
        ]

    def test_empty_material_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(MaterialMissing, match="empty"):
            store_chunks(material([b"", b""]), Cut("text", [2], NOW), ChunkStore(tmp_path), no_progress)
