"""Builds of the runners, made once for each combination of sources, toolchain, compiler, and libraries."""

import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from orchestrator.compilation.installed import InstalledBuild, load_build
from orchestrator.compilation.native.cmake import CompiledRunners, OnlyLibrary, compile_runners
from orchestrator.compilation.native.code_sizes import CodeSizes
from orchestrator.compilation.native.compilers import FoundCompiler, compiler_of, library_versions
from orchestrator.compilation.native.installation import (
    Origin,
    cache_lock,
    describe_build,
    install,
    scratch_folder,
    unfinished_folder,
)
from orchestrator.compilation.native.programs import find_programs
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.shared.errors import BuildFailed
from orchestrator.shared.files.identity import file_sha256, json_sha256
from orchestrator.shared.values.library_versions import is_same_release
from orchestrator.wire.builds import BuildReport, Toolchain

BUILD_FOLDER = "build"
"""Folder of the compilation, next to the unpacked sources."""
_KEY_VERSION = 2
"""Incremented when the build procedure changes. 1: first version (2026-11). 2: with command lines and code sizes."""
_UNOBSERVED = BuildObserver(lambda _: None)
_NO_SIZES = CodeSizes(rows=[], reason="prebuilt programs: code sizes are measured while runners are built")


def build(
    source: Path,
    toolchain: Toolchain,
    cache_folder: Path,
    observer: BuildObserver,
    library: OnlyLibrary | None = None,
    *,
    providers: frozenset[str] | None = None,
) -> InstalledBuild:
    """Return the build of a source (folder or tar.gz) with a toolchain, from the cache or made now.

    library: the place of the toolchain's library, if it has one. providers: those that are needed now; None: all. The
    others are compiled when a later call needs them, under the same key, because the programs would be the same.
    Raises BuildFailed with the last lines of the compiler's output, and Interrupted when the observer stops it.
    """
    found = compiler_of(toolchain)
    with scratch_folder(cache_folder, observer) as scratch:
        unpacked = _unpacked(source, scratch) if source.is_file() else source
        sha256 = source_sha256(unpacked)
        key = _build_key(sha256, toolchain, found, library)
        installed = load_build(cache_folder, key)
        if installed is not None and not installed.lacks(providers):
            return installed
        if installed is not None and providers is not None:
            providers |= installed.runners.keys()
        with unfinished_folder(cache_folder, key) as unfinished:
            folder = source
            if source.is_file():
                folder = unfinished / "source"
                if not folder.exists():  # An interrupted build continues with the sources that it has.
                    unpacked.rename(folder)
            made = compile_runners(
                folder, toolchain, found, unfinished / BUILD_FOLDER, observer, library=library, providers=providers
            )
            if installed is not None:  # What was compiled then and now is one build, with one duration.
                made = replace(made, wall_ns=(made.wall_ns or 0) + (installed.report.build_wall_ns or 0))
            report = describe_build(key, made, Origin(sha256, toolchain, found.described))
            if library is not None:
                check_library(report, library)
            return install(report, made, cache_folder)


def install_prebuilt(
    programs_folder: Path, cache_folder: Path, observer: BuildObserver = _UNOBSERVED
) -> InstalledBuild:
    """Return the build of prebuilt programs: they are copied into the cache under a key made of their hashes."""
    programs = find_programs(programs_folder)
    hashes = {name: file_sha256(path) for name, path in sorted(programs.items())}
    key = json_sha256({"version": _KEY_VERSION, "prebuilt": hashes})
    with cache_lock(cache_folder, observer):
        installed = load_build(cache_folder, key)
        if installed is not None:
            return installed
        made = CompiledRunners(programs_folder, {}, {}, None, _NO_SIZES)
        return install(describe_build(key, made, Origin()), made, cache_folder)


def check_library(report: BuildReport, library: OnlyLibrary) -> None:
    """Raise BuildFailed if a runner was not made of the requested library: headers and object must be of its version.

    The loader prefers a library of the same name elsewhere if the program does not name the folder.
    """
    (runner,) = report.runners
    headers = str(runner.listing.build.get("headers_version") or "")
    for seen, subject in ((runner.listing.version, "loads"), (headers, "was compiled with the headers of")):
        if seen and not is_same_release(seen, library.version):
            raise BuildFailed(
                f"The runner of {library.provider} {library.version} {subject} version {seen}"
                f"{f' ({runner.library_path})' if runner.library_path else ''}.",
                remedy="Register the folder of one version alone, and check LD_LIBRARY_PATH of the daemon.",
            )
    if library.prefix is not None and runner.library_path is not None:
        loaded = Path(runner.library_path)
        if not loaded.is_relative_to(library.prefix.resolve()):
            raise BuildFailed(
                f"The runner of {library.provider} {library.version} loads {loaded}; expected a library below "
                f"{library.prefix}.",
                remedy="Two versions have one name of their shared object: check LD_LIBRARY_PATH of the daemon.",
            )


def _build_key(source: str, toolchain: Toolchain, found: FoundCompiler, library: OnlyLibrary | None) -> str:
    document = {
        "version": _KEY_VERSION,
        "source": source,
        "toolchain": toolchain.model_dump(mode="json"),
        "compiler": [found.described, found.compiler.target],
        "libraries": library_versions(),
    }
    if library is not None and library.prefix is not None and library.object_file is not None:
        document["prefix"] = [str(library.prefix), file_sha256(library.object_file)]
    return json_sha256(document)


@contextmanager
def source_folder(source: Path) -> Iterator[Path]:
    """Provide the sources of all runners as a folder: `source` itself, or its unpacked archive."""
    if source.is_dir():
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="ciphermark-sources-") as scratch:
        yield _unpacked(source, Path(scratch))


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
