"""Choice of the runner sources: those of this installation, or the service's version, downloaded once."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from orchestrator.daemon.builds.source import runner_source
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.shared.errors import CiphermarkError
from orchestrator.shared.resources import shipped
from tests.support.forwarding_proxy import QuietHandler, serving
from tests.support.live_service import serve

ARCHIVE = b"the sources of another version"


@dataclass
class OtherVersion:
    """A service of another version: its offer names sources that this installation does not have."""

    url: str
    archive: bytes = ARCHIVE
    paths: list[str] = field(default_factory=list)


@pytest.fixture
def other_version() -> Iterator[OtherVersion]:
    class Handler(QuietHandler):
        def answer(self, body: bytes) -> None:
            service.paths.append(self.path)
            body = service.archive if self.path.endswith("/runner-source") else json.dumps(offer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    offer = {
        "runner_source": {
            "path": "/api/v1/downloads/runner-source", "file_name": "runners.tar.gz", "size_bytes": len(ARCHIVE),
            "sha256": hashlib.sha256(ARCHIVE).hexdigest(), "source_sha256": "5" * 64, "languages_sha256": "6" * 64,
        },
        "agent_wheel": None,
    }  # fmt: skip
    with serving(Handler) as url:
        service = OtherVersion(url)
        yield service


@pytest.fixture
def client(other_version: OtherVersion) -> Iterator[ServiceClient]:
    with ServiceClient(ServiceAddress(other_version.url, "token", 60)) as client:
        yield client


def test_sources_of_this_installation_are_used_when_the_service_has_the_same(tmp_path: Path) -> None:
    with (
        serve(tmp_path / "service") as served,
        ServiceClient(ServiceAddress(served.url, served.token("viewer"), 60)) as client,
    ):
        assert runner_source(client, tmp_path / "cache").path == shipped("runners")
    assert not (tmp_path / "cache").exists()


def test_sources_of_another_version_are_downloaded_once(
    client: ServiceClient, other_version: OtherVersion, tmp_path: Path
) -> None:
    first, second = runner_source(client, tmp_path), runner_source(client, tmp_path)

    assert first == second
    assert first.path.read_bytes() == ARCHIVE
    assert first.source_sha256 == "5" * 64
    assert [path.rpartition("/")[2] for path in other_version.paths] == ["downloads", "runner-source", "downloads"]


def test_damaged_download_is_rejected(client: ServiceClient, other_version: OtherVersion, tmp_path: Path) -> None:
    other_version.archive = ARCHIVE[::-1]

    with pytest.raises(CiphermarkError):
        runner_source(client, tmp_path)
