"""Downloads for devices: the script that joins, the wheel of the daemon and its packages, the runner sources."""

import hashlib
import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

from fastapi import Depends

from orchestrator.builds import join_script
from orchestrator.builds.signing import DownloadSigner
from orchestrator.builds.wheel import AgentWheel
from orchestrator.compilation.runner_sources import SourceArchive, pack
from orchestrator.service.dependencies import kept_with_application
from orchestrator.shared.errors import CiphermarkError, Unavailable
from orchestrator.shared.files.identity import file_sha256
from orchestrator.shared.resources import shipped
from orchestrator.wire.downloads import RUNNER_SOURCE, Download, Downloads, RunnerSource

FOLDER = "/api/v1/downloads"
REQUIREMENTS = "agent.txt"
JOIN_SCRIPT = "join.sh"


@dataclass
class DownloadShelf:
    """Files that this service offers, packed once per process. Safe to use from several threads."""

    cache_folder: Path
    data_folder: Path
    certificate: Path | None = None
    """The service's TLS certificate, if it has one."""

    def __post_init__(self) -> None:
        self._wheel = AgentWheel(self.cache_folder)
        self._lock = threading.Lock()
        self._source: SourceArchive | None = None

    @cached_property
    def signer(self) -> DownloadSigner:
        """The key that devices verify programs with."""
        return DownloadSigner(self.data_folder)

    def runner_source(self) -> SourceArchive:
        """Return the archive with the sources of the runners."""
        with self._lock:
            if self._source is None:
                self._source = pack(shipped("runners"))
            return self._source

    def agent_wheel(self) -> Path:
        """Return the path of the wheel after it was made; raises Unavailable with the reason of a failure."""
        return self._wheel.path()

    def agent_requirements(self) -> bytes:
        """Return the lock file of the daemon's packages: a version and hashes for each."""
        return (shipped("requirements") / REQUIREMENTS).read_bytes()

    def join_script(self) -> bytes:
        """Return the script with which a device joins; raises Unavailable with the reason of a missing wheel."""
        return self._join_script(self._wheel.path())

    def join_script_if_made(self) -> bytes:
        """Return the same script without waiting for the wheel; raises Unavailable while it is being made."""
        path = self._wheel.path_if_made()
        if path is None:
            raise Unavailable("The wheel is being built.", remedy="Repeat the request in a few seconds.")
        return self._join_script(path)

    @property
    def has_own_authority(self) -> bool:
        """Return whether a device knows the service's certificate only from the script."""
        return bool(join_script.own_authority(self.certificate))

    def _join_script(self, wheel: Path) -> bytes:
        contents = join_script.Contents(
            wheel_name=wheel.name,
            wheel_sha256=file_sha256(wheel),
            requirements_sha256=hashlib.sha256(self.agent_requirements()).hexdigest(),
            service_key=self.signer.public_key,
            certificate=join_script.own_authority(self.certificate),
        )
        return join_script.render((shipped("deploy") / JOIN_SCRIPT).read_text(encoding="utf-8"), contents)

    def manifest(self) -> Downloads:
        """Return all downloads with their hashes, and the reasons for absent ones."""
        wheel, absent = None, {}
        try:
            path = self._wheel.path_if_made()
            if path is None:
                absent["agent_wheel"] = "The wheel is being built; repeat the request in a few seconds."
            else:
                wheel = _wheel_entry(path)
        except CiphermarkError as error:
            absent["agent_wheel"] = str(error)
        return Downloads(runner_source=_source_entry(self.runner_source()), agent_wheel=wheel, absent=absent)

    def source_signature(self) -> str:
        """Return the signature of the sources of the runners."""
        return self.signer.sign(_source_entry(self.runner_source()).signed)


def _source_entry(source: SourceArchive) -> RunnerSource:
    return RunnerSource(
        path=f"{FOLDER}/runner-source",
        file_name=RUNNER_SOURCE,
        sha256=source.sha256,
        size_bytes=len(source.data),
        source_sha256=source.source_sha256,
        languages_sha256=source.languages_sha256,
    )


def _wheel_entry(path: Path) -> Download:
    return Download(
        path=f"{FOLDER}/agent-wheel",
        file_name=path.name,
        sha256=file_sha256(path),
        size_bytes=path.stat().st_size,
    )


DownloadShelfDep = Annotated[
    DownloadShelf,
    Depends(
        kept_with_application(
            lambda _database, settings: DownloadShelf(
                settings.cache_folder, settings.data_folder, settings.tls_certificate
            )
        )
    ),
]
