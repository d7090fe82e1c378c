"""`manifest.json` in the corpus folder: the list of chunks with their origin.

The manifest is replaced as a whole (temporary file, rename), so a reader never sees an incomplete one. It is changed
under a lock, so two writers never lose each other's entries.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from corpus.kinds import MAX_CHUNK_BYTES, Kind
from corpus.store import ChunkStore
from orchestrator.shared.errors import SetupError

Origin = Literal["source", "generated", "user"]
# A user's file is preferred to a published work, and a published work to generated material.
_PREFERENCE: dict[Origin, int] = {"user": 2, "source": 1, "generated": 0}


class ChunkEntry(BaseModel):
    """One chunk of the corpus."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    length_bytes: int = Field(ge=1, le=MAX_CHUNK_BYTES)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    origin: Origin  # source: a published work · generated: made on this machine · user: a file of the user
    title: str
    license: str = Field(validation_alias=AliasChoices("license", "licence"))  # the second is the key of version 0.1
    address: str | None  # the page of the work, if it has one
    repeated: bool  # the material was shorter than the chunk, and was repeated from its first byte
    offset_bytes: int = Field(ge=0)  # bytes skipped at the head of the material (tag, index, license)
    made_at: AwareDatetime
    note: str = ""  # the material, and why no better origin was available


class _Manifest(BaseModel):
    """The content of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    chunks: tuple[ChunkEntry, ...] = ()


class Catalogue:
    """The manifest of one corpus folder, read again by every call."""

    def __init__(self, corpus_folder: Path) -> None:
        """Use `corpus_folder/manifest.json`; the first write creates the folder."""
        self.folder = corpus_folder
        self.path = corpus_folder / "manifest.json"

    def entries(self) -> tuple[ChunkEntry, ...]:
        """Return every entry, ordered by kind and length; none if no corpus was built yet.

        Raises SetupError if the file is not a manifest.
        """
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return ()
        try:
            return _Manifest.model_validate_json(text).chunks
        except ValidationError as error:
            first = error.errors()[0]
            raise SetupError(
                f"{self.path} is not a manifest of chunks: {first['msg']} at {first['loc']}.",
                remedy="Move it away and build the corpus again.",
            ) from error

    def find(self, kind: Kind, length_bytes: int) -> ChunkEntry | None:
        """Return the preferred entry of this kind and length (see by_preference), or None."""
        key = (kind, length_bytes)
        found = by_preference(entry for entry in self.entries() if (entry.kind, entry.length_bytes) == key)
        return found[0] if found else None

    def change(self, *, add: Iterable[ChunkEntry] = (), remove: Iterable[ChunkEntry] = ()) -> None:
        """Remove and add entries in one step; an entry with the same kind and bytes is replaced."""
        added = tuple(add)
        outdated = {_identity(entry) for entry in (*remove, *added)}
        with self._locked("manifest"):
            kept = (entry for entry in self.entries() if _identity(entry) not in outdated)
            chunks = sorted((*kept, *added), key=lambda entry: (entry.kind, entry.length_bytes, entry.made_at))
            self._write(_Manifest(chunks=tuple(chunks)))

    @contextmanager
    def building(self) -> Iterator[None]:
        """Hold the build lock; a second builder waits here and then finds the chunks of the first."""
        with self._locked("build"):
            yield

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        # The kernel releases the lock when its process ends, so a killed builder does not block the next one.
        with (self.folder / f".{name}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _write(self, manifest: _Manifest) -> None:
        new = self.path.with_name(".manifest.json.new")
        try:
            with new.open("w", encoding="utf-8") as file:
                file.write(manifest.model_dump_json(indent=2))
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            new.replace(self.path)
        finally:
            new.unlink(missing_ok=True)


def chunk_store(corpus_folder: Path) -> ChunkStore:
    """Return the store that holds the bytes of a corpus folder's entries."""
    return ChunkStore(corpus_folder / "chunks")


def by_preference(entries: Iterable[ChunkEntry]) -> list[ChunkEntry]:
    """Return the entries with the best origin first: user, source, generated; among equals the newest first."""
    return sorted(entries, key=lambda entry: (_PREFERENCE[entry.origin], entry.made_at), reverse=True)


def _identity(entry: ChunkEntry) -> tuple[Kind, str]:
    return entry.kind, entry.sha256
