"""Compilers and libraries on the device, asked for by their own words."""

import shutil
import subprocess

from orchestrator.errors import BuildFailed
from orchestrator.wire.agents import Compiler
from orchestrator.wire.builds import Toolchain

_COMMANDS = {"gcc": "g++", "clang": "clang++", "icpx": "icpx"}
_PACKAGES = {"gcc": "g++", "clang": "clang", "icpx": "intel-oneapi-compiler-dpcpp-cpp"}
_MODULES = {"cryptopp": ("libcrypto++", "cryptopp"), "botan": ("botan-3", "botan-2"), "openssl": ("openssl",)}
_SECONDS = 20


def said_by(*command: str) -> str | None:
    """Return what a program prints, or None where it is missing or fails."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.strip() if result.returncode == 0 else None


def find_compilers() -> list[Compiler]:
    """Return the C++ compilers in the search path."""
    found = []
    for name, command in _COMMANDS.items():
        path = shutil.which(command)
        if path is None:
            continue
        version, target = said_by(path, "--version"), said_by(path, "-dumpmachine")
        if version and target:
            first = version.splitlines()[0]
            found.append(Compiler.model_validate({"name": name, "command": path, "version": first, "target": target}))
    return found


def compiler_of(toolchain: Toolchain) -> Compiler:
    """Return the compiler that the toolchain names; raises BuildFailed with the package that brings it."""
    for compiler in find_compilers():
        if compiler.name == toolchain.compiler:
            return compiler
    package = _PACKAGES[toolchain.compiler]
    raise BuildFailed(f"The compiler {toolchain.compiler} is not on this machine.", remedy=f"apt-get install {package}")


def library_versions() -> dict[str, str]:
    """Return the versions of the cryptographic libraries that programs can be compiled against."""
    versions = {}
    for library, modules in _MODULES.items():
        for module in modules:
            version = said_by("pkg-config", "--modversion", module)
            if version:
                versions[library] = version
                break
    return versions
