"""Compilation of the runners with CMake and Ninja in a temporary folder."""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog

from orchestrator.compilation.folders import LAUNCHER, PROGRAM_PREFIX
from orchestrator.compilation.installed import COMPILED_LATER
from orchestrator.compilation.native.code_sizes import CodeSizes, read_code_sizes
from orchestrator.compilation.native.compile_commands import compile_commands
from orchestrator.compilation.native.compilers import FoundCompiler
from orchestrator.compilation.native.libraries import runner_libraries
from orchestrator.compilation.native.programs import find_programs
from orchestrator.compilation.native.steps import BuildObserver, execute
from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.shared.errors import BuildFailed
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.languages.all_languages import language_of_provider

_BYTES_PER_JOB = 768 * 1024 * 1024
"""Memory per compiler job: GCC 12 takes up to 600 MiB for a file that includes Crypto++ (x86-64, 2026-11)."""
_FAILURE_CHARACTERS = 1500
"""Characters of a compiler's last lines that describe a library without a runner."""
_LEFT_OUT = f"Left out: {PROGRAM_PREFIX}"
_SIZES_TARGET = "footprint"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class CompiledRunners:
    """Compiled or prebuilt programs before their installation."""

    folder: Path
    missing_providers: dict[str, str]
    """Reason for each provider that was not built."""
    compile_commands: dict[str, str]
    wall_ns: int | None
    """Duration without pauses."""
    code_sizes: CodeSizes | None = None
    """None if they are measured later, from the folder of the compilation."""


@dataclass(frozen=True)
class Cross:
    """Options of a build for another machine."""

    toolchain_file: Path
    sysroot: Path
    """Folder with the target's libraries."""


@dataclass(frozen=True)
class OnlyLibrary:
    """The library of a build that has no other runner."""

    provider: str
    version: str
    prefix: Path | None = None
    """Folder with its ``include`` and ``lib``; None for the distribution's."""
    object_file: Path | None = None
    """Shared object or static archive in the prefix."""


def compile_runners(
    source: Path,
    toolchain: Toolchain,
    found: FoundCompiler,
    target: Path,
    observer: BuildObserver,
    *,
    cross: Cross | None = None,
    library: OnlyLibrary | None = None,
    providers: frozenset[str] | None = None,
) -> CompiledRunners:
    """Configure, compile and link the runners of a source folder in the folder `target`.

    cross: only for another machine than this one; its toolchain file names the compiler. library: the only one.
    providers: whose runners are made, besides that of our own ciphers; None: all.
    Raises BuildFailed with the last lines of the output of CMake or the compiler, and Interrupted.
    """
    if providers is not None:
        _require_known(providers, source)
    began = observer.clock()
    configured = configure(source, target, _cmake_options(toolchain, found, cross, library), observer)
    missing = _missing_providers(configured)
    found_libraries = [one.provider for one in runner_libraries(source) if one.provider not in missing]
    later = set() if providers is None else set(found_libraries) - providers
    for name in later:  # Of an interrupted build; the programs in the folder are those that are installed.
        (target / f"{PROGRAM_PREFIX}{name}").unlink(missing_ok=True)
    libraries = [library.provider] if library else [name for name in found_libraries if name not in later]
    missing |= _compile(target, libraries, observer, own=library is None, everything=not later)
    missing |= dict.fromkeys(sorted(later), COMPILED_LATER)
    if library is not None and library.provider in missing:
        raise BuildFailed(f"{library.provider} {library.version}: {missing[library.provider]}.")
    folders = {"<build>": target, "<source>": source} | ({"<sysroot>": cross.sysroot} if cross else {})
    if library is not None and library.prefix is not None:
        folders["<prefix>"] = library.prefix
    commands = compile_commands(target, find_programs(target), folders)
    wall_ns = round((observer.clock() - began) * 1e9)
    return CompiledRunners(target, missing, commands, wall_ns)


def _require_known(providers: frozenset[str], source: Path) -> None:
    """Raise BuildFailed if these sources have no runner of a provider, and no language has it."""
    known = {"own", *(library.provider for library in runner_libraries(source))}
    unknown = sorted(name for name in providers - known if language_of_provider(name) is None)
    if unknown:
        raise BuildFailed(
            f"The sources have no runners of {', '.join(map(repr, unknown))}; expected {', '.join(sorted(known))}.",
            remedy="Correct the providers of --providers or of the plan.",
        )


def _compile(
    target: Path, libraries: Sequence[str], observer: BuildObserver, *, own: bool, everything: bool
) -> dict[str, str]:
    """Compile and link the launcher and runners; return the reason for each library whose runner cannot be made.

    own: whether there are own ciphers. everything: whether no library was left for later.
    A library of an unexpected version or configuration costs its own runner and no other. Raises BuildFailed if the
    launcher or the own ciphers fail.
    """
    command = ["cmake", "--build", str(target), "--parallel", str(_parallel_jobs())]
    first = [LAUNCHER, *([f"{PROGRAM_PREFIX}own"] if own else [])]
    runners = [f"{PROGRAM_PREFIX}{provider}" for provider in libraries]
    try:
        execute(command if everything else [*command, "--target", *first, *runners], observer)
    except BuildFailed as error:
        _log.warning("a runner was not made; the others are made one by one", error=str(error))
    else:
        return {}
    for name in first:
        execute([*command, "--target", name], observer)
    missing = {}
    for provider in libraries:
        try:
            execute([*command, "--target", f"{PROGRAM_PREFIX}{provider}"], observer)
        except BuildFailed as error:
            last = str(error)[-_FAILURE_CHARACTERS:]
            missing[provider] = f"its runner does not compile with this version of the library: {last}"
    return missing


