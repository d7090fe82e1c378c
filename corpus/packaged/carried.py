"""Material from the chunks that a wheel with runners carries, for machines without the packages."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from corpus.catalogue import Catalogue, chunk_store
from corpus.kinds import Kind
from corpus.material import Material
from corpus.store import BLOCK_BYTES, ChunkStore


def carried_material(kind: Kind, folder: Path) -> Material | None:
    """Return the longest chunk of a kind in a folder with a manifest, or None; longer chunks repeat it."""
    found = [entry for entry in Catalogue(folder).entries() if entry.kind == kind]
    if not found:
        return None
    longest = max(found, key=lambda entry: entry.length_bytes)
    return Material(
        origin=longest.origin,
        title=longest.title,
        license=longest.license,
        address=longest.address,
        offset_bytes=longest.offset_bytes,
        note=f"carried by the wheel; {longest.note}",
        open=partial(_open, chunk_store(folder), longest.sha256),
    )


@contextmanager
def _open(store: ChunkStore, sha256: str) -> Generator[Iterator[bytes]]:
    with store.open_verified(sha256) as file:
        yield iter(lambda: file.read(BLOCK_BYTES), b"")
