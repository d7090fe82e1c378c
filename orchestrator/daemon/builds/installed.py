"""Installed builds: the immutable programs of a build in the cache, and their report.

``<cache_folder>/builds/<build_key>/`` holds the programs, their code sizes, ``build.json`` (written last: a folder
without it is not a complete build), ``proofs.json``, and ``footprints.json``.
"""

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog
from pydantic import ValidationError

from orchestrator.daemon.builds.folders import LAUNCHER, PROGRAM_PREFIX, REPORT_FILE, build_folders, builds_folder
from orchestrator.errors import BuildFailed
from orchestrator.wire.builds import BuildReport, RunnerBinary

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class InstalledBuild:
    """One build whose programs can be executed."""

    build_key: str
    report: BuildReport
    programs: Mapping[str, Path]
    """Runner of each provider."""
    launcher: Path

    @property
    def folder(self) -> Path:
        """Folder of the build in the cache."""
        return self.launcher.parent

    def binary_sha256(self, provider: str) -> str | None:
        """Return the SHA-256 of the provider's program at build time; None if the build has no such program."""
        return next((r.sha256 for r in self.report.runners if r.provider == provider), None)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load_build(cache_folder: Path, build_key: str) -> InstalledBuild | None:
    """Return a build whose programs are all present and unchanged, and mark it as used; a damaged one is removed."""
    build = _read_build(cache_folder, build_key)
    if build is not None:
        note_use(cache_folder, build_key)
    return build


def note_use(cache_folder: Path, build_key: str) -> bool:
    """Mark a build as recently used; return False if it is not in the cache."""
    try:
        os.utime(builds_folder(cache_folder) / build_key / REPORT_FILE)
    except FileNotFoundError:
        return False
    return True


def _read_build(cache_folder: Path, build_key: str) -> InstalledBuild | None:
    folder = builds_folder(cache_folder) / build_key
    try:
        report = BuildReport.model_validate_json((folder / REPORT_FILE).read_bytes())
        programs = {r.provider: folder / f"{PROGRAM_PREFIX}{r.provider}" for r in report.runners}
        damaged = [r.provider for r in report.runners if not _is_as_reported(r, programs[r.provider])]
        if report.build_key != build_key or damaged or not (folder / LAUNCHER).is_file():
            raise BuildFailed(f"The programs of build {build_key[:12]} or their libraries have changed: {damaged}.")
    except FileNotFoundError:
        return None
    except (ValidationError, BuildFailed) as error:
        _log.error("build in the cache is damaged; removed", build_key=build_key, error=str(error))
        shutil.rmtree(folder, ignore_errors=True)
        return None
    return InstalledBuild(build_key, report, programs, folder / LAUNCHER)


def _is_as_reported(runner: RunnerBinary, program: Path) -> bool:
    """Return whether the program and the library it loads are the ones that were reported and proved."""
    if file_sha256(program) != runner.sha256 or not os.access(program, os.X_OK):
        return False
    return runner.library_path is None or file_sha256(Path(runner.library_path)) == runner.library_sha256


def list_builds(cache_folder: Path) -> list[InstalledBuild]:
    """Return every build in the cache without marking any as used."""
    keys = [folder.name for folder in build_folders(cache_folder)]
    return [build for key in keys if (build := _read_build(cache_folder, key)) is not None]
