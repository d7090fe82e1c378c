"""The library of our own ciphers for bindings, compiled once for all of them."""

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from orchestrator.compilation.native.cmake import compile_target
from orchestrator.compilation.native.compilers import FoundCompiler, compiler_of
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.wire.builds import Toolchain

_TARGET = "ciphermark-ffi"
_ARCHIVE = f"lib{_TARGET}.a"
_HEADER = "ciphermark/ffi.h"
_FOLDER = "library"
"""Folder in the cache; it holds the library of one version of the sources and one compiler."""
_TOOLCHAIN = Toolchain()
"""The toolchain of default builds, so that a binding has the same ciphers as our own runner."""


@dataclass(frozen=True)
class CipherLibrary:
    """The compiled library in the cache."""

    archive: Path
    include: Path
    """Folder of its header."""
    compiler: FoundCompiler

    @property
    def places(self) -> dict[str, str]:
        """Placeholders of build commands."""
        command = self.compiler.compiler.command
        return {"library": str(self.archive), "include": str(self.include), "compiler": command}


def library_compiler() -> FoundCompiler:
    """Return the compiler of the library; raises BuildFailed with the compilers found instead."""
    return compiler_of(_TOOLCHAIN)


def cipher_library(
    source: Path, found: FoundCompiler, cache_folder: Path, scratch: Path, observer: BuildObserver
) -> CipherLibrary:
    """Return the library, from the cache or compiled now; the caller has the lock of the cache.

    source: folder with the sources of all runners. scratch: temporary folder in the cache.
    Raises BuildFailed with the last lines of the compiler's output, and Interrupted.
    """
    home = cache_folder / _FOLDER
    final = home / _key(source, found)
    if not final.is_dir():
        compiled, made = scratch / "library-build", scratch / "library"
        compile_target(_TARGET, source, _TOOLCHAIN, found, target=compiled, observer=observer)
        header = made / "include" / _HEADER
        header.parent.mkdir(parents=True)
        shutil.copy(source / "include" / _HEADER, header)
        shutil.copy(compiled / _ARCHIVE, made / _ARCHIVE)
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        made.rename(final)
    return CipherLibrary(final / _ARCHIVE, final / "include", found)


def _key(source: Path, found: FoundCompiler) -> str:
    document = {"source": source_sha256(source), "compiler": [found.described, found.compiler.target]}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
