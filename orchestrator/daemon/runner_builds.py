"""Makes the runners on this machine: CMake and Ninja, once per source, toolchain, compiler and libraries."""

import fcntl
import hashlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from orchestrator.builds.source import source_sha256
from orchestrator.daemon.compilers import compiler_of, library_versions
from orchestrator.daemon.installed_builds import (
    LAUNCHER,
    PROGRAM_PREFIX,
    REPORT_FILE,
    InstalledBuild,
    builds_folder,
    drop_old_builds,
    file_sha256,
    load_build,
)
from orchestrator.daemon.runner_programs import describe_runner, find_programs
from orchestrator.errors import BuildFailed
from orchestrator.wire.agents import Compiler
from orchestrator.wire.builds import BuildReport, Toolchain

Progress = Callable[[str], None]

_KEY_VERSION = 1
"""Changes when the way of building changes. History: 1, the first (2026-11)."""
_FAILURE_LINES = 25
_BUILD_SECONDS = 3600.0
_BYTES_PER_JOB = 768 * 1024 * 1024
"""GCC 12 takes up to 600 MiB for a file that includes Crypto++ (x86-64, 2026-11); a small Pi must not swap."""


@dataclass(frozen=True)
class _Made:
    """Programs that were made or found, before they are installed."""

    folder: Path
    left_out: dict[str, str]
    wall_ns: int | None


def build(source: Path, toolchain: Toolchain, cache_folder: Path, progress: Progress) -> InstalledBuild:
    """Return the build of a source (folder or tar.gz) with a toolchain, from the cache or made now.

    progress gets one line at a time. Raises BuildFailed with the last lines of what the compiler said.
    """
    builds_folder(cache_folder).mkdir(parents=True, exist_ok=True)
    compiler = compiler_of(toolchain)
    with _locked(cache_folder), _scratch(cache_folder) as scratch:
        folder = _unpacked(source, scratch) if source.is_file() else source
        sha256 = source_sha256(folder)
        key = _build_key(sha256, toolchain, compiler)
        found = load_build(cache_folder, key)
        if found is not None:
            return found
        made = _compile(folder, toolchain, compiler, scratch / "build", progress)
        report = _report(key, sha256, toolchain, compiler.version, made)
        return _install(report, made.folder, cache_folder)


def install_prebuilt(programs_folder: Path, cache_folder: Path) -> InstalledBuild:
    """Return the build made of ready-made programs: they are copied into the cache, named by their hashes."""
    builds_folder(cache_folder).mkdir(parents=True, exist_ok=True)
    programs = find_programs(programs_folder)
    hashes = {name: file_sha256(path) for name, path in sorted(programs.items())}
    key = _sha256_of({"version": _KEY_VERSION, "prebuilt": hashes})
    with _locked(cache_folder):
        found = load_build(cache_folder, key)
        if found is not None:
            return found
        made = _Made(programs_folder, {}, None)
        return _install(_report(key, None, None, None, made), programs_folder, cache_folder)


def _report(
    key: str, source: str | None, toolchain: Toolchain | None, compiler_version: str | None, made: _Made
) -> BuildReport:
    programs = find_programs(made.folder)
    runners = [describe_runner(path) for name, path in sorted(programs.items()) if name != LAUNCHER]
    said = runners[0].listing.build
    return BuildReport(
        build_key=key,
        source_sha256=source,
        toolchain=toolchain or _toolchain_said(said),
        compiler_version=compiler_version or f"{said.get('compiler')} {said.get('compiler_version')}",
        prebuilt=toolchain is None,
        build_wall_ns=made.wall_ns,
        runners=runners,
        left_out=made.left_out,
    )


def _toolchain_said(said: dict[str, object]) -> Toolchain:
    """Return the toolchain that ready-made programs report they were made with."""
    names = {"GNU": "gcc", "Clang": "clang", "IntelLLVM": "icpx"}
    facts: dict[str, object] = {
        "compiler": names.get(str(said.get("compiler")), "gcc"),
        "optimisation": said.get("optimisation"),
        "link": said.get("link"),
    }
    for flag in str(said.get("flags", "")).split():
        name, separator, value = flag.lstrip("-").partition("=")
        if separator and name in ("march", "mtune", "mcpu"):
            facts[name] = value
    return Toolchain.model_validate({name: value for name, value in facts.items() if value})


