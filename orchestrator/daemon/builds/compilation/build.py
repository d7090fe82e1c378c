"""Builds of the runners, made once for each combination of sources, toolchain, compiler, and libraries."""

import hashlib
import json
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from orchestrator.daemon.builds.compilation.cmake import CompiledRunners, compile_runners
from orchestrator.daemon.builds.compilation.code_sizes import CodeSizes
from orchestrator.daemon.builds.compilation.compilers import FoundCompiler, compiler_of, library_versions
from orchestrator.daemon.builds.compilation.installation import (
    Origin,
    cache_lock,
    describe_build,
    install,
    scratch_folder,
)
from orchestrator.daemon.builds.compilation.programs import find_programs
from orchestrator.daemon.builds.compilation.steps import BuildObserver
from orchestrator.daemon.builds.installed import InstalledBuild, file_sha256, load_build
from orchestrator.errors import BuildFailed
from orchestrator.runner_sources import source_sha256
from orchestrator.wire.builds import Toolchain

_KEY_VERSION = 2
"""Incremented when the build procedure changes. 1: first version (2026-11). 2: with command lines and code sizes."""
_NO_SIZES = CodeSizes(rows=[], reason="prebuilt programs: code sizes are measured while runners are built")


def build(source: Path, toolchain: Toolchain, cache_folder: Path, observer: BuildObserver) -> InstalledBuild:
    """Return the build of a source (folder or tar.gz) with a toolchain, from the cache or made now.

    Raises BuildFailed with the last lines of the compiler's output, and Interrupted when the observer stops it.
    """
    found = compiler_of(toolchain)
    try:
        with cache_lock(cache_folder, observer), scratch_folder(cache_folder) as scratch:
            folder = _unpacked(source, scratch) if source.is_file() else source
            sha256 = source_sha256(folder)
            key = _build_key(sha256, toolchain, found)
            installed = load_build(cache_folder, key)
            if installed is not None:
                return installed
            made = compile_runners(folder, toolchain, found, scratch / "build", observer)
            origin = Origin(sha256, toolchain, found.described)
            return install(describe_build(key, made, origin), made, cache_folder)
    except OSError as error:
        raise BuildFailed(
            f"The build could not be written: {error}.",
            remedy=f"Check the space and permissions of {cache_folder}.",
        ) from error


def install_prebuilt(programs_folder: Path, cache_folder: Path) -> InstalledBuild:
    """Return the build of prebuilt programs: they are copied into the cache under a key made of their hashes."""
    programs = find_programs(programs_folder)
    hashes = {name: file_sha256(path) for name, path in sorted(programs.items())}
    key = _sha256_of({"version": _KEY_VERSION, "prebuilt": hashes})
    with cache_lock(cache_folder, BuildObserver(lambda _: None)):
        installed = load_build(cache_folder, key)
        if installed is not None:
            return installed
        made = CompiledRunners(programs_folder, _NO_SIZES, {}, {}, None)
        return install(describe_build(key, made, Origin()), made, cache_folder)


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
