"""Installation of cross-built runners: the offer that fits this device, its archive, and its programs.

Nothing of an archive is installed before all of it was verified: the service's signature, the archive's SHA-256, the
CPU features, and the name, size and SHA-256 of each file. The known answers follow on the device, as for every build.
"""

import hashlib
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import structlog

from corpus.store import ChunkStore, file_blocks
from orchestrator.builds.cross_builds import archive_path, read_offer
from orchestrator.compilation.cpu_features import TargetDevice, missing_features, this_device
from orchestrator.compilation.installed import InstalledBuild, load_build
from orchestrator.compilation.native.cmake import CompiledRunners
from orchestrator.compilation.native.code_sizes import CodeSizes, load_code_sizes
from orchestrator.compilation.native.installation import (
    Origin,
    describe_build,
    install,
    scratch_folder,
)
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.shared.errors import BuildFailed, ChunkDamaged, UnsupportedCPU
from orchestrator.shared.resources import CROSS_BUILDS, carried
from orchestrator.shared.units import format_size
from orchestrator.wire.cross_builds import (
    MAX_ARCHIVE_BYTES,
    PROGRAM_PREFIX,
    CrossBuildManifest,
    CrossBuildOffer,
    CrossBuiltFile,
)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class FoundOffer:
    """The service's offer for this device, or the reason why there is none."""

    offer: CrossBuildOffer | None
    reason: str = ""


def find_offer(client: ServiceClient, source_sha256: str, device: TargetDevice | None) -> FoundOffer:
    """Return the service's offer of these runner sources for a device. Raises Unreachable."""
    if device is None:
        return FoundOffer(None, "Runners are cross-built for x86-64 and for 32-bit and 64-bit Arm only.")
    offers = client.cross_builds()
    for offer in offers.offers:
        if offer.manifest.origin.machine == device.machine and offer.manifest.source_sha256 == source_sha256:
            return FoundOffer(offer)
    return FoundOffer(None, offers.absent.get(device.machine, f"The service offers no runners for {device.machine}."))


def install_cross_built(
    client: ServiceClient, offer: CrossBuildOffer, device: TargetDevice, cache_folder: Path, observer: BuildObserver
) -> InstalledBuild:
    """Return the build of an offer, from the cache or downloaded and installed now.

    Raises UnsupportedCPU with the missing features, BuildFailed if the archive or a program is damaged, and
    Unreachable.
    """

    def fetch(scratch: Path) -> Path:
        observer.report(f"downloading cross-built runners ({format_size(offer.size_bytes)})")
        return download(client, offer, scratch)

    return _installed(offer, fetch, device, cache_folder, observer)


def install_carried(cache_folder: Path, observer: BuildObserver) -> InstalledBuild | None:
    """Return the build of the runners that the installed wheel carries for this device; None if it carries none.

    Raises UnsupportedCPU with the missing features, and BuildFailed if the archive or a program is damaged.
    """
    device, folder = this_device(), carried(CROSS_BUILDS).parent
    offer = read_offer(folder, device.machine) if device else None
    if device is None or offer is None:
        return None
    archive = archive_path(folder, device.machine, offer)
    return _installed(offer, lambda _: archive, device, cache_folder, observer)


def _installed(
    offer: CrossBuildOffer,
    fetch: Callable[[Path], Path],
    device: TargetDevice,
    cache_folder: Path,
    observer: BuildObserver,
) -> InstalledBuild:
    """Return the build of an offer, whose archive `fetch` provides, with a folder to store it in."""
    require_features(offer.manifest, device.features)
    key = offer.build_key
    if key != offer.manifest.build_key:
        raise BuildFailed(
            f"The manifest of the cross-built runners has the key {offer.manifest.build_key[:12]}; "
            f"expected {key[:12]}.",
            remedy="On the machine of the service: ciphermark runners cross-build.",
        )
    with scratch_folder(cache_folder, observer) as scratch:
        installed = load_build(cache_folder, key)
        if installed is not None:
            return installed
        unpack(fetch(scratch), offer.manifest, scratch / "programs")
        return _install(offer, scratch / "programs", cache_folder)


