"""The builder of the corpus: makes the chunks that are missing or damaged."""

import errno
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from corpus.availability import setup_error
from corpus.catalogue import Catalogue, ChunkEntry, by_preference, chunk_store
from corpus.cutting import Cut, store_chunks
from corpus.kinds import DEFAULT_SIZES_BYTES, KINDS, Kind, checked_kinds, checked_sizes
from corpus.material import BuildStep, MaterialMissing, Progress, no_progress
from corpus.origins import Origins, discard_downloads
from corpus.packaged.packages import Packages
from corpus.published.sources import Source, load_sources
from corpus.store import ChunkStore
from orchestrator.shared.errors import ChunkDamaged, NotFound, SetupError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_INSTALLED = Packages()


def build(
    corpus_folder: Path,
    sizes_bytes: Sequence[int] = DEFAULT_SIZES_BYTES,
    kinds: Sequence[str] = KINDS,
    *,
    local_sources: Path | None = None,
    download: bool = True,
    progress: Progress = no_progress,
    packages: Packages = _INSTALLED,
    sources: Mapping[Kind, Source] | None = None,
) -> list[ChunkEntry]:
    """Make the missing chunks of all kinds and sizes; return the preferred entry of each.

    An undamaged chunk is kept, so a second call does no work; a damaged one is replaced. If the folder of local sources
    has the published work, a generated chunk gets one of the published work in addition.

    sizes_bytes: 1 byte to 1 GiB each. sources: the published works, by default those of sources.yaml.
    Raises InvalidRequest for an invalid size or kind, and SetupError if the disk is full or material is missing; in the
    latter case all other kinds were built, and the message names the packages.
    """
    sizes, requested = checked_sizes(sizes_bytes), checked_kinds(kinds)
    origins = Origins(local_sources, download, packages, load_sources() if sources is None else sources)
    builder = _Builder(Catalogue(corpus_folder), chunk_store(corpus_folder), origins, progress)
    missing: dict[Kind, MaterialMissing] = {}
    progress(BuildStep("waiting", None, "for another build of this corpus to end, if one is running"))
    with full_disk_named(corpus_folder), builder.catalogue.building():
        builder.store.discard_leftovers()
        discard_downloads(corpus_folder)
        for kind in requested:
            try:
                builder.build_kind(kind, sizes)
            except MaterialMissing as reason:
                missing[kind] = reason
    if missing:
        raise setup_error(missing)
    entries = (builder.catalogue.find(kind, size) for kind in requested for size in sizes)
    return [entry for entry in entries if entry is not None]


@contextmanager
def full_disk_named(folder: Path) -> Iterator[None]:
    """Raise SetupError instead of the OSError of a full disk; other errors are unchanged."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise SetupError(
            f"The disk of {folder} is full ({error.strerror}); no incomplete chunk was stored.",
            remedy="Free some space, or request fewer or smaller chunks, and build again.",
        ) from error


@dataclass(frozen=True)
class _Builder:
    catalogue: Catalogue
    store: ChunkStore
    origins: Origins
    progress: Progress

    def build_kind(self, kind: Kind, sizes: Sequence[int]) -> None:
        """Make the missing chunks of one kind; raise MaterialMissing if there is no material."""
        needed = [size for size in sizes if not self._is_settled(kind, size)]
        if not needed:
            self.progress(BuildStep("present", kind, "every chunk is present and undamaged"))
            return
        with self.origins.best(kind, max(needed), self.catalogue.folder, self.progress) as found:
            note = f"not the published work: {'; '.join(found.reasons)}" if found.reasons else ""
            cut = Cut(kind, needed, datetime.now(UTC), note)
            self.catalogue.change(add=store_chunks(found.material, cut, self.store, self.progress))

    def _is_settled(self, kind: Kind, size: int) -> bool:
        """Return whether an undamaged chunk is present that the local sources cannot improve."""
        entry = self._whole_entry(kind, size)
        if entry is None or kind == "random":
            return entry is not None
        return entry.origin == "source" or not self._has_local(kind)

    def _has_local(self, kind: Kind) -> bool:
        try:
            self.origins.local(kind)
        except MaterialMissing:
            return False
        return True

    def _whole_entry(self, kind: Kind, size: int) -> ChunkEntry | None:
        """Return the best built entry whose bytes verify; remove entries whose bytes do not."""
        candidates = (
            entry
            for entry in self.catalogue.entries()
            if (entry.kind, entry.length_bytes) == (kind, size) and entry.origin != "user"
        )
        for entry in by_preference(candidates):
            try:
                self.store.verify(entry.sha256)
            except (ChunkDamaged, NotFound):
                self.catalogue.change(remove=[entry])
            else:
                return entry
        return None
