"""Chunks from files of the user."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from corpus.builder import full_disk_named
from corpus.catalogue import Catalogue, ChunkEntry, chunk_store
from corpus.cutting import Cut, store_chunks
from corpus.kinds import MAX_CHUNK_BYTES, checked_kind, checked_sizes
from corpus.material import Material, Progress, no_progress
from corpus.published.material import open_payloads
from corpus.published.payload import Payload
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import format_size


def add_user_chunk(
    corpus_folder: Path,
    kind: str,
    file: Path,
    sizes_bytes: Sequence[int] | None = None,
    *,
    progress: Progress = no_progress,
) -> list[ChunkEntry]:
    """Store the user's file whole (sizes None), or its first bytes as chunks of these sizes; return the entries.

    The content of the file is not checked. Such chunks are preferred to built ones of the same kind and length. Raises
    InvalidRequest if the file is absent, empty or too large.
    """
    known_kind = checked_kind(kind)
    length_bytes = _checked_length(file, whole=sizes_bytes is None)
    sizes = (length_bytes,) if sizes_bytes is None else checked_sizes(sizes_bytes)
    material = Material(
        origin="user",
        title=file.name,
        license="the user's own",
        address=None,
        offset_bytes=0,
        note=f"the user's file of {length_bytes} bytes",
        open=partial(open_payloads, [Payload(file, 0, length_bytes)]),
    )
    with full_disk_named(corpus_folder):
        cut = Cut(known_kind, sizes, datetime.now(UTC))
        entries = store_chunks(material, cut, chunk_store(corpus_folder), progress)
        Catalogue(corpus_folder).change(add=entries)
    return entries


def _checked_length(file: Path, *, whole: bool) -> int:
    if not file.is_file():
        raise InvalidRequest(f"{file} is not a file.", remedy="Name an existing file.", field="file")
    length_bytes = file.stat().st_size
    if length_bytes == 0:
        raise InvalidRequest(f"{file} is empty.", remedy="A chunk has at least one byte.", field="file")
    if whole and length_bytes > MAX_CHUNK_BYTES:
        raise InvalidRequest(
            f"{file} has {length_bytes} bytes, a chunk has at most {format_size(MAX_CHUNK_BYTES)}.",
            remedy="Name the sizes to cut it to.",
            field="file",
        )
    return length_bytes
