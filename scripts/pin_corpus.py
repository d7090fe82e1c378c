"""Print the part `pinned` of sources.yaml for one kind: length and SHA-256 of the files of its published work.

    .venv/bin/python scripts/pin_corpus.py text

Downloads the beginning of the work from the address in corpus/published/sources.yaml. Compare the result with a second
source before you add it: from then on, `ciphermark corpus build` accepts exactly this content.
"""

import hashlib
import sys
from pathlib import Path
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

from corpus.kinds import DEFAULT_SIZES_BYTES, Kind
from corpus.published.download import HEAD_ALLOWANCE_BYTES, secure_client
from corpus.published.material import matching
from corpus.published.sources import PinnedFile, Source, load_sources
from corpus.store import BLOCK_BYTES
from orchestrator.shared.errors import CiphermarkError


class _ListedFile(BaseModel):
    name: str


class _Listing(BaseModel):
    """The used part of an archive's listing."""

    files: tuple[_ListedFile, ...]


def pinned_files(source: Source, needed_bytes: int) -> list[PinnedFile]:
    """Return the beginnings of the work's files, in order, that have at least the needed bytes together."""
    found: list[PinnedFile] = []
    with secure_client() as client:
        for address in _addresses(client, source):
            left_bytes = needed_bytes - sum(one.length_bytes for one in found)
            if left_bytes <= 0:
                break
            found.append(_pinned(client, address, left_bytes))
    return found


def _addresses(client: httpx.Client, source: Source) -> list[str]:
    download = source.download
    if download.file is not None:
        return [download.file]
    response = client.get(str(download.listing)).raise_for_status()
    try:
        listing = _Listing.model_validate_json(response.content)
    except ValidationError as error:
        raise CiphermarkError(f"The listing at {download.listing} has not the expected form.") from error
    names = matching([file.name for file in listing.files], source.files)
    if not names:
        raise CiphermarkError(f"The listing at {download.listing} has no file like {', '.join(source.files)}.")
    return [f"{download.base}{quote(name)}" for name in names]


def _pinned(client: httpx.Client, address: str, max_bytes: int) -> PinnedFile:
    digest, length_bytes = hashlib.sha256(), 0
    with client.stream("GET", address) as response:
        response.raise_for_status()
        for received in response.iter_bytes(BLOCK_BYTES):
            block = received[: max_bytes - length_bytes]
            digest.update(block)
            length_bytes += len(block)
            if length_bytes == max_bytes:
                break
    return PinnedFile(address=address, length_bytes=length_bytes, sha256=digest.hexdigest())


def main(kind: Kind) -> int:
    """Print the lines for the published work of this kind."""
    sources = load_sources()
    if kind not in sources:
        sys.stderr.write(f"{Path(__file__).name}: expected one of {', '.join(sources)}, got {kind!r}\n")
        return 2
    print("    pinned:")
    for one in pinned_files(sources[kind], max(DEFAULT_SIZES_BYTES) + HEAD_ALLOWANCE_BYTES):
        print(f"      - {{address: {one.address!r}, length_bytes: {one.length_bytes}, sha256: {one.sha256}}}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))  # type: ignore[arg-type]
