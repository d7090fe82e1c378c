"""Downloads for devices: the sources of the runners and the wheel of the daemon."""

import hashlib
import threading
from dataclasses import dataclass
from pathlib import Path

from orchestrator.builds.wheel import AgentWheel
from orchestrator.errors import CiphermarkError
from orchestrator.resources import shipped
from orchestrator.runner_sources import SourceArchive, pack
from orchestrator.wire.downloads import Download, Downloads, RunnerSource

FOLDER = "/api/v1/downloads"
RUNNER_SOURCE = "ciphermark-runners.tar.gz"


@dataclass
class DownloadShelf:
    """Files that this service offers, packed once per process. Safe to use from several threads."""

    cache_folder: Path

    def __post_init__(self) -> None:
        self._wheel = AgentWheel(self.cache_folder)
        self._lock = threading.Lock()
        self._source: SourceArchive | None = None

    def runner_source(self) -> SourceArchive:
        """Return the archive with the sources of the runners."""
        with self._lock:
            if self._source is None:
                self._source = pack(shipped("runners"))
            return self._source

    def agent_wheel(self) -> Path:
        """Return the path of the wheel after it was made; raises Unavailable with the reason of a failure."""
        return self._wheel.path()

    def manifest(self) -> Downloads:
        """Return all downloads with their hashes, and the reasons for absent ones."""
        source = self.runner_source()
        wheel, absent = None, {}
        try:
            path = self._wheel.path_if_made()
            if path is None:
                absent["agent_wheel"] = "The wheel is being built; repeat the request in a few seconds."
            else:
                wheel = _wheel_entry(path)
        except CiphermarkError as error:
            absent["agent_wheel"] = str(error)
        return Downloads(
            runner_source=RunnerSource(
                path=f"{FOLDER}/runner-source",
                file_name=RUNNER_SOURCE,
                sha256=source.sha256,
                size_bytes=len(source.data),
                source_sha256=source.source_sha256,
            ),
            agent_wheel=wheel,
            absent=absent,
        )


def _wheel_entry(path: Path) -> Download:
    data = path.read_bytes()
    return Download(
        path=f"{FOLDER}/agent-wheel",
        file_name=path.name,
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
    )
