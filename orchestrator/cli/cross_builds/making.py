"""Making of a cross-build: compile, try under emulation, pack, and store the offer of the service."""

import gzip
import os
import platform
import shutil
import socket
import tarfile
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.builds.cross_builds import (
    OFFER_FILE,
    PATH,
    STORED_OFFER,
    archive_path,
    cross_builds_folder,
    read_offer,
)
from orchestrator.cli.cross_builds.emulation import Trial, find_emulator, try_programs
from orchestrator.cli.cross_builds.machines import Target, required_features
from orchestrator.cli.cross_builds.sysroot import Sysroot, compiler_packages, find_sysroot, make_sysroot
from orchestrator.compilation.native.cmake import CompiledRunners, Cross, compile_runners, measure_code_sizes
from orchestrator.compilation.native.code_sizes import CODE_SIZES_FILE, store_code_sizes
from orchestrator.compilation.native.compilers import FoundCompiler, command_output, describe_compiler
from orchestrator.compilation.native.installation import exclusively, remove_leftover, written_below
from orchestrator.compilation.native.libraries import runner_libraries
from orchestrator.compilation.native.programs import find_programs
from orchestrator.compilation.native.steps import BuildObserver, execute
from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.shared.errors import BuildFailed, SetupError
from orchestrator.shared.files.identity import file_sha256
from orchestrator.wire.builds import CrossBuilt, TargetPackage, Toolchain
from orchestrator.wire.cross_builds import MAX_ARCHIVE_BYTES, CrossBuildManifest, CrossBuildOffer, CrossBuiltFile

DEFAULT_TOOLCHAIN = Toolchain(link="static", masked=True)
"""Static, so that the programs need no library of the device, and all providers link the same way. With masked
variants, because a device without a compiler cannot make them later."""


@dataclass(frozen=True)
class CrossBuild:
    """Request for a cross-build."""

    source: Path
    """Folder of the runner sources."""
    target: Target
    toolchain: Toolchain
    cache_folder: Path
    package_sources: Path | None = None
    """File in the format of sources.list; None for the sources of this machine."""
    refresh: bool = False
    """Download the target's libraries again."""


@dataclass(frozen=True)
class MadeCrossBuild:
    """Offer of a cross-build, and whether it was made now."""

    offer: CrossBuildOffer
    archive: Path
    is_new: bool


def cross_build(request: CrossBuild, observer: BuildObserver) -> MadeCrossBuild:
    """Return the offer for a kind of device, which exists or is made now.

    An offer is made again if the sources, the toolchain, the compiler or the target's libraries changed. Raises
    SetupError for a missing program, BuildFailed, and Interrupted.
    """
    target = request.target
    found = find_cross_compiler(target)
    emulator = find_emulator(target)
    folder = cross_builds_folder(request.cache_folder, target.machine)
    with (
        written_below(request.cache_folder),
        exclusively(folder / ".lock", observer),
        tempfile.TemporaryDirectory(prefix=".making-", dir=folder) as at,
    ):
        scratch = Path(at)
        _remove_leftovers(folder, scratch)
        sysroot = _sysroot(request, observer)
        packages = [*sysroot.packages, *compiler_packages(Path(found.compiler.command))]
        sources = source_sha256(request.source)
        stored = read_offer(request.cache_folder, target.machine)
        if stored is not None and _is_current(stored, request, found, packages, sources):
            archive = archive_path(request.cache_folder, target.machine, stored)
            if file_sha256(archive) == stored.sha256:
                return MadeCrossBuild(stored, archive, is_new=False)
        cross = Cross(request.source.resolve() / target.toolchain_file, sysroot.folder.resolve())
        made = compile_runners(request.source, request.toolchain, found, scratch / "build", observer, cross=cross)
        _strip(target, made.folder, observer)
        trial = try_programs(made.folder, emulator, scratch, observer)
        store_code_sizes(scratch, measure_code_sizes(made.folder, observer))
        origin = CrossBuilt(
            machine=target.machine,
            host_name=socket.gethostname(),
            operating_system=_operating_system(),
            made_at=datetime.now(UTC),
            compiler_version=found.described,
            target=found.compiler.target,
            required_features=required_features(target.machine, _macros(found, request.toolchain)),
            packages=packages,
            emulator=emulator.description,
            known_answers_passed=trial.known_answers_passed,
            known_answers_failed=list(trial.known_answers_failed),
        )
        manifest = _manifest(made, trial, scratch, source=sources, toolchain=request.toolchain, origin=origin)
        return _store(request, manifest, made.folder, scratch)


def find_cross_compiler(target: Target) -> FoundCompiler:
    """Return the cross compiler of a target; raises SetupError with the command that installs it."""
    path = shutil.which(target.compiler)
    found = describe_compiler("gcc", Path(path)) if path else None
    if found is None:
        raise SetupError(
            f"The cross compiler {target.compiler} is not installed.",
            remedy=f"apt-get install {target.compiler_package}",
        )
    return found


