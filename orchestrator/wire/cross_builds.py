"""Cross-built runners: made on the machine of the service for devices that need no compiler.

A service offers at most one archive per kind of device (GET /api/v1/downloads/cross-builds). Messages from the service
to the daemon ignore unknown fields, so that an older daemon accepts the offers of a newer service.
"""

import hashlib
import json
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from orchestrator.shared.values.signatures import SignedFile
from orchestrator.wire.base import ByteCount, Line, Nanoseconds, Report, Sha256, Text
from orchestrator.wire.builds import CrossBuilt, Toolchain

MAX_ARCHIVE_BYTES = 256 * 1024 * 1024
"""Limit of an archive and of its unpacked files together; both machines' archives had 4 MiB in 2026-11."""
PROGRAM_PREFIX = "ciphermark-"

FileName = Annotated[str, StringConstraints(pattern=r"^(ciphermark-[a-z0-9]{1,32}|code-sizes\.json)$")]


class CrossBuiltFile(Report):
    """One file of the archive."""

    name: FileName
    sha256: Sha256
    size_bytes: ByteCount


class CrossBuildManifest(Report):
    """Contents and origin of an archive of cross-built programs."""

    version: Literal[1] = 1
    source_sha256: Sha256
    """SHA-256 of the runner sources (orchestrator/compilation/runner_sources.py)."""
    toolchain: Toolchain
    origin: CrossBuilt
    build_wall_ns: Nanoseconds
    compile_commands: dict[Line, Line] = {}
    missing_providers: dict[Line, Text] = {}
    files: list[CrossBuiltFile] = Field(min_length=2, max_length=64)

    @model_validator(mode="after")
    def _unique_and_bounded(self) -> "CrossBuildManifest":
        names = [file.name for file in self.files]
        if len(set(names)) != len(names):
            raise ValueError("a file is listed twice")
        total_bytes = sum(file.size_bytes for file in self.files)
        if total_bytes > MAX_ARCHIVE_BYTES:
            raise ValueError(f"the files have {total_bytes} bytes; expected at most {MAX_ARCHIVE_BYTES}")
        return self

    @property
    def build_key(self) -> str:
        """SHA-256 that identifies the programs: sources, toolchain, compiler, packages and files, but not the time."""
        origin = self.origin.model_dump(mode="json", include={"machine", "compiler_version", "target", "packages"})
        document = {
            "version": self.version,
            "cross_built": origin,
            "source": self.source_sha256,
            "toolchain": self.toolchain.model_dump(mode="json"),
            "files": sorted([file.name, file.sha256] for file in self.files),
        }
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


class CrossBuildOffer(Report):
    """Archive of cross-built programs, with its manifest."""

    path: Line
    """Absolute path on the service: ``/api/v1/downloads/cross-builds/armhf``."""
    file_name: Line
    sha256: Sha256
    """SHA-256 of the archive, a gzipped tar without folders."""
    size_bytes: Annotated[int, Field(ge=1, le=MAX_ARCHIVE_BYTES)]
    build_key: Sha256
    """Key of the build on every agent that installs the archive."""
    manifest: CrossBuildManifest

    @property
    def signed(self) -> SignedFile:
        """The archive for this machine and of this build, as the service signs it."""
        name = f"{self.manifest.origin.machine} {self.build_key}"
        return SignedFile("cross-build", name, self.size_bytes, self.sha256)


class CrossBuildOffers(Report):
    """Cross-built runners that the service offers (GET /api/v1/downloads/cross-builds)."""

    offers: list[CrossBuildOffer] = []
    absent: dict[Line, Text] = {}
    """Reasons by machine without an offer."""
