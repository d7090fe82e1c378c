"""Native parts of providers in other languages, compiled once for all of them: their driver, and the library of our own
ciphers for bindings.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from orchestrator.compilation.native.cmake import compile_target
from orchestrator.compilation.native.compilers import FoundCompiler, compiler_of
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.runner_sources import driver_sha256, source_sha256
from orchestrator.shared.files.identity import json_sha256
from orchestrator.wire.builds import Toolchain

DRIVER = "ciphermark-driver"
"""Native program that a language's provider is started by (runners/README.md)."""

_LIBRARY = "ciphermark-ffi"
_ARCHIVE = Path(f"lib{_LIBRARY}.a")
_HEADER = Path("ciphermark/ffi.h")
_TOOLCHAIN = Toolchain()
"""The toolchain of default builds, so that a binding has the same ciphers as our own runner."""


@dataclass(frozen=True)
class NativeParts:
    """The compiler of native parts, and the folders that they are made and kept in."""

    source: Path
    """Folder with the sources of all runners."""
    compiler: FoundCompiler
    cache_folder: Path
    scratch: Path
    """Temporary folder in the cache, whose lock the caller has."""
    observer: BuildObserver

    def driver(self) -> Path:
        """Return the driver, from the cache or compiled now.

        Raises BuildFailed with the last lines of the compiler's output, and Interrupted.
        """
        return self._made(DRIVER, Path("driver", DRIVER), driver_sha256(self.source))

    def library_places(self) -> dict[str, str]:
        """Return the placeholders of build commands for the library, from the cache or compiled now.

        Raises BuildFailed with the last lines of the compiler's output, and Interrupted.
        """
        archive = self._made(_LIBRARY, _ARCHIVE, source_sha256(self.source))
        include = archive.parent / "include"
        if not (include / _HEADER).exists():
            (include / _HEADER).parent.mkdir(parents=True)
            shutil.copy(self.source / "include" / _HEADER, include / _HEADER)
        return {"library": str(archive), "include": str(include), "compiler": self.compiler.compiler.command}

    def _made(self, target: str, artifact: Path, sources: str) -> Path:
        """Return the artifact of a CMake target, named by its path in a build; those of other versions are removed."""
        document = {"source": sources, "compiler": [self.compiler.described, self.compiler.compiler.target]}
        home = self.cache_folder / target
        final = home / json_sha256(document)
        if not final.is_dir():
            compiled, made = self.scratch / f"{target}-build", self.scratch / target
            compile_target(target, self.source, _TOOLCHAIN, self.compiler, target=compiled, observer=self.observer)
            made.mkdir()
            shutil.copy(compiled / artifact, made / artifact.name)
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            made.rename(final)
        return final / artifact.name


def native_compiler() -> FoundCompiler:
    """Return the compiler of native parts; raises BuildFailed with the compilers found instead."""
    return compiler_of(_TOOLCHAIN)
