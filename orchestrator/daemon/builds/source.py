"""The runner sources that the service requires its agents to build, identified by their SHA-256."""

from dataclasses import dataclass
from pathlib import Path

import structlog

from corpus.store import ChunkStore
from orchestrator.compilation.runner_sources import languages_sha256, source_sha256
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.shared.errors import SetupError
from orchestrator.shared.resources import shipped

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class RunnerSources:
    """Folder or archive of the sources, with the SHA-256 of their contents."""

    path: Path
    source_sha256: str


def runner_source(client: ServiceClient, cache_folder: Path) -> RunnerSources:
    """Return the sources to build, in the service's version.

    The sources of this installation are used if they have that version; otherwise the archive is downloaded once.
    Raises Unreachable, and BuildFailed for sources that the service did not sign.
    """
    offered = client.downloads().runner_source
    local = _shipped_source()
    own = (offered.source_sha256, offered.languages_sha256)
    if local is not None and (source_sha256(local), languages_sha256(local)) == own:
        return RunnerSources(local, offered.source_sha256)
    store = ChunkStore(cache_folder / "sources")
    if not store.has(offered.sha256):
        _log.info("downloading runner sources", source_sha256=offered.source_sha256)
        with client.download_program("/downloads/runner-source", offered.signed) as download:
            store.put_stream(download.blocks(), expected_sha256=offered.sha256)
    store.verify(offered.sha256)
    return RunnerSources(store.path(offered.sha256), offered.source_sha256)


def _shipped_source() -> Path | None:
    try:
        return shipped("runners")
    except SetupError:
        return None
