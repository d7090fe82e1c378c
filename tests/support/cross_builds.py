"""Cross-builds for tests: manifests with plausible origins, and archives of given files."""

import hashlib
import io
import tarfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from orchestrator.builds.cross_builds import OFFER_FILE, PATH, archive_path, cross_builds_folder
from orchestrator.wire.builds import DeviceMachine, Toolchain
from orchestrator.wire.cross_builds import CrossBuildManifest, CrossBuildOffer

SOURCE_SHA256 = "5" * 64
FILES = {"ciphermark-launcher": b"launcher", "ciphermark-own": b"own" * 100_000, "code-sizes.json": b'{"rows": []}'}


def origin(**changes: Any) -> dict[str, Any]:
    """Return the origin of a cross-build."""
    return {
        "machine": "armhf", "host_name": "box", "operating_system": "Debian GNU/Linux 12 (bookworm)",
        "made_at": datetime(2026, 11, 22, 8, 30, tzinfo=UTC), "target": "arm-linux-gnueabihf",
        "compiler_version": "arm-linux-gnueabihf-g++ (Debian 12.2.0-14) 12.2.0",
        "required_features": ["armv7", "vfpv3"], "known_answers_passed": 415,
        "emulator": "qemu-arm version 7.2", "packages": [
            {"name": "libcrypto++-dev", "version": "8.7.0", "architecture": "armhf", "sha256": "d" * 64},
        ],
    } | changes  # fmt: skip


def manifest(
    files: Mapping[str, bytes] = FILES, *, source_sha256: str = SOURCE_SHA256, **origin_changes: Any
) -> CrossBuildManifest:
    """Return the manifest of these files."""
    return CrossBuildManifest.model_validate(
        {
            "source_sha256": source_sha256,
            "toolchain": Toolchain(link="static").model_dump(),
            "origin": origin(**origin_changes),
            "build_wall_ns": 10**9,
            "missing_providers": {"botan": "not part of these sources"},
            "files": [
                {"name": name, "sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
                for name, data in files.items()
            ],
        }
    )


def packed(members: list[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    """Return a gzipped tar archive of these members."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def archive(files: Mapping[str, bytes] = FILES) -> bytes:
    """Return a gzipped tar archive of these files."""
    return packed([(tarfile.TarInfo(name), data) for name, data in files.items()])


def offer(machine: DeviceMachine, data: bytes, described: CrossBuildManifest) -> CrossBuildOffer:
    """Return the offer of an archive."""
    return CrossBuildOffer(
        path=f"{PATH}/{machine}",
        file_name=f"ciphermark-runners-{machine}.tar.gz",
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
        build_key=described.build_key,
        manifest=described,
    )


def store(cache_folder: Path, data: bytes, offered: CrossBuildOffer) -> None:
    """Store an archive and its offer in the cache of a service, as ``runners cross-build`` does."""
    machine = offered.manifest.origin.machine
    folder = cross_builds_folder(cache_folder, machine)
    folder.mkdir(parents=True, exist_ok=True)
    archive_path(cache_folder, machine, offered).write_bytes(data)
    (folder / OFFER_FILE).write_text(offered.model_dump_json(), encoding="utf-8")
