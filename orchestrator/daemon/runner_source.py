"""The runner sources that the service wants its agents to build, pinned by their SHA-256."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import structlog

from corpus.store import ChunkStore
from orchestrator.builds.source import source_sha256
from orchestrator.daemon.service_client import ServiceClient
from orchestrator.errors import ProtocolMismatch, SetupError
from orchestrator.resources import shipped

_log = structlog.get_logger(__name__)


def runner_source(client: ServiceClient, cache_folder: Path) -> Path:
    """Return the folder or archive of the sources to build: the service's version of them.

    What this installation brings along is used when it is that version; else the archive is downloaded once.
    Raises Unreachable when the service is away and ProtocolMismatch when it offers no sources.
    """
    offered = _offer(client.downloads())
    wanted, archive_sha256 = str(offered["source_sha256"]), str(offered["sha256"])
    local = _shipped_source()
    if local is not None and source_sha256(local) == wanted:
        return local
    store = ChunkStore(cache_folder / "sources")
    if not store.has(archive_sha256):
        _log.info("fetching runner source", source_sha256=wanted)
        with client.download("/downloads/runner-source") as download:
            store.put_stream(download.blocks(), expected_sha256=archive_sha256)
    store.verify(archive_sha256)
    return store.path(archive_sha256)


def _offer(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    offered = manifest.get("runner_source")
    if not isinstance(offered, dict) or not {"source_sha256", "sha256"} <= offered.keys():
        raise ProtocolMismatch(
            f"The service offers {sorted(manifest)}, expected was runner_source with sha256 and source_sha256.",
            remedy="Do service and daemon have the same version?",
        )
    return offered


def _shipped_source() -> Path | None:
    try:
        return shipped("runners")
    except SetupError:
        return None
