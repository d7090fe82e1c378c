"""Chunks from material: every chunk consists of its first bytes.

Chunks of one material are therefore prefixes of one another and differ only in their length, so the fit of time over
length compares like with like. A short work serves every size that it has bytes for.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO

from corpus.catalogue import ChunkEntry
from corpus.kinds import Kind
from corpus.material import BuildStep, Material, MaterialMissing, Progress
from corpus.store import BLOCK_BYTES, ChunkStore
from orchestrator.shared.units import format_size


@dataclass(frozen=True)
class Cut:
    """The chunks to make from a material."""

    kind: Kind
    sizes_bytes: Sequence[int]  # ascending
    made_at: datetime
    note: str = ""  # why no better origin was available


def store_chunks(material: Material, cut: Cut, store: ChunkStore, progress: Progress) -> list[ChunkEntry]:
    """Store one chunk of each size and return their entries, which are not in the catalogue yet.

    Material that is shorter than a chunk is repeated from its first byte. Raises MaterialMissing if it is empty.
    """
    store.root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=store.root) as file:
        spool = _Spool(file, _fill(file, material, cut, progress))
        if spool.length_bytes == 0:
            raise MaterialMissing(f"the material is empty ({material.note})")
        entries = []
        for size in cut.sizes_bytes:
            entries.append(_store_one(spool, size, material, cut, store))
            progress(BuildStep("stored", cut.kind, f"{format_size(size)} of {material.title}", size, size))
        return entries


@dataclass(frozen=True)
class _Spool:
    """The beginning of the material in a temporary file."""

    file: IO[bytes]
    length_bytes: int

    def blocks(self, size_bytes: int) -> Iterator[bytes]:
        """Yield `size_bytes` of the material, repeated from its start if it is shorter."""
        missing_bytes = size_bytes
        while missing_bytes > 0:
            self.file.seek(0)
            round_bytes = min(missing_bytes, self.length_bytes)
            missing_bytes -= round_bytes
            while round_bytes > 0:
                block = self.file.read(min(BLOCK_BYTES, round_bytes))
                round_bytes -= len(block)
                yield block


def _fill(spool: IO[bytes], material: Material, cut: Cut, progress: Progress) -> int:
    """Write as much of the material to the file as the largest chunk needs; return its length."""
    needed_bytes = max(cut.sizes_bytes)
    done_bytes = 0
    with material.open() as blocks:
        for block in blocks:
            part = block[: needed_bytes - done_bytes]
            spool.write(part)
            done_bytes += len(part)
            progress(BuildStep("making", cut.kind, material.title, done_bytes, needed_bytes))
            if done_bytes == needed_bytes:
                break
    return done_bytes


def _store_one(spool: _Spool, size_bytes: int, material: Material, cut: Cut, store: ChunkStore) -> ChunkEntry:
    stored = store.put_stream(spool.blocks(size_bytes))
    return ChunkEntry(
        kind=cut.kind,
        length_bytes=stored.length_bytes,
        sha256=stored.sha256,
        origin=material.origin,
        title=material.title,
        license=material.license,
        address=material.address,
        repeated=size_bytes > spool.length_bytes,
        offset_bytes=material.offset_bytes,
        made_at=cut.made_at,
        note="; ".join(part for part in (material.note, cut.note) if part),
    )
