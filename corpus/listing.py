"""List and verification of the chunks of a corpus."""

from dataclasses import dataclass
from pathlib import Path

from corpus.catalogue import Catalogue, ChunkEntry, chunk_store
from orchestrator.shared.errors import ChunkDamaged, NotFound


@dataclass(frozen=True)
class Verification:
    """The outcome of reading one chunk."""

    entry: ChunkEntry
    problem: str | None  # what is wrong and what to do; None if the chunk is undamaged


def list_entries(corpus_folder: Path) -> list[ChunkEntry]:
    """Return every entry of the corpus, ordered by kind, length and age."""
    return list(Catalogue(corpus_folder).entries())


def verify_all(corpus_folder: Path) -> list[Verification]:
    """Read every chunk and compare it with its SHA-256; a damaged file is renamed (see ChunkStore.verify)."""
    store = chunk_store(corpus_folder)
    problems: dict[str, str | None] = {}
    entries = list_entries(corpus_folder)
    for sha256 in {entry.sha256 for entry in entries}:
        try:
            store.verify(sha256)
        except (ChunkDamaged, NotFound) as problem:
            problems[sha256] = str(problem)
    return [Verification(entry, problems.get(entry.sha256)) for entry in entries]
