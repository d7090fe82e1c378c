"""Versions of each library that this device can build a runner of, and the one that a build order names."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.compilation.libraries.prefixes import find_library
from orchestrator.compilation.libraries.registered import RegisteredLibrary, usable_registered
from orchestrator.compilation.native.cmake import OnlyLibrary
from orchestrator.compilation.native.compilers import library_versions
from orchestrator.compilation.native.libraries import Library, runner_libraries
from orchestrator.shared.errors import BuildFailed, SetupError
from orchestrator.shared.resources import shipped
from orchestrator.wire.builds import BuildLibrary

_NUMBER = re.compile(r"\d+|[a-z]+")


def known_library(provider: str) -> Library:
    """Return the row of a library in the table of the runner sources; raises SetupError for another provider."""
    libraries = {library.provider: library for library in runner_libraries(shipped("runners"))}
    if provider not in libraries:
        raise SetupError(f"There is no runner of {provider!r}.", remedy=f"Known libraries: {', '.join(libraries)}.")
    return libraries[provider]


def buildable_versions(
    distribution: Mapping[str, str], registered: Sequence[RegisteredLibrary]
) -> dict[str, list[str]]:
    """Return the versions of each library, the oldest first.

    distribution: version by library that is installed with its development files. A registered one of the same name
    takes its place.
    """
    found: dict[str, set[str]] = {provider: {version} for provider, version in distribution.items()}
    for library in registered:
        found.setdefault(library.provider, set()).add(library.version)
    return {provider: sorted(versions, key=_order) for provider, versions in sorted(found.items())}


def chosen_library(choice: BuildLibrary, libraries_file: Path) -> OnlyLibrary:
    """Return the library of a build order; raises BuildFailed with the versions that this device has instead."""
    registered = usable_registered(libraries_file)
    prefix = next(
        (one.prefix for one in registered if (one.provider, one.version) == (choice.provider, choice.version)), None
    )
    if prefix is not None:
        try:
            found = find_library(known_library(choice.provider), Path(prefix))
        except SetupError as error:
            raise BuildFailed(f"{choice.words}: {error.detail}", remedy=error.remedy) from error
        return OnlyLibrary(choice.provider, choice.version, Path(prefix), found.object_file)
    distribution = library_versions()
    if distribution.get(choice.provider) == choice.version:
        return OnlyLibrary(choice.provider, choice.version)
    versions = buildable_versions(distribution, registered).get(choice.provider)
    raise BuildFailed(
        f"This device has no {choice.words}; it has {', '.join(versions) if versions else 'none'}.",
        remedy=f"Register it there: ciphermark daemon libraries add {choice.provider} --prefix FOLDER",
    )


def _order(version: str) -> list[tuple[int, int | str]]:
    return [(1, int(part)) if part.isdigit() else (0, part) for part in _NUMBER.findall(version)]
