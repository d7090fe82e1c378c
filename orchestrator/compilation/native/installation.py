"""Installation of compiled, cross-built or prebuilt programs in the cache, by one process at a time."""

import fcntl
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from orchestrator.compilation.folders import LAUNCHER, REPORT_FILE, builds_folder
from orchestrator.compilation.installed import InstalledBuild, load_build
from orchestrator.compilation.native.cmake import CompiledRunners
from orchestrator.compilation.native.code_sizes import load_code_sizes, store_code_sizes
from orchestrator.compilation.native.programs import describe_runner, find_programs
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.shared.errors import BuildFailed
from orchestrator.wire.builds import BuildReport, CrossBuilt, Toolchain

_LOCK_SECONDS = 0.2
_UNFINISHED = ".unfinished-"


@dataclass(frozen=True)
class Origin:
    """Sources and compiler of a build; None where prebuilt programs do not reveal them."""

    source_sha256: str | None = None
    toolchain: Toolchain | None = None
    compiler_version: str | None = None
    cross_built: CrossBuilt | None = None


def describe_build(build_key: str, made: CompiledRunners, origin: Origin) -> BuildReport:
    """Return the report of a build, with the lists of its runners; raises BuildFailed if a runner does not start."""
    programs = find_programs(made.folder)
    runners = [describe_runner(path) for name, path in sorted(programs.items()) if name != LAUNCHER]
    # Programs of other languages have no compiler.
    facts = next((one.listing.build for one in runners if "compiler" in one.listing.build), {})
    return BuildReport(
        build_key=build_key,
        source_sha256=origin.source_sha256,
        toolchain=origin.toolchain or _reported_toolchain(facts),
        compiler_version=origin.compiler_version or f"{facts.get('compiler')} {facts.get('compiler_version')}",
        prebuilt=origin.toolchain is None,
        cross_built=origin.cross_built,
        compile_commands=made.compile_commands,
        build_wall_ns=made.wall_ns,
        runners=runners,
        missing_providers=made.missing_providers,
    )


def _reported_toolchain(reported: dict[str, object]) -> Toolchain:
    """Return the toolchain that prebuilt programs report."""
    names = {"GNU": "gcc", "Clang": "clang", "IntelLLVM": "icpx"}
    toolchain: dict[str, object] = {
        "compiler": names.get(str(reported.get("compiler")), "gcc"),
        "optimization": reported.get("optimization"),
        "link": reported.get("link"),
    }
    for flag in str(reported.get("flags", "")).split():
        name, separator, value = flag.lstrip("-").partition("=")
        if separator and name in ("march", "mtune", "mcpu"):
            toolchain[name] = value
    return Toolchain.model_validate({name: value for name, value in toolchain.items() if value})


def install(report: BuildReport, made: CompiledRunners, cache_folder: Path) -> InstalledBuild:
    """Copy the programs into the cache; the build appears under its key when it is complete."""
    incoming = builds_folder(cache_folder) / f".incoming-{secrets.token_hex(6)}"
    incoming.mkdir()
    try:
        for name, path in find_programs(made.folder).items():
            shutil.copy(path, incoming / name)
        if made.code_sizes is not None:
            store_code_sizes(incoming, made.code_sizes)
        return complete(report, incoming, cache_folder)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)


def complete(report: BuildReport, folder: Path, cache_folder: Path) -> InstalledBuild:
    """Move a folder with the programs of a build into the cache, where it appears under its key with its report."""
    final = builds_folder(cache_folder) / report.build_key
    (folder / REPORT_FILE).write_text(report.model_dump_json(), encoding="utf-8")
    shutil.rmtree(final, ignore_errors=True)
    folder.rename(final)
    installed = load_build(cache_folder, report.build_key)
    if installed is None:
        raise BuildFailed(
            f"Build {report.build_key[:12]} was damaged during its installation.",
            remedy="Restart the daemon, or order the build again.",
        )
    return installed


@contextmanager
def scratch_folder(cache_folder: Path, observer: BuildObserver) -> Iterator[Path]:
    """Hold the lock of the cache and provide a folder next to the builds, which is removed at the end.

    Raises BuildFailed if a file cannot be written.
    """
    with written_below(cache_folder), cache_lock(cache_folder, observer):
        folder = builds_folder(cache_folder) / f".making-{secrets.token_hex(6)}"
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def written_below(folder: Path) -> Iterator[None]:
    """Raise BuildFailed if a file cannot be written within this context."""
    try:
        yield
    except OSError as error:
        raise BuildFailed(
            f"The build could not be written: {error}.", remedy=f"Check the space and permissions of {folder}."
        ) from error


@contextmanager
def unfinished_folder(cache_folder: Path, build_key: str) -> Iterator[Path]:
    """Provide the folder in which a build is compiled; the caller holds the lock of the cache.

    It stays until the code sizes are measured, and if the compilation is interrupted, so that the next attempt compiles
    only what is missing. Those of other builds are removed, unless they are installed and wait for their sizes.
    """
    folder = builds_folder(cache_folder) / f"{_UNFINISHED}{build_key}"
    for other in builds_folder(cache_folder).glob(f"{_UNFINISHED}*"):
        installed = builds_folder(cache_folder) / other.name.removeprefix(_UNFINISHED)
        if other != folder and not (installed.is_dir() and load_code_sizes(installed) is None):
            remove_leftover(other)
    _end_processes(folder)
    folder.mkdir(exist_ok=True)
    try:
        yield folder
    except (BuildFailed, OSError):
        shutil.rmtree(folder, ignore_errors=True)
        raise


@contextmanager
def cache_lock(cache_folder: Path, observer: BuildObserver) -> Iterator[None]:
    """Hold the lock of the cache: one build at a time, so that a second process finds the build of the first."""
    with exclusively(builds_folder(cache_folder) / ".lock", observer):
        _remove_leftovers(cache_folder)
        yield


@contextmanager
def exclusively(lock_file: Path, observer: BuildObserver) -> Iterator[None]:
    """Hold a lock that other processes take for the same work; wait for it with progress. Raises Interrupted."""
    lock_file.parent.mkdir(parents=True, exist_ok=True)
    with lock_file.open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                observer.progress("waiting for a build that another program began on this machine")
            observer.check()
            time.sleep(_LOCK_SECONDS)
        yield


def _remove_leftovers(cache_folder: Path) -> None:
    """Remove the files of a killed build; only the holder of the lock writes here."""
    for pattern in (".making-*", ".incoming-*"):
        for folder in builds_folder(cache_folder).glob(pattern):
            remove_leftover(folder)


def remove_leftover(folder: Path) -> None:
    """Remove the folder of a killed build and end its processes."""
    _end_processes(folder)
    shutil.rmtree(folder, ignore_errors=True)


def _end_processes(folder: Path) -> None:
    """End the processes that a killed build left in its folder: a paused compiler would keep its memory forever."""
    place = str(folder.resolve())
    for process in psutil.process_iter(["cwd", "cmdline"]):
        words = [process.info["cwd"] or "", *(process.info["cmdline"] or [])]
        if any(word.startswith(place) for word in words):
            with suppress(psutil.Error):
                process.kill()
