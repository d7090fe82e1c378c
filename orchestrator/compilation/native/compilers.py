"""Compilers and cryptographic libraries on the device, with their versions."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.compilation.native.libraries import runner_libraries
from orchestrator.shared.errors import BuildFailed
from orchestrator.shared.resources import shipped
from orchestrator.wire.agents import Compiler
from orchestrator.wire.builds import NativeCompiler, Toolchain

_COMMANDS: dict[NativeCompiler, str] = {"gcc": "g++", "clang": "clang++", "icpx": "icpx"}
_PACKAGES = {"gcc": "g++", "clang": "clang", "icpx": "intel-oneapi-compiler-dpcpp-cpp"}
_SECONDS = 20
# For icpx, -dumpversion prints the version of the LLVM inside; its own version is in the first line of --version.
_VERSION = re.compile(r"\d+(?:\.\d+)*")
_ICPX_VERSION = re.compile(r"Compiler (\d+(?:\.\d+)*)")


@dataclass(frozen=True)
class FoundCompiler:
    """A compiler in the search path, and the first line of its --version."""

    compiler: Compiler
    described: str
    """``g++ (Debian 12.2.0-14+deb12u1) 12.2.0``: the distribution's revision identifies the compiler, too."""

    @property
    def label(self) -> str:
        """Name and version for messages."""
        return f"{self.compiler.name} {self.compiler.version}"


def command_output(
    *command: str, environment: Mapping[str, str] | None = None, with_errors: bool = False
) -> str | None:
    """Return the output of a command, or None if the program is missing, fails or does not end.

    environment: by default that of this process. with_errors: with what it writes to its standard error.
    """
    errors = subprocess.STDOUT if with_errors else subprocess.DEVNULL
    try:
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, timeout=_SECONDS, check=False, env=environment
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.strip() if result.returncode == 0 else None


def find_compilers(search_path: str | None = None) -> list[FoundCompiler]:
    """Return the C++ compilers in the search path, each once, sorted by kind and with the newest first.

    search_path: folders as in PATH, which is the default. Finds ``g++``, ``g++-12``, and so on; cross compilers
    (``aarch64-linux-gnu-g++``) have other names and are not found.
    """
    found = [
        described
        for name, command in _COMMANDS.items()
        for program in _programs(command, search_path)
        if (described := describe_compiler(name, program)) is not None
    ]
    order: list[str] = list(_COMMANDS)
    return sorted(
        found, key=lambda one: (order.index(one.compiler.name), [-n for n in version_numbers(one.compiler.version)])
    )


def compiler_of(toolchain: Toolchain, search_path: str | None = None) -> FoundCompiler:
    """Return the newest compiler that matches the toolchain; raises BuildFailed with the compilers found instead."""
    compilers = find_compilers(search_path)
    for found in compilers:
        if found.compiler.name == toolchain.compiler and matches_version(found.compiler.version, toolchain.version):
            return found
    required = f"{toolchain.compiler} {toolchain.version}" if toolchain.version else toolchain.compiler
    available = ", ".join(found.label for found in compilers) or "none"
    package = _PACKAGES[toolchain.compiler]
    if toolchain.version and toolchain.compiler != "icpx":
        package = f"{package}-{toolchain.version.split('.')[0]}"
    raise BuildFailed(
        f"The compiler {required} is not installed; found: {available}.", remedy=f"apt-get install {package}"
    )


def library_versions() -> dict[str, str]:
    """Return the versions of the installed cryptographic libraries with development files."""
    versions = {}
    for library in runner_libraries(shipped("runners")):
        for module in library.modules:
            version = command_output("pkg-config", "--modversion", module)
            if version:
                versions[library.provider] = version
                break
    return versions


def _programs(command: str, search_path: str | None) -> list[Path]:
    """Return the programs named ``command`` or ``command-N``, each file once under its first name."""
    folders = (os.environ.get("PATH", os.defpath) if search_path is None else search_path).split(os.pathsep)
    name = re.compile(rf"{re.escape(command)}(-\d+(\.\d+)*)?")
    files: dict[Path, Path] = {}
    # With sudo or su, PATH may have folders of a user whose home this one cannot enter.
    for folder in (one for one in folders if os.access(one, os.R_OK)):
        for path in sorted(Path(folder).glob(f"{command}*")):
            if name.fullmatch(path.name) and shutil.which(path):
                files.setdefault(path.resolve(), path)
    return list(files.values())


def describe_compiler(name: NativeCompiler, program: Path) -> FoundCompiler | None:
    """Return the version and target of a compiler, or None if the program does not report them."""
    described, target = command_output(str(program), "--version"), command_output(str(program), "-dumpmachine")
    if not described or not target:
        return None
    first = described.splitlines()[0]
    version = _version_of(name, program, first)
    if version is None:
        return None
    return FoundCompiler(Compiler(name=name, command=str(program), version=version, target=target), first)


def _version_of(name: NativeCompiler, program: Path, first_line: str) -> str | None:
    if name == "icpx":
        match = _ICPX_VERSION.search(first_line)
        return match[1] if match else None
    # GCC's -dumpversion prints only the major number; with both options it prints the full version, as clang does.
    options = ("-dumpfullversion", "-dumpversion") if name == "gcc" else ("-dumpversion",)
    match = _VERSION.match(command_output(str(program), *options) or "")
    return match[0] if match else None


def version_numbers(version: str) -> list[int]:
    """Return the numbers of a version: 12.2.0."""
    return [int(number) for number in version.split(".")]


def matches_version(version: str, required: str | None) -> bool:
    """Return whether the version starts with the required numbers: 12.2.0 matches 12 and 12.2, but not 1."""
    return required is None or version_numbers(version)[: len(version_numbers(required))] == version_numbers(required)
