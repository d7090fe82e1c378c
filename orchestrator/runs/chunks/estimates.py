"""Preview of the making of missing chunks: bytes, duration, and why it is not possible."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from sqlalchemy.orm import Session

from corpus.availability import check_packages
from corpus.kinds import Kind
from orchestrator.database.models import ChunkRequest
from orchestrator.runs.chunks import repository
from orchestrator.runs.chunks.schemas import ChunkEstimate
from orchestrator.shared.errors import SetupError
from orchestrator.shared.units import MIB, format_bytes_approximately

START_SECONDS = 1.0
"""Start of the process and of the encoder, for each kind."""
ASSUMED_SECONDS_PER_MIB = {"random": 0.01, "text": 0.02, "audio": 0.6, "video": 0.25}
"""Until a chunk of the kind was made here: x86-64 with two cores at half load, 2026-11."""
_MIN_BYTES = MIB
"""Length from which an earlier chunk shows the speed; the time of a shorter one is mostly its start."""
_LATEST = 50


@dataclass(frozen=True)
class _Pace:
    seconds_per_byte: float
    is_measured: bool


def estimate_making(session: Session, corpus_folder: Path, chunks: Sequence[tuple[str, int]]) -> ChunkEstimate | None:
    """Return what making these chunks, given as kind and length, takes; None for no chunks.

    All chunks of a kind are cut from one material, so the longest one decides the duration.
    """
    if not chunks:
        return None
    longest: dict[str, int] = {}
    for kind, length_bytes in chunks:
        longest[kind] = max(longest.get(kind, 0), length_bytes)
    paces = {kind: _pace(repository.list_made(session, kind, _LATEST), kind) for kind in longest}
    total_bytes = sum(length_bytes for _, length_bytes in chunks)
    obstacle = _obstacle(corpus_folder, longest, total_bytes)
    return ChunkEstimate(
        chunks=len(chunks),
        total_bytes=total_bytes,
        estimated_seconds=sum(START_SECONDS + size * paces[kind].seconds_per_byte for kind, size in longest.items()),
        basis=_basis(paces),
        obstacle=obstacle.detail if obstacle else None,
        remedy=obstacle.remedy if obstacle else "",
    )


def _pace(made: Sequence[ChunkRequest], kind: str) -> _Pace:
    """Return the pace of the latest batch with a chunk that is long enough."""
    for latest in made:
        batch = [request for request in made if request.started_at == latest.started_at]
        longest_bytes = max(request.length_bytes for request in batch)
        if longest_bytes >= _MIN_BYTES and latest.started_at and latest.settled_at:
            seconds = (latest.settled_at - latest.started_at).total_seconds()
            return _Pace(max(seconds - START_SECONDS, 0.0) / longest_bytes, is_measured=True)
    return _Pace(ASSUMED_SECONDS_PER_MIB[kind] / MIB, is_measured=False)


def _basis(paces: dict[str, _Pace]) -> str:
    assumed = [kind for kind, pace in paces.items() if not pace.is_measured]
    if not assumed:
        return "Chunks of the same kinds that this service made."
    return f"Assumed for {', '.join(assumed)}: this service has not made a chunk of 1 MiB or more of that kind."


def _obstacle(corpus_folder: Path, longest: dict[str, int], total_bytes: int) -> SetupError | None:
    """Return why the chunks cannot be made on this machine; None if they can."""
    try:
        check_packages([cast(Kind, kind) for kind in longest])
    except SetupError as error:
        return SetupError(error.detail, remedy=f"On the machine of the service: {error.remedy}")
    existing = next(folder for folder in (corpus_folder, *corpus_folder.parents) if folder.exists())
    # The material of one kind at a time is in a temporary file next to the chunks.
    needed_bytes, free_bytes = total_bytes + max(longest.values()), shutil.disk_usage(existing).free
    if needed_bytes <= free_bytes:
        return None
    return SetupError(
        f"The disk of {corpus_folder} has {format_bytes_approximately(free_bytes)} free; the missing chunks need "
        f"{format_bytes_approximately(needed_bytes)} while they are made.",
        remedy="Free some space, or name fewer or smaller chunks.",
    )
