"""Installed builds: the immutable programs of a build in the cache, and their report.

``<cache_folder>/builds/<build_key>/`` holds the programs, their code sizes, ``build.json`` (written last: a folder
without it is not a complete build), ``proofs.json``, ``footprints.json`` and ``constant-time.json``.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog
from pydantic import ValidationError

from orchestrator.compilation.folders import LAUNCHER, PROGRAM_PREFIX, REPORT_FILE, build_folders, builds_folder
from orchestrator.compilation.runner_sources import SourceFile, combined_sha256
from orchestrator.shared.errors import BuildFailed
from orchestrator.shared.files.identity import file_sha256
from orchestrator.wire.builds import BuildReport, RunnerBinary

COMPILED_LATER = "its runner is compiled at the next start of the daemon without --providers"
"""Reason for a provider that a build lacks because no plan waits for it."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Program:
    """Runner of one provider: the command that starts it, and the files that it consists of."""

    name: str
    command: tuple[str, ...]
    files: tuple[Path, ...]
    """Files of the provider."""
    interpreter: Path | None = None
    """Program of a language that executes the files; None for compiled ones."""

    @property
    def path(self) -> Path:
        """Program that the launcher starts: the runner, or the driver that becomes the program of a language."""
        return Path(self.command[0])

    @property
    def read(self) -> tuple[Path, ...]:
        """Files that an execution reads, each once, with the one that the launcher starts first."""
        return tuple(dict.fromkeys(path for path in (self.path, self.interpreter, *self.files) if path is not None))

    def sha256(self) -> str:
        """Return the SHA-256 of a single file, or the combined one of several."""
        if len(self.files) == 1:
            return file_sha256(self.files[0])
        base = Path(os.path.commonpath(self.files))
        return combined_sha256(
            SourceFile(path.relative_to(base).as_posix(), path.read_bytes()) for path in sorted(self.files)
        )


def program_of(runner: RunnerBinary, folder: Path) -> Program:
    """Return the program of a runner in the folder of its build."""
    name = f"{PROGRAM_PREFIX}{runner.provider}"
    if not runner.start:
        return Program(name, (str(folder / name),), (folder / name,))
    return language_program(runner.provider, tuple(runner.start), folder)


def language_program(provider: str, start: tuple[str, ...], folder: Path) -> Program:
    """Return the program of a language's provider.

    start: its command, with ``{folder}`` for the folder of its files: the driver, and the program that it becomes.
    """
    home = folder / provider
    files = sorted(path for path in home.rglob("*") if path.is_file())
    command = tuple(word.replace("{folder}", str(home)) for word in start)
    programs = [Path(word) for word in command[:2] if word.startswith("/")]
    interpreter = next((program for program in programs if not program.is_relative_to(home)), None)
    return Program(f"{PROGRAM_PREFIX}{provider}", command, tuple(files), interpreter)


@dataclass(frozen=True)
class InstalledBuild:
    """One build whose programs can be executed."""

    build_key: str
    report: BuildReport
    runners: Mapping[str, Program]
    """Runner of each provider."""
    folder: Path
    """Folder of the build in the cache."""

    @property
    def programs(self) -> Mapping[str, Path]:
        """Program of each provider that the launcher starts."""
        return {provider: runner.path for provider, runner in self.runners.items()}

    def lacks(self, providers: frozenset[str] | None) -> bool:
        """Return whether one of these providers, or of all for None, is still to be compiled."""
        later = {name for name, reason in self.report.missing_providers.items() if reason == COMPILED_LATER}
        return bool(later if providers is None else later & providers)

    @property
    def launcher(self) -> Path:
        """Launcher of a native build; the build of a language has none."""
        return self.folder / LAUNCHER

    def copy_programs(self, into: Path) -> None:
        """Copy the programs of a native build, each of which is one file, into one folder."""
        into.mkdir(parents=True, exist_ok=True)
        for program in (*self.programs.values(), self.launcher):
            # Renamed into place: a running program cannot be overwritten.
            new = into / f".{program.name}.new"
            shutil.copy2(program, new)
            new.replace(into / program.name)

    def binary_sha256(self, provider: str) -> str | None:
        """Return the SHA-256 of the provider's program at build time; None if the build has no such program."""
        return next((r.sha256 for r in self.report.runners if r.provider == provider), None)


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
        runners = {r.provider: program_of(r, folder) for r in report.runners}
        damaged = [r.provider for r in report.runners if not _is_as_reported(r, runners[r.provider])]
        is_native = any(not runner.start for runner in report.runners)
        if report.build_key != build_key or damaged or (is_native and not (folder / LAUNCHER).is_file()):
            raise BuildFailed(f"The programs of build {build_key[:12]} or their libraries have changed: {damaged}.")
    except FileNotFoundError:
        return None
    except (ValidationError, BuildFailed) as error:
        _log.error("build in the cache is damaged; removed", build_key=build_key, error=str(error))
        shutil.rmtree(folder, ignore_errors=True)
        return None
    return InstalledBuild(build_key, report, runners, folder)


def _is_as_reported(runner: RunnerBinary, program: Program) -> bool:
    """Return whether the program and the library it loads are the ones that were reported and proved."""
    if program.sha256() != runner.sha256 or not os.access(program.path, os.X_OK):
        return False
    return runner.library_path is None or file_sha256(Path(runner.library_path)) == runner.library_sha256


def list_builds(cache_folder: Path) -> list[InstalledBuild]:
    """Return every build in the cache without marking any as used."""
    keys = [folder.name for folder in build_folders(cache_folder)]
    return [build for key in keys if (build := _read_build(cache_folder, key)) is not None]
