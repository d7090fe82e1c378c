"""Folders into which a library was installed: ``include`` with its headers, ``lib`` with its object."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from orchestrator.compilation.native.compilers import command_output
from orchestrator.compilation.native.libraries import Library
from orchestrator.shared.errors import SetupError
from orchestrator.shared.values.library_versions import is_same_release, release_of

_LIBRARY_FOLDERS = ("lib", "lib64", "lib/*-linux-*")
"""Folders below a prefix with libraries, the last one for Debian's multiarch folders."""
_RELEASE = re.compile(r"[0-9]{1,6}[0-9a-z]{0,6}(\.[0-9a-z]{1,8}){0,4}")


@dataclass(frozen=True)
class FoundLibrary:
    """A library in a prefix."""

    object_file: Path
    """Shared object or static archive that programs link."""
    release: str | None
    """Version by its pkg-config file; None where the library has none."""


def find_library(library: Library, prefix: Path) -> FoundLibrary:
    """Return the library in a prefix; raises SetupError with what is missing there."""
    if not prefix.is_absolute():
        raise SetupError(
            f"The prefix {str(prefix)!r} is relative; expected an absolute folder.", remedy="Name it in full."
        )
    if not prefix.is_dir():
        raise SetupError(f"There is no folder {prefix}.", remedy="Install the library there: make install.")
    if prefix.stat().st_mode & 0o002:
        raise SetupError(
            f"All users of this device can write into {prefix}, and the daemon executes the library in it.",
            remedy=f"Change its mode: chmod o-w {prefix}",
        )
    headers = ("", *(f"{name}/" for name in library.link_names))
    if not any((prefix / "include" / folder / library.header).is_file() for folder in headers):
        raise SetupError(
            f"{prefix}/include has no {library.header}.",
            remedy=f"Name the folder that contains include and lib of {library.provider}: configure --prefix.",
        )
    names = [f"lib{name}.{suffix}" for name in library.link_names for suffix in ("so", "a")]
    found = [path for name in names for folder in _library_folders(prefix) if (path := folder / name).is_file()]
    if not found:
        raise SetupError(
            f"{prefix} has the header {library.header}, but none of {', '.join(names)} in "
            f"{', '.join(_LIBRARY_FOLDERS)}.",
            remedy="Install the library there again: make install.",
        )
    return FoundLibrary(found[0], _release(library, prefix))


def named_version(library: Library, found: FoundLibrary, version: str | None, label: str | None) -> str:
    """Return the name of a library's version: its release, and the label of one of several builds.

    Raises SetupError for a version that is unknown, or another one than that of the library's pkg-config file.
    """
    if version is not None and _RELEASE.fullmatch(version) is None:
        raise SetupError(f"{version!r} is not a version.", remedy="Write it with digits and dots, such as 2.19.3.")
    release = version or found.release
    if release is None:
        raise SetupError(
            f"{library.provider} has no pkg-config file in this prefix, which would have its version.",
            remedy="Add --version, such as --version 2.19.3. The build verifies it.",
        )
    if found.release is not None and not is_same_release(release, found.release):
        raise SetupError(
            f"The pkg-config file in this prefix is that of {library.provider} {found.release}, not {release}.",
            remedy="Leave --version out.",
        )
    if _RELEASE.fullmatch(release) is None:
        # 1.10.1-beta: a version in a plan has no hyphen.
        match = _RELEASE.match(release)
        release = match[0] if match else release_of(release)
    return f"{release}+{label}" if label else release


def _library_folders(prefix: Path) -> list[Path]:
    return [folder for pattern in _LIBRARY_FOLDERS for folder in sorted(prefix.glob(pattern)) if folder.is_dir()]


def _release(library: Library, prefix: Path) -> str | None:
    folders = [str(folder / "pkgconfig") for folder in (*_library_folders(prefix), prefix / "share")]
    environment = {**os.environ, "PKG_CONFIG_LIBDIR": os.pathsep.join(folders), "PKG_CONFIG_PATH": ""}
    for module in library.modules:
        if version := command_output("pkg-config", "--modversion", module, environment=environment):
            return version
    return None