def _strip(target: Target, folder: Path, observer: BuildObserver) -> None:
    """Remove what only a debugger reads: distributions ship static libraries with it, 26 MiB of Botan's alone."""
    programs = [str(path) for path in find_programs(folder).values()]
    execute([f"{target.triplet}-strip", "--strip-debug", *programs], observer)


def _remove_leftovers(folder: Path, scratch: Path) -> None:
    """Remove the files of a killed cross-build; only the holder of the lock writes here."""
    for leftover in folder.glob(".making-*"):
        if leftover != scratch:
            remove_leftover(leftover)


def _sysroot(request: CrossBuild, observer: BuildObserver) -> Sysroot:
    folder = request.cache_folder / "sysroots" / request.target.machine
    folder.parent.mkdir(parents=True, exist_ok=True)
    libraries = [library for library in runner_libraries(request.source) if library.served]
    known = None if request.refresh else find_sysroot(folder, libraries)
    return known or make_sysroot(request.target, folder, libraries, request.package_sources, observer)


def _is_current(
    stored: CrossBuildOffer, request: CrossBuild, found: FoundCompiler, packages: list[TargetPackage], sources: str
) -> bool:
    manifest = stored.manifest
    made_of = (manifest.source_sha256, manifest.toolchain, manifest.origin.compiler_version, manifest.origin.packages)
    return made_of == (sources, request.toolchain, found.described, packages)


def _macros(found: FoundCompiler, toolchain: Toolchain) -> str:
    """Return the predefined macros of the compiler with the machine flags of the toolchain."""
    flags = [f"-{name}={value}" for name in ("march", "mtune", "mcpu") if (value := getattr(toolchain, name))]
    output = command_output(found.compiler.command, *flags, "-x", "c++", "-dM", "-E", os.devnull)
    if output is None:
        raise BuildFailed(
            f"{found.compiler.command} rejects {' '.join(flags) or 'an empty file'}.",
            remedy="Use a CPU or architecture that this compiler knows.",
        )
    return output


def _manifest(
    made: CompiledRunners, trial: Trial, scratch: Path, *, source: str, toolchain: Toolchain, origin: CrossBuilt
) -> CrossBuildManifest:
    hashes = {runner.provider: runner.sha256 for runner in trial.runners}
    files = []
    for name, path in _files(made.folder, scratch).items():
        sha256 = file_sha256(path)
        tried = hashes.get(name.removeprefix("ciphermark-"), sha256)
        if tried != sha256:
            raise BuildFailed(f"{name} changed during its trial.", remedy="Repeat the command.")
        files.append(CrossBuiltFile(name=name, sha256=sha256, size_bytes=path.stat().st_size))
    return CrossBuildManifest(
        source_sha256=source,
        toolchain=toolchain,
        origin=origin,
        build_wall_ns=made.wall_ns or 0,
        compile_commands=made.compile_commands,
        missing_providers=made.missing_providers,
        files=files,
    )


def _files(programs_folder: Path, scratch: Path) -> dict[str, Path]:
    return dict(sorted(find_programs(programs_folder).items())) | {CODE_SIZES_FILE: scratch / CODE_SIZES_FILE}


def _store(request: CrossBuild, manifest: CrossBuildManifest, programs: Path, scratch: Path) -> MadeCrossBuild:
    machine = request.target.machine
    packed = scratch / "archive"
    _pack(_files(programs, scratch), packed)
    size_bytes = packed.stat().st_size
    if size_bytes > MAX_ARCHIVE_BYTES:
        raise BuildFailed(f"The archive has {size_bytes} bytes; expected at most {MAX_ARCHIVE_BYTES}.")
    offer = CrossBuildOffer(
        path=f"{PATH}/{machine}",
        file_name=f"ciphermark-runners-{machine}.tar.gz",
        sha256=file_sha256(packed),
        size_bytes=size_bytes,
        build_key=manifest.build_key,
        manifest=manifest,
    )
    folder = cross_builds_folder(request.cache_folder, machine)
    archive = archive_path(request.cache_folder, machine, offer)
    packed.rename(archive)
    STORED_OFFER.write(folder / OFFER_FILE, offer)
    for old in folder.glob("*.tar.gz"):
        if old != archive:
            # A download that is running keeps its open file.
            with suppress(FileNotFoundError):
                old.unlink()
    return MadeCrossBuild(offer, archive, is_new=True)


def _pack(files: dict[str, Path], archive: Path) -> None:
    """Write a gzipped tar without folders, times and owners."""
    with gzip.GzipFile(archive, "wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name, path in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = path.stat().st_size, path.stat().st_mode & 0o777
            with path.open("rb") as file:
                tar.addfile(entry, file)


def _operating_system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return platform.system()