def compile_target(
    name: str, source: Path, toolchain: Toolchain, found: FoundCompiler, *, target: Path, observer: BuildObserver
) -> None:
    """Compile one target of a source folder in the folder `target`.

    Raises BuildFailed with the last lines of the output of CMake or the compiler, and Interrupted.
    """
    configure(source, target, _cmake_options(toolchain, found, None, None), observer)
    execute(["cmake", "--build", str(target), "--target", name, "--parallel", str(_parallel_jobs())], observer)


def configure(source: Path, target: Path, options: dict[str, str], observer: BuildObserver) -> list[str]:
    """Configure a source folder in the folder `target`; return the output lines. Raises BuildFailed and Interrupted."""
    require_tools()
    with suppress(FileNotFoundError):
        # CMake continues only where the sources are the same folder, such as not after a move of the checkout.
        if source_of(target) != source.resolve():
            shutil.rmtree(target)
    words = [f"-D{name}={value}" for name, value in options.items()]
    folders = ["-S", str(source.resolve()), "-B", str(target.resolve())]
    return execute(["cmake", "-G", "Ninja", *folders, *words], observer)


def require_tools() -> None:
    """Raise BuildFailed if CMake or Ninja is not installed."""
    for tool, package in (("cmake", "cmake"), ("ninja", "ninja-build")):
        if shutil.which(tool) is None:
            raise BuildFailed(f"{tool} is not installed.", remedy=f"apt-get install {package}")


def _cmake_options(
    toolchain: Toolchain, found: FoundCompiler, cross: Cross | None, library: OnlyLibrary | None
) -> dict[str, str]:
    command = found.compiler.command
    if cross is None:
        machine = {"CMAKE_CXX_COMPILER": command, "CMAKE_ASM_COMPILER": command}
    else:
        machine = {"CMAKE_TOOLCHAIN_FILE": str(cross.toolchain_file), "CIPHERMARK_SYSROOT": str(cross.sysroot)}
    return {
        **machine,
        **_library_options(library),
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        "CIPHERMARK_OPTIMIZATION": toolchain.optimization,
        "CIPHERMARK_MARCH": toolchain.march or "",
        "CIPHERMARK_MTUNE": toolchain.mtune or "",
        "CIPHERMARK_MCPU": toolchain.mcpu or "",
        "CIPHERMARK_LINK": toolchain.link,
        "CIPHERMARK_MASKED": "ON" if toolchain.masked else "OFF",
        "CIPHERMARK_TESTS": "OFF",
        # A newer compiler may have new warnings; they must not fail the build.
        "CIPHERMARK_WERROR": "OFF",
    }


def _library_options(library: OnlyLibrary | None) -> dict[str, str]:
    if library is None:
        return {}
    options = {"CIPHERMARK_ONLY_LIBRARY": library.provider}
    return options if library.prefix is None else {**options, "CIPHERMARK_LIBRARY_PREFIX": str(library.prefix)}


def measure_code_sizes(target: Path, observer: BuildObserver, sha256: str | None = None) -> CodeSizes:
    """Return the code size of each implementation that was compiled in the folder `target`, or why they are unknown.

    sha256: of the sources that were compiled; other sources have other sizes. Raises Interrupted.
    """
    try:
        source = source_of(target)
    except FileNotFoundError:
        return CodeSizes(rows=[], reason="the folder of the compilation was removed before code sizes were measured")
    if sha256 is not None and not (source.is_dir() and source_sha256(source) == sha256):
        return CodeSizes(rows=[], reason="the sources of the runners changed before code sizes were measured")
    try:
        execute(["cmake", "--build", str(target), "--target", _SIZES_TARGET], observer)
    except BuildFailed as error:
        _log.warning("code sizes not measured", error=str(error))
        return CodeSizes(rows=[], reason=f"code sizes were not measured: {error}"[-1500:])
    return read_code_sizes(target / f"{_SIZES_TARGET}.json")


def source_of(target: Path) -> Path:
    """Return the source folder that a build folder was configured for; raises FileNotFoundError."""
    lines = (target / "CMakeCache.txt").read_text(encoding="utf-8").splitlines()
    found = (line.partition("=")[2] for line in lines if line.startswith("CMAKE_HOME_DIRECTORY:"))
    return Path(next(found, ""))


def _missing_providers(configured: list[str]) -> dict[str, str]:
    """Return the providers that CMake left out, with the reasons."""
    found = (line.partition(_LEFT_OUT)[2].partition(": ") for line in configured if _LEFT_OUT in line)
    return {provider: reason for provider, _, reason in found}


def _parallel_jobs() -> int:
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, memory_bytes // _BYTES_PER_JOB))
