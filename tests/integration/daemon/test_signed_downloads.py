"""Programs that a device downloads: a device in the network replaces them together with the hashes in the answer."""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrator.builds.signing import DownloadSigner
from orchestrator.compilation.cpu_features import TargetDevice
from orchestrator.compilation.installed import list_builds
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.daemon.builds import source
from orchestrator.daemon.builds.cross_built import download, find_offer, install_cross_built
from orchestrator.daemon.builds.source import runner_source
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.shared.errors import BuildFailed
from orchestrator.shared.resources import shipped
from orchestrator.shared.values.signatures import SignedFile
from orchestrator.wire.cross_builds import CrossBuildOffers
from tests.support import cross_builds
from tests.support.forwarding_proxy import Response, forwarding_proxy
from tests.support.live_service import Served

SOURCES, OFFERS = "/api/v1/downloads/runner-source", "/api/v1/downloads/cross-builds"
PI = TargetDevice("armhf", frozenset({"armv7", "vfpv3"}))
QUIET = BuildObserver(lambda _: None)

Change = Callable[[str, Response], None]


@pytest.fixture(scope="module")
def service(served: Served) -> Served:
    """A service that offers sources and a cross-build."""
    data = cross_builds.archive()
    manifest = cross_builds.manifest(source_sha256=source_sha256(shipped("runners")))
    cross_builds.store(served.settings.cache_folder, data, cross_builds.offer("armhf", data, manifest))
    return served


@pytest.fixture(autouse=True)
def device_without_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device of another version than the service: it downloads the sources."""
    monkeypatch.setattr(source, "_shipped_source", lambda: None)


@contextmanager
def connected(service: Served, change: Change, key: str | None = None) -> Iterator[ServiceClient]:
    """Yield the client of a device with the service's key, behind a proxy that changes responses."""
    key = key or DownloadSigner(service.settings.data_folder).public_key
    with (
        forwarding_proxy(service.url, change) as address,
        ServiceClient(ServiceAddress(address, service.token("viewer"), 60, service_key=key)) as client,
    ):
        yield client


def hostile_programs(marker: Path) -> dict[str, bytes]:
    """Return programs that leave a file when they are executed."""
    script = f"#!/bin/sh\ntouch {marker}\n".encode()
    return {"ciphermark-launcher": script, "ciphermark-own": script, "code-sizes.json": b'{"rows": []}'}


