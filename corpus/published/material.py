"""Material from the files of a published work, local or downloaded."""

import fnmatch
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from corpus.kinds import Kind
from corpus.material import Material, MaterialMissing
from corpus.published.payload import Payload, payload_of
from corpus.published.sources import Source
from corpus.store import BLOCK_BYTES


def matching(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the names that the first successful pattern matches, sorted; case does not matter."""
    for pattern in patterns:
        found = sorted(name for name in names if fnmatch.fnmatchcase(name.lower(), pattern.lower()))
        if found:
            return found
    return []


def local_material(kind: Kind, source: Source, folder: Path) -> Material:
    """Return the work in the folder of local sources; raise MaterialMissing if it is absent."""
    if not folder.is_dir():
        raise MaterialMissing(f"the folder of local sources {folder} does not exist")
    names = matching([path.name for path in folder.iterdir() if path.is_file()], source.files)
    if not names:
        raise MaterialMissing(f"the folder of local sources has no file like {', '.join(source.files)}")
    return published_material(kind, source, [folder / name for name in names], f"local: {', '.join(names)}")


def published_material(kind: Kind, source: Source, files: Sequence[Path], note: str) -> Material:
    """Return the material in these files of the work, concatenated."""
    payloads = [payload_of(kind, file) for file in files]
    return Material(
        origin="source",
        title=f"{source.title} ({source.author})",
        license=source.license,
        address=source.address,
        offset_bytes=payloads[0].start_bytes,
        note=note,
        open=partial(open_payloads, payloads),
    )


@contextmanager
def open_payloads(payloads: Sequence[Payload]) -> Generator[Iterator[bytes]]:
    """Yield the payloads as one stream of blocks."""
    blocks = _payload_blocks(payloads)
    try:
        yield blocks
    finally:
        blocks.close()


def _payload_blocks(payloads: Sequence[Payload]) -> Generator[bytes]:
    for payload in payloads:
        left_bytes = payload.end_bytes - payload.start_bytes
        with payload.path.open("rb") as file:
            file.seek(payload.start_bytes)
            while left_bytes > 0 and (block := file.read(min(BLOCK_BYTES, left_bytes))):
                left_bytes -= len(block)
                yield block
