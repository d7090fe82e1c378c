"""Download of a published work, as far as the largest chunk needs it."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import httpx
from pydantic import BaseModel, ValidationError

from corpus.kinds import Kind
from corpus.material import Material, MaterialMissing
from corpus.published.material import matching, published_material
from corpus.published.sources import Source
from corpus.store import BLOCK_BYTES
from orchestrator.units import MIB

_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
# Allowance for the bytes before the media in a file: the index of a film of three hours is about 6 MiB.
_HEAD_ALLOWANCE_BYTES = 16 * MIB


class _ListedFile(BaseModel):
    name: str


class _Listing(BaseModel):
    """The used part of an archive's listing."""

    files: tuple[_ListedFile, ...]


def downloaded_material(
    kind: Kind, source: Source, needed_bytes: int, folder: Path, on_bytes: Callable[[int], None]
) -> Material:
    """Download the beginning of the work into the folder and return it as material.

    Raises MaterialMissing with the reason if it cannot be downloaded or has another content than expected.
    """
    try:
        with httpx.Client(timeout=_TIMEOUT, follow_redirects=True) as client:
            files = _fetch(client, source, needed_bytes + _HEAD_ALLOWANCE_BYTES, folder, on_bytes)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise MaterialMissing(f"the download failed ({type(error).__name__}: {error})") from error
    return published_material(kind, source, files, f"downloaded: {', '.join(file.name for file in files)}")


def _fetch(
    client: httpx.Client, source: Source, needed_bytes: int, folder: Path, on_bytes: Callable[[int], None]
) -> list[Path]:
    """Fetch the files of the work in order until there are enough bytes."""
    files: list[Path] = []
    got_bytes = 0
    for address in _addresses(client, source):
        target = folder / Path(unquote(urlsplit(address).path)).name
        got_bytes += _fetch_file(client, address, target, needed_bytes - got_bytes, on_bytes)
        files.append(target)
        if got_bytes >= needed_bytes:
            break
    return files


def _addresses(client: httpx.Client, source: Source) -> list[str]:
    download = source.download
    if download.file is not None:
        return [download.file]
    response = client.get(str(download.listing)).raise_for_status()
    try:
        listing = _Listing.model_validate_json(response.content)
    except ValidationError as error:
        raise MaterialMissing(f"the listing at {download.listing} has not the expected form") from error
    names = matching([file.name for file in listing.files], source.files)
    if not names:
        raise MaterialMissing(f"the listing at {download.listing} has no file like {', '.join(source.files)}")
    return [f"{download.base}{quote(name)}" for name in names]


def _fetch_file(
    client: httpx.Client, address: str, target: Path, needed_bytes: int, on_bytes: Callable[[int], None]
) -> int:
    got_bytes = 0
    # Only the needed length of a file is read.
    with client.stream("GET", address) as response, target.open("wb") as file:
        response.raise_for_status()
        for block in response.iter_bytes(BLOCK_BYTES):
            file.write(block)
            got_bytes += len(block)
            on_bytes(len(block))
            if got_bytes >= needed_bytes:
                break
    return got_bytes
