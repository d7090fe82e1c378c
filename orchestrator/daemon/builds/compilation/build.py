"""Builds of the runners, made once for each combination of sources, toolchain, compiler, and libraries."""

import fcntl
import hashlib
import json
import secrets
import shutil
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

import psutil

from orchestrator.daemon.builds.compilation.cmake import CompiledRunners, compile_runners
from orchestrator.daemon.builds.compilation.code_sizes import CodeSizes, store_code_sizes
from orchestrator.daemon.builds.compilation.compilers import FoundCompiler, compiler_of, library_versions
from orchestrator.daemon.builds.compilation.programs import describe_runner, find_programs
from orchestrator.daemon.builds.compilation.steps import BuildObserver
from orchestrator.daemon.builds.folders import LAUNCHER, REPORT_FILE, builds_folder
from orchestrator.daemon.builds.installed import InstalledBuild, file_sha256, load_build
from orchestrator.errors import BuildFailed
from orchestrator.runner_sources import source_sha256
from orchestrator.wire.builds import BuildReport, Toolchain

_KEY_VERSION = 2
"""Incremented when the build procedure changes. 1: first version (2026-11). 2: with command lines and code sizes."""
_LOCK_SECONDS = 0.2
_NO_SIZES = CodeSizes(rows=[], reason="prebuilt programs: code sizes are measured while runners are built")


def build(source: Path, toolchain: Toolchain, cache_folder: Path, observer: BuildObserver) -> InstalledBuild:
    """Return the build of a source (folder or tar.gz) with a toolchain, from the cache or made now.

    Raises BuildFailed with the last lines of the compiler's output, and Interrupted when the observer stops it.
    """
    found = compiler_of(toolchain)
    try:
        builds_folder(cache_folder).mkdir(parents=True, exist_ok=True)
        with _locked(cache_folder, observer), _scratch(cache_folder) as scratch:
            folder = _unpacked(source, scratch) if source.is_file() else source
            sha256 = source_sha256(folder)
            key = _build_key(sha256, toolchain, found)
            installed = load_build(cache_folder, key)
            if installed is not None:
                return installed
            made = compile_runners(folder, toolchain, found, scratch / "build", observer)
            return _install(_report(key, sha256, toolchain, found.described, made), made, cache_folder)
    except OSError as error:
        raise BuildFailed(
            f"The build could not be written: {error}.",
            remedy=f"Check the space and permissions of {cache_folder}.",
        ) from error


def install_prebuilt(programs_folder: Path, cache_folder: Path) -> InstalledBuild:
    """Return the build of prebuilt programs: they are copied into the cache under a key made of their hashes."""
    builds_folder(cache_folder).mkdir(parents=True, exist_ok=True)
    programs = find_programs(programs_folder)
    hashes = {name: file_sha256(path) for name, path in sorted(programs.items())}
    key = _sha256_of({"version": _KEY_VERSION, "prebuilt": hashes})
    with _locked(cache_folder, BuildObserver(lambda _: None)):
        installed = load_build(cache_folder, key)
        if installed is not None:
            return installed
        made = CompiledRunners(programs_folder, _NO_SIZES, {}, {}, None)
        return _install(_report(key, None, None, None, made), made, cache_folder)


def _report(
    key: str, source: str | None, toolchain: Toolchain | None, compiler_version: str | None, made: CompiledRunners
) -> BuildReport:
    programs = find_programs(made.folder)
    runners = [describe_runner(path) for name, path in sorted(programs.items()) if name != LAUNCHER]
    facts = runners[0].listing.build
    return BuildReport(
        build_key=key,
        source_sha256=source,
        toolchain=toolchain or _reported_toolchain(facts),
        compiler_version=compiler_version or f"{facts.get('compiler')} {facts.get('compiler_version')}",
        prebuilt=toolchain is None,
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


def _install(report: BuildReport, made: CompiledRunners, cache_folder: Path) -> InstalledBuild:
    """Copy the programs into the cache; the build appears under its key when it is complete."""
    final = builds_folder(cache_folder) / report.build_key
    incoming = builds_folder(cache_folder) / f".incoming-{secrets.token_hex(6)}"
    incoming.mkdir()
    try:
        for name, path in find_programs(made.folder).items():
            shutil.copy(path, incoming / name)
        store_code_sizes(incoming, made.code_sizes)
        (incoming / REPORT_FILE).write_text(report.model_dump_json(), encoding="utf-8")
        shutil.rmtree(final, ignore_errors=True)
        incoming.rename(final)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
    installed = load_build(cache_folder, report.build_key)
    if installed is None:
        raise BuildFailed(
            f"Build {report.build_key[:12]} was damaged during its installation.", remedy="Restart the daemon."
        )
    return installed


def _build_key(source: str, toolchain: Toolchain, found: FoundCompiler) -> str:
    return _sha256_of(
        {
            "version": _KEY_VERSION,
            "source": source,
            "toolchain": toolchain.model_dump(mode="json"),
            "compiler": [found.described, found.compiler.target],
            "libraries": library_versions(),
        }
    )


def _sha256_of(document: object) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _unpacked(archive: Path, scratch: Path) -> Path:
    """Unpack regular files below `scratch` (Python 3.11.2 has no extraction filters yet)."""
    target = scratch / "source"
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            name = PurePosixPath(member.name)
            file = tar.extractfile(member) if member.isreg() else None
            if name.is_absolute() or ".." in name.parts or not (file or member.isdir()):
                raise BuildFailed(
                    f"The runner sources contain {member.name!r}; expected regular files below one folder."
                )
            if file is not None:
                path = target / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.read())
    entries = list(target.iterdir())
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else target


@contextmanager
def _scratch(cache_folder: Path) -> Iterator[Path]:
    folder = builds_folder(cache_folder) / f".making-{secrets.token_hex(6)}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(cache_folder: Path, observer: BuildObserver) -> Iterator[None]:
    """Hold the lock of the cache: one build at a time, so that a second process finds the build of the first."""
    with (builds_folder(cache_folder) / ".lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                observer.progress("waiting for another build on this machine")
            observer.check()
            time.sleep(_LOCK_SECONDS)
        _remove_leftovers(cache_folder)
        yield


def _remove_leftovers(cache_folder: Path) -> None:
    """Remove what a killed build left; only the holder of the lock writes here."""
    for pattern in (".making-*", ".incoming-*"):
        for folder in builds_folder(cache_folder).glob(pattern):
            _end_leftover_compilers(folder)
            shutil.rmtree(folder, ignore_errors=True)


def _end_leftover_compilers(folder: Path) -> None:
    """End the processes of a killed build: a paused compiler would keep its memory forever."""
    place = str(folder.resolve())
    for process in psutil.process_iter(["cwd", "cmdline"]):
        words = [process.info["cwd"] or "", *(process.info["cmdline"] or [])]
        if any(word.startswith(place) for word in words):
            with suppress(psutil.Error):
                process.kill()