def _compile(folder: Path, toolchain: Toolchain, compiler: Compiler, target: Path, progress: Progress) -> _Made:
    for tool, package in (("cmake", "cmake"), ("ninja", "ninja-build")):
        if shutil.which(tool) is None:
            raise BuildFailed(f"{tool} is not on this machine.", remedy=f"apt-get install {package}")
    options = {
        "CMAKE_CXX_COMPILER": compiler.command,
        "CIPHERMARK_OPTIMISATION": toolchain.optimisation,
        "CIPHERMARK_MARCH": toolchain.march or "",
        "CIPHERMARK_MTUNE": toolchain.mtune or "",
        "CIPHERMARK_MCPU": toolchain.mcpu or "",
        "CIPHERMARK_LINK": toolchain.link,
        "CIPHERMARK_TESTS": "OFF",
        # A compiler that is newer than ours may warn of more; that is no reason to measure nothing.
        "CIPHERMARK_WERROR": "OFF",
    }
    began_ns = time.monotonic_ns()
    configured = _run(
        ["cmake", "-G", "Ninja", "-S", str(folder), "-B", str(target), *(f"-D{k}={v}" for k, v in options.items())],
        progress,
    )
    _run(["cmake", "--build", str(target), "--parallel", str(_parallel_jobs())], progress)
    return _Made(target, _left_out(configured), time.monotonic_ns() - began_ns)


def _left_out(lines: list[str]) -> dict[str, str]:
    """Return the providers that configure left out, with its reasons."""
    marker = f"Left out: {PROGRAM_PREFIX}"
    found = (line.partition(marker)[2].partition(": ") for line in lines if marker in line)
    return {provider: reason for provider, _, reason in found}


def _run(command: list[str], progress: Progress) -> list[str]:
    """Execute one step and return its lines; raises BuildFailed with the last of them."""
    deadline = time.monotonic() + _BUILD_SECONDS
    lines: list[str] = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            for line in process.stdout or ():
                lines.append(line.rstrip())
                progress(lines[-1])
                if time.monotonic() > deadline:
                    raise BuildFailed(
                        f"{command[0]} was stopped after {_BUILD_SECONDS:.0f} s; it said last: {lines[-1]}"
                    )
        except BaseException:
            # The compilers are grandchildren: only their group reaches them.
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        last = "\n".join(lines[-_FAILURE_LINES:])
        raise BuildFailed(f"{' '.join(command[:2])} ended with {process.returncode}:\n{last}", lines=lines)
    return lines


def _parallel_jobs() -> int:
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, memory_bytes // _BYTES_PER_JOB))


def _install(report: BuildReport, made: Path, cache_folder: Path) -> InstalledBuild:
    """Copy the programs into the cache; they appear under their key only when all of it is written."""
    final = builds_folder(cache_folder) / report.build_key
    incoming = builds_folder(cache_folder) / f".incoming-{secrets.token_hex(6)}"
    incoming.mkdir()
    try:
        for name, path in find_programs(made).items():
            shutil.copy(path, incoming / name)
        (incoming / REPORT_FILE).write_text(report.model_dump_json(), encoding="utf-8")
        shutil.rmtree(final, ignore_errors=True)
        incoming.rename(final)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
    drop_old_builds(cache_folder, keep=report.build_key)
    installed = load_build(cache_folder, report.build_key)
    if installed is None:
        raise BuildFailed(f"Build {report.build_key[:12]} was damaged while it was installed.", remedy="Try again.")
    return installed


def _build_key(source: str, toolchain: Toolchain, compiler: Compiler) -> str:
    return _sha256_of(
        {
            "version": _KEY_VERSION,
            "source": source,
            "toolchain": toolchain.model_dump(mode="json"),
            "compiler": [compiler.version, compiler.target],
            "libraries": library_versions(),
        }
    )


def _sha256_of(document: object) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _unpacked(archive: Path, scratch: Path) -> Path:
    """Unpack plain files alone, and only below `scratch` (Python 3.11.2 has no extraction filters yet)."""
    target = scratch / "source"
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            name = PurePosixPath(member.name)
            file = tar.extractfile(member) if member.isreg() else None
            if name.is_absolute() or ".." in name.parts or not (file or member.isdir()):
                raise BuildFailed(
                    f"The runner source holds {member.name!r}, expected were plain files below one folder."
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
def _locked(cache_folder: Path) -> Iterator[None]:
    """One build at a time in one cache: a second caller then finds what the first one made."""
    with (builds_folder(cache_folder) / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