def in_the_middle(marker: Path) -> Change:
    """Return the change that puts other sources and programs, with fitting hashes, in place of the service's."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.addfile(tarfile.TarInfo("runners/CMakeLists.txt"))
    sources = buffer.getvalue()
    programs = hostile_programs(marker)
    archive = cross_builds.archive(programs)

    def change(path: str, response: Response) -> None:
        if path == "/api/v1/downloads":
            document = json.loads(response.body)
            replaced = {"sha256": hashlib.sha256(sources).hexdigest(), "size_bytes": len(sources)}
            document["runner_source"] |= replaced | {"source_sha256": "6" * 64}
            response.body = json.dumps(document).encode()
        elif path == OFFERS:
            (offer,) = CrossBuildOffers.model_validate_json(response.body).offers
            manifest = cross_builds.manifest(programs, source_sha256=offer.manifest.source_sha256)
            other = CrossBuildOffers(offers=[cross_builds.offer("armhf", archive, manifest)])
            response.body = other.model_dump_json().encode()
        elif path == SOURCES:
            response.body = sources
        elif path.startswith(OFFERS):
            response.body = archive

    return change


def signed_as(signature: Callable[[str], str | None]) -> Change:
    """Return the change of all signatures; signature: by the one of the service."""

    def change(path: str, response: Response) -> None:
        if response.signature is not None:
            response.signature = signature(response.signature)

    return change


def unchanged(path: str, response: Response) -> None:
    """Forward what the service sent."""


def install(client: ServiceClient, cache: Path) -> None:
    """Install the cross-build of the service."""
    found = find_offer(client, source_sha256(shipped("runners")), PI)
    assert found.offer is not None
    install_cross_built(client, found.offer, PI, cache, QUIET)


def test_signed_downloads_arrive(service: Served, tmp_path: Path) -> None:
    with connected(service, unchanged) as client:
        sources = runner_source(client, tmp_path)
        offer = find_offer(client, sources.source_sha256, PI).offer
        assert offer is not None
        programs = download(client, offer, tmp_path)

    with tarfile.open(sources.path) as tar:
        assert "runners/CMakeLists.txt" in tar.getnames()
    assert hashlib.sha256(programs.read_bytes()).hexdigest() == offer.sha256


class TestManInTheMiddle:
    def test_sources_with_fitting_hashes_are_not_stored(self, service: Served, tmp_path: Path) -> None:
        with (
            connected(service, in_the_middle(tmp_path / "executed")) as client,
            pytest.raises(BuildFailed, match="has another signature; expected one by the service's key") as caught,
        ):
            runner_source(client, tmp_path / "cache")
        assert "it is not the service that this device joined" in caught.value.remedy
        assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []

    def test_programs_with_fitting_hashes_are_neither_unpacked_nor_executed(
        self, service: Served, tmp_path: Path
    ) -> None:
        marker = tmp_path / "executed"
        with (
            connected(service, in_the_middle(marker)) as client,
            pytest.raises(BuildFailed, match=r"The cross-build that \S+ offers has another signature"),
        ):
            install(client, tmp_path / "cache")
        assert not marker.exists()
        assert list_builds(tmp_path / "cache") == []
        assert list((tmp_path / "cache").rglob("ciphermark-*")) == []


class TestSignatures:
    def test_missing_signature_is_refused(self, service: Served, tmp_path: Path) -> None:
        with connected(service, signed_as(lambda _: None)) as client:
            for fetch in (runner_source, install):
                with pytest.raises(BuildFailed, match=r"has no signature; expected one by the service's key \S+ over"):
                    fetch(client, tmp_path)

    def test_signature_of_another_key_is_refused(self, service: Served, tmp_path: Path) -> None:
        other = DownloadSigner(tmp_path)
        with connected(service, unchanged, key=other.public_key) as client:
            for fetch in (runner_source, install):
                with pytest.raises(BuildFailed, match=f"has another signature.*{other.public_key[:12]}"):
                    fetch(client, tmp_path)

    def test_signature_for_another_purpose_or_machine_is_refused(self, service: Served, tmp_path: Path) -> None:
        signer = DownloadSigner(service.settings.data_folder)
        offer = CrossBuildOffers.model_validate(service.viewer.get(OFFERS).json()).offers[0]
        true = offer.signed
        for replayed in (
            SignedFile("runner-source", true.name, true.size_bytes, true.sha256),
            SignedFile("cross-build", f"aarch64 {offer.build_key}", true.size_bytes, true.sha256),
        ):
            signature = signer.sign(replayed)
            with (
                connected(service, signed_as(lambda _, sent=signature: sent)) as client,  # type: ignore[misc]
                pytest.raises(BuildFailed, match="has another signature"),
            ):
                install(client, tmp_path)


class TestKey:
    def test_device_without_the_key_downloads_no_programs_over_an_unencrypted_network(self) -> None:
        # An address for documentation (RFC 5737): the refusal comes before a connection.
        with (
            ServiceClient(ServiceAddress("http://192.0.2.1:8451", "token", 60)) as client,
            pytest.raises(BuildFailed, match="without encryption; expected the service's key") as caught,
            client.download_program("/downloads/runner-source", SignedFile("runner-source", "x", 1, "a" * 64)),
        ):
            pass
        assert "ciphermark agents invite" in caught.value.remedy

    def test_key_is_made_once_and_readable_by_its_owner_only(self, tmp_path: Path) -> None:
        first, second = DownloadSigner(tmp_path), DownloadSigner(tmp_path)
        (file,) = tmp_path.iterdir()
        assert first.public_key == second.public_key
        assert file.stat().st_mode & 0o777 == 0o600
        assert first.public_key not in file.read_text()