def require_features(manifest: CrossBuildManifest, available: frozenset[str]) -> None:
    """Raise UnsupportedCPU, with the names of the missing features, if the CPU cannot execute the programs."""
    origin = manifest.origin
    missing = missing_features(origin.required_features, available)
    if missing:
        raise UnsupportedCPU(
            f"The cross-built runners for {origin.machine} need the CPU feature{'s' if len(missing) > 1 else ''} "
            f"{', '.join(missing)}, which this CPU lacks; it has {' '.join(sorted(available)) or 'none'}.",
            remedy="Install a compiler on this device (apt-get install g++ cmake ninja-build), or cross-build for an "
            "older CPU: ciphermark runners cross-build --march.",
            missing=missing,
        )


def download(client: ServiceClient, offer: CrossBuildOffer, folder: Path) -> Path:
    """Download the archive of an offer and return its path.

    Raises BuildFailed if it is damaged or not signed by the service, and Unreachable.
    """
    store = ChunkStore(folder / "archive")
    try:
        with client.download_program(offer.path.removeprefix("/api/v1"), offer.signed) as running:
            store.put_stream(_bounded(running.blocks(), offer.size_bytes), expected_sha256=offer.sha256)
    except ChunkDamaged as error:
        raise BuildFailed(f"The archive of the cross-built runners is damaged: {error.detail}") from error
    return store.path(offer.sha256)


def _bounded(blocks: Iterable[bytes], limit_bytes: int) -> Iterator[bytes]:
    """Yield the blocks; raise BuildFailed when there are more bytes than announced."""
    total_bytes = 0
    for block in blocks:
        total_bytes += len(block)
        if total_bytes > limit_bytes:
            raise BuildFailed(f"The archive of the cross-built runners is larger than announced: {limit_bytes} bytes.")
        yield block


def unpack(archive: Path, manifest: CrossBuildManifest, target: Path) -> None:
    """Unpack the files of the manifest into a new folder; raises BuildFailed if the archive differs from the manifest.

    A member is written only if it is a regular file whose name is in the manifest, without a folder; the programs
    become executable.
    """
    expected = {file.name: file for file in manifest.files}
    target.mkdir()
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar:
                file = expected.pop(member.name, None)
                data = tar.extractfile(member) if file is not None and member.isreg() else None
                if file is None or data is None:
                    raise BuildFailed(
                        f"The archive of the cross-built runners contains {member.name[:100]!r}; "
                        "expected the files of its manifest, each once."
                    )
                _write(file, file_blocks(cast(BinaryIO, data)), target / file.name)
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise BuildFailed(f"The archive of the cross-built runners cannot be unpacked: {error}.") from error
    if expected:
        raise BuildFailed(f"The archive of the cross-built runners lacks {', '.join(sorted(expected))}.")


def _write(file: CrossBuiltFile, blocks: Iterable[bytes], path: Path) -> None:
    digest, size_bytes = hashlib.sha256(), 0
    with path.open("xb") as output:
        for block in blocks:
            size_bytes += len(block)
            if size_bytes > min(file.size_bytes, MAX_ARCHIVE_BYTES):
                break
            digest.update(block)
            output.write(block)
    if size_bytes != file.size_bytes or digest.hexdigest() != file.sha256:
        raise BuildFailed(
            f"{file.name} of the cross-built runners has {size_bytes} bytes and SHA-256 {digest.hexdigest()}; "
            f"expected {file.size_bytes} bytes and {file.sha256}."
        )
    path.chmod(0o755 if file.name.startswith(PROGRAM_PREFIX) else 0o644)


def _install(offer: CrossBuildOffer, folder: Path, cache_folder: Path) -> InstalledBuild:
    manifest = offer.manifest
    made = CompiledRunners(
        folder=folder,
        code_sizes=load_code_sizes(folder) or CodeSizes(rows=[], reason="the cross-build has no code sizes"),
        missing_providers=manifest.missing_providers,
        compile_commands=manifest.compile_commands,
        wall_ns=manifest.build_wall_ns,
    )
    origin = Origin(manifest.source_sha256, manifest.toolchain, manifest.origin.compiler_version, manifest.origin)
    installed = install(describe_build(offer.build_key, made, origin), made, cache_folder)
    _log.info(
        "cross-built runners installed",
        build_key=offer.build_key,
        made_on=manifest.origin.host_name,
        made_at=manifest.origin.made_at.isoformat(),
    )
    return installed
