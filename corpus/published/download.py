"""Download of a published work: the beginnings of its files, each with the length and the SHA-256 of sources.yaml."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx

from corpus.kinds import Kind
from corpus.material import Material, MaterialMissing
from corpus.published.material import published_material
from corpus.published.sources import PinnedFile, Source
from corpus.store import BLOCK_BYTES
from orchestrator.shared.tls import is_loopback
from orchestrator.shared.units import MIB

_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
HEAD_ALLOWANCE_BYTES = 16 * MIB
"""Allowance for the bytes before the media in a file: the index of a film of three hours is about 6 MiB."""


def downloaded_material(
    kind: Kind, source: Source, needed_bytes: int, folder: Path, on_bytes: Callable[[int], None]
) -> Material:
    """Download the beginning of the work into the folder and return it as material.

    Raises MaterialMissing with the reason if it cannot be downloaded, has another content than sources.yaml states, or
    if no SHA-256 is stated there.
    """
    if not source.download.pinned:
        raise MaterialMissing(
            f"no SHA-256 is recorded for a download of {source.title}, so none is made (--sources uses your copy)"
        )
    try:
        with secure_client() as client:
            files = _fetch(client, source, needed_bytes + HEAD_ALLOWANCE_BYTES, folder, on_bytes)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise MaterialMissing(f"the download failed ({type(error).__name__}: {error})") from error
    return published_material(kind, source, files, f"downloaded: {', '.join(file.name for file in files)}")


def secure_client() -> httpx.Client:
    """Return a client that refuses an address without HTTPS, also after a redirect, except on this machine."""
    return httpx.Client(timeout=_TIMEOUT, follow_redirects=True, event_hooks={"request": [_require_https]})


def _require_https(request: httpx.Request) -> None:
    if request.url.scheme != "https" and not is_loopback(request.url.host):
        raise MaterialMissing(
            f"the download leads to {request.url.scheme}://{request.url.host}, which is not encrypted"
        )


def _fetch(
    client: httpx.Client, source: Source, needed_bytes: int, folder: Path, on_bytes: Callable[[int], None]
) -> list[Path]:
    """Fetch the files of the work in order until there are enough bytes."""
    files: list[Path] = []
    got_bytes = 0
    for pinned in source.download.pinned:
        target = folder / Path(unquote(urlsplit(pinned.address).path)).name
        _fetch_file(client, pinned, target, on_bytes)
        files.append(target)
        got_bytes += pinned.length_bytes
        if got_bytes >= needed_bytes:
            break
    return files


def _fetch_file(client: httpx.Client, pinned: PinnedFile, target: Path, on_bytes: Callable[[int], None]) -> None:
    """Fetch the pinned beginning of a file; raise MaterialMissing unless its SHA-256 is the expected one."""
    digest = hashlib.sha256()
    left_bytes = pinned.length_bytes
    with client.stream("GET", pinned.address) as response, target.open("wb") as file:
        response.raise_for_status()
        for received in response.iter_bytes(BLOCK_BYTES):
            block = received[:left_bytes]
            file.write(block)
            digest.update(block)
            left_bytes -= len(block)
            on_bytes(len(block))
            if left_bytes == 0:
                break
    if left_bytes or digest.hexdigest() != pinned.sha256:
        target.unlink()
        raise MaterialMissing(
            f"{target.name} from {urlsplit(pinned.address).hostname} is not the recorded file: "
            f"{pinned.length_bytes - left_bytes} bytes with the SHA-256 {digest.hexdigest()}, "
            f"expected {pinned.length_bytes} bytes with {pinned.sha256}"
        )
